/* One entry after the other; the first failure ends it. */
#include "cli/record_sidecar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/epochs.h"
#include "record/filter.h"

static int add(struct rwk_snapshot *snap, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int add(struct rwk_snapshot *snap, const char *path, const char *fmt, ...)
{
	char text[RWK_RECORD_PROBE_WHY + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return rwk_snapshot_add_file(snap, path, text);
}

static int add_cpu(struct rwk_snapshot *snap, const struct rwk_record_cpu *c)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "rewake/stats/cpu%d", c->cpu);
	err = rwk_snapshot_add_file(snap, path, c->stats);
	if (err || !c->losses)
		return err;
	snprintf(path, sizeof(path), "rewake/loss/cpu%d", c->cpu);
	return rwk_snapshot_add_file(snap, path, c->losses);
}

static int add_probe(struct rwk_snapshot *snap, const struct rwk_record_probe *p)
{
	int err = add(snap, "rewake/probe/level", "%s\n", rwk_probe_level_name(p->level));

	if (!err)
		err = add(snap, "rewake/probe/asked", "%s\n", rwk_probe_level_name(p->asked));
	if (!err && p->level != RWK_PROBE_LEVEL_NONE)
		err = add(snap, "rewake/probe/by", "%s\n", p->by_fprobes ? "fprobe" : "kprobe");
	if (!err && p->why[0])
		err = add(snap, "rewake/probe/why", "%s\n", p->why);
	if (!err && p->events)
		err = rwk_snapshot_add_file(snap, "rewake/probe/events", p->events);
	if (!err && p->missed >= 0)
		err = add(snap, "rewake/probe/stats", "hits: %" PRId64 "\nmissed: %" PRId64 "\n",
			p->hits, p->missed);
	return err;
}

static int add_hotplug(struct rwk_snapshot *snap, const struct rwk_record_hotplug *h)
{
	int err;

	if (!h->rows)
		return add(snap, RWK_HOTPLUG_WHY, "%s\n", h->why);
	err = rwk_snapshot_add_file(snap, RWK_HOTPLUG_ROWS, h->rows);
	if (!err && h->begin[0])
		err = rwk_snapshot_add_file(snap, RWK_HOTPLUG_BEGIN, h->begin);
	if (!err && h->end[0])
		err = rwk_snapshot_add_file(snap, RWK_HOTPLUG_END, h->end);
	return err;
}

static int add_flight(struct rwk_snapshot *snap, const struct rwk_record_result *r)
{
	if (r->flight_from == RWK_NS_NONE)
		return add(snap, "rewake/flight", "from_ns: start\nkept_ns: %" PRId64 "\n",
			r->flight_ns);
	return add(snap, "rewake/flight", "from_ns: %" PRId64 "\nkept_ns: %" PRId64 "\n",
		r->flight_from, r->flight_ns);
}

static int add_trigger(struct rwk_snapshot *snap, rwk_ns limit, const struct rwk_record_trigger *t)
{
	char *how = NULL;
	int err;

	if (asprintf(&how,
		    "by: %s\n%s%s%sgaps: %" PRId64 "\nrenewed: %" PRId64 "\ndropped: %" PRId64 "\n",
		    rwk_trigger_by_name(t->by), t->why[0] ? "why: " : "", t->why,
		    t->why[0] ? "\n" : "", t->gaps, t->renewed, t->dropped) < 0)
		return -ENOMEM;
	if (t->fired)
		/* The name comes last: it may hold anything. */
		err = add(snap, "rewake/trigger",
			"wakeup-latency>%" PRId64 "ns\n%sfired_ns: %" PRId64
			"\nlatency_ns: %" PRId64 "\ntid: %d\ncpu: %d\ncomm: %s\n",
			limit, how, t->ts, t->latency, t->tid, t->cpu, t->comm);
	else
		err = add(snap, "rewake/trigger",
			"wakeup-latency>%" PRId64 "ns\n%sfired_ns: never\n", limit, how);
	free(how);
	return err;
}

int rwk_record_sidecar_add(struct rwk_snapshot *snap, const struct rwk_record_filter *filter,
	rwk_ns trigger_ns, const struct rwk_record_result *result, struct rwk_diag *diag)
{
	char note[RWK_FILTER_NOTE];

	const struct rwk_record_result *r = result;
	int err = add(snap, "rewake/clock", "%s\n", r->clock);

	if (!err)
		err = add(snap, "rewake/end", "%s\n", rwk_record_end_name(r->end));
	if (!err)
		err = add(snap, "rewake/buffer",
			"kb_per_cpu: %" PRId64 "\ncpus: %d\ntotal_kb: %" PRId64 "\n", r->buffer_kb,
			r->nr_cpus, r->buffer_kb * r->nr_cpus);
	rwk_filter_describe(filter, note);
	if (!err && note[0])
		err = rwk_snapshot_add_file(snap, "rewake/filter", note);
	if (!err && r->flight_ns)
		err = add_flight(snap, r);
	if (!err && trigger_ns)
		err = add_trigger(snap, trigger_ns, &r->trigger);
	if (!err && r->unread)
		err = add(snap, "rewake/unread", "%" PRId64 "\n", r->unread);
	if (!err && r->extra)
		err = add(snap, "rewake/events", "%s\n", r->extra);
	for (int i = 0; i < r->nr_cpus && !err; i++)
		err = add_cpu(snap, &r->cpu[i]);
	if (!err)
		err = add_hotplug(snap, &r->hotplug);
	if (!err)
		err = add_probe(snap, &r->probe);
	if (err)
		return rwk_diag_push(diag, err, "out of memory");
	return 0;
}
