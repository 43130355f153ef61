/*
 * Event format files, of which only name and id are read here:
 *   name: sched_waking
 *   ID: 313
 *   format:
 *   	field:int common_pid;	offset:4;	size:4;	signed:1;
 *   print fmt: "…"
 * The fields are for libtraceevent to read.
 */
#include "decode/tracedat_texts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT (256 << 10) /* that of sched_switch has 3 KB */

static const char empty_print_fmt[] = "\nprint fmt: \"\"\n";

const struct rwk_event_name rwk_event_names[RWK_EV_COUNT] = {
	[RWK_EV_WAKING] = {"sched", "sched_waking"},
	[RWK_EV_WAKEUP] = {"sched", "sched_wakeup"},
	[RWK_EV_WAKEUP_NEW] = {"sched", "sched_wakeup_new"},
	[RWK_EV_MIGRATE] = {"sched", "sched_migrate_task"},
	[RWK_EV_SWITCH] = {"sched", "sched_switch"},
	[RWK_EV_SEL] = {"rewake", "sel"},
	[RWK_EV_SEL_RET] = {"rewake", "sel_ret"},
	[RWK_EV_NR] = {"rewake", "nr"},
};

/* What stands behind key at the start of a line in front of the fields. */
static const char *find_head(const char *text, size_t size, const char *key, size_t *ret_len)
{
	const char *p = text, *end = text + size;
	size_t n = strlen(key);

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end;
		if ((size_t)(eol - p) >= n && !memcmp(p, key, n)) {
			*ret_len = (size_t)(eol - p) - n;
			return p + n;
		}
		if (eol - p >= 7 && !memcmp(p, "format:", 7))
			break;
		p = eol + 1;
	}
	return NULL;
}

/* The id, or -1 without one that a record can have. */
static int find_id(const char *text, size_t size)
{
	size_t len;
	const char *p = find_head(text, size, "ID: ", &len);
	int id = 0;

	if (!p || !len)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (p[i] < '0' || p[i] > '9')
			return i ? id : -1;
		id = id * 10 + (p[i] - '0');
		if (id > UINT16_MAX)
			return -1;
	}
	return id;
}

static bool is_state(const char *name, size_t len)
{
	const size_t n = strlen(RWK_STATE_NAME);

	if (len <= n || memcmp(name, RWK_STATE_NAME, n))
		return false;
	for (size_t i = n; i < len; i++) {
		if (name[i] < '0' || name[i] > '9')
			return false;
	}
	return true;
}

static enum rwk_event_kind find_kind(const char *system, const char *text, size_t size)
{
	size_t len;
	const char *name = find_head(text, size, "name: ", &len);

	if (name && !strcmp(system, RWK_STATE_SYSTEM) && is_state(name, len))
		return RWK_EV_SEL_STATE;
	for (int kind = 0; name && kind < RWK_EV_COUNT; kind++) {
		const struct rwk_event_name *e = &rwk_event_names[kind];

		if (e->name && !strcmp(e->system, system) && strlen(e->name) == len &&
			!memcmp(e->name, name, len))
			return (enum rwk_event_kind)kind;
	}
	return RWK_EV_OTHER;
}

/*
 * The print fmt, which is the last thing of a format file, apart from the rest:
 * the fields can be known without it, and more than one kind of damage in it is
 * deadly to libtraceevent 1.7, such as a flag field that the event does not have.
 */
static int keep(struct rwk_tracedat_text *of, const char *text, size_t size)
{
	const char *fmt = memmem(text, size, "\nprint fmt:", 11);
	size_t fields = fmt ? (size_t)(fmt + 1 - text) : size;

	if (fmt) {
		of->print_fmt = strndup(fmt + 1, size - fields);
		if (!of->print_fmt)
			return -ENOMEM;
	}
	of->text = malloc(fields + sizeof(empty_print_fmt));
	if (!of->text)
		return -ENOMEM;
	memcpy(of->text, text, fields);
	memcpy(of->text + fields, empty_print_fmt, sizeof(empty_print_fmt));
	return 0;
}

int rwk_tracedat_texts_add(
	struct rwk_tracedat_texts *t, const char *system, const char *text, size_t size)
{
	enum rwk_event_kind kind = find_kind(system, text, size);
	struct rwk_tracedat_text *of;
	int id = find_id(text, size);

	if (id < 0)
		return 0;
	if (kind == RWK_EV_SEL_STATE && t->nr_states == RWK_PROBE_MAX_STATES)
		kind = RWK_EV_OTHER;
	if (kind == RWK_EV_SEL_STATE)
		of = &t->state[t->nr_states];
	else
		of = &t->of[kind];
	/* No kernel has two events of one name: records of the second stay unknown. */
	if (kind == RWK_EV_OTHER)
		t->other[id / 64] |= UINT64_C(1) << (id % 64);
	if (of->text || size > MAX_TEXT)
		return 0;
	of->id = (uint16_t)id;
	snprintf(of->system, sizeof(of->system), "%s", system);
	t->nr_states += kind == RWK_EV_SEL_STATE;
	return keep(of, text, size);
}

bool rwk_tracedat_texts_has(const struct rwk_tracedat_texts *t, uint64_t id)
{
	if (id > UINT16_MAX)
		return false;
	if (t->other[id / 64] >> (id % 64) & 1)
		return true;
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		if (kind != RWK_EV_OTHER && t->of[kind].text && t->of[kind].id == id)
			return true;
	}
	for (int i = 0; i < t->nr_states; i++) {
		if (t->state[i].id == id)
			return true;
	}
	return false;
}

void rwk_tracedat_texts_finish(struct rwk_tracedat_texts *t)
{
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		free(t->of[kind].text);
		free(t->of[kind].print_fmt);
	}
	for (int i = 0; i < t->nr_states; i++) {
		free(t->state[i].text);
		free(t->state[i].print_fmt);
	}
	*t = (struct rwk_tracedat_texts){0};
}
