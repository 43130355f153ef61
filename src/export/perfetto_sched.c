/*
 * A slice of the store says when a task came and when it left; a trace says who
 * followed whom.  Where nobody knows who followed, events being lost, that is
 * what the switch says: the CPU's "(not observed)" comes, and leaves when the
 * next one is seen.
 */
#include "export/perfetto_sched.h"

#include <string.h>

#define SLEEPS 1

/*
 * prev_state as the kernel of that release writes it, since this is how it will
 * be read; of an unknown release as 4.4 does, likewise.  Unknown states have no
 * word before 4.14: there they are R.
 */
static int64_t raw_state(const struct rwk_version *v, const char *state)
{
	static const struct {
		const char *name;
		int64_t v4_4, v4_8, v4_14;
	} states[] = {{"R", 0, 0, 0}, {"R+", 0x800, 0x1000, 0x100}, {"S", SLEEPS, SLEEPS, SLEEPS},
		{"D", 2, 2, 2}, {"T", 4, 4, 4}, {"t", 8, 8, 8}, {"X", 0x10, 0x10, 0x10},
		{"Z", 0x20, 0x20, 0x20}, {"P", 0x200, 0x200, 0x40}, {"I", 0x402, 0x402, 0x80},
		{"", 0, 0, 0x200}};
	static const struct rwk_version v4_8 = {4, 8, 0}, v4_14 = {4, 14, 0};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (!strcmp(states[i].name, state))
			return rwk_version_cmp(*v, v4_14) >= 0  ? states[i].v4_14
			       : rwk_version_cmp(*v, v4_8) >= 0 ? states[i].v4_8
								: states[i].v4_4;
	}
	return 0;
}

static int put_switch(
	struct rwk_pf_sched *s, int32_t cpu, rwk_ns ts, int64_t next_utid, int64_t next_prio)
{
	RwkPb__FtraceEvent event = RWK_PB__FTRACE_EVENT__INIT;
	RwkPb__SchedSwitch sw = RWK_PB__SCHED_SWITCH__INIT;
	const struct rwk_pf_cpu *c = &s->cpu[cpu];
	const struct rwk_pf_task *prev =
		rwk_pf_task_of(s->tasks, c->known ? c->utid : RWK_NONE, cpu);
	const struct rwk_pf_task *next;

	event.has_timestamp = event.has_pid = 1;
	event.timestamp = (uint64_t)ts;
	event.pid = (uint32_t)prev->tid;
	event.sched_switch = &sw;
	sw.has_prev_pid = sw.has_prev_state = sw.has_next_pid = 1;
	sw.prev_pid = prev->tid;
	sw.prev_comm = prev->name;
	sw.prev_state = c->known ? c->state : SLEEPS;
	sw.has_prev_prio = c->known && c->prio != RWK_PF_NO_PRIO;
	sw.prev_prio = (int32_t)c->prio;
	next = rwk_pf_task_of(s->tasks, next_utid, cpu);
	sw.next_pid = next->tid;
	sw.next_comm = next->name;
	sw.has_next_prio = next_prio != RWK_PF_NO_PRIO;
	sw.next_prio = (int32_t)next_prio;
	return rwk_pf_put_kernel(s->out, (uint32_t)cpu, &event);
}

/* From its end on, nobody knows who is on the CPU. */
static int lose_sight(struct rwk_pf_sched *s, int32_t cpu)
{
	struct rwk_pf_cpu *c = &s->cpu[cpu];
	int err = put_switch(s, cpu, c->end, RWK_NONE, RWK_PF_NO_PRIO);

	*c = (struct rwk_pf_cpu){.known = true,
		.utid = RWK_NONE,
		.end = RWK_NS_NONE,
		.state = SLEEPS,
		.prio = RWK_PF_NO_PRIO};
	return err;
}

int rwk_pf_sched_advance(struct rwk_pf_sched *s, int32_t cpu, rwk_ns ts)
{
	const struct rwk_pf_cpu *c = &s->cpu[cpu];

	return c->known && c->end != RWK_NS_NONE && c->end < ts ? lose_sight(s, cpu) : 0;
}

int rwk_pf_sched_slice(struct rwk_pf_sched *s, const struct rwk_pf_slice *slice)
{
	struct rwk_pf_cpu *c = &s->cpu[slice->cpu];
	int err = rwk_pf_sched_advance(s, slice->cpu, slice->ts);

	if (!err)
		err = rwk_pf_task_meet(s->tasks, s->out, slice->utid, slice->cpu, slice->ts);
	/* Who leaves at a CPU's first switch has no beginning. */
	if (!err && (c->known || !slice->begin_unknown || slice->end != slice->ts))
		err = put_switch(s, slice->cpu, slice->ts, slice->utid, slice->prio);
	*c = (struct rwk_pf_cpu){.known = true,
		.utid = slice->utid,
		.end = slice->end,
		.state = raw_state(&s->release, slice->end_state),
		.prio = slice->prio};
	return err;
}

int rwk_pf_sched_end(struct rwk_pf_sched *s)
{
	int err = 0;

	for (int32_t cpu = 0; !err && cpu < RWK_MAX_CPUS; cpu++)
		err = rwk_pf_sched_advance(s, cpu, INT64_MAX);
	return err;
}
