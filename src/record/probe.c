/*
 * Which dynamic events, and how rich.  They are global, hence taken back in
 * reverse order on every path.
 */
#include "record/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracefs.h>

#include "record/extra.h"
#include "record/probe_facts.h"
#include "record/probe_plan.h"

static char *read_format(const char *group, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "events/%s/%s/format", group, name);
	return tracefs_instance_file_read(NULL, path, NULL);
}

/* Made and on in inst, as the next of probe, which has room for it. */
static int make_event(struct rwk_probe *probe, const struct rwk_dynevent_text *text,
	struct rwk_instance *inst, struct rwk_diag *diag)
{
	struct rwk_format_text *format = &probe->format[probe->nr_events];
	int err = rwk_dynevent_create(text, probe->group, &probe->event[probe->nr_events], diag);

	if (err)
		return err;
	snprintf(format->name, sizeof(format->name), "%s", text->name);
	format->system = RWK_PROBE_GROUP;
	format->text = read_format(probe->group, text->name);
	probe->nr_events++;
	if (!format->text)
		return rwk_diag_push(diag, -EIO, "cannot read the format of a probe: event=%s/%s",
			probe->group, text->name);
	return rwk_instance_enable(inst, probe->group, text->name, diag);
}

static int make_room(struct rwk_probe *probe, int more, struct rwk_diag *diag)
{
	size_t nr = (size_t)(probe->nr_events + more);
	struct rwk_dynevent *event = realloc(probe->event, nr * sizeof(*event));
	struct rwk_format_text *format;

	if (event)
		probe->event = event;
	format = event ? realloc(probe->format, nr * sizeof(*format)) : NULL;
	if (!format)
		return rwk_diag_push(diag, -ENOMEM, "cannot set up the probe: why=no memory");
	probe->format = format;
	return 0;
}

static int make_events(struct rwk_probe *probe, const struct rwk_probe_plan *plan,
	struct rwk_instance *inst, struct rwk_diag *diag)
{
	int err = plan->nr_events ? make_room(probe, plan->nr_events, diag) : 0;

	for (int i = 0; i < plan->nr_events && !err; i++) {
		struct rwk_dynevent_text text = rwk_probe_event_text(&plan->event[i]);

		err = make_event(probe, &text, inst, diag);
	}
	return err;
}

/* One more definition, with the group that the trace has, behind those of result. */
static int add_definition(struct rwk_record_probe *result, const struct rwk_dynevent_text *text,
	struct rwk_diag *diag)
{
	char *line = rwk_dynevent_format(text, RWK_PROBE_GROUP), *all = NULL;
	int len = line ? asprintf(&all, "%s%s\n", result->events ? result->events : "", line) : -1;

	free(line);
	if (len < 0)
		return rwk_diag_push(diag, -ENOMEM, "cannot set up the probe: why=no memory");
	free(result->events);
	result->events = all;
	return 0;
}

/* inst NULL, here and below: only to tell, nothing is made. */
static int try_level(struct rwk_probe *probe, const struct rwk_probe_facts *facts,
	enum rwk_probe_level level, struct rwk_instance *inst, struct rwk_record_probe *result,
	struct rwk_diag *diag)
{
	struct rwk_probe_plan plan;
	int err = rwk_probe_plan_make(&plan, facts, level, diag), remove_err;

	if (err)
		return err;
	if (inst)
		err = make_events(probe, &plan, inst, diag);
	for (int i = 0; i < plan.nr_events && !err; i++) {
		struct rwk_dynevent_text text = rwk_probe_event_text(&plan.event[i]);

		err = add_definition(result, &text, diag);
	}
	if (!err) {
		result->level = level;
		result->by_fprobes =
			level != RWK_PROBE_LEVEL_NONE && rwk_probe_plan_by_fprobes(facts);
		if (plan.nr_llc)
			snprintf(result->why, sizeof(result->why), "%d of %d cache domains%s%s",
				plan.nr_llc, facts->nr_llc, plan.note[0] ? "; " : "", plan.note);
		else
			snprintf(result->why, sizeof(result->why), "%s", plan.note);
	} else {
		free(result->events);
		result->events = NULL;
		for (int i = probe->nr_events - 1; i >= 0; i--)
			rwk_instance_disable(inst, probe->group, probe->format[i].name);
		remove_err = rwk_probe_remove(probe, diag);
		/* What cannot be removed is for the caller to know of, not to be retried over. */
		if (remove_err)
			err = remove_err;
		else
			rwk_probe_finish(probe);
	}
	rwk_probe_plan_finish(&plan);
	return err;
}

/* The richest that works, and in result->why what keeps richer ones from working. */
static int try_levels(struct rwk_probe *probe, const struct rwk_probe_facts *facts,
	struct rwk_instance *inst, struct rwk_record_probe *result, struct rwk_diag *diag)
{
	char reasons[RWK_RECORD_PROBE_WHY] = "";

	for (int level = RWK_PROBE_LEVEL_HIDDEN;; level--) {
		const char *lack = rwk_probe_plan_lack(facts, (enum rwk_probe_level)level);
		char text[RWK_DIAG_TEXT];
		struct rwk_diag why = {0};
		size_t len;
		int err;

		if (!lack) {
			err = try_level(
				probe, facts, (enum rwk_probe_level)level, inst, result, &why);
			if (!err)
				break;
			/* Events that cannot be removed again, or no memory: no level will do. */
			if (err == -ENOMEM || probe->nr_events) {
				for (int i = 0; i < why.nr; i++)
					rwk_diag_push(diag, err, "%s", why.cause[i]);
				return err;
			}
			rwk_diag_format(&why, text, sizeof(text));
			lack = text;
		} else if (level > RWK_PROBE_LEVEL_FLAGS &&
			   lack == rwk_probe_plan_lack(facts, RWK_PROBE_LEVEL_FLAGS)) {
			continue; /* said once, of the least that it keeps from working */
		}
		len = strlen(reasons);
		snprintf(reasons + len, sizeof(reasons) - len, "%snot %s: %.300s", len ? "; " : "",
			rwk_probe_level_name((enum rwk_probe_level)level), lack);
	}
	if (reasons[0]) {
		size_t len = strlen(result->why);

		snprintf(result->why + len, sizeof(result->why) - len, "%s%s", len ? "; " : "",
			reasons);
	}
	return 0;
}

/* Nothing that another try or more rights would change. */
static bool is_refused(int err)
{
	return err == -EINVAL || err == -ENOENT || err == -EADDRNOTAVAIL || err == -E2BIG ||
	       err == -EOPNOTSUPP;
}

/* The lengths of run queues, which are recorded beside any level. */
static int add_nr(struct rwk_probe *probe, struct rwk_instance *inst,
	struct rwk_record_probe *result, struct rwk_diag *diag)
{
	int err = inst ? make_room(probe, 1, diag) : 0;

	if (!err && inst)
		err = make_event(probe, &rwk_nr_event, inst, diag);
	if (is_refused(err))
		err = -ENODATA;
	return err ? err : add_definition(result, &rwk_nr_event, diag);
}

static int choose(struct rwk_probe *probe, const struct rwk_record_options *opt,
	const char *tracing_dir, const struct rwk_cpuset *cpus, struct rwk_instance *inst,
	struct rwk_record_probe *ret_result, struct rwk_diag *diag)
{
	struct rwk_record_probe result = {.asked = opt->probe, .hits = -1, .missed = -1};
	struct rwk_probe_facts facts;
	int err;

	rwk_probe_facts_gather(&facts, tracing_dir, opt->probe);
	facts.llc_cpu = opt->llc_cpu;
	facts.nr_llc = opt->nr_llc;
	facts.cpus = *cpus;
	err = opt->probe == RWK_PROBE_LEVEL_AUTO
		      ? try_levels(probe, &facts, inst, &result, diag)
		      : try_level(probe, &facts, opt->probe, inst, &result, diag);
	if (!err && opt->extra & RWK_RECORD_EXTRA_NR)
		err = add_nr(probe, inst, &result, diag);
	if (err)
		free(result.events);
	else
		*ret_result = result;
	return err;
}

int rwk_probe_create(struct rwk_probe *ret, const struct rwk_record_options *opt,
	struct rwk_instance *inst, const struct rwk_owner *owner,
	struct rwk_record_probe *ret_result, struct rwk_diag *diag)
{
	char name[RWK_OWNER_LEN];
	int err;

	rwk_owner_format(owner, '_', name);
	*ret = (struct rwk_probe){0};
	snprintf(ret->group, sizeof(ret->group), RWK_PROBE_GROUP "_%s", name);
	err = choose(ret, opt, inst->dir, &inst->setup.cpus, inst, ret_result, diag);
	if (!ret->nr_events && is_refused(err))
		err = -ENODATA;
	return err;
}

int rwk_probe_preview(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_cpuset *cpus, struct rwk_record_probe *ret_result, struct rwk_diag *diag)
{
	struct rwk_probe none = {0};

	return choose(&none, opt, tracing_dir, cpus, NULL, ret_result, diag);
}

void rwk_probe_read_profile(const struct rwk_probe *probe, const char *tracing_dir,
	int64_t *ret_hits, int64_t *ret_missed)
{
	int64_t hits = 0, missed = 0;
	char path[4096], line[512];
	int nr = 0;
	FILE *f;

	*ret_hits = *ret_missed = -1;
	/* Of events that are no kprobes the kernel does not tell. */
	if (!probe->nr_events || !probe->event[0].handle)
		return;
	snprintf(path, sizeof(path), "%s/kprobe_profile", tracing_dir);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char name[128];
		int64_t n[2];

		if (sscanf(line, " %127s %" SCNd64 " %" SCNd64, name, &n[0], &n[1]) != 3)
			continue;
		if (!strcmp(name, "sel")) {
			nr++;
			hits = n[0];
			missed += n[1];
		} else if (!strcmp(name, "sel_ret")) {
			missed += n[1];
		}
	}
	if (f)
		fclose(f);
	/* Without the group: somebody else's of that name cannot be told apart. */
	if (nr == 1) {
		*ret_hits = hits;
		*ret_missed = missed;
	}
}

int rwk_probe_remove(struct rwk_probe *probe, struct rwk_diag *diag)
{
	int ret = 0;

	for (int i = probe->nr_events - 1; i >= 0; i--) {
		int err = rwk_dynevent_destroy(&probe->event[i]);

		if (err && !ret)
			ret = rwk_diag_push(diag, err, "cannot remove a probe: event=%s/%s why=%s",
				probe->group, probe->format[i].name, strerror(-err));
	}
	return ret;
}

void rwk_probe_finish(struct rwk_probe *probe)
{
	for (int i = 0; i < probe->nr_events; i++)
		free(probe->format[i].text);
	free(probe->event);
	free(probe->format);
	probe->nr_events = 0;
	probe->event = NULL;
	probe->format = NULL;
}
