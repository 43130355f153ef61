/*
 * Verdicts: kept at commit or not at all, counted right, replaced when the
 * same policy replays again, and never trusted.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "store/handle.h"
#include "store_build.h"

static const char *const reasons[] = {"one", "two", "three", NULL};
static const char *const details[] = {"near", "far", NULL};
static const char *const other_reasons[] = {"one", "two", NULL};

static void select_nothing(const void *s, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	(void)s;
	(void)w;
	(void)ret;
}

#define POLICY(n, r, d)                                                                            \
	{                                                                                          \
		.api = RWK_POLICY_API, .size = sizeof(struct rwk_policy), .name = n,               \
		.summary = "summary of " n, .origin = "origin", .base = "base", .reasons = r,      \
		.details = d, .select_cpu = select_nothing                                         \
	}

static const struct rwk_policy first = POLICY("first", reasons, details);
static const struct rwk_policy second = POLICY("second", other_reasons, NULL);
static const struct rwk_policy changed = POLICY("first", other_reasons, details);

enum { NR = 17000 }; /* more than one range of placements */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*seed >> 33) % below;
}

/* Wakeups of every kind and placement. */
static void make_run(struct store_box *box)
{
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	uint64_t seed = 7;

	for (int i = 1; i <= NR; i++) {
		struct rwk_wakeup_row r = wakeup_row(i, i, 1000 + i, (int)draw(&seed, 8), 9);

		r.kind =
			(uint8_t)(draw(&seed, 4) ? RWK_KIND_DECISION : draw(&seed, RWK_KIND_COUNT));
		r.prev_cpu = draw(&seed, 16) ? (int)draw(&seed, 8) : RWK_NONE;
		r.target_cpu = draw(&seed, 2) ? r.prev_cpu : (int)draw(&seed, 8);
		assert_int_equal(sink.wakeup(sink.ctx, &r), 0);
	}
	store_box_finish(box, w);
}

static struct rwk_verdict_row verdict(int64_t id, uint64_t *seed)
{
	return (struct rwk_verdict_row){.wakeup_id = id,
		.cpu = draw(seed, 20) ? (int)draw(seed, 8) : RWK_NONE,
		.reason = (uint16_t)draw(seed, 2),
		.interesting = draw(seed, 2),
		.comparable = draw(seed, 10) != 0,
		.violation = !draw(seed, 30),
		.unknown = draw(seed, 4) ? 0 : draw(seed, 1 << RWK_IN_COUNT)};
}

/* The placements as they are in the file, for agreeing now and then. */
static int *targets(struct store_box *box)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	int *target = calloc(NR + 1, sizeof(*target));

	assert_non_null(target);
	assert_int_equal(sqlite3_open(box->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT id, coalesce(target_cpu, -1) FROM wakeup",
				 -1, &st, NULL),
		SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW)
		target[sqlite3_column_int(st, 0)] = sqlite3_column_int(st, 1);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return target;
}

/* Classes by id, so that SQL can tell them. */
static void classify(struct rwk_verdict_row *r, int id)
{
	for (int k = 0; k < RWK_PROVENANCE_COUNT; k++)
		r->provenance[k] = (uint8_t)((id + k) % (RWK_SOURCE_COUNT + 1));
	r->history = (uint8_t)(id % RWK_HISTORY_COUNT);
	r->priced = r->comparable && !r->agrees && r->cpu != RWK_NONE;
	r->attributed = r->priced && id % 7;
	r->hidden = (uint8_t)(id % RWK_HIDDEN_COUNT);
	r->price.kind = (uint8_t)(id % RWK_PRICE_COUNT);
	r->price.wait_ns = id;
}

static void put_all(
	struct store_box *box, struct rwk_store *store, int id, uint64_t seed, const int *target)
{
	enum { CHUNK = 3000 };
	struct rwk_verdict_row *rows = calloc(CHUNK, sizeof(*rows));
	size_t nr = 0;

	assert_non_null(rows);
	for (int i = 1; i <= NR; i++) {
		struct rwk_verdict_row *r = &rows[nr++];

		*r = verdict(i, &seed);
		if (draw(&seed, 2))
			r->cpu = target[i];
		if (target[i] < 0)
			r->comparable = false;
		r->agrees = r->comparable && r->cpu == target[i];
		classify(r, i);
		if (nr == CHUNK || i == NR) {
			assert_int_equal(rwk_store_replay_put(store, id, rows, nr, &box->diag), 0);
			nr = 0;
		}
	}
	free(rows);
}

/* Every counter against what SQL counts in the verdicts themselves. */
static void recount(struct store_box *box, struct rwk_store *store)
{
	static const char *const equal[] = {
		"SELECT replay_id, COUNT(*), SUM(violation) FROM verdict GROUP BY 1",
		"SELECT replay_id, verdicts, violations FROM replay",

		"SELECT v.replay_id, COUNT(*), SUM(v.agrees), SUM(v.interesting), "
		"SUM(v.interesting AND v.agrees), SUM(v.cpu IS NULL), SUM(v.unknown IS NOT NULL), "
		"SUM(NOT v.agrees AND v.cpu IS NOT NULL) "
		"FROM verdict v JOIN wakeup w ON w.id = v.wakeup_id "
		"WHERE w.kind = 'decision' AND v.agrees IS NOT NULL GROUP BY 1",
		"SELECT replay, decisions, agree, interesting, interesting_agree, unanswered, "
		"with_unknown, differ FROM agreement",

		"SELECT v.replay_id, v.reason, COUNT(*), SUM(v.agrees) "
		"FROM verdict v JOIN wakeup w ON w.id = v.wakeup_id "
		"WHERE w.kind = 'decision' AND v.agrees IS NOT NULL GROUP BY 1, 2",
		"SELECT replay_id, reason, decisions, agree FROM reason_count",

		"SELECT v.replay_id, u.input, COUNT(*) "
		"FROM verdict v JOIN wakeup w ON w.id = v.wakeup_id "
		"JOIN (SELECT DISTINCT input FROM unknown_input) u "
		"ON instr(',' || v.unknown || ',', ',' || u.input || ',') "
		"WHERE v.unknown_bits AND w.kind = 'decision' AND v.agrees IS NOT NULL GROUP BY 1, "
		"2",
		"SELECT replay_id, input, count FROM unknown_input",

		"SELECT v.replay_id, 'place', "
		"CASE WHEN d.prev_cpu IS NULL OR d.target_cpu IS NULL THEN NULL "
		"WHEN d.target_cpu = d.prev_cpu THEN 'stays' ELSE 'moves' END, "
		"CASE WHEN d.prev_cpu IS NULL THEN NULL WHEN v.cpu = d.prev_cpu THEN 'stays' "
		"ELSE 'moves' END, COUNT(*) "
		"FROM verdict v JOIN decision d ON d.id = v.wakeup_id "
		"WHERE NOT v.agrees AND v.cpu IS NOT NULL GROUP BY 1, 3, 4",
		"SELECT replay_id, what, kernel, policy, count FROM difference WHERE what = "
		"'place'",

		"SELECT v.replay_id, v.reason, COUNT(*), SUM(v.agrees), SUM(v.interesting), "
		"SUM(v.interesting AND v.agrees) "
		"FROM verdict v JOIN wakeup w ON w.id = v.wakeup_id "
		"WHERE w.kind = 'decision' AND v.agrees IS NOT NULL GROUP BY 1, 2",
		"SELECT replay_id, reason, decisions, agree, interesting, interesting_agree "
		"FROM reason_count",

		"SELECT v.replay_id, CASE v.wakeup_id % 4 WHEN 0 THEN '1' WHEN 1 THEN '2-5' "
		"WHEN 2 THEN '6-20' ELSE '>20' END, COUNT(*), SUM(v.agrees), SUM(v.interesting), "
		"SUM(v.interesting AND v.agrees) "
		"FROM verdict v JOIN wakeup w ON w.id = v.wakeup_id "
		"WHERE w.kind = 'decision' AND v.agrees IS NOT NULL GROUP BY 1, 2",
		"SELECT replay_id, class, decisions, agree, interesting, interesting_agree "
		"FROM agreement_by WHERE what = 'history'",

		"SELECT v.replay_id, p.what, CASE (v.wakeup_id + p.k) % 6 WHEN 0 THEN 'unknown' "
		"WHEN 1 THEN 'inferred' WHEN 2 THEN 'rebuilt' WHEN 3 THEN 'calibrated' "
		"ELSE 'probed' END, COUNT(*), SUM(v.agrees), SUM(v.interesting), "
		"SUM(v.interesting AND v.agrees) "
		"FROM verdict v JOIN wakeup w ON w.id = v.wakeup_id JOIN (SELECT 0 AS k, 'worst' "
		"AS what UNION SELECT 1, 'flips' UNION SELECT 2, 'recent_cpu' UNION SELECT 3, "
		"'sync' UNION SELECT 4, 'nr_idle_scan') p WHERE (v.wakeup_id + p.k) % 6 < 5 "
		"AND w.kind = 'decision' AND v.agrees IS NOT NULL GROUP BY 1, 2, 3",
		"SELECT replay_id, what, class, decisions, agree, interesting, interesting_agree "
		"FROM agreement_by WHERE what <> 'history'",

		"SELECT p.replay_id, p.explained_by, COUNT(*) FROM price p "
		"JOIN wakeup w ON w.id = p.wakeup_id "
		"WHERE w.kind = 'decision' AND p.explained_by IS NOT NULL GROUP BY 1, 2",
		"SELECT replay_id, explained_by, count FROM miss",

		/* A price for every different answer, and for no other. */
		"SELECT replay_id, wakeup_id, CASE wakeup_id % 6 WHEN 0 THEN 'idle' "
		"WHEN 1 THEN 'busy' ELSE 'unpriced' END, wakeup_id % 6 FROM verdict "
		"WHERE NOT agrees AND cpu IS NOT NULL",
		"SELECT replay_id, wakeup_id, price, CASE WHEN wait_dur = 5 THEN 0 WHEN wait_dur = "
		"wakeup_id THEN 1 ELSE CASE unpriced WHEN 'policy: unknown task' THEN 2 "
		"WHEN 'policy: events lost' THEN 3 WHEN 'policy: trace ended' THEN 4 "
		"WHEN 'policy: longer than 1 s' THEN 5 END END FROM price",

		"SELECT replay_id, wakeup_id, price, wait_dur, kernel_wait_dur, passed_idle, "
		"waker_slept FROM price",
		"SELECT replay_id, wakeup_id, price, wait_dur, kernel_wait_dur, passed_idle, "
		"waker_slept FROM verdict WHERE price IS NOT NULL",

		/* Distances by the box's own numbering: threads 2, caches and nodes 4. */
		"SELECT v.replay_id, 'waker_distance', d.waker_distance, "
		"CASE WHEN v.cpu = d.cpu THEN 'same_cpu' WHEN v.cpu / 2 = d.cpu / 2 THEN 'smt' "
		"WHEN v.cpu / 4 = d.cpu / 4 THEN 'llc' ELSE 'remote' END, COUNT(*) "
		"FROM verdict v JOIN decision d ON d.id = v.wakeup_id "
		"WHERE NOT v.agrees AND v.cpu IS NOT NULL GROUP BY 1, 3, 4",
		"SELECT replay_id, what, kernel, policy, count FROM difference "
		"WHERE what = 'waker_distance'",

		"SELECT v.replay_id, 'prev_distance', d.prev_distance, "
		"CASE WHEN d.prev_cpu IS NULL THEN NULL WHEN v.cpu = d.prev_cpu THEN 'same_cpu' "
		"WHEN v.cpu / 2 = d.prev_cpu / 2 THEN 'smt' "
		"WHEN v.cpu / 4 = d.prev_cpu / 4 THEN 'llc' ELSE 'remote' END, COUNT(*) "
		"FROM verdict v JOIN decision d ON d.id = v.wakeup_id "
		"WHERE NOT v.agrees AND v.cpu IS NOT NULL GROUP BY 1, 3, 4",
		"SELECT replay_id, what, kernel, policy, count FROM difference "
		"WHERE what = 'prev_distance'",
	};

	for (size_t i = 0; i < sizeof(equal) / sizeof(equal[0]); i += 2) {
		char sql[4096];

		snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM (SELECT * FROM (%s) EXCEPT %s)",
			equal[i], equal[i + 1]);
		if (store_box_int(box, store, sql))
			fail_msg("counters miss: %s", equal[i + 1]);
		snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM (%s EXCEPT SELECT * FROM (%s))",
			equal[i + 1], equal[i]);
		if (store_box_int(box, store, sql))
			fail_msg("counters have more: %s", equal[i + 1]);
		snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM (%s)", equal[i]);
		assert_true(store_box_int(box, store, sql) > 0);
	}
}

static void counts(void **state)
{
	struct store_box *box = *state;
	const struct rwk_replay_row rows[] = {
		{&first, "", "open", 1}, {&second, "a=1", "open", 1}, {&first, "a=2", "open", 1}};
	const struct rwk_replay_stats stats = {.idle_wait_ns = 5,
		.nr_idle_waits = 77,
		.kernel_policy = 1,
		.races = {.misses = 40, .in_call = 30, .near_entry = 20, .either = 35}};
	struct rwk_store *store;
	char *text;
	int id[3], *target;

	make_run(box);
	target = targets(box);
	store = store_box_open(box, true);
	assert_int_equal(rwk_store_replay_begin(store, rows, 3, &box->diag, id), 0);
	for (int i = 0; i < 3; i++)
		put_all(box, store, id[i], (uint64_t)i + 1, target);
	rwk_store_replay_conclude(store, &stats);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), 0);
	recount(box, store);
	text = store_box_rows(box, store,
		"SELECT replay_id, idle_wait, idle_waits, misses, in_call, near_entry, candidates "
		"FROM replay LEFT JOIN race USING (replay_id) ORDER BY 1");
	assert_string_equal(text, "1|5|77|-|-|-|-\n2|5|77|40|30|20|35\n3|5|77|-|-|-|-\n");
	free(text);
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM policy"), 2);
	assert_int_equal(store_box_int(box, store,
				 "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
		1);
	free(target);
	rwk_store_close(store);
}

/* New tasks and execs have counts of their own; an exec leaves no row. */
static void slow_path_counts_apart(void **state)
{
	static const struct rwk_verdict_row v[] = {
		/* forks: same idle CPU, another idle CPU, an idle one where the kernel had none */
		{.wakeup_id = 1,
			.cpu = 2,
			.type = RWK_WAKE_FORK,
			.comparable = true,
			.agrees = true,
			.recorded_idle = true,
			.answer_idle = true},
		{.wakeup_id = 2,
			.cpu = 3,
			.type = RWK_WAKE_FORK,
			.comparable = true,
			.recorded_idle = true,
			.answer_idle = true},
		{.wakeup_id = 3,
			.cpu = 4,
			.type = RWK_WAKE_FORK,
			.comparable = true,
			.answer_idle = true},
		{.wakeup_id = 4,
			.cpu = 4,
			.type = RWK_WAKE_FORK,
			.comparable = true,
			.recorded_idle = true},
		/* nobody knows what the kernel chose */
		{.wakeup_id = 5, .cpu = 4, .type = RWK_WAKE_FORK},
		/* execs */
		{.cpu = 0, .type = RWK_WAKE_EXEC, .comparable = true, .agrees = true},
		{.cpu = 1,
			.type = RWK_WAKE_EXEC,
			.comparable = true,
			.recorded_idle = true,
			.answer_idle = true},
		{.cpu = 1, .type = RWK_WAKE_EXEC},
	};
	struct store_box *box = *state;
	const struct rwk_replay_row rows[] = {{&first, "", "open", 1}, {&second, "", "open", 1}};
	struct rwk_verdict_row bad = v[5];
	struct rwk_store *store;
	char *got;
	int id[2];

	make_run(box);
	store = store_box_open(box, true);
	assert_int_equal(rwk_store_replay_begin(store, rows, 2, &box->diag, id), 0);
	assert_int_equal(rwk_store_replay_put(store, id[0], v, 8, &box->diag), 0);
	/* nothing to store at all */
	assert_int_equal(rwk_store_replay_put(store, id[1], &v[5], 3, &box->diag), 0);
	bad.reason = 3;
	assert_int_equal(rwk_store_replay_put(store, id[1], &bad, 1, &box->diag), -ERANGE);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), 0);
	got = store_box_rows(box, store,
		"SELECT decisions, fork_decisions, fork_agree, fork_idle, fork_idle_agree, "
		"exec_decisions, exec_agree, exec_idle, exec_idle_agree FROM agreement ORDER BY 1");
	assert_string_equal(got, "0|4|1|3|2|2|1|1|1\n0|0|0|0|0|2|1|1|1\n");
	free(got);
	got = store_box_rows(box, store,
		"SELECT policy, verdicts FROM replay UNION ALL SELECT policy, COUNT(*) FROM "
		"verdict "
		"GROUP BY 1");
	assert_string_equal(got, "first|5\nsecond|0\nfirst|5\n");
	free(got);
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM t_replay_count"), 0);
	rwk_store_close(store);
}

static void put_one(struct store_box *box, struct rwk_store *store, const struct rwk_policy *policy,
	const char *params, int cpu)
{
	const struct rwk_replay_row row = {policy, params, "open", 1};
	const struct rwk_verdict_row verdict_row = {
		.wakeup_id = 1, .cpu = cpu, .comparable = true, .priced = true};
	int id;

	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_put(store, id, &verdict_row, 1, &box->diag), 0);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), 0);
}

static void replaces_the_same(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;
	char *rows;

	make_run(box);
	store = store_box_open(box, true);
	put_one(box, store, &first, "", 1);
	put_one(box, store, &first, "x=1", 2);
	put_one(box, store, &second, "", 3);
	put_one(box, store, &first, "", 4);
	rows = store_box_rows(box, store,
		"SELECT policy, params, cpu FROM verdict JOIN replay USING (replay_id, policy) "
		"ORDER BY 1, 2");
	assert_string_equal(rows, "first||4\nfirst|x=1|2\nsecond||3\n");
	free(rows);
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM t_verdict"), 3);
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM t_price"), 3);
	assert_int_equal(
		store_box_int(box, store, "SELECT COUNT(DISTINCT replay_id) FROM t_replay_count"),
		store_box_int(box, store,
			"SELECT COUNT(*) FROM replay WHERE replay_id IN "
			"(SELECT replay_id FROM t_replay_count)"));

	/* A policy whose reasons changed is another one; the old verdicts keep their names. */
	put_one(box, store, &changed, "", 5);
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM policy"), 3);
	put_one(box, store, &changed, "x=1", 6);
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM policy"), 2);
	assert_int_equal(store_box_int(box, store,
				 "SELECT COUNT(*) FROM policy_reason WHERE policy_id NOT IN "
				 "(SELECT policy_id FROM policy)"),
		0);
	rwk_store_close(store);
}

/* For a machine of single-CPU cores in one cache: from CPU 0, all of them are that far. */
static void put_elsewhere(struct store_box *box, struct rwk_store *store, const char *spec, int cpu)
{
	const struct rwk_verdict_row verdict_row = {.wakeup_id = 1, .cpu = cpu, .comparable = true};
	struct rwk_anomalies anomalies = {0};
	struct rwk_replay_machine other = {.spec = spec};
	struct rwk_replay_row row = {
		.policy = &first, .params = "", .mode = "open", .run_id = 1, .elsewhere = &other};
	struct rwk_snapshot *snap;
	struct rwk_machine *machine;
	char list[16], path[128];
	int id;

	assert_int_equal(rwk_snapshot_create(&snap), 0);
	assert_int_equal(rwk_snapshot_add_file(snap, "sys/devices/system/cpu/online", "0-7\n"), 0);
	for (int i = 0; i < 8; i++) {
		snprintf(list, sizeof(list), "%d\n", i);
		snprintf(path, sizeof(path),
			"sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
		assert_int_equal(rwk_snapshot_add_file(snap, path, list), 0);
		snprintf(path, sizeof(path),
			"sys/devices/system/cpu/cpu%d/topology/core_siblings_list", i);
		assert_int_equal(rwk_snapshot_add_file(snap, path, "0-7\n"), 0);
	}
	assert_int_equal(rwk_machine_build(snap, "6.1.0", 8, &anomalies, &box->diag, &machine), 0);
	other.machine = machine;
	other.snapshot = snap;
	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_put(store, id, &verdict_row, 1, &box->diag), 0);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), 0);
	rwk_machine_destroy(machine);
	rwk_snapshot_destroy(snap);
}

static void another_machine_is_another_replay(void **state)
{
	static const char *const tables[] = {"t_machine_file", "t_machine_cpu", "t_machine_domain",
		"t_machine_cache", "t_machine_node"};
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_wakeup_row r = wakeup_row(1, 1, 1001, 0, 9);
	struct rwk_store *store;
	char *rows;

	r.kind = RWK_KIND_DECISION;
	r.prev_cpu = r.target_cpu = 1;
	assert_int_equal(sink.wakeup(sink.ctx, &r), 0);
	store_box_finish(box, w);
	store = store_box_open(box, true);
	put_one(box, store, &first, "", 5);
	put_elsewhere(box, store, "a.json", 5);
	put_elsewhere(box, store, "recorded,x", 6);
	put_one(box, store, &first, "", 6);
	put_elsewhere(box, store, "a.json", 7);
	rows = store_box_rows(box, store,
		"SELECT a.machine, v.cpu, m.nr_llc, m.smt_active, d.kernel, d.policy "
		"FROM agreement a JOIN verdict v ON v.replay_id = a.replay "
		"JOIN replay r ON r.replay_id = a.replay JOIN machine m USING (machine_id) "
		"JOIN difference d ON d.replay_id = a.replay AND d.what = 'waker_distance' "
		"ORDER BY 1");
	/* CPUs 0 and 1 share a recorded core; elsewhere all share but the cache. */
	assert_string_equal(rows, "a.json|7|1|0|llc|llc\n"
				  "recorded|6|2|1|smt|remote\n"
				  "recorded,x|6|1|0|llc|llc\n");
	free(rows);
	/* The machine of the replaced replay went with it. */
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM machine"), 3);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT COUNT(DISTINCT machine_id) FROM %s", tables[i]);
		assert_int_equal(store_box_int(box, store, sql), 3);
	}
	rwk_store_close(store);
}

static void nothing_without_commit(void **state)
{
	struct store_box *box = *state;
	const struct rwk_replay_row row = {&first, "", "open", 1};
	const struct rwk_verdict_row verdict_row = {.wakeup_id = 1, .cpu = 7};
	struct rwk_store *store;
	int id;

	make_run(box);
	store = store_box_open(box, true);
	put_one(box, store, &first, "", 3);
	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), -EINVAL);
	assert_int_equal(rwk_store_replay_put(store, id, &verdict_row, 1, &box->diag), 0);
	assert_int_equal(rwk_store_replay_rollback(store), 0);
	assert_int_equal(rwk_store_replay_rollback(store), 0);
	assert_int_equal(store_box_int(box, store, "SELECT cpu FROM verdict"), 3);
	/* Also when it is just closed. */
	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_put(store, id, &verdict_row, 1, &box->diag), 0);
	rwk_store_close(store);
	store = store_box_open(box, false);
	assert_int_equal(store_box_int(box, store, "SELECT cpu FROM verdict"), 3);
	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), -EINVAL);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), -EINVAL);
	rwk_store_close(store);
}

/* Killed in the middle of writing: the file is as before, also for who only reads. */
static void killed(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;
	pid_t child;
	int status, *target;

	make_run(box);
	target = targets(box);
	store = store_box_open(box, true);
	put_one(box, store, &first, "", 3);
	rwk_store_close(store);
	child = fork();
	if (!child) {
		const struct rwk_replay_row row[] = {{&first, "", "open", 1},
			{&second, "", "open", 1}, {&second, "a", "open", 1}};
		int id[3];

		store = store_box_open(box, true);
		if (rwk_store_replay_begin(store, row, 3, &box->diag, id))
			_exit(1);
		for (int round = 0; round < 3; round++)
			put_all(box, store, id[round], 1, target);
		/* Dirty pages reach the file, as they do by themselves once there are many. */
		sqlite3_db_cacheflush(store->db.handle);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_true(store_box_has_other_files(box, "run.db", NULL)); /* the journal */
	store = store_box_open(box, false);
	assert_int_equal(store_box_int(box, store, "SELECT cpu FROM verdict"), 3);
	assert_int_equal(store_box_int(box, store,
				 "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
		1);
	rwk_store_close(store);
	free(target);
}

static void refuses(void **state)
{
	struct store_box *box = *state;
	const struct rwk_replay_row twice[] = {{&first, "", "open", 1}, {&first, "", "open", 1}};
	const struct rwk_replay_row runs[] = {{&first, "", "open", 1}, {&second, "", "open", 2}};
	const struct rwk_replay_row no_run = {&first, "", "open", 77};
	static const struct rwk_verdict_row bad[] = {
		{.wakeup_id = 1, .cpu = RWK_MAX_CPUS},
		{.wakeup_id = 1, .cpu = -2},
		{.wakeup_id = 1, .reason = 3},
		{.wakeup_id = 1, .detail = 2},
		{.wakeup_id = 0},
		{.wakeup_id = -1},
		{.wakeup_id = NR + 1},
		{.wakeup_id = INT64_MAX},
	};
	struct rwk_store *store;
	int id[2];

	make_run(box);
	store = store_box_open(box, true);
	assert_int_equal(rwk_store_replay_begin(store, twice, 0, &box->diag, id), -EINVAL);
	assert_int_equal(rwk_store_replay_begin(store, twice, 2, &box->diag, id), -EINVAL);
	assert_int_equal(rwk_store_replay_begin(store, runs, 2, &box->diag, id), -EINVAL);
	assert_int_equal(rwk_store_replay_begin(store, &no_run, 1, &box->diag, id), -ENOENT);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(rwk_store_replay_begin(store, twice, 1, &box->diag, id), 0);
		assert_true(rwk_store_replay_put(store, id[0], &bad[i], 1, &box->diag) < 0);
		assert_int_equal(
			rwk_store_replay_put(store, id[0] + 1, NULL, 0, &box->diag), -EINVAL);
		assert_int_equal(rwk_store_replay_rollback(store), 0);
	}
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM replay"), 0);
	rwk_store_close(store);
}

static void busy(void **state)
{
	struct store_box *box = *state;
	const struct rwk_replay_row row = {&first, "", "open", 1};
	struct rwk_store *a, *b;
	int id;

	make_run(box);
	a = store_box_open(box, true);
	b = store_box_open(box, true);
	assert_int_equal(rwk_store_replay_begin(a, &row, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_begin(b, &row, 1, &box->diag, &id), -EBUSY);
	assert_non_null(strstr(box->diag.cause[0], "another program"));
	rwk_store_close(a);
	rwk_store_close(b);
}

/* Verdicts of deferred decisions come a little out of order. */
static void any_order(void **state)
{
	struct store_box *box = *state;
	const struct rwk_replay_row row = {&first, "", "open", 1};
	const struct rwk_verdict_row rows[] = {{.wakeup_id = 5, .cpu = 5},
		{.wakeup_id = 2, .cpu = 2}, {.wakeup_id = NR, .cpu = 1},
		{.wakeup_id = 3, .cpu = 3}};
	struct rwk_store *store;
	int id;

	make_run(box);
	store = store_box_open(box, true);
	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_put(store, id, rows, 4, &box->diag), 0);
	assert_int_equal(rwk_store_replay_put(store, id, rows, 1, &box->diag), -EINVAL); /* again */
	assert_int_equal(rwk_store_replay_rollback(store), 0);
	assert_int_equal(rwk_store_replay_begin(store, &row, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_put(store, id, rows, 2, &box->diag), 0);
	assert_int_equal(rwk_store_replay_put(store, id, rows + 2, 2, &box->diag), 0);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), 0);
	assert_int_equal(store_box_int(box, store,
				 "SELECT COUNT(*) FROM verdict WHERE cpu = min(wakeup_id, cpu)"),
		4);
	rwk_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_box_setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts),
		TEST(slow_path_counts_apart),
		TEST(replaces_the_same),
		TEST(another_machine_is_another_replay),
		TEST(nothing_without_commit),
		TEST(killed),
		TEST(refuses),
		TEST(busy),
		TEST(any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
