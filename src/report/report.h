/* Shipped reports: SQL files run against a store and rendered. */
#ifndef SRC_REPORT_REPORT_H
#define SRC_REPORT_REPORT_H

#include <stdio.h>

#include "base/diag.h"
#include "store/store.h"

enum rwk_format { RWK_FORMAT_TABLE, RWK_FORMAT_CSV, RWK_FORMAT_JSON };

/* "table", "csv", "json".  0 or -EINVAL. */
int rwk_format_parse(const char *text, enum rwk_format *ret);

/*
 * A report is one SQL file: statements separated by ';', each preceded by a
 * comment "-- section: Title", or "-- section if any: Title" for one that people
 * are not shown while it is empty.  The first comment line says what it answers;
 * the comments before the first statement declare its parameters (param.h).
 * Statements without a result make temporary tables for those that follow.
 */
struct rwk_report {
	const char *name;
	const char *about; /* its first comment line */
	const char *sql;
};

/* NULL past the end. */
const struct rwk_report *rwk_report_at(size_t index);
const struct rwk_report *rwk_report_find(const char *name);

/* Runs every statement and renders it; bytes are escaped as the format needs (I7). */
int rwk_report_run(struct rwk_store *store, const struct rwk_report *report, enum rwk_format format,
	FILE *out, struct rwk_diag *diag);
/* The same with other parameters than the defaults. */
struct rwk_report_args;
int rwk_report_run_with(struct rwk_store *store, const struct rwk_report_args *args,
	enum rwk_format format, FILE *out, struct rwk_diag *diag);
/* The same for ad-hoc SQL, without sections. */
int rwk_report_query(struct rwk_store *store, const char *sql, enum rwk_format format, FILE *out,
	struct rwk_diag *diag);

#endif
