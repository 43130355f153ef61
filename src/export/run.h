/* The run that is exported, and its rows: for the files of this room. */
#ifndef SRC_EXPORT_RUN_H
#define SRC_EXPORT_RUN_H

#include "export/export.h"

/* Prepares sql/export/<name>.sql; :run, if it has that, is run_id. */
int rwk_export_query(struct rwk_store *store, const char *name, int64_t run_id,
	struct rwk_diag *diag, struct rwk_query **ret);

/* The same of a view, which takes the place of the one in its first FROM. */
int rwk_export_query_view(struct rwk_store *store, const char *name, const char *view,
	int64_t run_id, struct rwk_diag *diag, struct rwk_query **ret);

/* The integer in a column of the row; if_null for NULL and for what is no integer. */
int64_t rwk_export_int(const struct rwk_query *q, int column, int64_t if_null);

/* 0, or why what was written to out did not get there. */
int rwk_export_check(FILE *out, struct rwk_diag *diag);

#endif
