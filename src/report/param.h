/*
 * Parameters of a report, declared in its comments one per line:
 *
 *	-- param: NAME TYPE = DEFAULT [in MIN..MAX]  WHAT IT MEANS
 *
 * TYPE is integer, real or text; a DEFAULT of NULL stands for "all".  Values are
 * bound as :NAME, never pasted.  The plain sqlite3 shell, where what is not set
 * is NULL, takes the default from coalesce(:NAME, DEFAULT) in the statements.
 */
#ifndef SRC_REPORT_PARAM_H
#define SRC_REPORT_PARAM_H

#include "report/report.h"

enum rwk_report_type { RWK_REPORT_INTEGER, RWK_REPORT_REAL, RWK_REPORT_TEXT };

#define RWK_REPORT_NAME   32 /* bytes of a name or default, with the NUL */
#define RWK_REPORT_PARAMS 16 /* of a report */

struct rwk_report_param {
	char name[RWK_REPORT_NAME];
	enum rwk_report_type type;
	char preset[RWK_REPORT_NAME]; /* the default as written; "NULL" */
	bool limited;
	double min, max; /* if limited; whole for integers */
	const char *about; /* into the report's text, about_len bytes */
	int about_len;
};

/* What a report is run with. */
struct rwk_report_args {
	const struct rwk_report *report;
	int nr;
	struct rwk_report_param param[RWK_REPORT_PARAMS];
	struct rwk_value value[RWK_REPORT_PARAMS];
};

/* The report's parameters at their defaults.  -EINVAL with a cause for a declaration that is none.
 */
int rwk_report_args_init(
	const struct rwk_report *report, struct rwk_diag *diag, struct rwk_report_args *ret);
/*
 * Sets one from "name=value"; a text must stay.  -EINVAL with a cause that says
 * what there is.
 */
int rwk_report_args_set(
	struct rwk_report_args *args, const char *assignment, struct rwk_diag *diag);
/* Binds those that the statement uses, to be done before its first step. */
int rwk_report_args_bind(
	const struct rwk_report_args *args, struct rwk_query *q, struct rwk_diag *diag);

/* "integer in 1..100", "text" into buf. */
void rwk_report_param_type(const struct rwk_report_param *p, char *buf, size_t size);

#endif
