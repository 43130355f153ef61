/*
 * Writing of a run.  The caller fills batches, a thread inserts them in one
 * transaction without a journal: the file has another name until it is
 * complete, so that there is nothing to roll back to.
 */
#include "store/writer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/new_file.h"

static int prepare(struct rwk_store_writer *w)
{
	int err = rwk_new_file_fill(&w->db, &w->insert_diag);

	if (!err)
		err = rwk_db_run(&w->db, "begin", &w->insert_diag);
	for (int i = 0; i < RWK_WRITER_LANES && !err; i++)
		err = rwk_bulk_init(&w->input[i], &w->db, (enum rwk_lane)i,
			rwk_bits_run_base(RWK_WRITER_RUN), &w->insert_diag);
	return err;
}

static void *writer_thread(void *arg)
{
	struct rwk_store_writer *w = arg;
	struct rwk_batch *b;

	/* Here, since making the tables takes as long as reading the first rows. */
	atomic_store_explicit(&w->insert_error, prepare(w), memory_order_release);
	while ((b = rwk_ring_get_filled(&w->ring))) {
		/* After a failure batches are still taken, so that the caller never waits for ever.
		 */
		if (!atomic_load_explicit(&w->insert_error, memory_order_relaxed)) {
			int err = rwk_bulk_insert(
				&w->input[b->lane], &w->db, b->rows, b->nr, &w->insert_diag);

			if (err)
				atomic_store_explicit(&w->insert_error, err, memory_order_release);
		}
		rwk_ring_put_empty(&w->ring, b);
	}
	return NULL;
}

/* Signals are for the program's other threads. */
static int start_thread(struct rwk_store_writer *w)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	err = pthread_sigmask(SIG_SETMASK, &all, &old);
	if (err)
		return -err;
	err = pthread_create(&w->thread, NULL, writer_thread, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	w->running = !err;
	return -err;
}

static void stop_thread(struct rwk_store_writer *w)
{
	if (!w->running)
		return;
	rwk_ring_close(&w->ring);
	pthread_join(w->thread, NULL);
	w->running = false;
}

int rwk_store_writer_open(
	const char *path, bool replace, struct rwk_diag *diag, struct rwk_store_writer **ret)
{
	struct rwk_store_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return rwk_diag_push(diag, -ENOMEM, "cannot create %s: why=out of memory", path);
	w->replace = replace;
	w->path = strdup(path);
	err = w->path ? rwk_ring_init(&w->ring) : -ENOMEM;
	if (err) {
		free(w->path);
		free(w);
		return rwk_diag_push(diag, err, "cannot create %s: why=%s", path, strerror(-err));
	}
	err = rwk_new_file_open(w->path, w->replace, diag, &w->db);
	w->created = !err;
	if (!err) {
		err = start_thread(w);
		if (err)
			rwk_diag_push(diag, err, "cannot start a thread: why=%s", strerror(-err));
	}
	if (err) {
		rwk_store_writer_close(w);
		return err;
	}
	*ret = w;
	return 0;
}

static int refuse(
	struct rwk_store_writer *w, int err, const char *what, int64_t id, const char *why)
{
	w->put_error = err;
	return rwk_diag_push(
		&w->put_diag, err, "cannot store %s: id=%lld why=%s", what, (long long)id, why);
}

static int put(struct rwk_store_writer *w, enum rwk_lane lane, const void *row)
{
	struct rwk_batch *b = w->filling[lane];
	int err;

	if (w->put_error)
		return w->put_error;
	if (b && b->nr == RWK_BATCH_ROWS) {
		err = atomic_load_explicit(&w->insert_error, memory_order_acquire);
		if (err)
			return err;
		rwk_ring_put_filled(&w->ring, b);
		b = w->filling[lane] = NULL;
	}
	if (!b) {
		b = w->filling[lane] = rwk_ring_get_empty(&w->ring, lane);
		if (!b)
			return refuse(w, -ENOMEM, "a row", 0, "out of memory");
	}
	memcpy(b->rows + b->nr++ * rwk_lanes[lane].row_size, row, rwk_lanes[lane].row_size);
	return 0;
}

static int put_slice(void *ctx, const struct rwk_slice_row *row)
{
	if (!rwk_bits_cpu_fits(row->cpu) || row->end_state >= RWK_END_COUNT)
		return refuse(ctx, -ERANGE, "slice", row->id, "value out of range");
	return put(ctx, RWK_LANE_SLICE, row);
}

static int put_wakeup(void *ctx, const struct rwk_wakeup_row *row)
{
	struct rwk_store_writer *w = ctx;
	int err;

	if (!rwk_bits_cpu_fits(row->cpu) || !rwk_bits_cpu_fits(row->prev_cpu) ||
		!rwk_bits_cpu_fits(row->target_cpu) || !rwk_bits_cpu_fits(row->wakeup_cpu) ||
		!rwk_bits_cpu_fits(row->run_cpu) || row->target_source >= RWK_TARGET_COUNT ||
		row->context >= RWK_CTX_COUNT || row->kind >= RWK_KIND_COUNT ||
		row->kind_source >= RWK_SOURCE_COUNT || row->sync_source >= RWK_SOURCE_COUNT ||
		row->censor >= RWK_CENSOR_COUNT)
		return refuse(w, -ERANGE, "wakeup", row->id, "value out of range");
	err = put(w, RWK_LANE_WAKEUP, row);
	if (err)
		return err;
	w->counts[rwk_bits_put(row->kind, RWK_BITS_COUNT_KIND) |
		  rwk_bits_put(row->kind_source, RWK_BITS_COUNT_KIND_SOURCE) |
		  rwk_bits_put(row->sync_source, RWK_BITS_COUNT_SYNC_SOURCE) |
		  rwk_bits_put(row->target_source, RWK_BITS_COUNT_TARGET_SOURCE) |
		  rwk_bits_put(row->censor, RWK_BITS_COUNT_CENSOR)]++;
	return 0;
}

static int put_probe(void *ctx, const struct rwk_probe_row *row)
{
	struct rwk_store_writer *w = ctx;
	const struct rwk_ev_probe *v = &row->values;
	const struct rwk_probe_item item = {
		.seq = row->seq,
		.ret_seq = row->ret_seq,
		.wakeup_id = row->wakeup_id,
		.ts = row->ts,
		.ret_ts = row->ret_ts,
		.cpu = row->cpu,
		.utid = row->utid,
		.answer = row->answer,
		.prev_cpu = v->prev_cpu,
		.wake_flags = v->wake_flags,
		.flips = v->flips,
		.recent_cpu = v->recent_cpu,
		.nr_cpus_allowed = v->nr_cpus_allowed,
		.last_wakee_tid = v->last_wakee_tid,
		.has_hidden = v->has_hidden,
	};
	int err;

	if (!rwk_bits_cpu_fits(row->cpu) || v->nr_llc < 0 || v->nr_llc > RWK_PROBE_MAX_LLC)
		return refuse(w, -ERANGE, "probe", row->seq, "value out of range");
	err = put(w, RWK_LANE_PROBE, &item);
	for (int i = 0; i < v->nr_llc && !err; i++) {
		const struct rwk_probe_llc_item llc = {
			.seq = row->seq,
			.pos = i,
			.first_cpu = v->llc[i].first_cpu,
			.nr_idle_scan = v->llc[i].nr_idle_scan,
			.has_idle_cores = v->llc[i].has_idle_cores,
		};
		err = put(w, RWK_LANE_PROBE_LLC, &llc);
	}
	return err;
}

static int put_probe_cpu(void *ctx, const struct rwk_probe_cpu_row *row)
{
	if (row->of.cpu < 0 || row->of.cpu >= RWK_MAX_CPUS || row->of.nr_running < 0 ||
		row->of.curr_tid < 0)
		return refuse(ctx, -ERANGE, "state of a CPU", row->seq, "value out of range");
	return put(ctx, RWK_LANE_PROBE_CPU, row);
}

static int put_migration(void *ctx, const struct rwk_migration_row *row)
{
	if (!rwk_bits_cpu_fits(row->cpu) || !rwk_bits_cpu_fits(row->orig_cpu) ||
		!rwk_bits_cpu_fits(row->dest_cpu))
		return refuse(ctx, -ERANGE, "migration", row->id, "value out of range");
	return put(ctx, RWK_LANE_MIGRATION, row);
}

static int put_orphan(void *ctx, const struct rwk_orphan_row *row)
{
	if (!rwk_bits_cpu_fits(row->cpu) || !rwk_bits_cpu_fits(row->target_cpu))
		return refuse(ctx, -ERANGE, "orphan wakeup", row->seq, "value out of range");
	return put(ctx, RWK_LANE_ORPHAN, row);
}

static int put_nr(void *ctx, const struct rwk_nr_row *row)
{
	if (!rwk_bits_cpu_fits(row->cpu) || !rwk_bits_cpu_fits(row->of.cpu) || row->of.nr < 0)
		return refuse(ctx, -ERANGE, "nr_running", row->seq, "value out of range");
	return put(ctx, RWK_LANE_NR, row);
}

static int put_loss(void *ctx, const struct rwk_loss_row *row)
{
	struct rwk_store_writer *w = ctx;
	const struct rwk_loss_item item = {.id = w->nr_losses + 1, .row = *row};
	int err = put(w, RWK_LANE_LOSS, &item);

	if (!err)
		w->nr_losses++;
	return err;
}

struct rwk_row_sink rwk_store_writer_sink(struct rwk_store_writer *w)
{
	return (struct rwk_row_sink){
		.ctx = w,
		.slice = put_slice,
		.wakeup = put_wakeup,
		.probe = put_probe,
		.probe_cpu = put_probe_cpu,
		.migration = put_migration,
		.orphan = put_orphan,
		.nr = put_nr,
		.loss = put_loss,
	};
}

static int add_causes(struct rwk_diag *diag, const struct rwk_diag *causes, int err)
{
	for (int i = 0; i < causes->nr; i++)
		rwk_diag_push(diag, err, "%s", causes->cause[i]);
	return err;
}

/* Everything that was put is in the tables, or why it is not. */
static int drain(struct rwk_store_writer *w, struct rwk_diag *diag)
{
	int err;

	for (int i = 0; i < RWK_WRITER_LANES; i++) {
		if (w->filling[i])
			rwk_ring_put_filled(&w->ring, w->filling[i]);
		w->filling[i] = NULL;
	}
	stop_thread(w);
	if (w->put_error)
		return add_causes(diag, &w->put_diag, w->put_error);
	err = atomic_load(&w->insert_error);
	return err ? add_causes(diag, &w->insert_diag, err) : 0;
}

/* Closing the handle may write, so that its result counts. */
static int close_database(struct rwk_store_writer *w, struct rwk_diag *diag)
{
	for (int i = 0; i < RWK_WRITER_LANES; i++)
		rwk_bulk_finish(&w->input[i]);
	if (sqlite3_close(w->db.handle) != SQLITE_OK)
		return rwk_db_fail(&w->db, diag, "close the database");
	w->db.handle = NULL;
	return 0;
}

int rwk_store_writer_finish(
	struct rwk_store_writer *w, const struct rwk_store_run *run, struct rwk_diag *diag)
{
	int err = drain(w, diag);

	if (!err)
		err = rwk_writer_put_facts(w, run, diag);
	if (!err)
		err = rwk_db_run(&w->db, "commit", diag);
	if (!err)
		err = close_database(w, diag);
	if (!err)
		err = rwk_temporary_publish(w->db.path, w->path, w->replace, diag);
	if (!err)
		w->created = false;
	return err;
}

void rwk_store_writer_close(struct rwk_store_writer *w)
{
	if (!w)
		return;
	stop_thread(w);
	for (int i = 0; i < RWK_WRITER_LANES; i++) {
		rwk_bulk_finish(&w->input[i]);
		free(w->filling[i]);
	}
	if (w->created)
		unlink(w->db.path);
	rwk_db_close(&w->db);
	rwk_ring_finish(&w->ring);
	free(w->path);
	free(w);
}
