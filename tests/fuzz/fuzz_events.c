/*
 * Any sequence of events, eight bytes each: impossible orders, tasks in two
 * places, gaps of years.  Import's timeline and replay's model must follow it.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/load.h"
#include "model/picture.h"
#include "model/state.h"
#include "target.h"
#include "timeline/timeline.h"

#define CPUS  4
#define TASKS 8 /* tid 0 is each CPU's idle task */

struct target {
	struct rwk_machine machine;
	struct rwk_machine_cpu cpu[CPUS];
	struct rwk_machine_llc llc[1];
	struct rwk_ev_probe probe;
};

static void set_up(struct target *t, int major, int minor)
{
	t->machine = (struct rwk_machine){.topology_known = true,
		.nr_cpu_ids = CPUS,
		.nr_llc = 1,
		.cpu = t->cpu,
		.llc = t->llc};
	t->machine.kernel = (struct rwk_version){major, minor, 0};
	t->llc[0].size = CPUS;
	for (int cpu = 0; cpu < CPUS; cpu++) {
		t->cpu[cpu] = (struct rwk_machine_cpu){
			.present = true, .online = true, .core = cpu / 2, .capacity = 1024};
		rwk_cpuset_add(&t->machine.online, cpu);
		rwk_cpuset_add(&t->llc[0].cpus, cpu);
	}
}

static void name(char comm[RWK_COMM_LEN], int tid, int cpu)
{
	char text[RWK_COMM_LEN] = "";

	if (tid)
		snprintf(text, sizeof(text), "t%d", tid);
	else
		snprintf(text, sizeof(text), "swapper/%d", cpu);
	memcpy(comm, text, RWK_COMM_LEN);
}

/* 120 mostly; also the ends of nice and of real time, and beyond */
static int prio(uint8_t b)
{
	static const int of[8] = {120, 120, 120, 100, 139, 50, -1, INT_MAX};

	return of[b & 7];
}

static void decode(struct target *t, const uint8_t b[8], rwk_ns *now, struct rwk_event *ev)
{
	rwk_ns step = (rwk_ns)b[0] << (b[1] & 3 ? b[1] & 15 : b[1] & 63) % 48;
	int a = b[4] % TASKS, c = b[5] % TASKS;

	*now = *now > INT64_MAX - step ? INT64_MAX : *now + step;
	*ev = (struct rwk_event){.ts = *now,
		.cpu = b[3] % CPUS,
		.tid = a,
		.flags = b[6],
		.kind = b[2] % RWK_EV_COUNT};
	switch (ev->kind) {
	case RWK_EV_LOST:
		ev->lost = (struct rwk_ev_lost){.count = b[7], .from_ts = *now - step};
		break;
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		ev->task = (struct rwk_ev_task){
			.tid = c, .prio = prio(b[7]), .target_cpu = (b[7] >> 3) % (CPUS + 2) - 1};
		name(ev->task.comm, c, ev->cpu);
		break;
	case RWK_EV_MIGRATE:
		ev->migrate = (struct rwk_ev_migrate){.tid = c,
			.prio = prio(b[7]),
			.orig_cpu = b[6] % (CPUS + 1),
			.dest_cpu = (b[7] >> 3) % (CPUS + 2) - 1};
		name(ev->migrate.comm, c, ev->cpu);
		break;
	case RWK_EV_SWITCH:
		ev->sw = (struct rwk_ev_switch){.prev_tid = a,
			.prev_prio = prio(b[6]),
			.next_tid = c,
			.next_prio = prio(b[7]),
			.prev_state = (b[7] >> 3) % RWK_END_COUNT};
		name(ev->sw.prev_comm, a, ev->cpu);
		name(ev->sw.next_comm, c, ev->cpu);
		break;
	case RWK_EV_SEL:
		t->probe = (struct rwk_ev_probe){.prev_cpu = b[7] % (CPUS + 1) - 1,
			.wake_flags = b[6],
			.has_hidden = b[5] & 1,
			.flips = (int32_t)b[4] << (b[5] & 24),
			.recent_cpu = b[4] % (CPUS + 2) - 1,
			.nr_cpus_allowed = b[5] % 6,
			.last_wakee_tid = c};
		ev->probe = &t->probe;
		break;
	case RWK_EV_SEL_STATE:
		t->probe = (struct rwk_ev_probe){.nr_cpus = b[7] % 4};
		for (int i = 0; i < t->probe.nr_cpus; i++)
			t->probe.cpu[i] = (struct rwk_probe_cpu){.cpu = (b[6] + i) % (CPUS + 2) - 1,
				.nr_running = b[4] % 8 - 1,
				.pending = b[5] % 3 - 1,
				.curr_tid = c - 1,
				.load = (int64_t)b[6] << (b[5] & 63)};
		ev->probe = &t->probe;
		break;
	case RWK_EV_SEL_RET:
		ev->sel_ret.cpu = b[7] % (CPUS + 2) - 1;
		break;
	case RWK_EV_NR:
		ev->nr = (struct rwk_ev_nr){
			.cpu = b[7] % (CPUS + 2) - 1, .nr = b[6] % 8, .change = b[5] % 5 - 2};
		break;
	}
}

#define IGNORE(kind)                                                                               \
	static int ignore_##kind(void *ctx, const struct rwk_##kind##_row *row)                    \
	{                                                                                          \
		(void)ctx;                                                                         \
		(void)row;                                                                         \
		return 0;                                                                          \
	}
IGNORE(slice)
IGNORE(wakeup)
IGNORE(probe)
IGNORE(probe_cpu)
IGNORE(migration)
IGNORE(orphan)
IGNORE(nr)
IGNORE(loss)

/* What every walk over a queue relies on. */
static void check_queues(const struct rwk_model *m)
{
	for (int cpu = 0; cpu < m->nr_cpus; cpu++) {
		const struct rwk_eevdf_queue *q = &m->cpu[cpu].eevdf;
		uint64_t weight = 0;
		int nr_delayed = 0;

		for (const struct rwk_task *t = q->first; t; t = t->eevdf.next) {
			if (!t->eevdf.queued || t->eevdf.cpu != cpu)
				abort();
			weight += t->eevdf.weight;
			nr_delayed += t->eevdf.delayed;
		}
		if (nr_delayed && !rwk_cpuset_has(&m->delayed_cpus, cpu))
			abort();
		if (weight != q->weight || nr_delayed != q->nr_delayed || m->cpu[cpu].nr < 0)
			abort();
	}
}

static void check_sets(const struct rwk_model *m, const struct rwk_wakeup *w)
{
	for (int cpu = 0; cpu < m->nr_cpus; cpu++) {
		bool is_free = w->cpu[cpu].idle || w->cpu[cpu].sched_idle;

		if (rwk_cpuset_has(w->free_cpus, cpu) != is_free ||
			rwk_cpuset_has(w->unknown_cpus, cpu) != (w->cpu[cpu].source == RWK_UNKNOWN))
			abort();
	}
}

/* A CPU's root queue holds its tasks and the groups in which some task is queued. */
static void check_groups(const struct rwk_model *m)
{
	for (int cpu = 0; m->groups && cpu < m->nr_cpus; cpu++) {
		uint64_t weight = 0;
		int32_t nr_on_rq = 0, nr = 0, nr_below = 0;

		for (const struct rwk_task *t = m->cpu[cpu].queue; t; t = t->queue_next) {
			if (!t->pelt.on_rq)
				continue;
			if (t->pelt.queue && t->pelt.queue->cpu != cpu)
				abort();
			weight += t->pelt.queue ? 0 : t->pelt.weight;
			nr += t->pelt.queue != NULL;
		}
		for (const struct rwk_group_queue *q = m->groups->cpu[cpu].first; q; q = q->next) {
			if (q->on_rq != (q->nr > 0) || q->nr < 0)
				abort();
			weight += q->on_rq && !q->parent ? q->weight : 0;
			nr_below += q->parent ? 0 : q->nr;
			nr_on_rq += q->on_rq;
		}
		if (weight != m->cpu[cpu].load_weight || nr != nr_below ||
			nr_on_rq != m->groups->cpu[cpu].nr_on_rq || m->cpu[cpu].nr_stray < 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target t = {0};
	struct rwk_timeline_options tlo = {.machine = &t.machine,
		.sink = {.slice = ignore_slice,
			.wakeup = ignore_wakeup,
			.probe = ignore_probe,
			.probe_cpu = ignore_probe_cpu,
			.migration = ignore_migration,
			.orphan = ignore_orphan,
			.nr = ignore_nr,
			.loss = ignore_loss}};
	static const struct rwk_task_group group[] = {{.parent = RWK_NONE, .shares = 1024},
		{.parent = 0, .shares = 1 << 18}, {.parent = 1, .shares = 3, .idle = true}};
	static const int32_t of[] = {0, 1, 2, RWK_NONE, 2, 1, 0, RWK_GROUP_UNKNOWN, 2, 1, 0, 2};
	static const struct rwk_group_facts facts = {
		group, 3, of, sizeof(of) / sizeof(of[0]), true};
	struct rwk_model_options mo = {.machine = &t.machine, .hidden = true};
	struct rwk_timeline *tl;
	struct rwk_model *m;
	struct rwk_wakeup picture = {0};
	struct rwk_event ev;
	rwk_ns now = 1;

	if (size < 8)
		return 0;
	set_up(&t, data[0] & 1 ? 7 : 6, data[0] & 2 ? 1 : 12);
	tlo.probed = data[0] & 4;
	mo.groups = data[0] & 8 ? &facts : NULL;
	if (rwk_timeline_create(&tlo, NULL, &tl) || rwk_model_create(&mo, NULL, &m))
		abort();
	for (size_t at = 1; at + 8 <= size; at += 8) {
		decode(&t, data + at, &now, &ev);
		if (rwk_timeline_event(tl, &ev) || rwk_model_apply(m, &ev))
			abort();
		rwk_model_picture(m, &picture);
		check_queues(m);
		check_sets(m, &picture);
		rwk_load_ticks(m);
		check_groups(m);
	}
	if (rwk_timeline_finish(tl))
		abort();
	rwk_timeline_destroy(tl);
	rwk_model_destroy(m);
	return 0;
}
