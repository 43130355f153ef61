/* One table; what an older kernel lacks is left out unless somebody has named it. */
#include "record/extra.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/btf.h"
#include "record/filter.h"
#include "record/tracefs_root.h"

static const struct {
	enum rwk_record_extra group;
	struct rwk_extra_event event;
} table[] = {
	{RWK_RECORD_EXTRA_TASK, {"sched", "sched_process_fork"}},
	{RWK_RECORD_EXTRA_TASK, {"sched", "sched_process_exec"}},
	{RWK_RECORD_EXTRA_TASK, {"sched", "sched_process_exit"}},
	{RWK_RECORD_EXTRA_CSD, {"csd", "csd_queue_cpu"}},
	{RWK_RECORD_EXTRA_CPU_IDLE, {"power", "cpu_idle"}},
};

static const struct {
	const char *name;
	unsigned int set;
} groups[] = {{"none", 0}, {"task", RWK_RECORD_EXTRA_TASK}, {"csd", RWK_RECORD_EXTRA_CSD},
	{"cpu-idle", RWK_RECORD_EXTRA_CPU_IDLE}, {"nr-running", RWK_RECORD_EXTRA_NR}};

const struct rwk_dynevent_text rwk_nr_event = {.type = RWK_DYNEVENT_TPROBE,
	.name = "nr",
	.place = "sched_update_nr_running_tp",
	.fetch = "cpu=rq->cpu nr=rq->nr_running change=change"};

int rwk_record_extra_parse(const char *text, unsigned int *ret)
{
	unsigned int set = 0;

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ","), i = 0, nr = sizeof(groups) / sizeof(groups[0]);

		while (i < nr && (strlen(groups[i].name) != len || memcmp(groups[i].name, p, len)))
			i++;
		if (i == nr)
			return -EINVAL;
		set |= groups[i].set;
		p += len;
		if (!*p)
			break;
	}
	*ret = set;
	return 0;
}

void rwk_nr_lack(const char *dir, char *buf, size_t size)
{
	buf[0] = '\0';
	if (!rwk_tracefs_says(dir, " t[:[<group>/][<event>]] <tracepoint>"))
		snprintf(buf, size, "the kernel has no tracepoint probes");
	else if (access(RWK_BTF_PATH, R_OK))
		snprintf(buf, size, "no type information (BTF) in " RWK_BTF_PATH);
}

int rwk_extra_choose(const struct rwk_record_options *opt, const char *dir, struct rwk_extra *ret,
	struct rwk_diag *diag)
{
	struct rwk_extra extra = {.nr = opt->extra & RWK_RECORD_EXTRA_NR};
	char why[128];
	int nr = 0;

	if (extra.nr) {
		rwk_nr_lack(dir, why, sizeof(why));
		if (why[0])
			return rwk_diag_push(diag, -ENODATA,
				"this kernel lacks an event that was asked for: "
				"missing=rewake:nr why=%s",
				why);
	}

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct rwk_extra_event *e = &table[i].event;
		char path[4096];

		if (!(opt->extra & table[i].group))
			continue;
		snprintf(path, sizeof(path), "%s/events/%s/%s/format", dir, e->system, e->name);
		if (!access(path, R_OK))
			extra.event[nr++] = *e;
		else if (opt->extra_needed)
			return rwk_diag_push(diag, -ENODATA,
				"this kernel lacks an event that was asked for: "
				"dir=%s/events missing=%s:%s",
				dir, e->system, e->name);
	}
	*ret = extra;
	return 0;
}

char *rwk_extra_format(const struct rwk_extra *extra)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (const struct rwk_extra_event *e = extra->event; e->system; e++)
		fprintf(out, "%s%s:%s", e == extra->event ? "" : " ", e->system, e->name);
	if (extra->nr)
		fprintf(out, "%srewake:nr", extra->event[0].system ? " " : "");
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int rwk_extra_enable(const struct rwk_extra *extra, const struct rwk_record_filter *filter,
	struct rwk_instance *inst, struct rwk_diag *diag)
{
	int err = 0;

	for (const struct rwk_extra_event *e = extra->event; e->system && !err; e++) {
		err = rwk_filter_apply_event(filter, inst, e->system, e->name, diag);
		if (!err)
			err = rwk_instance_enable(inst, e->system, e->name, diag);
	}
	return err;
}
