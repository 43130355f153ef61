/* Counting verdicts against what the kernel did. */
#include "store/verdict_count.h"

static enum rwk_place place_of(int cpu, int prev_cpu)
{
	if (cpu == RWK_NONE || prev_cpu == RWK_NONE)
		return RWK_PLACE_UNKNOWN;
	return cpu == prev_cpu ? RWK_PLACE_STAYS : RWK_PLACE_MOVES;
}

static void count_difference(struct rwk_verdict_counts *c, const struct rwk_machine *m, int cpu,
	const struct rwk_placement *k)
{
	c->place[place_of(k->target_cpu, k->prev_cpu)][place_of(cpu, k->prev_cpu)]++;
	c->waker_distance[rwk_distance(m, k->cpu, k->target_cpu)][rwk_distance(m, k->cpu, cpu)]++;
	c->prev_distance[rwk_distance(m, k->prev_cpu, k->target_cpu)]
			[rwk_distance(m, k->prev_cpu, cpu)]++;
}

static void count_slow(struct rwk_slow_counts *c, const struct rwk_verdict_row *row)
{
	if (!row->comparable)
		return;
	c->decisions++;
	c->agree += row->agrees;
	c->idle += row->recorded_idle;
	c->idle_agree += row->recorded_idle && row->answer_idle;
}

void rwk_verdict_count(struct rwk_verdict_counts *counts, const struct rwk_machine *machine,
	const struct rwk_verdict_row *row, const struct rwk_placement *kernel)
{
	int group;

	counts->violations += row->violation;
	if (row->type == RWK_WAKE_EXEC) {
		count_slow(&counts->exec, row);
		return;
	}
	counts->verdicts++;
	if (row->priced)
		counts->price[row->price.kernel_kind][row->price.kind]++;
	if (row->type == RWK_WAKE_FORK) {
		count_slow(&counts->fork, row);
		return;
	}
	if (!row->comparable || kernel->kind != RWK_KIND_DECISION)
		return;
	counts->decisions++;
	counts->agree += row->agrees;
	counts->interesting += row->interesting;
	counts->interesting_agree += row->interesting && row->agrees;
	counts->unanswered += row->cpu == RWK_NONE;
	counts->with_unknown += row->unknown != 0;
	for (uint32_t bits = row->unknown; bits; bits &= bits - 1)
		counts->unknown_input[__builtin_ctz(bits)]++;
	group = row->agrees + 2 * row->interesting;
	counts->reason[group][row->reason]++;
	for (int i = 0; i < RWK_PROVENANCE_COUNT; i++) {
		if (row->provenance[i] < RWK_SOURCE_COUNT)
			counts->provenance[group][i * RWK_BITS_SOURCES + row->provenance[i]]++;
	}
	counts->history[group][row->history]++;
	if (row->attributed)
		counts->hidden[row->hidden]++;
	if (!row->agrees && row->cpu != RWK_NONE)
		count_difference(counts, machine, row->cpu, kernel);
}

struct table {
	struct rwk_db *db;
	struct rwk_diag *diag;
	sqlite3_stmt *st;
	int replay_id;
};

static int put(struct table *t, enum rwk_count_what what, int kernel, int policy, int64_t count)
{
	struct rwk_bind b = rwk_bind_begin(t->st);

	if (!count)
		return 0;
	rwk_bind_int(&b, t->replay_id);
	rwk_bind_int(&b, what);
	rwk_bind_int(&b, kernel);
	rwk_bind_int(&b, policy);
	rwk_bind_int(&b, count);
	return rwk_bind_run(&b, t->db, "write counts", t->diag);
}

/* A matrix of rows × columns counters. */
static int put_all(
	struct table *t, enum rwk_count_what what, const int64_t *count, int rows, int columns)
{
	int err = 0;

	for (int i = 0; i < rows * columns && !err; i++)
		err = put(t, what, i / columns, i % columns, count[i]);
	return err;
}

static int put_totals(const struct rwk_verdict_counts *c, struct table *t)
{
	const int64_t value[] = {t->replay_id, c->verdicts, c->decisions, c->agree, c->interesting,
		c->interesting_agree, c->unanswered, c->with_unknown, c->violations,
		c->fork.decisions, c->fork.agree, c->fork.idle, c->fork.idle_agree,
		c->exec.decisions, c->exec.agree, c->exec.idle, c->exec.idle_agree};
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(t->db, "update_replay", t->diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
		rwk_bind_int(&b, value[i]);
	rwk_bind_ns(&b, c->idle_wait);
	rwk_bind_int(&b, c->nr_idle_waits);
	err = rwk_bind_run(&b, t->db, "write counts", t->diag);
	sqlite3_finalize(st);
	return err;
}

int rwk_verdict_counts_put(const struct rwk_verdict_counts *counts, struct rwk_db *db,
	int replay_id, struct rwk_diag *diag)
{
	struct table t = {.db = db, .diag = diag, .replay_id = replay_id};
	int err = put_totals(counts, &t);

	if (!err)
		err = rwk_db_prepare(db, "insert_replay_count", diag, &t.st);
	if (!err)
		err = put_all(
			&t, RWK_COUNT_PLACE, counts->place[0], RWK_PLACE_COUNT, RWK_PLACE_COUNT);
	if (!err)
		err = put_all(&t, RWK_COUNT_WAKER_DISTANCE, counts->waker_distance[0],
			RWK_DIST_COUNT, RWK_DIST_COUNT);
	if (!err)
		err = put_all(&t, RWK_COUNT_PREV_DISTANCE, counts->prev_distance[0], RWK_DIST_COUNT,
			RWK_DIST_COUNT);
	if (!err)
		err = put_all(&t, RWK_COUNT_UNKNOWN_INPUT, counts->unknown_input, 1,
			RWK_BITS_VERDICT_UNKNOWN_WIDTH);
	if (!err)
		err = put_all(&t, RWK_COUNT_REASON, counts->reason[0], 4, RWK_MAX_REASONS);
	if (!err)
		err = put_all(&t, RWK_COUNT_PROVENANCE, counts->provenance[0], 4,
			RWK_PROVENANCE_COUNT * RWK_BITS_SOURCES);
	if (!err)
		err = put_all(&t, RWK_COUNT_HISTORY, counts->history[0], 4, RWK_HISTORY_COUNT);
	if (!err)
		err = put_all(&t, RWK_COUNT_HIDDEN, counts->hidden, 1, RWK_HIDDEN_COUNT);
	if (!err)
		err = put_all(&t, RWK_COUNT_RACE, counts->race, 1, RWK_RACE_COUNT);
	if (!err)
		err = put_all(
			&t, RWK_COUNT_PRICE, counts->price[0], RWK_PRICE_COUNT, RWK_PRICE_COUNT);
	sqlite3_finalize(t.st);
	return err;
}
