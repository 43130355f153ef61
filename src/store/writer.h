/* The writer of a run, for the files of this room that make it up. */
#ifndef SRC_STORE_WRITER_H
#define SRC_STORE_WRITER_H

#include <pthread.h>
#include <stdatomic.h>

#include "store/bits.h"
#include "store/ring.h"
#include "store/temporary.h"

#define RWK_WRITER_RUN   1 /* a new file starts with this run and machine */
#define RWK_WRITER_LANES RWK_LANE_VERDICT /* the lanes before it */

struct rwk_store_writer {
	struct rwk_db db; /* db.path is the temporary */
	char *path; /* final name */
	bool replace;
	bool created; /* the temporary exists */
	bool running; /* the thread does */
	pthread_t thread;
	struct rwk_ring ring;

	/* The caller's side. */
	struct rwk_batch *filling[RWK_WRITER_LANES];
	int64_t nr_losses;
	struct rwk_diag put_diag; /* why a put was refused */
	int put_error;
	int64_t counts[1 << RWK_BITS_COUNT_WIDTH]; /* wakeups by t_wakeup_count.bits */

	/* The thread's side; the caller's after the thread has ended. */
	struct rwk_bulk input[RWK_WRITER_LANES];
	struct rwk_diag insert_diag;
	atomic_int insert_error;
};

/* The closing part of a run: everything that is not in a lane. */
int rwk_writer_put_facts(
	struct rwk_store_writer *w, const struct rwk_store_run *run, struct rwk_diag *diag);
int rwk_writer_put_epochs(
	struct rwk_db *db, int run_id, const struct rwk_store_run *run, struct rwk_diag *diag);
int rwk_writer_put_machine(
	struct rwk_db *db, int machine_id, const struct rwk_store_run *run, struct rwk_diag *diag);

#endif
