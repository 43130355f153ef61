/* Replays up to one decision, and draws it. */
#include "cli/explain_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "explain/explain.h"
#include "explain/json.h"

#define ENOUGH 1 /* the picture came: nothing after it is needed */

struct drawing {
	FILE *out;
	struct rwk_explain_json *json; /* NULL: text */
	struct rwk_session *s;
	struct rwk_explained x;
	struct rwk_wakeup_row row; /* what import knows of the wakeup, its end included */
	rwk_ns ts; /* of the decision */
	struct rwk_explained_after after;
	struct rwk_explained_ran *ran;
	size_t cap_ran;
};

static void draw_policy(struct drawing *d, const struct rwk_policy_instance *p)
{
	struct rwk_verdict v;

	if (d->json) {
		rwk_explain_json_policy(d->json, &d->x, p, &v);
		return;
	}
	fputc('\n', d->out);
	rwk_explain_policy(d->out, &d->x, p, &v);
}

static int draw(void *ctx, const struct rwk_wakeup *w, const struct rwk_wakeup_row *row)
{
	struct drawing *d = ctx;
	struct rwk_cpuset answers = {{0}};

	d->x.w = w;
	d->row = *row;
	d->ts = w->ts;
	d->after.kernel_cpu = w->recorded_cpu;
	d->after.kernel_source = w->recorded_source;
	for (size_t i = 0; i < d->s->nr_policy; i++) {
		struct rwk_verdict v = {.cpu = RWK_NONE, .target = RWK_NONE};

		d->s->policy[i].policy->select_cpu(d->s->policy[i].state, w, &v);
		if (v.cpu >= 0 && v.cpu < w->machine->nr_cpu_ids)
			rwk_cpuset_add(&answers, v.cpu);
	}
	if (d->json) {
		rwk_explain_json_wakeup(d->json, &d->x);
		rwk_explain_json_cpus(d->json, &d->x, &answers);
	} else {
		rwk_explain_wakeup(d->out, &d->x);
		fputc('\n', d->out);
		rwk_explain_cpus(d->out, &d->x, &answers);
	}
	for (size_t i = 0; i < d->s->nr_policy; i++)
		draw_policy(d, &d->s->policy[i]);
	d->x.w = NULL; /* of this instant only */
	return ENOUGH;
}

/* ---- what came of it ---- */

static int add_ran(void *ctx, int32_t utid, rwk_ns dur)
{
	struct drawing *d = ctx;
	int err = rwk_vec_grow(&d->ran, &d->cap_ran, d->after.nr_ran + 1, sizeof(*d->ran));

	if (err)
		return rwk_diag_push(d->s->diag, err, "cannot explain: out of memory");
	d->ran[d->after.nr_ran++] = (struct rwk_explained_ran){.utid = utid, .dur = dur};
	return 0;
}

static int draw_after(struct drawing *d)
{
	const struct rwk_wakeup_row *r = &d->row;
	struct rwk_explained_after *a = &d->after;
	int err = 0;

	a->wakeup_dur = r->wakeup_seq ? r->wakeup_dur : RWK_NS_NONE;
	a->wakeup_cpu = r->wakeup_cpu;
	a->run_dur = r->run_dur;
	a->run_cpu = r->run_cpu;
	if (a->run_dur != RWK_NS_NONE)
		err = rwk_store_ran_between(d->s->store, d->s->run_id, r->run_cpu, d->ts,
			r->ts + r->run_dur, d->s->diag, add_ran, d);
	if (err)
		return err;
	a->ran = d->ran;
	if (d->json)
		rwk_explain_json_after(d->json, &d->x, a);
	else
		rwk_explain_after(d->out, &d->x, a);
	return 0;
}

/* ---- its neighbours ---- */

static struct rwk_explained_decision neighbour(const struct rwk_moment *m)
{
	return (struct rwk_explained_decision){.wakeup_id = m->wakeup_id,
		.ts = m->ts,
		.waker_utid = m->waker_utid,
		.wakee_utid = m->wakee_utid,
		.cpu = m->cpu,
		.prev_cpu = m->prev_cpu,
		.target_cpu = m->target_cpu};
}

/* Those before, this one, those after: all of them in order of time. */
static int find_around(struct drawing *d, const struct rwk_moment *here, int around,
	struct rwk_moment *of, struct rwk_explained_decision *ret, size_t *ret_nr, size_t *ret_here)
{
	struct rwk_moment_want want = {.from_ts = RWK_NS_NONE, .tid = RWK_NONE};
	size_t nr;

	*ret_nr = 0;
	for (int after = 0; after < 2; after++) {
		int err;

		want.from_id = here->wakeup_id + after;
		want.backwards = !after;
		err = rwk_store_find_decisions(
			d->s->store, d->s->run_id, &want, (size_t)around, d->s->diag, of, &nr);
		if (err)
			return err;
		for (size_t i = 0; i < nr; i++)
			ret[(*ret_nr)++] = neighbour(&of[i]);
		if (after)
			continue;
		*ret_here = *ret_nr;
		ret[(*ret_nr)++] = neighbour(here);
	}
	return 0;
}

static int draw_around(struct drawing *d, const struct rwk_moment *here, int around)
{
	struct rwk_moment *of = calloc((size_t)around + 1, sizeof(*of));
	struct rwk_explained_decision *all = calloc(2 * (size_t)around + 1, sizeof(*all));
	size_t nr = 0, at = 0;
	int err;

	if (of && all)
		err = find_around(d, here, around, of, all, &nr, &at);
	else
		err = rwk_diag_push(d->s->diag, -ENOMEM, "cannot explain: out of memory");
	if (!err && d->json)
		rwk_explain_json_around(d->json, &d->x, all, nr, at);
	else if (!err)
		rwk_explain_around(d->out, &d->x, all, nr, at);
	free(of);
	free(all);
	return err;
}

static rwk_ns begin_of(const struct rwk_task_row *task, size_t nr)
{
	rwk_ns first = RWK_NS_NONE;

	for (size_t i = 0; i < nr; i++) {
		if (task[i].first_ts != RWK_NS_NONE &&
			(first == RWK_NS_NONE || task[i].first_ts < first))
			first = task[i].first_ts;
	}
	return first == RWK_NS_NONE ? 0 : first;
}

/* Why the wakeup that was asked for is none. */
static int no_decision(struct rwk_session *s, int64_t id)
{
	char kind[32];
	int err = rwk_store_wakeup_kind(s->store, s->run_id, id, s->diag, sizeof(kind), kind);

	if (err)
		return err;
	if (!*kind)
		return rwk_diag_push(s->diag, -ENOENT, "the run has no wakeup %" PRId64, id);
	return rwk_diag_push(s->diag, -ENOENT,
		"wakeup %" PRId64 " is no decision: kind=%s; see rewake schema, view wakeup", id,
		kind);
}

static int explain(struct drawing *d, const struct rwk_explain_request *req)
{
	struct rwk_moment_want want = req->want;
	struct rwk_session *s = d->s;
	struct rwk_replay_options opt;
	struct rwk_replay_stats stats;
	struct rwk_moment here;
	bool by_id;
	size_t nr;
	int err;

	d->x = (struct rwk_explained){
		.task = s->task, .nr_task = s->nr_task, .begin_ts = begin_of(s->task, s->nr_task)};
	/* Times are told and asked for from the beginning of the recording. */
	if (want.from_ts != RWK_NS_NONE &&
		__builtin_add_overflow(want.from_ts, d->x.begin_ts, &want.from_ts))
		want.from_ts = INT64_MAX;
	err = rwk_store_find_decisions(s->store, s->run_id, &want, 1, s->diag, &here, &nr);
	if (err)
		return err;
	by_id = want.from_id && want.from_ts == RWK_NS_NONE && !want.name && want.tid == RWK_NONE;
	if (by_id && (!nr || here.wakeup_id != want.from_id))
		return no_decision(s, want.from_id);
	if (!nr)
		return rwk_diag_push(s->diag, -ENOENT, "the run has no such decision");
	err = rwk_session_fit(s);
	if (err)
		return err;
	opt = rwk_session_options(s);
	opt.picture = draw;
	opt.picture_ctx = d;
	opt.picture_of = here.wakeup_id;
	/* All policies: some parts of the picture are made only for who needs them. */
	opt.policy = s->policy;
	opt.nr_policy = s->nr_policy;
	opt.verdict = NULL;
	err = rwk_session_replay(s, &opt, "explain", &stats);
	if (err != ENOUGH)
		return err ? err
			   : rwk_diag_push(s->diag, -ENOENT,
				     "wakeup %" PRId64 " was not replayed: nobody knows who was on "
				     "its CPU",
				     here.wakeup_id);
	err = draw_after(d);
	return !err && req->around ? draw_around(d, &here, req->around) : err;
}

int rwk_explain_run(const struct rwk_explain_request *req, FILE *out, struct rwk_diag *diag)
{
	struct rwk_session s;
	struct drawing d = {.out = out, .s = &s};
	int err = rwk_session_open(&s, &req->replay, false, diag);

	if (!err && req->json) {
		d.json = rwk_explain_json_create();
		if (!d.json)
			err = rwk_diag_push(diag, -ENOMEM, "cannot explain: out of memory");
	}
	if (!err)
		err = explain(&d, req);
	/* All or nothing: half an object is of no use to a program. */
	if (!err && d.json) {
		err = rwk_explain_json_print(d.json, out);
		if (err)
			rwk_diag_push(diag, err, "cannot print it: why=%s", strerror(-err));
	}
	rwk_explain_json_destroy(d.json);
	free(d.ran);
	rwk_session_close(&s);
	return err;
}
