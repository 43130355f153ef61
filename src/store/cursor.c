/* Unpacking of rows; the positions are those of bits.h and of lanes.c. */
#include "store/cursor.h"

#include <errno.h>

#include "store/bits.h"

int rwk_cursor_open(struct rwk_cursor *c, struct rwk_db *db, const char *statement,
	const char *what, int run_id, struct rwk_diag *diag)
{
	struct rwk_bind b;
	int err;

	*c = (struct rwk_cursor){.db = db, .what = what, .base = rwk_bits_run_base(run_id)};
	err = rwk_db_prepare(db, statement, diag, &c->st);
	if (err)
		return err;
	b = rwk_bind_begin(c->st);
	rwk_bind_int(&b, c->base);
	rwk_bind_int(&b, rwk_bits_run_base(run_id + 1));
	c->sorted = sqlite3_bind_parameter_count(c->st) < 3;
	if (!c->sorted)
		rwk_fetch_bind(&b, &c->row);
	return b.rc == SQLITE_OK ? 0 : rwk_db_fail(db, diag, "read rows");
}

void rwk_cursor_close(struct rwk_cursor *c)
{
	sqlite3_finalize(c->st);
	c->st = NULL;
}

static int damaged(const struct rwk_cursor *c, struct rwk_diag *diag)
{
	return rwk_diag_push(diag, -EBADMSG,
		"cannot read %s: file=%s row=%lld why=the database is damaged", c->what,
		c->db->path, (long long)c->row.value[0]);
}

/* The next row; ended statements stay ended. */
static int step(struct rwk_cursor *c, struct rwk_diag *diag)
{
	int ret;

	if (!c->st)
		return 0;
	ret = rwk_db_step(c->db, c->st, "read rows", diag);
	if (ret == 1 && c->sorted)
		rwk_fetch_sorted(&c->row, c->st);
	if (!ret)
		rwk_cursor_close(c);
	return ret;
}

/* Id or number within the run. */
static int64_t id_at(const struct rwk_cursor *c, int column)
{
	return rwk_bits_sub(c->row.value[column], c->base);
}

/* utid within the run; RWK_NONE for NULL, and for what cannot be one. */
static int32_t utid_at(const struct rwk_cursor *c, int column)
{
	int64_t utid = id_at(c, column);

	if (rwk_fetch_null(&c->row, column) || utid < 1 || utid > INT32_MAX)
		return RWK_NONE;
	return (int32_t)utid;
}

static rwk_ns ns_at(const struct rwk_cursor *c, int column)
{
	return rwk_fetch_int(&c->row, column, RWK_NS_NONE);
}

/* Keeps the numbers ascending; slices of one event may share theirs. */
static bool in_order(struct rwk_cursor *c, int64_t seq, bool strict)
{
	bool ok = seq > 0 && (strict ? seq > c->last_seq : seq >= c->last_seq);

	c->last_seq = seq;
	return ok;
}

static bool is_cpu(int32_t cpu)
{
	return cpu >= 0 && cpu < RWK_MAX_CPUS;
}

static bool is_cpu_or_none(int32_t cpu)
{
	return cpu == RWK_NONE || is_cpu(cpu);
}

int rwk_cursor_slice(struct rwk_cursor *c, struct rwk_slice_row *ret, struct rwk_diag *diag)
{
	int64_t bits;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	bits = c->row.value[5];
	*ret = (struct rwk_slice_row){
		.id = id_at(c, 0),
		.seq = id_at(c, 1),
		.ts = c->row.value[2],
		.dur = ns_at(c, 3),
		.utid = utid_at(c, 4),
		.cpu = rwk_bits_get_cpu(bits, RWK_BITS_SLICE_CPU),
		.prio = rwk_bits_get_prio(bits, RWK_BITS_SLICE_PRIO),
		.end_state = (uint8_t)rwk_bits_get(
			bits, RWK_BITS_SLICE_END_STATE, RWK_BITS_SLICE_END_STATE_WIDTH),
		.begin_unknown = rwk_bits_flag(bits, RWK_BITS_SLICE_BEGIN_UNKNOWN),
		.cut = rwk_bits_flag(bits, RWK_BITS_SLICE_CUT),
		.end_state_raw = c->row.value[6],
	};
	if (!is_cpu(ret->cpu) || ret->end_state >= RWK_END_COUNT || !in_order(c, ret->seq, false))
		return damaged(c, diag);
	return 1;
}

int rwk_cursor_wakeup(struct rwk_cursor *c, struct rwk_wakeup_row *ret, struct rwk_diag *diag)
{
	int64_t cpus, bits;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	cpus = c->row.value[3];
	bits = c->row.value[6];
	*ret = (struct rwk_wakeup_row){
		.id = id_at(c, 0),
		.seq = id_at(c, 1),
		.ts = c->row.value[2],
		.cpu = rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_CPU),
		.prev_cpu = rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_PREV_CPU),
		.target_cpu = rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_TARGET_CPU),
		.wakeup_cpu = rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_WAKEUP_CPU),
		.run_cpu = rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_RUN_CPU),
		.waker_utid = utid_at(c, 4),
		.wakee_utid = utid_at(c, 5),
		.prio = rwk_bits_get_prio(bits, RWK_BITS_WAKEUP_PRIO),
		.kind = (uint8_t)rwk_bits_get(
			bits, RWK_BITS_WAKEUP_KIND, RWK_BITS_WAKEUP_KIND_WIDTH),
		.kind_source = (uint8_t)rwk_bits_get(
			bits, RWK_BITS_WAKEUP_KIND_SOURCE, RWK_BITS_SOURCE_WIDTH),
		.context = (uint8_t)rwk_bits_get(
			bits, RWK_BITS_WAKEUP_CONTEXT, RWK_BITS_WAKEUP_CONTEXT_WIDTH),
		.sync = rwk_bits_flag(bits, RWK_BITS_WAKEUP_SYNC),
		.waker_exiting = rwk_bits_flag(bits, RWK_BITS_WAKEUP_WAKER_EXITING),
		.sync_source = (uint8_t)rwk_bits_get(
			bits, RWK_BITS_WAKEUP_SYNC_SOURCE, RWK_BITS_SOURCE_WIDTH),
		.target_source = (uint8_t)rwk_bits_get(
			bits, RWK_BITS_WAKEUP_TARGET_SOURCE, RWK_BITS_WAKEUP_TARGET_SOURCE_WIDTH),
		.censor = (uint8_t)rwk_bits_get(
			bits, RWK_BITS_WAKEUP_CENSOR, RWK_BITS_WAKEUP_CENSOR_WIDTH),
		.wakeup_dur = ns_at(c, 8),
		.run_dur = ns_at(c, 9),
	};
	if (!rwk_fetch_null(&c->row, 7))
		ret->wakeup_seq = rwk_bits_add(ret->seq, c->row.value[7]);
	if (!rwk_fetch_null(&c->row, 10))
		ret->probe_seq = rwk_bits_add(ret->seq, c->row.value[10]);
	if (!is_cpu(ret->cpu) || !is_cpu_or_none(ret->prev_cpu) ||
		!is_cpu_or_none(ret->target_cpu) || !is_cpu_or_none(ret->wakeup_cpu) ||
		!is_cpu_or_none(ret->run_cpu) || ret->kind >= RWK_KIND_COUNT ||
		ret->kind_source >= RWK_SOURCE_COUNT || ret->context >= RWK_CTX_COUNT ||
		ret->sync_source >= RWK_SOURCE_COUNT || ret->target_source >= RWK_TARGET_COUNT ||
		ret->censor >= RWK_CENSOR_COUNT || ret->wakee_utid == RWK_NONE ||
		(ret->wakeup_seq && (ret->wakeup_seq < ret->seq || ret->wakeup_cpu == RWK_NONE ||
					    ret->wakeup_dur == RWK_NS_NONE)) ||
		!in_order(c, ret->seq, true))
		return damaged(c, diag);
	return 1;
}

int rwk_cursor_migration(struct rwk_cursor *c, struct rwk_migration_row *ret, struct rwk_diag *diag)
{
	int64_t cpus, bits;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	cpus = c->row.value[3];
	bits = c->row.value[7];
	*ret = (struct rwk_migration_row){
		.id = id_at(c, 0),
		.seq = id_at(c, 1),
		.ts = c->row.value[2],
		.cpu = rwk_bits_get_cpu(cpus, RWK_BITS_MIGRATION_CPU),
		.orig_cpu = rwk_bits_get_cpu(cpus, RWK_BITS_MIGRATION_ORIG_CPU),
		.dest_cpu = rwk_bits_get_cpu(cpus, RWK_BITS_MIGRATION_DEST_CPU),
		.by_utid = utid_at(c, 4),
		.utid = utid_at(c, 5),
		.prio = rwk_bits_get_prio(bits, RWK_BITS_MIGRATION_PRIO),
		.synthetic = rwk_bits_flag(bits, RWK_BITS_MIGRATION_SYNTHETIC),
	};
	if (!rwk_fetch_null(&c->row, 6))
		ret->wakeup_id = id_at(c, 6);
	if (!is_cpu_or_none(ret->orig_cpu) || !is_cpu_or_none(ret->dest_cpu) ||
		!(ret->synthetic ? is_cpu_or_none(ret->cpu) : is_cpu(ret->cpu)) ||
		ret->utid == RWK_NONE || !in_order(c, ret->seq, false))
		return damaged(c, diag);
	return 1;
}

int rwk_cursor_orphan(struct rwk_cursor *c, struct rwk_orphan_row *ret, struct rwk_diag *diag)
{
	int64_t bits;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	bits = c->row.value[3];
	*ret = (struct rwk_orphan_row){
		.seq = id_at(c, 0),
		.ts = c->row.value[1],
		.utid = utid_at(c, 2),
		.cpu = rwk_bits_get_cpu(bits, RWK_BITS_ORPHAN_CPU),
		.target_cpu = rwk_bits_get_cpu(bits, RWK_BITS_ORPHAN_TARGET_CPU),
		.prio = rwk_bits_get_prio(bits, RWK_BITS_ORPHAN_PRIO),
	};
	if (!is_cpu(ret->cpu) || !is_cpu_or_none(ret->target_cpu) || ret->utid == RWK_NONE ||
		!in_order(c, ret->seq, true))
		return damaged(c, diag);
	return 1;
}

int rwk_cursor_nr(struct rwk_cursor *c, struct rwk_nr_row *ret, struct rwk_diag *diag)
{
	int64_t cpus, nr, change;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	cpus = c->row.value[2];
	nr = c->row.value[3];
	change = c->row.value[4];
	*ret = (struct rwk_nr_row){
		.seq = id_at(c, 0),
		.ts = c->row.value[1],
		.cpu = rwk_bits_get_cpu(cpus, RWK_BITS_NR_BY_CPU),
		.of = {.cpu = rwk_bits_get_cpu(cpus, RWK_BITS_NR_CPU),
			.nr = (int32_t)nr,
			.change = (int32_t)change},
	};
	if (!is_cpu(ret->cpu) || !is_cpu(ret->of.cpu) || nr < 0 || nr > INT32_MAX ||
		change < INT32_MIN || change > INT32_MAX || !in_order(c, ret->seq, true))
		return damaged(c, diag);
	return 1;
}

int rwk_cursor_loss(struct rwk_cursor *c, struct rwk_loss_row *ret, struct rwk_diag *diag)
{
	int64_t cpu;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	cpu = rwk_fetch_int(&c->row, 1, RWK_NONE);
	*ret = (struct rwk_loss_row){
		.seq = id_at(c, 0),
		.cpu = cpu >= 0 && cpu < RWK_MAX_CPUS ? (int32_t)cpu : RWK_NONE,
		.from_ts = ns_at(c, 2),
		.to_ts = c->row.value[3],
		.count = rwk_fetch_int(&c->row, 4, RWK_NONE),
	};
	if (!is_cpu(ret->cpu) || !in_order(c, ret->seq, false))
		return damaged(c, diag);
	return 1;
}

int rwk_cursor_probe(struct rwk_cursor *c, struct rwk_probe_row *ret, struct rwk_diag *diag)
{
	struct rwk_ev_probe *v = &ret->values;
	int64_t cpu;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	cpu = c->row.value[5];
	/* Member by member: the array in it is large, and filled elsewhere. */
	ret->seq = id_at(c, 0);
	ret->ret_seq = 0;
	ret->wakeup_id = 0;
	ret->ts = c->row.value[3];
	ret->ret_ts = RWK_NS_NONE;
	ret->cpu = cpu >= 0 && cpu < RWK_MAX_CPUS ? (int32_t)cpu : RWK_NONE;
	ret->utid = utid_at(c, 6);
	ret->answer = (int32_t)rwk_fetch_int(&c->row, 7, RWK_NONE);
	v->prev_cpu = (int32_t)c->row.value[8];
	v->wake_flags = (uint32_t)c->row.value[9];
	v->has_hidden = c->row.value[10] != 0;
	v->flips = (int32_t)c->row.value[11];
	v->recent_cpu = (int32_t)c->row.value[12];
	v->nr_cpus_allowed = (int32_t)c->row.value[13];
	v->last_wakee_tid = (int32_t)c->row.value[14];
	v->nr_llc = 0;
	if (!rwk_fetch_null(&c->row, 1)) {
		ret->ret_seq = rwk_bits_add(ret->seq, c->row.value[1]);
		ret->ret_ts = rwk_bits_add(ret->ts, rwk_fetch_int(&c->row, 4, 0));
	}
	if (!rwk_fetch_null(&c->row, 2))
		ret->wakeup_id = id_at(c, 2);
	if (!is_cpu(ret->cpu) || ret->wakeup_id < 0 || (ret->ret_seq && ret->ret_seq <= ret->seq) ||
		!in_order(c, ret->seq, true))
		return damaged(c, diag);
	return 1;
}

int rwk_cursor_probe_llc(struct rwk_cursor *c, struct rwk_llc_row *ret, struct rwk_diag *diag)
{
	int err = step(c, diag);

	if (err <= 0)
		return err;
	*ret = (struct rwk_llc_row){
		.seq = id_at(c, 0),
		.first_cpu = (int32_t)c->row.value[1],
		.nr_idle_scan = (int32_t)c->row.value[2],
		.has_idle_cores = (int32_t)c->row.value[3],
	};
	return 1;
}

int rwk_cursor_probe_cpu(struct rwk_cursor *c, struct rwk_probe_cpu_row *ret, struct rwk_diag *diag)
{
	int64_t cpu, nr_running, pending, curr_tid;
	int err = step(c, diag);

	if (err <= 0)
		return err;
	cpu = c->row.value[1];
	nr_running = c->row.value[2];
	pending = rwk_fetch_int(&c->row, 3, RWK_NONE);
	curr_tid = c->row.value[4];
	*ret = (struct rwk_probe_cpu_row){.seq = id_at(c, 0),
		.of = {.cpu = (int32_t)cpu,
			.nr_running = (int32_t)nr_running,
			.pending = (int32_t)pending,
			.curr_tid = (int32_t)curr_tid,
			.load = rwk_fetch_int(&c->row, 5, RWK_NONE)}};
	if (cpu < 0 || cpu >= RWK_MAX_CPUS || nr_running < 0 || nr_running > INT32_MAX ||
		pending < RWK_NONE || pending > INT32_MAX || curr_tid < 0 || curr_tid > INT32_MAX ||
		ret->of.load < RWK_NONE || !in_order(c, ret->seq, false))
		return damaged(c, diag);
	return 1;
}
