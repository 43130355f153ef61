/*
 * Events of several CPUs are read one CPU after the other, so the latest of
 * each look may be older than some that the next look finds: they wait for that.
 */
#include "record/trigger_follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <tracefs.h>

#include "record/filter.h"
#include "record/instance.h"
#include "record/latency.h"

#define MAX_KB      1024 /* per CPU: some 15000 events between two looks */
#define MAX_PENDING (8 << 20) /* events; more are lost */

struct seen {
	rwk_ns ts;
	int32_t cpu;
	int32_t prev, next; /* a switch; of a waking, prev is -1 and next the wakee */
	char comm[RWK_RECORD_COMM_LEN]; /* of next */
};

struct rwk_trigger_follow {
	struct rwk_instance instance;
	const struct rwk_record_filter *filter;
	struct tep_handle *tep;
	int waking_id, switch_id;
	struct tep_format_field *wakee, *prev, *next, *next_comm;
	struct rwk_latency *latency;
	rwk_ns limit;
	struct seen *pending;
	size_t nr, cap;
	rwk_ns last; /* the latest event of the look before */
	int64_t gaps; /* looks in which something was missing */
	rwk_ns gap_end; /* of the one that is under way: what began before is not known */
};

static int find_fields(struct rwk_trigger_follow *w, struct rwk_diag *diag)
{
	static const char *const systems[] = {"sched", NULL};
	struct tep_event *waking, *change;

	w->tep = tracefs_local_events_system(w->instance.dir, systems);
	waking = w->tep ? tep_find_event_by_name(w->tep, "sched", "sched_waking") : NULL;
	change = w->tep ? tep_find_event_by_name(w->tep, "sched", "sched_switch") : NULL;
	if (waking && change) {
		w->waking_id = waking->id;
		w->switch_id = change->id;
		w->wakee = tep_find_field(waking, "pid");
		w->prev = tep_find_field(change, "prev_pid");
		w->next = tep_find_field(change, "next_pid");
		w->next_comm = tep_find_field(change, "next_comm");
	}
	if (w->wakee && w->prev && w->next && w->next_comm)
		return 0;
	return rwk_diag_push(diag, -ENODATA,
		"no trigger here: why=the formats of sched_waking and sched_switch cannot be read");
}

/* On all CPUs: who was woken here may run, and go to sleep again, elsewhere. */
static int set_up(struct rwk_trigger_follow *w, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag)
{
	struct rwk_setup setup = {0};
	int err = rwk_setup_choose(NULL, 0, NULL, &setup, diag);

	if (!err)
		err = rwk_instance_create(&w->instance, tracing_dir, owner, RWK_TRIGGER_ROLE,
			setup.buffer_kb < MAX_KB ? setup.buffer_kb : MAX_KB, NULL, diag);
	if (!err)
		err = rwk_filter_apply_tasks(w->filter, &w->instance, diag);
	if (!err)
		err = rwk_filter_apply_names(w->filter, &w->instance, diag);
	if (!err)
		err = rwk_instance_enable(&w->instance, "sched", "sched_waking", diag);
	if (!err)
		err = rwk_instance_enable(&w->instance, "sched", "sched_switch", diag);
	if (!err)
		err = find_fields(w, diag);
	return err ? err : rwk_instance_switch(&w->instance, true, diag);
}

int rwk_trigger_follow_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_follow **ret)
{
	struct rwk_trigger_follow *w = calloc(1, sizeof(*w));
	int err;

	if (w)
		w->latency = rwk_latency_create();
	if (!w || !w->latency) {
		free(w);
		return rwk_diag_push(diag, -ENOMEM, "no trigger: why=no memory");
	}
	w->filter = &opt->filter;
	w->limit = opt->trigger_ns;
	w->last = RWK_NS_NONE;
	err = set_up(w, tracing_dir, owner, diag);
	if (err) {
		rwk_trigger_follow_stop(w, diag);
		return err;
	}
	*ret = w;
	return 0;
}

static int32_t number(struct tep_format_field *field, struct tep_record *record)
{
	unsigned long long value;

	return tep_read_number_field(field, record->data, &value) ? -1 : (int32_t)value;
}

static void note_gap(struct rwk_trigger_follow *w, rwk_ns end)
{
	if (end > w->gap_end)
		w->gap_end = end;
}

static int keep(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
	struct rwk_trigger_follow *w = ctx;
	struct seen s = {.ts = (rwk_ns)record->ts, .cpu = cpu, .prev = -1};

	if (record->missed_events)
		note_gap(w, s.ts);
	if (event->id == w->waking_id) {
		s.next = number(w->wakee, record);
	} else if (event->id == w->switch_id) {
		size_t len = (size_t)w->next_comm->size;

		s.prev = number(w->prev, record);
		s.next = number(w->next, record);
		if (len > sizeof(s.comm))
			len = sizeof(s.comm);
		memcpy(s.comm, (const char *)record->data + w->next_comm->offset, len);
		s.comm[sizeof(s.comm) - 1] = '\0';
	} else {
		return 0;
	}
	if (w->nr == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 4096;
		struct seen *more =
			cap > MAX_PENDING ? NULL : realloc(w->pending, cap * sizeof(*w->pending));

		if (!more) {
			note_gap(w, s.ts);
			return 0;
		}
		w->pending = more;
		w->cap = cap;
	}
	w->pending[w->nr++] = s;
	return 0;
}

static int compare_ts(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

/* One event in its turn; true: it is what was waited for. */
static bool judge(
	struct rwk_trigger_follow *w, const struct seen *s, struct rwk_record_trigger *ret)
{
	bool here = !w->filter->by_cpu || rwk_cpuset_has(&w->filter->cpus, s->cpu);
	rwk_ns waited;

	if (s->prev < 0) {
		if (here)
			rwk_latency_waking(w->latency, s->ts, s->next);
		return false;
	}
	waited = rwk_latency_switch(w->latency, s->ts, s->prev, s->next);
	/* Of others, the kernel shows what they have to do with the filter's tasks only. */
	if (!here || waited == RWK_NS_NONE || waited <= w->limit ||
		!rwk_filter_has_task(w->filter, &w->instance, s->next))
		return false;
	*ret = (struct rwk_record_trigger){
		.fired = true, .ts = s->ts, .latency = waited, .tid = s->next, .cpu = s->cpu};
	memcpy(ret->comm, s->comm, sizeof(ret->comm));
	return true;
}

bool rwk_trigger_follow_look(struct rwk_trigger_follow *follow, struct rwk_record_trigger *ret)
{
	rwk_ns until = follow->last;
	size_t done = 0;
	bool fired = false;

	follow->gap_end = RWK_NS_NONE;
	/* What cannot be read now is there at the next look, or overwritten by then. */
	tracefs_iterate_raw_events(follow->tep, follow->instance.handle, NULL, 0, keep, follow);
	if (!follow->nr)
		return false;
	qsort(follow->pending, follow->nr, sizeof(*follow->pending), compare_ts);
	follow->last = follow->pending[follow->nr - 1].ts;
	/* A task may have run, and been woken anew, in what is missing: after the last look, then.
	 */
	if (follow->gap_end != RWK_NS_NONE) {
		rwk_latency_forget(follow->latency, follow->gap_end);
		follow->gaps++;
	}
	while (done < follow->nr && until != RWK_NS_NONE && follow->pending[done].ts <= until &&
		!fired)
		fired = judge(follow, &follow->pending[done++], ret);
	follow->nr -= done;
	memmove(follow->pending, follow->pending + done, follow->nr * sizeof(*follow->pending));
	return fired;
}

int64_t rwk_trigger_follow_gaps(const struct rwk_trigger_follow *follow)
{
	return follow->gaps;
}

int rwk_trigger_follow_stop(struct rwk_trigger_follow *follow, struct rwk_diag *diag)
{
	int err;

	if (!follow)
		return 0;
	err = rwk_instance_destroy(&follow->instance, diag);
	tep_free(follow->tep);
	rwk_latency_destroy(follow->latency);
	free(follow->pending);
	free(follow);
	return err;
}
