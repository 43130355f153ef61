/* An instance of its own, so that filters, full buffers and a flight recorder leave it alone. */
#include "record/hotplug.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <event-parse.h>
#include <tracefs.h>

#include "base/parse.h"
#include "base/vec.h"
#include "record/dynevent.h"
#include "record/hotplug_rows.h"
#include "record/probe.h"

#define BUFFER_KB  32 /* per CPU: some hundred steps, of eight for a CPU that goes and comes */
#define MAX_STATES 65536
#define FUNCTION   "build_sched_domains"
#define BEGIN      "rebuild"
#define END        "rebuilt"
#define NR_PROBES  2

struct rwk_hotplug {
	struct rwk_instance instance;
	struct tep_handle *tep;
	struct rwk_hotplug_states states;
	char group[RWK_OWNER_LEN + 16];
	struct rwk_dynevent probe[NR_PROBES];
	bool with_domains; /* they are built within the step: no probe is needed */
	int enter_id, exit_id, begin_id, end_id;
	struct tep_format_field *enter_cpu, *enter_step, *enter_state;
	struct tep_format_field *exit_cpu, *exit_step, *exit_state, *exit_result;
	struct rwk_hotplug_event *event;
	size_t nr, cap;
	bool failed;
};

static void __attribute__((format(printf, 2, 3))) tell(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, RWK_RECORD_PROBE_WHY, fmt, ap);
	va_end(ap);
}

static void read_states(struct rwk_hotplug_states *ret)
{
	char *text = malloc(MAX_STATES);
	size_t len = 0;
	FILE *f = fopen(RWK_HOTPLUG_STATES, "re");

	if (f && text)
		len = fread(text, 1, MAX_STATES - 1, f);
	if (text)
		text[len] = '\0';
	if (f)
		fclose(f);
	*ret = rwk_hotplug_states_parse(text);
	free(text);
}

/*
 * Up to 6.9 a worker builds the domains some time after the step, later the step
 * itself does (seen in 6.1, 6.12).
 */
static bool builds_within_step(void)
{
	struct rwk_version v = {0};
	struct utsname uts;

	return !uname(&uts) && !rwk_parse_version(uts.release, &v) &&
	       rwk_version_cmp(v, (struct rwk_version){6, 12, 0}) >= 0;
}

static int remove_probes(struct rwk_hotplug *h, struct rwk_diag *diag)
{
	int ret = 0;

	for (int i = NR_PROBES - 1; i >= 0; i--) {
		int err = rwk_dynevent_destroy(&h->probe[i]);

		if (err && !ret)
			ret = rwk_diag_push(diag, err, "cannot remove a probe: event=%s/%s why=%s",
				h->group, i ? END : BEGIN, strerror(-err));
	}
	return ret;
}

static int make_probes(struct rwk_hotplug *h, bool by_fprobes)
{
	const struct rwk_dynevent_text text[NR_PROBES] = {
		{by_fprobes ? RWK_DYNEVENT_FPROBE : RWK_DYNEVENT_KPROBE, BEGIN, FUNCTION, ""},
		{by_fprobes ? RWK_DYNEVENT_FRETPROBE : RWK_DYNEVENT_KRETPROBE, END, FUNCTION, ""}};
	int err = 0;

	for (int i = 0; i < NR_PROBES && !err; i++) {
		err = rwk_dynevent_create(&text[i], h->group, &h->probe[i], NULL);
		if (!err)
			err = rwk_instance_enable(&h->instance, h->group, text[i].name, NULL);
	}
	if (!err)
		return 0;
	/* What cannot be removed is tried again, and told, in the end. */
	for (int i = NR_PROBES - 1; i >= 0; i--)
		rwk_instance_disable(&h->instance, h->group, text[i].name);
	remove_probes(h, NULL);
	return err;
}

/* Only the steps that matter: a CPU goes through a hundred. */
static int enable_steps(struct rwk_hotplug *h)
{
	static const char *const events[] = {"cpuhp_enter", "cpuhp_exit"};
	char filter[128];
	int err = 0;

	snprintf(filter, sizeof(filter), "idx==%d || idx==%d || idx==%d", h->states.active,
		h->states.bringup, h->states.teardown);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !err; i++) {
		char name[64];

		snprintf(name, sizeof(name), "events/cpuhp/%s/filter", events[i]);
		err = rwk_instance_set(&h->instance, name, filter, NULL);
		if (!err)
			err = rwk_instance_enable(&h->instance, "cpuhp", events[i], NULL);
	}
	return err;
}

static int find_fields(struct rwk_hotplug *h)
{
	const char *const systems[] = {"cpuhp", h->probe[0].made ? h->group : NULL, NULL};
	struct tep_event *enter, *leave, *begin, *end;

	h->tep = tracefs_local_events_system(h->instance.dir, systems);
	if (!h->tep)
		return -ENODATA;
	enter = tep_find_event_by_name(h->tep, "cpuhp", "cpuhp_enter");
	leave = tep_find_event_by_name(h->tep, "cpuhp", "cpuhp_exit");
	begin = tep_find_event_by_name(h->tep, h->group, BEGIN);
	end = tep_find_event_by_name(h->tep, h->group, END);
	if (!enter || !leave || (h->probe[0].made && (!begin || !end)))
		return -ENODATA;
	h->enter_id = enter->id;
	h->exit_id = leave->id;
	h->begin_id = begin ? begin->id : -1;
	h->end_id = end ? end->id : -1;
	h->enter_cpu = tep_find_field(enter, "cpu");
	h->enter_step = tep_find_field(enter, "idx");
	h->enter_state = tep_find_field(enter, "target");
	h->exit_cpu = tep_find_field(leave, "cpu");
	h->exit_step = tep_find_field(leave, "idx");
	h->exit_state = tep_find_field(leave, "state");
	h->exit_result = tep_find_field(leave, "ret");
	return h->enter_cpu && h->enter_step && h->enter_state && h->exit_cpu && h->exit_step &&
			       h->exit_state && h->exit_result
		       ? 0
		       : -ENODATA;
}

/* What does not work is in why; the recording goes on without. */
static int set_up(struct rwk_hotplug *h, const char *tracing_dir, const struct rwk_owner *owner,
	const struct rwk_record_probe *probe, char *why)
{
	int err = rwk_instance_create(
		&h->instance, tracing_dir, owner, RWK_HOTPLUG_ROLE, BUFFER_KB, NULL, NULL);

	if (err) {
		tell(why, "no instance for it: %s", strerror(-err));
		return err;
	}
	err = enable_steps(h);
	if (err) {
		tell(why, "cpuhp:cpuhp_enter and cpuhp_exit cannot be recorded: %s",
			strerror(-err));
		return err;
	}
	if (probe->level != RWK_PROBE_LEVEL_NONE)
		err = make_probes(h, probe->by_fprobes);
	h->with_domains = !h->probe[0].made;
	if (h->with_domains && !builds_within_step()) {
		tell(why, "when domains are built is unknown: no probe on " FUNCTION "%s%s",
			err ? ": " : ", as there are none of decisions either",
			err ? strerror(-err) : "");
		return err ? err : -ENODATA;
	}
	err = find_fields(h);
	if (!err)
		err = rwk_instance_switch(&h->instance, true, NULL);
	if (err)
		tell(why, "the formats of hot-plug steps cannot be read");
	return err;
}

static bool find_steps(const char *tracing_dir, struct rwk_hotplug_states *ret, char *why)
{
	char path[4096];

	read_states(ret);
	snprintf(path, sizeof(path), "%s/events/cpuhp/cpuhp_exit/format", tracing_dir);
	if (ret->active < 0 || ret->bringup < 0 || ret->teardown < 0)
		tell(why, RWK_HOTPLUG_STATES " does not name the steps");
	else if (access(path, R_OK))
		tell(why, "this kernel lacks cpuhp:cpuhp_exit");
	else
		return true;
	return false;
}

bool rwk_hotplug_can(const char *tracing_dir, char *why)
{
	struct rwk_hotplug_states states;

	return find_steps(tracing_dir, &states, why);
}

int rwk_hotplug_start(const char *tracing_dir, const struct rwk_owner *owner,
	const struct rwk_record_probe *probe, char *why, struct rwk_diag *diag,
	struct rwk_hotplug **ret)
{
	struct rwk_hotplug *h = calloc(1, sizeof(*h));
	char name[RWK_OWNER_LEN];

	*ret = NULL;
	if (!h) {
		tell(why, "no memory");
		return 0;
	}
	rwk_owner_format(owner, '_', name);
	snprintf(h->group, sizeof(h->group), RWK_PROBE_GROUP "_%s", name);
	if (find_steps(tracing_dir, &h->states, why) &&
		!set_up(h, tracing_dir, owner, probe, why)) {
		*ret = h;
		return 0;
	}
	return rwk_hotplug_stop(h, diag);
}

void rwk_hotplug_end(struct rwk_hotplug *h)
{
	if (h)
		rwk_instance_switch(&h->instance, false, NULL);
}

static int number(struct tep_format_field *field, struct tep_record *record)
{
	unsigned long long value;

	return tep_read_number_field(field, record->data, &value) ? -1 : (int)value;
}

static int keep(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
	struct rwk_hotplug *h = ctx;
	struct rwk_hotplug_event e = {.ts = (rwk_ns)record->ts, .cpu = cpu};

	if (event->id == h->enter_id) {
		e.kind = RWK_HOTPLUG_ENTER;
		e.cpu = number(h->enter_cpu, record);
		e.step = number(h->enter_step, record);
		e.state = number(h->enter_state, record);
	} else if (event->id == h->exit_id) {
		e.kind = RWK_HOTPLUG_EXIT;
		e.cpu = number(h->exit_cpu, record);
		e.step = number(h->exit_step, record);
		e.state = number(h->exit_state, record);
		e.result = number(h->exit_result, record);
	} else if (event->id == h->begin_id) {
		e.kind = RWK_HOTPLUG_REBUILD;
	} else if (event->id == h->end_id) {
		e.kind = RWK_HOTPLUG_REBUILT;
	} else {
		return 0;
	}
	if (rwk_vec_grow(&h->event, &h->cap, h->nr + 1, sizeof(*h->event)))
		h->failed = true;
	else
		h->event[h->nr++] = e;
	return 0;
}

/* Whether all that happened is still there. */
static bool is_whole(struct rwk_hotplug *h)
{
	rwk_cpuset_foreach (cpu, &h->instance.setup.cpus) {
		struct rwk_record_cpu c = {.cpu = cpu};

		if (rwk_instance_read_stats(&h->instance, cpu, &c, NULL) || c.overrun ||
			c.commit_overrun || c.dropped)
			return false;
	}
	return true;
}

char *rwk_hotplug_read(struct rwk_hotplug *h, char *why)
{
	char *rows;

	if (!is_whole(h)) {
		tell(why, "more CPUs came and went than the buffers of it hold");
		return NULL;
	}
	tracefs_iterate_raw_events(h->tep, h->instance.handle, NULL, 0, keep, h);
	rows = h->failed ? NULL : rwk_hotplug_rows(h->event, h->nr, &h->states, h->with_domains);
	if (!rows)
		tell(why, "no memory");
	return rows;
}

int rwk_hotplug_stop(struct rwk_hotplug *h, struct rwk_diag *diag)
{
	int err, probe_err;

	if (!h)
		return 0;
	err = rwk_instance_destroy(&h->instance, diag);
	/* The instance had them on, which would have kept them. */
	probe_err = remove_probes(h, diag);
	if (h->tep)
		tep_free(h->tep);
	free(h->event);
	free(h);
	return err ? err : probe_err;
}
