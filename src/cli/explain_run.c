/* Replays up to one decision, and draws it. */
#include "cli/explain_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "explain/words.h"

#define ENOUGH 1 /* the picture came: nothing after it is needed */

struct drawing {
	FILE *out;
	struct rwk_session *s;
	struct rwk_explained x;
	struct rwk_wakeup_row row; /* what import knows of the wakeup, its end included */
	rwk_ns ts; /* of the decision */
	int32_t recorded_cpu; /* and what the kernel answered */
	uint8_t recorded_source;
};

static int draw(void *ctx, const struct rwk_wakeup *w, const struct rwk_wakeup_row *row)
{
	struct drawing *d = ctx;
	struct rwk_cpuset answers = {{0}};

	d->x.w = w;
	d->row = *row;
	d->ts = w->ts;
	d->recorded_cpu = w->recorded_cpu;
	d->recorded_source = w->recorded_source;
	rwk_explain_wakeup(d->out, &d->x);
	for (size_t i = 0; i < d->s->nr_policy; i++) {
		struct rwk_verdict v = {.cpu = RWK_NONE, .target = RWK_NONE};

		d->s->policy[i].policy->select_cpu(d->s->policy[i].state, w, &v);
		if (v.cpu >= 0 && v.cpu < w->machine->nr_cpu_ids)
			rwk_cpuset_add(&answers, v.cpu);
	}
	fputc('\n', d->out);
	rwk_explain_cpus(d->out, &d->x, &answers);
	for (size_t i = 0; i < d->s->nr_policy; i++) {
		struct rwk_verdict v;

		fputc('\n', d->out);
		rwk_explain_policy(d->out, &d->x, &d->s->policy[i], &v);
	}
	d->x.w = NULL; /* of this instant only */
	return ENOUGH;
}

/* ---- what came of it ---- */

static int put_ran(void *ctx, int32_t utid, rwk_ns dur)
{
	struct drawing *d = ctx;
	char text[32];

	explain_time(dur, text, sizeof(text));
	fputs("    meanwhile there: ", d->out);
	rwk_explain_task(d->out, &d->x, utid);
	fprintf(d->out, " for %s\n", text);
	return 0;
}

static int put_aftermath(struct drawing *d)
{
	const struct rwk_wakeup_row *r = &d->row;
	char text[32];

	fputs("\nthe kernel: ", d->out);
	if (d->recorded_source == RWK_UNKNOWN)
		fputs("its choice is not known\n", d->out);
	else
		fprintf(d->out, "CPU %" PRId32 " (%s)\n", d->recorded_cpu,
			explain_source(d->recorded_source));
	if (r->wakeup_seq && r->wakeup_dur != RWK_NS_NONE) {
		explain_time(r->wakeup_dur, text, sizeof(text));
		fprintf(d->out, "  woken %s after the waking, by CPU %" PRId32 "\n", text,
			r->wakeup_cpu);
	}
	if (r->run_dur == RWK_NS_NONE) {
		fputs("  when it ran is not known: the recording ends, or events are lost\n",
			d->out);
		return 0;
	}
	explain_time(r->run_dur, text, sizeof(text));
	fprintf(d->out, "  ran %s after the waking, on CPU %" PRId32 "\n", text, r->run_cpu);
	return rwk_store_ran_between(d->s->store, RWK_RUN_ID, r->run_cpu, d->ts, r->ts + r->run_dur,
		d->s->diag, put_ran, d);
}

/* ---- its neighbours ---- */

static void put_cpu(FILE *out, const char *before, int32_t cpu)
{
	if (cpu == RWK_NONE)
		fprintf(out, "%s?", before);
	else
		fprintf(out, "%s%" PRId32, before, cpu);
}

static void put_neighbour(struct drawing *d, const struct rwk_moment *m, bool here)
{
	fprintf(d->out, "%c %8" PRId64 "  %.6f  CPU %4" PRId32 " ", here ? '>' : ' ', m->wakeup_id,
		(double)(m->ts - d->x.begin_ts) / 1e9, m->cpu);
	rwk_explain_task(d->out, &d->x, m->waker_utid);
	fputs(" wakes ", d->out);
	rwk_explain_task(d->out, &d->x, m->wakee_utid);
	put_cpu(d->out, ": CPU ", m->prev_cpu);
	put_cpu(d->out, " -> ", m->target_cpu);
	fputc('\n', d->out);
}

static int put_around(struct drawing *d, const struct rwk_moment *here, int around)
{
	struct rwk_moment_want want = {.from_ts = RWK_NS_NONE, .tid = RWK_NONE, .backwards = true};
	struct rwk_moment *of = calloc((size_t)around + 1, sizeof(*of));
	size_t nr;
	int err;

	if (!of)
		return rwk_diag_push(d->s->diag, -ENOMEM, "cannot explain: out of memory");
	fputs("\ndecisions around it\n", d->out);
	for (int after = 0; after < 2; after++) {
		want.from_id = here->wakeup_id + after;
		want.backwards = !after;
		err = rwk_store_find_decisions(
			d->s->store, RWK_RUN_ID, &want, (size_t)around, d->s->diag, of, &nr);
		if (err)
			break;
		for (size_t i = 0; i < nr; i++)
			put_neighbour(d, &of[i], false);
		if (!after)
			put_neighbour(d, here, true);
	}
	free(of);
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

static int explain(struct rwk_session *s, const struct rwk_explain_request *req, FILE *out)
{
	struct rwk_moment_want want = req->want;
	struct drawing d = {.out = out, .s = s};
	struct rwk_replay_options opt;
	struct rwk_replay_stats stats;
	struct rwk_moment here;
	size_t nr;
	int err;

	d.x = (struct rwk_explained){
		.task = s->task, .nr_task = s->nr_task, .begin_ts = begin_of(s->task, s->nr_task)};
	/* Times are told and asked for from the beginning of the recording. */
	if (want.from_ts != RWK_NS_NONE &&
		__builtin_add_overflow(want.from_ts, d.x.begin_ts, &want.from_ts))
		want.from_ts = INT64_MAX;
	err = rwk_store_find_decisions(s->store, RWK_RUN_ID, &want, 1, s->diag, &here, &nr);
	if (err)
		return err;
	if (!nr || (want.from_id && want.from_ts == RWK_NS_NONE && !want.name &&
			   want.tid == RWK_NONE && here.wakeup_id != want.from_id))
		return rwk_diag_push(s->diag, -ENOENT, "the run has no such decision");
	err = rwk_session_fit(s);
	if (err)
		return err;
	opt = rwk_session_options(s);
	opt.picture = draw;
	opt.picture_ctx = &d;
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
	err = put_aftermath(&d);
	return !err && req->around ? put_around(&d, &here, req->around) : err;
}

int rwk_explain_run(const struct rwk_explain_request *req, FILE *out, struct rwk_diag *diag)
{
	struct rwk_session s;
	int err = rwk_session_open(&s, &req->replay, false, diag);

	if (!err)
		err = explain(&s, req, out);
	rwk_session_close(&s);
	return err;
}
