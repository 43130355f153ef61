/* The shipped reports, generated from sql/report at build time. */
#ifndef SRC_REPORT_REGISTRY_H
#define SRC_REPORT_REGISTRY_H

#include "report/report.h"

extern const struct rwk_report rwk_reports[]; /* ends with a NULL name */

#endif
