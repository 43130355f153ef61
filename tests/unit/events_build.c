/* Events as literals, and a timeline that collects its rows. */
#include "events_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/parse.h"

static void name(char comm[RWK_COMM_LEN], int tid, int cpu)
{
	char text[RWK_COMM_LEN] = "";

	if (tid)
		snprintf(text, sizeof(text), "task-%d", tid % 1000000);
	else
		snprintf(text, sizeof(text), "swapper/%d", cpu % 1000);
	memcpy(comm, text, RWK_COMM_LEN);
}

struct rwk_event ev_switch(rwk_ns ts, int cpu, int prev, enum rwk_end_state state, int next)
{
	struct rwk_event ev = {.ts = ts, .cpu = cpu, .tid = prev, .kind = RWK_EV_SWITCH};

	ev.sw = (struct rwk_ev_switch){.prev_tid = prev,
		.prev_prio = 120,
		.next_tid = next,
		.next_prio = 120,
		.prev_state = state};
	name(ev.sw.prev_comm, prev, cpu);
	name(ev.sw.next_comm, next, cpu);
	return ev;
}

struct rwk_event ev_wake(
	enum rwk_event_kind kind, rwk_ns ts, int cpu, int tid, int wakee, int target)
{
	struct rwk_event ev = {.ts = ts, .cpu = cpu, .tid = tid, .kind = (uint8_t)kind};

	ev.task = (struct rwk_ev_task){.tid = wakee, .prio = 120, .target_cpu = target};
	name(ev.task.comm, wakee, 0);
	return ev;
}

struct rwk_event ev_migrate(rwk_ns ts, int cpu, int tid, int task, int orig, int dest)
{
	struct rwk_event ev = {.ts = ts, .cpu = cpu, .tid = tid, .kind = RWK_EV_MIGRATE};

	ev.migrate = (struct rwk_ev_migrate){
		.tid = task, .prio = 120, .orig_cpu = orig, .dest_cpu = dest};
	name(ev.migrate.comm, task, 0);
	return ev;
}

struct rwk_event ev_lost(rwk_ns ts, int cpu, int64_t count, rwk_ns from)
{
	struct rwk_event ev = {.ts = ts, .cpu = cpu, .tid = RWK_NONE, .kind = RWK_EV_LOST};

	ev.lost = (struct rwk_ev_lost){.count = count, .from_ts = from};
	return ev;
}

struct rwk_event ev_sel(rwk_ns ts, int cpu, int tid, const struct rwk_ev_probe *probe)
{
	return (struct rwk_event){
		.ts = ts, .cpu = cpu, .tid = tid, .kind = RWK_EV_SEL, .probe = probe};
}

struct rwk_event ev_sel_state(rwk_ns ts, int cpu, int tid, const struct rwk_ev_probe *probe)
{
	return (struct rwk_event){
		.ts = ts, .cpu = cpu, .tid = tid, .kind = RWK_EV_SEL_STATE, .probe = probe};
}

struct rwk_event ev_sel_ret(rwk_ns ts, int cpu, int tid, int answer)
{
	return (struct rwk_event){.ts = ts,
		.cpu = cpu,
		.tid = tid,
		.kind = RWK_EV_SEL_RET,
		.sel_ret = {.cpu = answer}};
}

struct rwk_event ev_nr(rwk_ns ts, int cpu, int tid, int of, int nr, int change)
{
	return (struct rwk_event){.ts = ts,
		.cpu = cpu,
		.tid = tid,
		.kind = RWK_EV_NR,
		.nr = {.cpu = of, .nr = nr, .change = change}};
}

struct rwk_event ev_other(rwk_ns ts, int cpu, int tid)
{
	return (struct rwk_event){.ts = ts, .cpu = cpu, .tid = tid, .kind = RWK_EV_OTHER};
}

#define COLLECT(kind)                                                                              \
	static int take_##kind(void *ctx, const struct rwk_##kind##_row *row)                      \
	{                                                                                          \
		struct rows *r = ctx;                                                              \
                                                                                                   \
		assert_true(r->nr_##kind < ROWS);                                                  \
		r->kind[r->nr_##kind++] = *row;                                                    \
		return 0;                                                                          \
	}
COLLECT(probe)
COLLECT(probe_cpu)
COLLECT(migration)
COLLECT(orphan)
COLLECT(nr)
COLLECT(loss)

static int take_slice(void *ctx, const struct rwk_slice_row *row)
{
	struct rows *r = ctx;

	assert_in_range(row->id, 1, ROWS);
	assert_int_equal(r->slice[row->id - 1].id, 0);
	r->slice[row->id - 1] = *row;
	r->nr_slice++;
	return 0;
}

static int take_wakeup(void *ctx, const struct rwk_wakeup_row *row)
{
	struct rows *r = ctx;

	assert_in_range(row->id, 1, ROWS);
	assert_int_equal(r->wakeup[row->id - 1].id, 0);
	r->wakeup[row->id - 1] = *row;
	r->nr_wakeup++;
	return 0;
}

void rows_begin(struct rows *r, const char *kernel, bool probed, enum rwk_probe_mode mode)
{
	struct rwk_timeline_options opt = {.machine = &r->machine,
		.probed = probed,
		.probe = mode,
		.sink = {.ctx = r,
			.slice = take_slice,
			.wakeup = take_wakeup,
			.probe = take_probe,
			.probe_cpu = take_probe_cpu,
			.migration = take_migration,
			.orphan = take_orphan,
			.nr = take_nr,
			.loss = take_loss}};

	memset(r, 0, sizeof(*r));
	r->machine = (struct rwk_machine){
		.topology_known = true, .nr_cpu_ids = 8, .nr_llc = 2, .cpu = r->cpu, .llc = r->llc};
	assert_int_equal(rwk_parse_version(kernel, &r->machine.kernel), 0);
	for (int cpu = 0; cpu < 8; cpu++) {
		r->cpu[cpu] = (struct rwk_machine_cpu){.present = true,
			.online = true,
			.core = cpu,
			.llc = cpu / 4,
			.node = cpu / 4,
			.capacity = 1024};
		rwk_cpuset_add(&r->machine.online, cpu);
		r->llc[cpu / 4].size = 4;
		rwk_cpuset_add(&r->llc[cpu / 4].cpus, cpu);
	}
	assert_int_equal(rwk_timeline_create(&opt, NULL, &r->tl), 0);
}

void rows_feed(struct rows *r, const struct rwk_event *ev, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(rwk_timeline_event(r->tl, &ev[i]), 0);
}

void rows_end(struct rows *r)
{
	assert_int_equal(rwk_timeline_finish(r->tl), 0);
	assert_int_equal(rwk_timeline_tasks(r->tl, &r->task, &r->nr_task), 0);
}

void rows_free(struct rows *r)
{
	rwk_timeline_destroy(r->tl);
}

int64_t rows_anomaly(const struct rows *r, enum rwk_anomaly_kind kind)
{
	return rwk_timeline_anomalies(r->tl)->of[kind].count;
}

int rows_utid(const struct rows *r, int tid)
{
	for (size_t i = r->nr_task; i-- > 0;) {
		if (r->task[i].tid == tid)
			return r->task[i].utid;
	}
	fail_msg("no task %d", tid);
	return RWK_NONE;
}
