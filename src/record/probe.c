/*
 * Dynamic events through libtracefs.  They are global, hence taken back in
 * reverse order on every path.
 */
#include "record/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tracefs.h>

#include "record/probe_facts.h"
#include "record/probe_plan.h"

#define MAX_WHY          256
#define DESTROY_TRIES    50
#define DESTROY_PAUSE_NS 20000000

/*
 * The kernel's own words about a definition in group, on one line; "" without
 * any.  The log is everybody's: what is in it may be about something else, and
 * it is not ours to clear.
 */
static void kernel_error(const char *group, char *buf, size_t size)
{
	char *text = tracefs_error_last(NULL);
	const char *p = text && strstr(text, group) ? strstr(text, "error: ") : NULL;

	snprintf(buf, size, "%.*s", p ? (int)strcspn(p, "\n") : 0, p ? p : "");
	free(text);
}

static char *read_format(const char *group, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "events/%s/%s/format", group, name);
	return tracefs_instance_file_read(NULL, path, NULL);
}

static int make_event(struct rwk_probe *probe, const struct rwk_probe_event *planned,
	struct rwk_instance *inst, struct rwk_diag *diag)
{
	struct rwk_format_text *format = &probe->format[probe->nr_events];
	struct tracefs_dynevent *event;
	char why[MAX_WHY];
	int err;

	event = planned->is_return ? tracefs_kretprobe_alloc(probe->group, planned->name,
					     RWK_PROBE_FUNCTION, planned->fetch, 0)
				   : tracefs_kprobe_alloc(probe->group, planned->name,
					     RWK_PROBE_FUNCTION, planned->fetch);
	if (!event)
		return rwk_diag_push(diag, errno ? -errno : -ENOMEM,
			"cannot describe a probe: event=%s/%s", probe->group, planned->name);
	errno = 0;
	if (tracefs_dynevent_create(event)) {
		err = errno ? -errno : -EIO;
		kernel_error(probe->group, why, sizeof(why));
		tracefs_dynevent_free(event);
		return rwk_diag_push(diag, err,
			"the kernel refuses a probe: event=%s/%s function=%s why=%s%s%s%s",
			probe->group, planned->name, RWK_PROBE_FUNCTION, strerror(-err),
			why[0] ? " (" : "", why, why[0] ? ")" : "");
	}
	probe->event[probe->nr_events] = event;
	snprintf(format->name, sizeof(format->name), "%s", planned->name);
	format->system = RWK_PROBE_GROUP;
	format->text = read_format(probe->group, planned->name);
	probe->nr_events++;
	if (!format->text)
		return rwk_diag_push(diag, -EIO, "cannot read the format of a probe: event=%s/%s",
			probe->group, planned->name);
	return rwk_instance_enable(inst, probe->group, planned->name, diag);
}

static int make_events(struct rwk_probe *probe, const struct rwk_probe_plan *plan,
	struct rwk_instance *inst, struct rwk_diag *diag)
{
	size_t nr = (size_t)plan->nr_events;
	int err = 0;

	if (!nr)
		return 0;
	probe->event = calloc(nr, sizeof(*probe->event));
	probe->format = calloc(nr, sizeof(*probe->format));
	if (!probe->event || !probe->format)
		err = rwk_diag_push(diag, -ENOMEM, "cannot set up the probe: why=no memory");
	for (size_t i = 0; i < nr && !err; i++)
		err = make_event(probe, &plan->event[i], inst, diag);
	return err;
}

/* As they went to the kernel, but with the group that the trace has. */
static char *definitions(const struct rwk_probe_plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < plan->nr_events; i++) {
		const struct rwk_probe_event *e = &plan->event[i];

		fprintf(out, "%c:" RWK_PROBE_GROUP "/%s " RWK_PROBE_FUNCTION " %s\n",
			e->is_return ? 'r' : 'p', e->name, e->fetch);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
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
	if (!err && plan.nr_events) {
		result->events = definitions(&plan);
		if (!result->events)
			err = rwk_diag_push(
				diag, -ENOMEM, "cannot set up the probe: why=no memory");
	}
	if (!err) {
		result->level = level;
		if (plan.nr_llc)
			snprintf(result->why, sizeof(result->why), "%d of %d cache domains%s%s",
				plan.nr_llc, facts->nr_llc, plan.note[0] ? "; " : "", plan.note);
		else
			snprintf(result->why, sizeof(result->why), "%s", plan.note);
	} else {
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
	if (!err)
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
	/* Nothing that another try or more rights would change. */
	if (!ret->nr_events && (err == -EINVAL || err == -ENOENT || err == -EADDRNOTAVAIL ||
				       err == -E2BIG || err == -EOPNOTSUPP))
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
	if (!probe->nr_events)
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

static int destroy_event(struct tracefs_dynevent *event)
{
	const struct timespec pause = {.tv_nsec = DESTROY_PAUSE_NS};
	int err = 0;

	/* Busy for a moment after it was switched off. */
	for (int i = 0; i < DESTROY_TRIES; i++) {
		errno = 0;
		/* Forced: off wherever anybody has switched it on meanwhile. */
		if (!tracefs_dynevent_destroy(event, true))
			return 0;
		err = errno ? -errno : -EIO;
		if (err != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return err;
}

int rwk_probe_remove(struct rwk_probe *probe, struct rwk_diag *diag)
{
	int ret = 0;

	for (int i = probe->nr_events - 1; i >= 0; i--) {
		int err;

		if (!probe->event[i])
			continue;
		err = destroy_event(probe->event[i]);
		if (err && !ret)
			ret = rwk_diag_push(diag, err, "cannot remove a probe: event=%s/%s why=%s",
				probe->group, probe->format[i].name, strerror(-err));
		tracefs_dynevent_free(probe->event[i]);
		probe->event[i] = NULL;
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
