/* Members of JSON objects; a failure is kept for the end. */
#ifndef SRC_EXPLAIN_JSON_VALUE_H
#define SRC_EXPLAIN_JSON_VALUE_H

#include <jansson.h>

#include "explain/explain.h"

struct rwk_explain_json {
	json_t *root;
	bool failed; /* out of memory */
};

/* Takes value; NULL counts as out of memory. */
void json_member(struct rwk_explain_json *j, json_t *object, const char *key, json_t *value);
void json_element(struct rwk_explain_json *j, json_t *array, json_t *value);
/* null for RWK_NONE. */
void json_id(struct rwk_explain_json *j, json_t *object, const char *key, int64_t value);
/* null for RWK_NS_NONE. */
void json_ns(struct rwk_explain_json *j, json_t *object, const char *key, rwk_ns value);
/* Bytes that are no UTF-8 become U+FFFD, as in reports: readers refuse whole files for one. */
json_t *json_text_value(const char *text, size_t size);
void json_text(struct rwk_explain_json *j, json_t *object, const char *key, const char *text);
/* The value, taken, or null if nobody knows; and key_source. */
void json_known(
	struct rwk_explain_json *j, json_t *object, const char *key, uint8_t source, json_t *value);
/* utid, tid and name; null for a task that nobody knows. */
json_t *json_task(struct rwk_explain_json *j, const struct rwk_explained *x, int32_t utid);
/* "0-3,8" */
json_t *json_cpus(const struct rwk_cpuset *set);

#endif
