/* Numbers of the trace to what they mean, and whether they can be. */
#include "decode/ctf_check.h"

#include <string.h>

#include "base/parse.h"

void rwk_ctf_codings_init(
	struct rwk_ctf_codings *c, const char *tracer, int version, const char *release)
{
	struct rwk_version kernel = {0};

	rwk_parse_version(release, &kernel);
	c->lttng = !strcmp(tracer, "lttng-modules");
	if (c->lttng)
		rwk_prev_state_init_lttng(&c->states, kernel);
	rwk_ctf_prio_init(&c->prio, c->lttng, version);
}

void rwk_ctf_codings_state(struct rwk_ctf_codings *c, uint64_t value, const char *name)
{
	if (c->lttng)
		rwk_prev_state_label(&c->states, value, name);
}

static bool cpu_possible(int32_t cpu)
{
	return cpu >= 0 && cpu < RWK_MAX_CPUS;
}

static enum rwk_ctf_verdict check_task(struct rwk_ctf_codings *c, struct rwk_ev_task *t)
{
	t->prio = rwk_ctf_prio_wakeup(&c->prio, t->prio);
	if (t->tid < 0)
		return RWK_CTF_IMPOSSIBLE;
	return t->target_cpu == RWK_NONE || cpu_possible(t->target_cpu) ? RWK_CTF_GOOD
									: RWK_CTF_CPU_OUT_OF_RANGE;
}

static enum rwk_ctf_verdict check_migrate(struct rwk_ctf_codings *c, struct rwk_ev_migrate *m)
{
	m->prio = rwk_ctf_prio_other(&c->prio, m->prio);
	if (m->tid < 0)
		return RWK_CTF_IMPOSSIBLE;
	return cpu_possible(m->orig_cpu) && cpu_possible(m->dest_cpu) ? RWK_CTF_GOOD
								      : RWK_CTF_CPU_OUT_OF_RANGE;
}

static enum rwk_ctf_verdict check_switch(struct rwk_ctf_codings *c, struct rwk_ev_switch *s)
{
	s->prev_prio = rwk_ctf_prio_other(&c->prio, s->prev_prio);
	s->next_prio = rwk_ctf_prio_other(&c->prio, s->next_prio);
	if (s->prev_tid < 0 || s->next_tid < 0)
		return RWK_CTF_IMPOSSIBLE;
	s->prev_state = RWK_END_UNKNOWN;
	if (s->prev_state_raw != RWK_NONE)
		s->prev_state = rwk_prev_state_decode(&c->states, s->prev_tid, s->prev_state_raw);
	return RWK_CTF_GOOD;
}

enum rwk_ctf_verdict rwk_ctf_check(struct rwk_ctf_codings *c, struct rwk_event *ev)
{
	ev->flags = 0;
	ev->offset = RWK_NONE;
	if (ev->tid < 0)
		ev->tid = RWK_NONE;
	if (ev->ts < 0)
		return RWK_CTF_IMPOSSIBLE;
	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		return check_task(c, &ev->task);
	case RWK_EV_MIGRATE:
		return check_migrate(c, &ev->migrate);
	case RWK_EV_SWITCH:
		return check_switch(c, &ev->sw);
	case RWK_EV_LOST:
		if (ev->lost.count < 0)
			ev->lost.count = RWK_NONE;
		return RWK_CTF_GOOD;
	case RWK_EV_OTHER:
		return RWK_CTF_GOOD;
	default:
		return RWK_CTF_IMPOSSIBLE;
	}
}
