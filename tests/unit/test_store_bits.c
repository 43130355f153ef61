/*
 * Every value of every enum that is packed in a column, written as a row and
 * read through the view: the lists in SQL and in C cannot drift apart.  A new
 * member without a name here is a NULL in the table below, and fails.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "store/bits.h"
#include "store_build.h"

static const char *const source_names[RWK_SOURCE_COUNT] = {
	"unknown", "inferred", "rebuilt", "calibrated", "probed"};
static const char *const context_names[RWK_CTX_COUNT] = {
	"task", "idle", "softirq", "hardirq", "nmi", "-"};
static const char *const target_names[RWK_TARGET_COUNT] = {
	"unknown", "probe", "migrate", "wakeup", "run"};
static const char *const censor_names[RWK_CENSOR_COUNT] = {"-", "end", "loss", "gone", "running"};
static const char *const end_names[RWK_END_COUNT] = {
	"-", "R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I"};
static const char *const input_names[RWK_IN_COUNT] = {"topology", "cpu_state", "sync", "affinity",
	"flips", "last_wakee", "recent_cpu", "idle_cores", "nr_idle_scan", "load", "avg_run",
	"avg_idle", "recorded", "delayed", "queue", "avg_overlap", "run_total", "sync_share",
	"hot_until", "slice", "uclamp", "idle_since"};
static const char *const distance_names[RWK_DIST_COUNT] = {
	"same_cpu", "smt", "llc", "node", "remote", "-"};

static char expected[65536];
static size_t used;

static void expect(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void expect(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(expected + used, sizeof(expected) - used, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && used + (size_t)n < sizeof(expected));
	used += (size_t)n;
}

static void compare(struct store_box *box, struct rwk_store *store, const char *sql)
{
	char *rows = store_box_rows(box, store, sql);

	assert_string_equal(rows, expected);
	free(rows);
	used = 0;
	expected[0] = '\0';
}

static void put_wakeup(struct rwk_row_sink sink, const struct rwk_wakeup_row *row)
{
	assert_int_equal(sink.wakeup(sink.ctx, row), 0);
}

static struct rwk_wakeup_row next_row(int64_t *id, int cpu)
{
	++*id;
	return wakeup_row(*id, *id, 1000, cpu, 9);
}

static void wakeup_enums(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;
	int64_t id = 0;

	for (int i = 0; i < RWK_KIND_COUNT; i++) {
		struct rwk_wakeup_row r = next_row(&id, 0);

		r.kind = (uint8_t)i;
		put_wakeup(sink, &r);
		expect("%s|unknown|-|unknown|unknown|-|-\n",
			rwk_wakeup_kind_name((enum rwk_wakeup_kind)i));
	}
	for (int i = 0; i < RWK_SOURCE_COUNT; i++) {
		struct rwk_wakeup_row r = next_row(&id, 0);

		assert_non_null(source_names[i]);
		r.kind_source = (uint8_t)i;
		put_wakeup(sink, &r);
		expect("unknown|%s|-|unknown|unknown|-|-\n", source_names[i]);
		r = next_row(&id, 0);
		r.sync_source = (uint8_t)i;
		r.sync = true;
		put_wakeup(sink, &r);
		expect("unknown|unknown|-|%s|unknown|-|%s\n", source_names[i], i ? "1" : "-");
	}
	for (int i = 0; i < RWK_CTX_COUNT; i++) {
		struct rwk_wakeup_row r = next_row(&id, 0);

		assert_non_null(context_names[i]);
		r.context = (uint8_t)i;
		put_wakeup(sink, &r);
		expect("unknown|unknown|%s|unknown|unknown|-|-\n", context_names[i]);
	}
	for (int i = 0; i < RWK_TARGET_COUNT; i++) {
		struct rwk_wakeup_row r = next_row(&id, 0);

		assert_non_null(target_names[i]);
		r.target_source = (uint8_t)i;
		put_wakeup(sink, &r);
		expect("unknown|unknown|-|unknown|%s|-|-\n", target_names[i]);
	}
	for (int i = 0; i < RWK_CENSOR_COUNT; i++) {
		struct rwk_wakeup_row r = next_row(&id, 0);

		assert_non_null(censor_names[i]);
		r.censor = (uint8_t)i;
		put_wakeup(sink, &r);
		expect("unknown|unknown|-|unknown|unknown|%s|-\n", censor_names[i]);
	}
	store_box_finish(box, w);
	store = store_box_open(box, false);
	compare(box, store,
		"SELECT kind, kind_source, context, sync_source, target_source, censor, sync "
		"FROM wakeup ORDER BY id");
	/* The counts kept beside the rows say the same. */
	assert_int_equal(
		store_box_int(box, store,
			"SELECT COUNT(*) FROM (SELECT kind, kind_source, sync_source, "
			"target_source, censor, COUNT(*) FROM wakeup GROUP BY 1, 2, 3, 4, 5 "
			"EXCEPT SELECT kind, kind_source, sync_source, target_source, censor, "
			"count FROM wakeup_count)"),
		0);
	assert_int_equal(store_box_int(box, store, "SELECT SUM(count) FROM wakeup_count"), id);
	rwk_store_close(store);
}

static void wakeup_numbers(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;
	struct rwk_wakeup_row r = {.id = 1,
		.seq = 7,
		.ts = INT64_C(81234567000000),
		.cpu = 1023,
		.waker_utid = 9,
		.wakee_utid = 10,
		.prio = 139,
		.prev_cpu = 0,
		.target_cpu = 512,
		.target_source = RWK_TARGET_RUN,
		.context = RWK_CTX_NMI,
		.kind = RWK_KIND_SPURIOUS,
		.kind_source = RWK_PROBED,
		.sync = true,
		.sync_source = RWK_PROBED,
		.waker_exiting = true,
		.censor = RWK_CENSOR_GONE,
		.wakeup_seq = 9,
		.wakeup_dur = 5,
		.wakeup_cpu = 1023,
		.run_dur = 6,
		.run_cpu = 1023,
		.probe_seq = 8};

	put_wakeup(sink, &r);
	expect("1|1|7|81234567000000|1023|nmi|9|10|139|0|512|run|spurious|probed|1|probed|1|9|1023|"
	       "5|"
	       "1023|6|gone|8\n");
	r = wakeup_row(2, 20, -5, 0, 10);
	r.prio = -1;
	put_wakeup(sink, &r);
	expect("2|1|20|-5|0|-|-|10|-1|-|-|unknown|unknown|unknown|-|unknown|0|-|-|-|-|-|-|-\n");
	r = wakeup_row(3, 21, 0, 0, 10);
	r.prio = 1000000; /* no kernel has it */
	r.probe_seq = 19; /* a new task's is before it */
	put_wakeup(sink, &r);
	expect("3|1|21|0|0|-|-|10|-|-|-|unknown|unknown|unknown|-|unknown|0|-|-|-|-|-|-|19\n");
	store_box_finish(box, w);
	store = store_box_open(box, false);
	compare(box, store, "SELECT * FROM wakeup");
	rwk_store_close(store);
}

static void slices(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;

	for (int i = 0; i < RWK_END_COUNT; i++) {
		struct rwk_slice_row r = slice_row(i + 1, i + 5, 1000 + i, i ? 1023 : 0, 9);

		assert_non_null(end_names[i]);
		r.end_state = (uint8_t)i;
		r.end_state_raw = i * 100000000000;
		r.dur = i == 3 ? RWK_NS_NONE : i;
		r.prio = i == 4 ? RWK_PRIO_UNKNOWN : 100 + i;
		r.begin_unknown = i == 1;
		r.cut = i == 2;
		assert_int_equal(sink.slice(sink.ctx, &r), 0);
		expect("%d|1|%d|%d|", i + 1, i + 5, 1000 + i);
		if (i == 3)
			expect("-|");
		else
			expect("%d|", i);
		expect("%d|9|", i ? 1023 : 0);
		if (i == 4)
			expect("-|");
		else
			expect("%d|", 100 + i);
		expect("%s|", end_names[i]);
		if (i)
			expect("%lld", (long long)r.end_state_raw);
		else
			expect("-");
		expect("|%d|%d\n", i == 1, i == 2);
	}
	store_box_finish(box, w);
	store = store_box_open(box, false);
	compare(box, store, "SELECT * FROM slice");
	rwk_store_close(store);
}

static void small_rows(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	const struct rwk_migration_row migration[] = {
		{.id = 1,
			.seq = 3,
			.ts = 5,
			.cpu = 1023,
			.by_utid = 9,
			.utid = 10,
			.prio = 120,
			.orig_cpu = 0,
			.dest_cpu = 1022,
			.wakeup_id = 4},
		{.id = 2,
			.seq = 4,
			.ts = 6,
			.cpu = RWK_NONE,
			.by_utid = RWK_NONE,
			.utid = 10,
			.prio = RWK_PRIO_DEADLINE,
			.orig_cpu = RWK_NONE,
			.dest_cpu = 1,
			.synthetic = true},
	};
	const struct rwk_orphan_row orphan = {
		.seq = 9, .ts = 7, .cpu = 1023, .utid = 10, .prio = 99, .target_cpu = 3};
	const struct rwk_nr_row nr[] = {
		{.seq = 16, .ts = 11, .cpu = 1023, .of = {0, INT32_MAX, INT32_MIN}},
		{.seq = 17, .ts = 12, .cpu = 0, .of = {1023, 0, -1}},
	};
	const struct rwk_loss_row loss[] = {
		{.seq = 11, .from_ts = 8, .to_ts = 9, .cpu = 2, .count = 77},
		{.seq = 12, .from_ts = RWK_NS_NONE, .to_ts = 10, .cpu = 3, .count = RWK_NONE},
	};
	const struct rwk_probe_cpu_row cpu[] = {
		{13, {1023, 0, 0, 9, 1}},
		{13, {0, INT32_MAX, 1, INT32_MAX, INT64_MAX}},
		{13, {7, 0, 1, 0, 0}},
		{13, {5, 0, RWK_NONE, 0, RWK_NONE}},
	};
	struct rwk_probe_row probe = {.seq = 13,
		.ret_seq = 15,
		.wakeup_id = 4,
		.ts = 20,
		.ret_ts = 25,
		.cpu = 5,
		.utid = 9,
		.answer = 6,
		.values = {.prev_cpu = 7,
			.wake_flags = 0xffffffff,
			.has_hidden = true,
			.flips = -1,
			.recent_cpu = 3,
			.nr_cpus_allowed = 8,
			.last_wakee_tid = 0,
			.nr_llc = 2,
			.llc = {{0, 4, 1}, {4, INT32_MIN, 0}}}};
	struct rwk_store *store;

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(sink.migration(sink.ctx, &migration[i]), 0);
		assert_int_equal(sink.loss(sink.ctx, &loss[i]), 0);
		assert_int_equal(sink.nr(sink.ctx, &nr[i]), 0);
	}
	assert_int_equal(sink.orphan(sink.ctx, &orphan), 0);
	assert_int_equal(sink.probe(sink.ctx, &probe), 0);
	probe = (struct rwk_probe_row){.seq = 14,
		.ts = 21,
		.ret_ts = RWK_NS_NONE,
		.cpu = 0,
		.utid = RWK_NONE,
		.answer = RWK_NONE,
		.values = {.prev_cpu = -7}};
	assert_int_equal(sink.probe(sink.ctx, &probe), 0);
	for (size_t i = 0; i < sizeof(cpu) / sizeof(cpu[0]); i++)
		assert_int_equal(sink.probe_cpu(sink.ctx, &cpu[i]), 0);
	store_box_finish(box, w);
	store = store_box_open(box, false);
	expect("1|1|3|5|1023|9|10|120|0|1022|4|0\n2|1|4|6|-|-|10|-1|-|1|-|1\n");
	compare(box, store, "SELECT * FROM migration");
	expect("9|1|7|1023|10|99|3\n");
	compare(box, store, "SELECT * FROM orphan_wakeup");
	expect("1|16|11|0|2147483647|-2147483648|1023\n1|17|12|1023|0|-1|0\n");
	compare(box, store, "SELECT * FROM nr_running");
	expect("1|11|2|8|9|77\n1|12|3|-|10|-\n");
	compare(box, store, "SELECT * FROM loss");
	expect("13|1|4|20|5|15|5|9|7|4294967295|6|-1|3|8|0\n"
	       "14|1|-|21|-|-|0|-|-7|0|-|-|-|-|-\n");
	compare(box, store, "SELECT * FROM probe");
	expect("1|13|0|0|4|1\n1|13|1|4|-2147483648|0\n");
	compare(box, store, "SELECT * FROM probe_llc");
	expect("1|13|0|2147483647|1|2147483647|9223372036854775807|0\n1|13|5|0|-|0|-|1\n"
	       "1|13|7|0|1|0|0|0\n1|13|1023|0|0|9|1|0\n");
	compare(box, store, "SELECT * FROM probe_cpu");
	rwk_store_close(store);
}

static void refuses_what_does_not_fit(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_wakeup_row r = wakeup_row(1, 1, 1, 0, 9);

	r.target_cpu = RWK_MAX_CPUS;
	assert_int_equal(sink.wakeup(sink.ctx, &r), -ERANGE);
	assert_int_equal(rwk_store_writer_finish(w, &box->run, &box->diag), -ERANGE);
	assert_non_null(strstr(box->diag.cause[0], "id=1"));
	rwk_store_writer_close(w);
	assert_false(store_box_has_other_files(box, "", NULL));
}

/* ---- verdicts ---- */

static const char *const reasons[] = {"first", "second", NULL};
static const char *const details[] = {"near", "far", NULL};

static void select_nothing(const void *s, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	(void)s;
	(void)w;
	(void)ret;
}

static const struct rwk_policy policy = {.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "test",
	.summary = "summary",
	.origin = "origin",
	.base = "base",
	.reasons = reasons,
	.details = details,
	.select_cpu = select_nothing};

static void verdicts(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	const struct rwk_replay_row replay = {&policy, "", "open", 1};
	struct rwk_verdict_row row[RWK_IN_COUNT + 1];
	struct rwk_store *store;
	int id;

	for (int i = 0; i <= RWK_IN_COUNT; i++) {
		struct rwk_wakeup_row r = wakeup_row(i + 1, i + 1, 1000, 0, 9);

		r.kind = RWK_KIND_DECISION;
		r.prev_cpu = r.target_cpu = 0;
		put_wakeup(sink, &r);
		row[i] = (struct rwk_verdict_row){.wakeup_id = i + 1,
			.cpu = i ? i : 1023,
			.comparable = true,
			.unknown = i < RWK_IN_COUNT ? 1U << i : (1U << RWK_IN_COUNT) - 1};
		if (i == RWK_IN_COUNT)
			continue;
		assert_non_null(input_names[i]);
		expect("%s|%d\n", input_names[i], 1 << i);
	}
	for (int i = 0; i < RWK_IN_COUNT; i++)
		expect("%s%s", i ? "," : "", input_names[i]);
	expect("|%d\n", (1 << RWK_IN_COUNT) - 1);
	row[0].reason = 1;
	row[1].detail = 1;
	row[2].agrees = true;
	row[3].comparable = false;
	row[4].interesting = true;
	row[5].violation = true;
	row[6].cpu = RWK_NONE;
	store_box_finish(box, w);
	store = store_box_open(box, true);
	assert_int_equal(rwk_store_replay_begin(store, &replay, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_put(store, id, row, RWK_IN_COUNT + 1, &box->diag), 0);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), 0);
	compare(box, store, "SELECT unknown, unknown_bits FROM verdict ORDER BY wakeup_id");
	expect("1|test|1023|second|near|0|0|0\n1|test|1|first|far|0|0|0\n1|test|2|first|near|1|0|"
	       "0\n"
	       "1|test|3|first|near|-|0|0\n1|test|4|first|near|0|1|0\n1|test|5|first|near|0|0|1\n"
	       "1|test|-|first|near|0|0|0\n");
	compare(box, store,
		"SELECT run_id, policy, cpu, reason, detail, agrees, interesting, violation "
		"FROM verdict WHERE wakeup_id <= 7 ORDER BY wakeup_id");
	for (int i = 0; i < RWK_IN_COUNT; i++)
		expect("%s|%d\n", input_names[i], i == 3 ? 1 : 2);
	compare(box, store, "SELECT input, count FROM unknown_input");
	rwk_store_close(store);
}

/* ---- prices ---- */

static const char *const kind_names[RWK_PRICE_COUNT] = {
	"idle", "busy", "unpriced", "unpriced", "unpriced", "unpriced"};
static const char *const why_names[RWK_PRICE_COUNT] = {
	NULL, NULL, "unknown task", "events lost", "trace ended", "longer than 1 s"};
static const char *const hidden_names[RWK_HIDDEN_COUNT] = {
	"none", "recent_cpu", "nr_idle_scan", "flips", "idle_cores", "sync"};

/* Waits: 1000 + id on the policy's CPU, 400 on the kernel's, 50 idle (or nobody knows). */
static void expect_price(const struct rwk_verdict_row *r, bool idle_known)
{
	const struct rwk_price *p = &r->price;
	const char *why = why_names[p->kind] ?: why_names[p->kernel_kind];
	bool idle_needed = (p->kind == RWK_PRICE_IDLE) != (p->kernel_kind == RWK_PRICE_IDLE);
	int64_t wait = p->kind == RWK_PRICE_IDLE ? 50 : 1000 + r->wakeup_id;
	int64_t kernel = p->kernel_kind == RWK_PRICE_IDLE ? 50 : 400;
	char text[64] = "-", extra[32] = "-";

	if (why)
		snprintf(text, sizeof(text), "%s: %s", why_names[p->kind] ? "policy" : "kernel",
			why);
	else if (idle_needed && !idle_known)
		snprintf(text, sizeof(text), "no wakeup of an idle CPU");
	else
		snprintf(extra, sizeof(extra), "%lld", (long long)(wait - kernel));
	expect("%s|%s|%s|%s|%d|%d|%s\n", kind_names[p->kind], kind_names[p->kernel_kind], extra,
		text, p->passed_idle, p->waker_slept,
		r->attributed ? hidden_names[r->hidden] : "-");
}

static void prices_with(struct store_box *box, bool idle_known)
{
	enum { NR = RWK_PRICE_COUNT * RWK_PRICE_COUNT };
	const struct rwk_replay_row replay = {&policy, "", "open", 1};
	const struct rwk_replay_stats stats = {
		.idle_wait_ns = idle_known ? 50 : RWK_NS_NONE, .kernel_policy = 1};
	struct rwk_verdict_row row[NR];
	struct rwk_store *store = store_box_open(box, true);
	int id;

	for (int i = 0; i < NR; i++) {
		row[i] = (struct rwk_verdict_row){.wakeup_id = i + 1,
			.cpu = 1,
			.comparable = true,
			.priced = true,
			.attributed = i % 4 > 0,
			.hidden = (uint8_t)(i % RWK_HIDDEN_COUNT),
			.price = {.kind = (uint8_t)(i / RWK_PRICE_COUNT),
				.kernel_kind = (uint8_t)(i % RWK_PRICE_COUNT),
				.passed_idle = i % 3 == 1,
				.waker_slept = i % 5 == 2,
				.wait_ns = 1000 + i + 1,
				.kernel_wait_ns = 400}};
		expect_price(&row[i], idle_known);
	}
	assert_int_equal(rwk_store_replay_begin(store, &replay, 1, &box->diag, &id), 0);
	assert_int_equal(rwk_store_replay_put(store, id, row, NR, &box->diag), 0);
	rwk_store_replay_conclude(store, &stats);
	assert_int_equal(rwk_store_replay_commit(store, &box->diag), 0);
	compare(box, store,
		"SELECT price, kernel_price, extra_dur, unpriced, passed_idle, waker_slept, "
		"explained_by FROM price ORDER BY wakeup_id");
	rwk_store_close(store);
}

static void prices(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);

	for (int i = 1; i <= RWK_PRICE_COUNT * RWK_PRICE_COUNT; i++) {
		struct rwk_wakeup_row r = wakeup_row(i, i, 1000, 0, 9);

		r.kind = RWK_KIND_DECISION;
		r.prev_cpu = r.target_cpu = 0;
		put_wakeup(sink, &r);
	}
	store_box_finish(box, w);
	prices_with(box, true);
	prices_with(box, false);
}

/* ---- distances ---- */

static void distances(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;
	int64_t id = 0;

	for (int a = 0; a < 8; a++) {
		for (int b = RWK_NONE; b < 8; b++) {
			struct rwk_wakeup_row r = next_row(&id, a);

			r.kind = RWK_KIND_DECISION;
			r.prev_cpu = (b + 3) % 8;
			r.target_cpu = b;
			put_wakeup(sink, &r);
			expect("%s|%s\n", distance_names[rwk_distance(box->machine, a, b)],
				distance_names[rwk_distance(box->machine, (b + 3) % 8, b)]);
		}
	}
	store_box_finish(box, w);
	store = store_box_open(box, false);
	compare(box, store, "SELECT waker_distance, prev_distance FROM decision ORDER BY id");
	rwk_store_close(store);
}

static void positions_do_not_overlap(void **state)
{
	(void)state;
	assert_true(RWK_MAX_CPUS < 1 << RWK_BITS_CPU_WIDTH);
	assert_true(RWK_END_COUNT <= 1 << RWK_BITS_SLICE_END_STATE_WIDTH);
	assert_true(RWK_KIND_COUNT <= 1 << RWK_BITS_WAKEUP_KIND_WIDTH);
	assert_true(RWK_SOURCE_COUNT <= 1 << RWK_BITS_SOURCE_WIDTH);
	assert_true(RWK_CTX_COUNT <= 1 << RWK_BITS_WAKEUP_CONTEXT_WIDTH);
	assert_true(RWK_TARGET_COUNT <= 1 << RWK_BITS_WAKEUP_TARGET_SOURCE_WIDTH);
	assert_true(RWK_CENSOR_COUNT <= 1 << RWK_BITS_WAKEUP_CENSOR_WIDTH);
	assert_true(RWK_IN_COUNT <= RWK_BITS_VERDICT_UNKNOWN_WIDTH);
	assert_true(RWK_PRICE_COUNT <= 1 << RWK_BITS_PRICE_KIND_WIDTH);
	assert_true(RWK_HIDDEN_COUNT < 1 << (RWK_BITS_PRICE_WIDTH - RWK_BITS_PRICE_HIDDEN));
	assert_true(RWK_SOURCE_COUNT <= RWK_BITS_SOURCES);
}

static int setup(void **state)
{
	used = 0;
	expected[0] = '\0';
	return store_box_setup(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(wakeup_enums),
		TEST(wakeup_numbers),
		TEST(slices),
		TEST(small_rows),
		TEST(refuses_what_does_not_fit),
		TEST(verdicts),
		TEST(prices),
		TEST(distances),
		cmocka_unit_test(positions_do_not_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
