/* The order in which a recording would look, too; see recorder.c. */
#include "record/preview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/extra.h"
#include "record/filter.h"
#include "record/flight.h"
#include "record/instance.h"
#include "record/probe.h"
#include "record/tracefs_root.h"
#include "record/trigger.h"

#define WINDOW_NS INT64_C(1000000000)

int rwk_preview_take(
	const struct rwk_record_options *opt, struct rwk_preview *ret, struct rwk_diag *diag)
{
	struct rwk_preview p = {0};
	struct rwk_extra extra;
	struct rwk_owner self;
	int err = rwk_tracefs_find(diag, &p.tracing_dir);

	if (!err)
		err = rwk_tracefs_check_events(p.tracing_dir, diag);
	if (!err)
		err = rwk_tracefs_use(p.tracing_dir, diag);
	if (!err) {
		err = rwk_owner_self(&self);
		if (err)
			rwk_diag_push(diag, err, "cannot tell who I am: dir=/proc why=%s",
				strerror(-err));
		else
			rwk_owner_format(&self, '-', p.owner);
	}
	if (!err)
		err = rwk_setup_choose(NULL, opt->buffer_kb,
			opt->filter.by_cpu ? &opt->filter.cpus : NULL, &p.setup, diag);
	if (!err)
		err = rwk_filter_check(&opt->filter, diag);
	if (!err)
		err = rwk_extra_choose(opt, p.tracing_dir, &extra, diag);
	if (!err) {
		p.extra = rwk_extra_format(&extra);
		if (!p.extra)
			err = rwk_diag_push(diag, -ENOMEM, "cannot look: why=no memory");
	}
	if (!err && opt->trigger_ns)
		rwk_trigger_preview(p.tracing_dir, &p.trigger);
	if (!err && opt->flight.on)
		err = rwk_flight_size(opt, p.tracing_dir, &p.setup, diag);
	if (!err)
		err = rwk_probe_preview(opt, p.tracing_dir, &p.setup.cpus, &p.probe, diag);
	if (!err)
		err = rwk_rate_sample(p.tracing_dir, p.probe.events, WINDOW_NS, &p.rate, diag);
	rwk_tracefs_use(NULL, NULL);
	if (err) {
		rwk_preview_finish(&p);
		return err;
	}
	*ret = p;
	return 0;
}

void rwk_preview_finish(struct rwk_preview *preview)
{
	free(preview->tracing_dir);
	free(preview->probe.events);
	free(preview->extra);
	*preview = (struct rwk_preview){0};
}
