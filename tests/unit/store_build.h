/* A machine and a database in a folder of their own, for tests of the store and the reports. */
#ifndef TESTS_UNIT_STORE_BUILD_H
#define TESTS_UNIT_STORE_BUILD_H

#include "store/store.h"

struct store_box {
	char dir[64];
	char path[128]; /* run.db in it */
	struct rwk_snapshot *snap; /* 2 nodes of 2 cores of 2 threads, a cache per node */
	struct rwk_machine *machine;
	struct rwk_diag diag;
	/* What finish writes besides rows; tests add to it. */
	struct rwk_anomalies anomalies;
	struct rwk_run_cpu_row cpu[8];
	struct rwk_task_row task[16]; /* utid 1…8: idle tasks of CPUs 0…7; 9…16: tasks 1009… */
	struct rwk_store_run run;
};

/* For cmocka: *state is a struct store_box. */
int store_box_setup(void **state);
int store_box_teardown(void **state);

/* A writer on box->path; its sink. */
struct rwk_store_writer *store_box_writer(struct store_box *box, struct rwk_row_sink *ret_sink);
/* Finishes with box->run and closes. */
void store_box_finish(struct store_box *box, struct rwk_store_writer *w);
/* Opens box->path. */
struct rwk_store *store_box_open(struct store_box *box, bool writable);

/* The first value of the first row, an integer. */
int64_t store_box_int(struct store_box *box, struct rwk_store *store, const char *sql);
/* All rows, columns by '|', rows by '\n', NULL as "-"; free() it. */
char *store_box_rows(struct store_box *box, struct rwk_store *store, const char *sql);

/* Changes the file behind everybody's back. */
void store_box_damage(struct store_box *box, const char *sql);

/* Rows with everything unknown. */
struct rwk_slice_row slice_row(int64_t id, int64_t seq, rwk_ns ts, int cpu, int32_t utid);
struct rwk_wakeup_row wakeup_row(int64_t id, int64_t seq, rwk_ns ts, int cpu, int32_t wakee);

/* Whether the folder holds anything but these two names (NULL: no second). */
bool store_box_has_other_files(const struct store_box *box, const char *a, const char *b);

#endif
