/* From what was recorded to the file that people get. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/assemble.h"
#include "record/recorder.h"
#include "record/view.h"

/* What cannot be packed is no less a recording. */
static void pack(struct rwk_recorder *r)
{
	char causes[RWK_DIAG_TEXT], text[RWK_DIAG_TEXT + 64];
	struct rwk_diag diag = {0};

	if (!rwk_assemble_pack(r->work.fd, r->opt->compression.level, r->result.cpu,
		    r->result.nr_cpus, &diag) ||
		!r->opt->tell)
		return;
	rwk_diag_format(&diag, causes, sizeof(causes));
	snprintf(text, sizeof(text), "the trace is not packed: %s", causes);
	r->opt->tell(text);
}

int rwk_recorder_publish(struct rwk_recorder *r)
{
	char *made = NULL;
	struct rwk_view_sink view = rwk_assemble_view(&r->work.fd);
	const char *clock = r->instance.setup.clock;
	int err;

	if (r->opt->stream)
		return rwk_recorder_end_stream(r);
	err = rwk_view_write(&view, r->tracing_dir, clock, &r->extra, r->probe.format,
		r->probe.nr_events, r->diag);
	if (!err)
		err = rwk_view_write_names(&view, r->tracing_dir, r->diag);
	if (!err)
		err = rwk_assemble(r->tool, r->work.path, r->work.fd, clock, r->result.cpu,
			r->result.nr_cpus, r->diag);
	if (err)
		return err;
	if (r->opt->compression.zstd)
		pack(r);
	if (asprintf(&made, "%s/out.dat", r->work.path) < 0)
		return rwk_diag_push(r->diag, -ENOMEM, "cannot save the trace: why=no memory");
	if (rename(made, r->opt->output))
		err = rwk_diag_push(r->diag, -errno, "cannot save the trace: file=%s why=%s",
			r->opt->output, strerror(errno));
	free(made);
	return err;
}
