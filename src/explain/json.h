/*
 * The same as explain.h draws, as one JSON object for programs.  Keys stay what
 * they are; what is unknown is null beside a key that ends in _source, which says
 * so.  Null beside another source: there is none, such as a last wakee.
 */
#ifndef SRC_EXPLAIN_JSON_H
#define SRC_EXPLAIN_JSON_H

#include "explain/explain.h"

struct rwk_explain_json;

/* NULL: out of memory, which later only shows when it is printed. */
struct rwk_explain_json *rwk_explain_json_create(void);
void rwk_explain_json_destroy(struct rwk_explain_json *j);

/* Each adds what the function of explain.h with that name draws. */
void rwk_explain_json_wakeup(struct rwk_explain_json *j, const struct rwk_explained *x);
void rwk_explain_json_cpus(
	struct rwk_explain_json *j, const struct rwk_explained *x, const struct rwk_cpuset *cpu);
void rwk_explain_json_policy(struct rwk_explain_json *j, const struct rwk_explained *x,
	const struct rwk_policy_instance *p, struct rwk_verdict *ret);
void rwk_explain_json_after(struct rwk_explain_json *j, const struct rwk_explained *x,
	const struct rwk_explained_after *a);
void rwk_explain_json_around(struct rwk_explain_json *j, const struct rwk_explained *x,
	const struct rwk_explained_decision *d, size_t nr, size_t here);

/* 0, -ENOMEM or -EIO. */
int rwk_explain_json_print(const struct rwk_explain_json *j, FILE *out);

#endif
