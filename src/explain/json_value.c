/* Values as JSON. */
#include "explain/json_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "explain/words.h"
#include "report/text.h"

void json_member(struct rwk_explain_json *j, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		j->failed = true;
}

void json_element(struct rwk_explain_json *j, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		j->failed = true;
}

void json_id(struct rwk_explain_json *j, json_t *object, const char *key, int64_t value)
{
	json_member(j, object, key, value == RWK_NONE ? json_null() : json_integer(value));
}

void json_ns(struct rwk_explain_json *j, json_t *object, const char *key, rwk_ns value)
{
	json_member(j, object, key, value == RWK_NS_NONE ? json_null() : json_integer(value));
}

void json_text(struct rwk_explain_json *j, json_t *object, const char *key, const char *text)
{
	json_member(j, object, key, json_text_value(text, strlen(text)));
}

void json_known(
	struct rwk_explain_json *j, json_t *object, const char *key, uint8_t source, json_t *value)
{
	char name[64];

	if (source == RWK_UNKNOWN) {
		json_decref(value);
		value = json_null();
	}
	json_member(j, object, key, value);
	snprintf(name, sizeof(name), "%s_source", key);
	json_text(j, object, name, explain_source(source));
}

json_t *json_text_value(const char *text, size_t size)
{
	static const char unknown[] = "\xef\xbf\xbd";
	char *out = malloc(size * (sizeof(unknown) - 1) + 1), *p = out;
	json_t *value;

	if (!out)
		return NULL;
	for (size_t i = 0; i < size;) {
		uint32_t c;
		int n = rwk_text_decode(text + i, size - i, &c);

		p = mempcpy(p, n ? text + i : unknown, n ? (size_t)n : sizeof(unknown) - 1);
		i += n ? (size_t)n : 1;
	}
	value = json_stringn(out, (size_t)(p - out));
	free(out);
	return value;
}

json_t *json_task(struct rwk_explain_json *j, const struct rwk_explained *x, int32_t utid)
{
	const struct rwk_task_row *row;
	json_t *o;

	if (utid <= 0 || (size_t)utid > x->nr_task)
		return json_null();
	row = &x->task[utid - 1];
	o = json_object();
	json_id(j, o, "utid", utid);
	json_id(j, o, "tid", row->tid);
	json_member(j, o, "name",
		row->comm_known ? json_text_value(row->comm, strnlen(row->comm, RWK_COMM_LEN))
				: json_null());
	json_member(j, o, "idle_task", json_boolean(row->idle_cpu != RWK_NONE));
	return o;
}

json_t *json_cpus(const struct rwk_cpuset *set)
{
	/* Worst case: every second CPU, four digits and a comma each. */
	char text[RWK_MAX_CPUS / 2 * 5 + 1];

	rwk_format_cpulist(set, text, sizeof(text));
	return json_string(text);
}
