/*
 * Events of several CPUs are read one CPU after the other, so the latest of
 * each look may be older than some that the next look finds: they wait for that.
 */
#include "record/trigger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <tracefs.h>

#include "base/parse.h"
#include "record/filter.h"
#include "record/latency.h"

#define MAX_KB      1024 /* per CPU: some 15000 events between two looks */
#define MAX_PENDING (8 << 20) /* events; beyond it the oldest ones are taken as they are */

struct seen {
	rwk_ns ts;
	int32_t cpu;
	int32_t prev, next; /* a switch; of a waking, prev is -1 and next the wakee */
	char comm[RWK_RECORD_COMM_LEN]; /* of next */
};

struct rwk_trigger_watch {
	struct rwk_instance instance;
	struct tep_handle *tep;
	int waking_id, switch_id;
	struct tep_format_field *wakee, *prev, *next, *next_comm;
	struct rwk_latency *latency;
	rwk_ns limit;
	struct seen *pending;
	size_t nr, cap;
	rwk_ns last; /* the latest event of the look before */
	bool failed; /* no memory: what is missing can be missed only */
};

int rwk_trigger_parse(const char *text, rwk_ns *ret)
{
	static const char name[] = "wakeup-latency";
	const char *p = text + strspn(text, " ");
	char value[32];
	rwk_ns ns = 0;
	size_t len;

	if (strncmp(p, name, sizeof(name) - 1))
		return -EINVAL;
	p += sizeof(name) - 1;
	p += strspn(p, " ");
	if (*p != '>')
		return -EINVAL;
	p++;
	p += strspn(p, " ");
	len = strcspn(p, " ");
	/* Without a unit, it would be anybody's guess. */
	if (!len || len >= sizeof(value) || p[len - 1] != 's' || p[len + strspn(p + len, " ")])
		return -EINVAL;
	memcpy(value, p, len);
	value[len] = '\0';
	if (rwk_parse_ns(value, &ns) || ns <= 0)
		return -EINVAL;
	*ret = ns;
	return 0;
}

static int find_fields(struct rwk_trigger_watch *w, struct rwk_diag *diag)
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

static int set_up(struct rwk_trigger_watch *w, const struct rwk_record_options *opt,
	const char *tracing_dir, const struct rwk_owner *owner, struct rwk_diag *diag)
{
	const struct rwk_cpuset *only = opt->filter.by_cpu ? &opt->filter.cpus : NULL;
	struct rwk_setup setup = {0};
	int err = rwk_setup_choose(NULL, 0, only, &setup, diag);

	if (!err)
		err = rwk_instance_create(&w->instance, tracing_dir, owner, RWK_TRIGGER_ROLE,
			setup.buffer_kb < MAX_KB ? setup.buffer_kb : MAX_KB, only, diag);
	if (!err)
		err = rwk_instance_enable(&w->instance, "sched", "sched_waking", diag);
	if (!err)
		err = rwk_instance_enable(&w->instance, "sched", "sched_switch", diag);
	if (!err)
		err = rwk_filter_apply(&opt->filter, &w->instance, diag);
	if (!err)
		err = find_fields(w, diag);
	return err ? err : rwk_instance_switch(&w->instance, true, diag);
}

int rwk_trigger_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_watch **ret)
{
	struct rwk_trigger_watch *w = calloc(1, sizeof(*w));
	int err;

	if (w)
		w->latency = rwk_latency_create();
	if (!w || !w->latency) {
		free(w);
		return rwk_diag_push(diag, -ENOMEM, "no trigger: why=no memory");
	}
	w->limit = opt->trigger_ns;
	w->last = RWK_NS_NONE;
	err = set_up(w, opt, tracing_dir, owner, diag);
	if (err) {
		rwk_trigger_stop(w, diag);
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

static int keep(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
	struct rwk_trigger_watch *w = ctx;
	struct seen s = {.ts = (rwk_ns)record->ts, .cpu = cpu, .prev = -1};

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
			w->failed = true;
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
static bool judge(struct rwk_trigger_watch *w, const struct seen *s, struct rwk_record_trigger *ret)
{
	rwk_ns waited;

	if (s->prev < 0) {
		rwk_latency_waking(w->latency, s->ts, s->next);
		return false;
	}
	waited = rwk_latency_switch(w->latency, s->ts, s->prev, s->next);
	if (waited == RWK_NS_NONE || waited <= w->limit)
		return false;
	*ret = (struct rwk_record_trigger){
		.fired = true, .ts = s->ts, .latency = waited, .tid = s->next, .cpu = s->cpu};
	memcpy(ret->comm, s->comm, sizeof(ret->comm));
	return true;
}

bool rwk_trigger_poll(struct rwk_trigger_watch *watch, struct rwk_record_trigger *ret)
{
	rwk_ns until = watch->last;
	size_t done = 0;
	bool fired = false;

	/* What cannot be read now is there at the next look, or overwritten by then. */
	tracefs_iterate_raw_events(watch->tep, watch->instance.handle, NULL, 0, keep, watch);
	if (!watch->nr)
		return false;
	qsort(watch->pending, watch->nr, sizeof(*watch->pending), compare_ts);
	watch->last = watch->pending[watch->nr - 1].ts;
	if (watch->nr >= MAX_PENDING / 2)
		until = watch->last;
	while (done < watch->nr && until != RWK_NS_NONE && watch->pending[done].ts <= until &&
		!fired)
		fired = judge(watch, &watch->pending[done++], ret);
	watch->nr -= done;
	memmove(watch->pending, watch->pending + done, watch->nr * sizeof(*watch->pending));
	return fired;
}

int rwk_trigger_stop(struct rwk_trigger_watch *watch, struct rwk_diag *diag)
{
	int err;

	if (!watch)
		return 0;
	err = rwk_instance_destroy(&watch->instance, diag);
	tep_free(watch->tep);
	rwk_latency_destroy(watch->latency);
	free(watch->pending);
	free(watch);
	return err;
}
