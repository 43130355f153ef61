/*
 * Rows to columns.  A column that is not set is NULL; the order of cases is
 * the order in the declaration.
 */
#include "store/lanes.h"

#include "store/bits.h"

static void set_id(sqlite3_context *ctx, int64_t value, int64_t none, int64_t base)
{
	if (value != none)
		sqlite3_result_int64(ctx, base + value);
}

static void set_ns(sqlite3_context *ctx, rwk_ns value)
{
	if (value != RWK_NS_NONE)
		sqlite3_result_int64(ctx, value);
}

static int64_t slice_bits(const struct rwk_slice_row *r)
{
	return rwk_bits_put_cpu(r->cpu, RWK_BITS_SLICE_CPU) |
	       rwk_bits_put_prio(r->prio, RWK_BITS_SLICE_PRIO) |
	       rwk_bits_put(r->end_state, RWK_BITS_SLICE_END_STATE) |
	       rwk_bits_put(r->begin_unknown, RWK_BITS_SLICE_BEGIN_UNKNOWN) |
	       rwk_bits_put(r->cut, RWK_BITS_SLICE_CUT);
}

static void slice_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_slice_row *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + r->id);
		break;
	case 1:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 2:
		sqlite3_result_int64(ctx, r->ts);
		break;
	case 3:
		set_ns(ctx, r->dur);
		break;
	case 4:
		set_id(ctx, r->utid, RWK_NONE, base);
		break;
	case 5:
		sqlite3_result_int64(ctx, slice_bits(r));
		break;
	case 6:
		sqlite3_result_int64(ctx, r->end_state_raw);
		break;
	}
}

static int64_t wakeup_cpus(const struct rwk_wakeup_row *r)
{
	return rwk_bits_put_cpu(r->cpu, RWK_BITS_WAKEUP_CPU) |
	       rwk_bits_put_cpu(r->prev_cpu, RWK_BITS_WAKEUP_PREV_CPU) |
	       rwk_bits_put_cpu(r->target_cpu, RWK_BITS_WAKEUP_TARGET_CPU) |
	       rwk_bits_put_cpu(r->wakeup_cpu, RWK_BITS_WAKEUP_WAKEUP_CPU) |
	       rwk_bits_put_cpu(r->run_cpu, RWK_BITS_WAKEUP_RUN_CPU);
}

static int64_t wakeup_bits(const struct rwk_wakeup_row *r)
{
	return rwk_bits_put(r->kind, RWK_BITS_WAKEUP_KIND) |
	       rwk_bits_put(r->kind_source, RWK_BITS_WAKEUP_KIND_SOURCE) |
	       rwk_bits_put(r->context, RWK_BITS_WAKEUP_CONTEXT) |
	       rwk_bits_put(r->sync, RWK_BITS_WAKEUP_SYNC) |
	       rwk_bits_put(r->sync_source, RWK_BITS_WAKEUP_SYNC_SOURCE) |
	       rwk_bits_put(r->target_source, RWK_BITS_WAKEUP_TARGET_SOURCE) |
	       rwk_bits_put(r->censor, RWK_BITS_WAKEUP_CENSOR) |
	       rwk_bits_put_prio(r->prio, RWK_BITS_WAKEUP_PRIO) |
	       rwk_bits_put(r->waker_exiting, RWK_BITS_WAKEUP_WAKER_EXITING);
}

static void wakeup_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_wakeup_row *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + r->id);
		break;
	case 1:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 2:
		sqlite3_result_int64(ctx, r->ts);
		break;
	case 3:
		sqlite3_result_int64(ctx, wakeup_cpus(r));
		break;
	case 4:
		set_id(ctx, r->waker_utid, RWK_NONE, base);
		break;
	case 5:
		set_id(ctx, r->wakee_utid, RWK_NONE, base);
		break;
	case 6:
		sqlite3_result_int64(ctx, wakeup_bits(r));
		break;
	case 7:
		set_id(ctx, r->wakeup_seq, 0, -r->seq);
		break;
	case 8:
		set_ns(ctx, r->wakeup_dur);
		break;
	case 9:
		set_ns(ctx, r->run_dur);
		break;
	case 10:
		set_id(ctx, r->probe_seq, 0, -r->seq);
		break;
	}
}

static void probe_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_probe_item *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 1:
		set_id(ctx, r->ret_seq, 0, -r->seq);
		break;
	case 2:
		set_id(ctx, r->wakeup_id, 0, base);
		break;
	case 3:
		sqlite3_result_int64(ctx, r->ts);
		break;
	case 4:
		if (r->ret_seq)
			sqlite3_result_int64(ctx, r->ret_ts - r->ts);
		break;
	case 5:
		sqlite3_result_int64(ctx, r->cpu);
		break;
	case 6:
		set_id(ctx, r->utid, RWK_NONE, base);
		break;
	case 7:
		if (r->answer != RWK_NONE)
			sqlite3_result_int64(ctx, r->answer);
		break;
	case 8:
		sqlite3_result_int64(ctx, r->prev_cpu);
		break;
	case 9:
		sqlite3_result_int64(ctx, r->wake_flags);
		break;
	case 10:
		sqlite3_result_int64(ctx, r->has_hidden);
		break;
	}
	if (!r->has_hidden)
		return;
	switch (column) {
	case 11:
		sqlite3_result_int64(ctx, r->flips);
		break;
	case 12:
		sqlite3_result_int64(ctx, r->recent_cpu);
		break;
	case 13:
		sqlite3_result_int64(ctx, r->nr_cpus_allowed);
		break;
	case 14:
		sqlite3_result_int64(ctx, r->last_wakee_tid);
		break;
	}
}

static void probe_llc_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_probe_llc_item *r = row;
	const int32_t field[] = {r->pos, r->first_cpu, r->nr_idle_scan, r->has_idle_cores};

	sqlite3_result_int64(ctx, column ? field[column - 1] : base + r->seq);
}

static void probe_cpu_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_probe_cpu_row *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 1:
		sqlite3_result_int64(ctx, r->of.cpu);
		break;
	case 2:
		sqlite3_result_int64(ctx, r->of.nr_running);
		break;
	case 3:
		set_id(ctx, r->of.pending, RWK_NONE, 0);
		break;
	case 4:
		sqlite3_result_int64(ctx, r->of.curr_tid);
		break;
	case 5:
		set_id(ctx, r->of.load, RWK_NONE, 0);
		break;
	}
}

static int64_t migration_cpus(const struct rwk_migration_row *r)
{
	return rwk_bits_put_cpu(r->cpu, RWK_BITS_MIGRATION_CPU) |
	       rwk_bits_put_cpu(r->orig_cpu, RWK_BITS_MIGRATION_ORIG_CPU) |
	       rwk_bits_put_cpu(r->dest_cpu, RWK_BITS_MIGRATION_DEST_CPU);
}

static void migration_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_migration_row *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + r->id);
		break;
	case 1:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 2:
		sqlite3_result_int64(ctx, r->ts);
		break;
	case 3:
		sqlite3_result_int64(ctx, migration_cpus(r));
		break;
	case 4:
		set_id(ctx, r->by_utid, RWK_NONE, base);
		break;
	case 5:
		set_id(ctx, r->utid, RWK_NONE, base);
		break;
	case 6:
		set_id(ctx, r->wakeup_id, 0, base);
		break;
	case 7:
		sqlite3_result_int64(
			ctx, rwk_bits_put_prio(r->prio, RWK_BITS_MIGRATION_PRIO) |
				     rwk_bits_put(r->synthetic, RWK_BITS_MIGRATION_SYNTHETIC));
		break;
	}
}

static void orphan_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_orphan_row *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 1:
		sqlite3_result_int64(ctx, r->ts);
		break;
	case 2:
		set_id(ctx, r->utid, RWK_NONE, base);
		break;
	case 3:
		sqlite3_result_int64(
			ctx, rwk_bits_put_cpu(r->cpu, RWK_BITS_ORPHAN_CPU) |
				     rwk_bits_put_cpu(r->target_cpu, RWK_BITS_ORPHAN_TARGET_CPU) |
				     rwk_bits_put_prio(r->prio, RWK_BITS_ORPHAN_PRIO));
		break;
	}
}

static void nr_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_nr_row *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 1:
		sqlite3_result_int64(ctx, r->ts);
		break;
	case 2:
		sqlite3_result_int64(ctx, rwk_bits_put_cpu(r->cpu, RWK_BITS_NR_BY_CPU) |
						  rwk_bits_put_cpu(r->of.cpu, RWK_BITS_NR_CPU));
		break;
	case 3:
		sqlite3_result_int64(ctx, r->of.nr);
		break;
	case 4:
		sqlite3_result_int64(ctx, r->of.change);
		break;
	}
}

static void loss_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_loss_item *item = row;
	const struct rwk_loss_row *r = &item->row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base + item->id);
		break;
	case 1:
		sqlite3_result_int64(ctx, base + r->seq);
		break;
	case 2:
		set_id(ctx, r->cpu, RWK_NONE, 0);
		break;
	case 3:
		set_ns(ctx, r->from_ts);
		break;
	case 4:
		sqlite3_result_int64(ctx, r->to_ts);
		break;
	case 5:
		set_id(ctx, r->count, RWK_NONE, 0);
		break;
	}
}

static void verdict_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_verdict_item *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base);
		break;
	case 1:
		sqlite3_result_int64(ctx, r->wakeup_id);
		break;
	case 2:
		sqlite3_result_int64(ctx, r->bits);
		break;
	}
}

static void price_column(sqlite3_context *ctx, const void *row, int column, int64_t base)
{
	const struct rwk_price_item *r = row;

	switch (column) {
	case 0:
		sqlite3_result_int64(ctx, base);
		break;
	case 1:
		sqlite3_result_int64(ctx, r->wakeup_id);
		break;
	case 2:
		set_ns(ctx, r->wait_ns);
		break;
	case 3:
		set_ns(ctx, r->kernel_wait_ns);
		break;
	case 4:
		sqlite3_result_int64(ctx, r->bits);
		break;
	}
}

const struct rwk_lane_desc rwk_lanes[RWK_LANE_COUNT] = {
	[RWK_LANE_SLICE] = {"rwk_in_slice", "CREATE TABLE x(id, seq, ts, dur, utid, bits, raw)",
		"insert_slice", sizeof(struct rwk_slice_row), slice_column, true},
	[RWK_LANE_WAKEUP] = {"rwk_in_wakeup",
		"CREATE TABLE x(id, seq, ts, cpus, waker_utid, wakee_utid, bits, wakeup_dseq, "
		"wakeup_dur, run_dur, probe_dseq)",
		"insert_wakeup", sizeof(struct rwk_wakeup_row), wakeup_column, true},
	[RWK_LANE_PROBE] = {"rwk_in_probe",
		"CREATE TABLE x(seq, ret_dseq, wakeup_id, ts, ret_dur, cpu, utid, answer, "
		"prev_cpu, "
		"wake_flags, hidden, flips, recent_cpu, nr_cpus_allowed, last_wakee_tid)",
		"insert_probe", sizeof(struct rwk_probe_item), probe_column},
	[RWK_LANE_PROBE_LLC] = {"rwk_in_probe_llc",
		"CREATE TABLE x(seq, pos, first_cpu, nr_idle_scan, has_idle_cores)",
		"insert_probe_llc", sizeof(struct rwk_probe_llc_item), probe_llc_column},
	[RWK_LANE_PROBE_CPU] = {"rwk_in_probe_cpu",
		"CREATE TABLE x(seq, cpu, nr_running, pending, curr_tid, load)", "insert_probe_cpu",
		sizeof(struct rwk_probe_cpu_row), probe_cpu_column},
	[RWK_LANE_MIGRATION] = {"rwk_in_migration",
		"CREATE TABLE x(id, seq, ts, cpus, by_utid, utid, wakeup_id, bits)",
		"insert_migration", sizeof(struct rwk_migration_row), migration_column, true},
	[RWK_LANE_ORPHAN] = {"rwk_in_orphan", "CREATE TABLE x(seq, ts, utid, bits)",
		"insert_orphan", sizeof(struct rwk_orphan_row), orphan_column},
	[RWK_LANE_NR] = {"rwk_in_nr", "CREATE TABLE x(seq, ts, cpus, nr, change)", "insert_nr",
		sizeof(struct rwk_nr_row), nr_column, true},
	[RWK_LANE_LOSS] = {"rwk_in_loss", "CREATE TABLE x(id, seq, cpu, from_ts, to_ts, count)",
		"insert_loss", sizeof(struct rwk_loss_item), loss_column, true},
	[RWK_LANE_VERDICT] = {"rwk_in_verdict", "CREATE TABLE x(replay_id, wakeup_id, bits)",
		"insert_verdict", sizeof(struct rwk_verdict_item), verdict_column},
	[RWK_LANE_PRICE] = {"rwk_in_price",
		"CREATE TABLE x(replay_id, wakeup_id, wait, kernel_wait, bits)", "insert_price",
		sizeof(struct rwk_price_item), price_column},
};
