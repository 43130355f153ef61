/*
 * Rows of a run in the order of its events, one kind each.  Whatever a file
 * holds, what comes out of here is in range: CPUs, enums and ascending numbers.
 */
#ifndef SRC_STORE_CURSOR_H
#define SRC_STORE_CURSOR_H

#include "store/fetch.h"

struct rwk_cursor {
	struct rwk_db *db;
	const char *what; /* for messages: "slices" */
	sqlite3_stmt *st;
	struct rwk_fetch row;
	bool sorted; /* st is no fetch() */
	int64_t base;
	int64_t last_seq;
};

int rwk_cursor_open(struct rwk_cursor *c, struct rwk_db *db, const char *statement,
	const char *what, int run_id, struct rwk_diag *diag);
void rwk_cursor_close(struct rwk_cursor *c);

/* Each: 1 row, 0 end, negative errno with a cause. */
int rwk_cursor_slice(struct rwk_cursor *c, struct rwk_slice_row *ret, struct rwk_diag *diag);
int rwk_cursor_wakeup(struct rwk_cursor *c, struct rwk_wakeup_row *ret, struct rwk_diag *diag);
int rwk_cursor_migration(
	struct rwk_cursor *c, struct rwk_migration_row *ret, struct rwk_diag *diag);
int rwk_cursor_orphan(struct rwk_cursor *c, struct rwk_orphan_row *ret, struct rwk_diag *diag);
int rwk_cursor_nr(struct rwk_cursor *c, struct rwk_nr_row *ret, struct rwk_diag *diag);
int rwk_cursor_loss(struct rwk_cursor *c, struct rwk_loss_row *ret, struct rwk_diag *diag);

/* The probe without its cache domains, then those of the probe with number seq one by one. */
int rwk_cursor_probe(struct rwk_cursor *c, struct rwk_probe_row *ret, struct rwk_diag *diag);

struct rwk_llc_row {
	int64_t seq; /* of the probe */
	int32_t first_cpu, nr_idle_scan, has_idle_cores;
};
int rwk_cursor_probe_llc(struct rwk_cursor *c, struct rwk_llc_row *ret, struct rwk_diag *diag);

/* The CPUs of the probe with number seq, one by one. */
int rwk_cursor_probe_cpu(
	struct rwk_cursor *c, struct rwk_probe_cpu_row *ret, struct rwk_diag *diag);

#endif
