/*
 * Parsing of event format files:
 *   name: sched_waking
 *   ID: 313
 *   format:
 *   	field:int common_pid;	offset:4;	size:4;	signed:1;
 *   	field:char comm[16];	offset:8;	size:16;	signed:0;
 *   print fmt: "…"
 * Not libtraceevent's parser, which a damaged text crashes (version 1.7).
 */
#include "decode/tracedat_formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAX_OFFSET 65000 /* no record is longer than a page */

/* One line "field:…", taken apart. */
struct declaration {
	const char *name;
	size_t name_len;
	bool data_loc, rel_loc, array, is_signed;
	int64_t offset, size;
};

/* Which field of which event plays which role; an event is nothing without the required ones. */
static const struct {
	const char *system, *event, *field;
	uint8_t kind, role;
	bool required;
} roles[] = {
	{"sched", "sched_waking", "pid", RWK_EV_WAKING, RWK_FIELD_TID, true},
	{"sched", "sched_waking", "prio", RWK_EV_WAKING, RWK_FIELD_PRIO, false},
	{"sched", "sched_waking", "success", RWK_EV_WAKING, RWK_FIELD_SUCCESS, false},
	{"sched", "sched_waking", "target_cpu", RWK_EV_WAKING, RWK_FIELD_CPU, false},
	{"sched", "sched_wakeup", "pid", RWK_EV_WAKEUP, RWK_FIELD_TID, true},
	{"sched", "sched_wakeup", "prio", RWK_EV_WAKEUP, RWK_FIELD_PRIO, false},
	{"sched", "sched_wakeup", "success", RWK_EV_WAKEUP, RWK_FIELD_SUCCESS, false},
	{"sched", "sched_wakeup", "target_cpu", RWK_EV_WAKEUP, RWK_FIELD_CPU, false},
	{"sched", "sched_wakeup_new", "pid", RWK_EV_WAKEUP_NEW, RWK_FIELD_TID, true},
	{"sched", "sched_wakeup_new", "prio", RWK_EV_WAKEUP_NEW, RWK_FIELD_PRIO, false},
	{"sched", "sched_wakeup_new", "success", RWK_EV_WAKEUP_NEW, RWK_FIELD_SUCCESS, false},
	{"sched", "sched_wakeup_new", "target_cpu", RWK_EV_WAKEUP_NEW, RWK_FIELD_CPU, false},
	{"sched", "sched_migrate_task", "pid", RWK_EV_MIGRATE, RWK_FIELD_TID, true},
	{"sched", "sched_migrate_task", "prio", RWK_EV_MIGRATE, RWK_FIELD_PRIO, false},
	{"sched", "sched_migrate_task", "orig_cpu", RWK_EV_MIGRATE, RWK_FIELD_CPU, true},
	{"sched", "sched_migrate_task", "dest_cpu", RWK_EV_MIGRATE, RWK_FIELD_DEST_CPU, true},
	{"sched", "sched_switch", "prev_pid", RWK_EV_SWITCH, RWK_FIELD_TID, true},
	{"sched", "sched_switch", "prev_prio", RWK_EV_SWITCH, RWK_FIELD_PRIO, false},
	{"sched", "sched_switch", "prev_state", RWK_EV_SWITCH, RWK_FIELD_STATE, false},
	{"sched", "sched_switch", "next_pid", RWK_EV_SWITCH, RWK_FIELD_NEXT_TID, true},
	{"sched", "sched_switch", "next_prio", RWK_EV_SWITCH, RWK_FIELD_NEXT_PRIO, false},
	{"rewake", "sel", "prev", RWK_EV_SEL, RWK_FIELD_CPU, true},
	{"rewake", "sel", "wf", RWK_EV_SEL, RWK_FIELD_WAKE_FLAGS, true},
	{"rewake", "sel", "flips", RWK_EV_SEL, RWK_FIELD_FLIPS, false},
	{"rewake", "sel", "recent", RWK_EV_SEL, RWK_FIELD_RECENT, false},
	{"rewake", "sel", "nca", RWK_EV_SEL, RWK_FIELD_ALLOWED, false},
	{"rewake", "sel", "lastw", RWK_EV_SEL, RWK_FIELD_LAST_WAKEE, false},
	{"rewake", "sel_ret", "cpu", RWK_EV_SEL_RET, RWK_FIELD_CPU, true},
};

#define NR_ROLES (sizeof(roles) / sizeof(roles[0]))

int rwk_tracedat_formats_init(struct rwk_tracedat_formats *f)
{
	*f = (struct rwk_tracedat_formats){0};
	f->index = calloc(65536, sizeof(*f->index));
	return f->index ? 0 : -ENOMEM;
}

void rwk_tracedat_formats_finish(struct rwk_tracedat_formats *f)
{
	free(f->index);
	free(f->format);
	free(f->pairs);
	free(f->state_fmt);
	*f = (struct rwk_tracedat_formats){0};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* A decimal number at p, before end; NULL when there is none or it is out of all measure. */
static const char *parse_number(const char *p, const char *end, int64_t *ret)
{
	const char *start = p;
	int64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (v > INT32_MAX)
			return NULL;
		v = v * 10 + (*p - '0');
	}
	if (p == start)
		return NULL;
	*ret = v;
	return p;
}

/* "key:NUMBER;" with blanks before it. */
static const char *parse_attribute(const char *p, const char *end, const char *key, int64_t *ret)
{
	size_t n = strlen(key);

	while (p < end && is_blank(*p))
		p++;
	if ((size_t)(end - p) <= n || memcmp(p, key, n))
		return NULL;
	p = parse_number(p + n, end, ret);
	return p && p < end && *p == ';' ? p + 1 : NULL;
}

static bool has_word(const char *p, const char *end, const char *word)
{
	return memmem(p, (size_t)(end - p), word, strlen(word)) != NULL;
}

/* One line of the list of fields; false: it is none, or damaged. */
static bool parse_declaration(const char *p, const char *end, struct declaration *ret)
{
	struct declaration d = {0};
	const char *semi, *name_end;
	int64_t is_signed = 0;

	while (p < end && is_blank(*p))
		p++;
	if (end - p < 6 || memcmp(p, "field:", 6))
		return false;
	p += 6;
	semi = memchr(p, ';', (size_t)(end - p));
	if (!semi)
		return false;
	/* The name is the last word, before an array's brackets. */
	name_end = semi;
	if (name_end > p && name_end[-1] == ']') {
		name_end = memchr(p, '[', (size_t)(semi - p));
		if (!name_end)
			return false;
		d.array = true;
		/* "__data_loc char[] comm" ends in the name, "char comm[16]" in brackets. */
	} else if (memchr(p, '[', (size_t)(semi - p))) {
		d.array = true;
	}
	d.name = name_end;
	while (d.name > p && is_name(d.name[-1]))
		d.name--;
	d.name_len = (size_t)(name_end - d.name);
	d.data_loc = has_word(p, semi, "__data_loc");
	d.rel_loc = has_word(p, semi, "__rel_loc");
	p = parse_attribute(semi + 1, end, "offset:", &d.offset);
	if (p)
		p = parse_attribute(p, end, "size:", &d.size);
	if (!p || !d.name_len || d.offset + d.size > MAX_OFFSET)
		return false;
	/* Kernels before 2.6.30 do not say; their numbers of interest are signed. */
	if (!parse_attribute(p, end, "signed:", &is_signed))
		is_signed = 1;
	d.is_signed = is_signed != 0;
	*ret = d;
	return true;
}

static bool named(const struct declaration *d, const char *name)
{
	return d->name_len == strlen(name) && !memcmp(d->name, name, d->name_len);
}

static void need(struct rwk_format *fmt, const struct declaration *d)
{
	if (d->offset + d->size > fmt->need)
		fmt->need = (uint32_t)(d->offset + d->size);
}

static void set_number(struct rwk_format *fmt, const struct declaration *d, struct rwk_field *ret)
{
	if (d->array || d->data_loc || d->rel_loc ||
		(d->size != 1 && d->size != 2 && d->size != 4 && d->size != 8))
		return;
	*ret = (struct rwk_field){
		.offset = (uint16_t)d->offset,
		.size = (uint8_t)d->size,
		.is_signed = d->is_signed,
	};
	need(fmt, d);
}

static void set_string(
	struct rwk_format *fmt, const struct declaration *d, struct rwk_string_field *ret)
{
	bool loc = d->data_loc || d->rel_loc;

	if (loc ? d->size != 4 : !d->array || !d->size)
		return;
	*ret = (struct rwk_string_field){
		.offset = (uint16_t)d->offset,
		.size = (uint16_t)d->size,
		.kind = d->data_loc  ? RWK_STRING_DATA_LOC
			: d->rel_loc ? RWK_STRING_REL_LOC
				     : RWK_STRING_FIXED,
	};
	need(fmt, d);
}

/* scanN or coreN: the pair of N, added in its place; NULL when there is no room for it. */
static struct rwk_probe_pair *find_pair(struct rwk_probe_pairs *pairs, int32_t first_cpu)
{
	int at = 0;

	while (at < pairs->nr && pairs->pair[at].first_cpu < first_cpu)
		at++;
	if (at < pairs->nr && pairs->pair[at].first_cpu == first_cpu)
		return &pairs->pair[at];
	if (pairs->nr == RWK_PROBE_MAX_LLC)
		return NULL;
	memmove(&pairs->pair[at + 1], &pairs->pair[at],
		(size_t)(pairs->nr - at) * sizeof(pairs->pair[0]));
	pairs->nr++;
	pairs->pair[at] = (struct rwk_probe_pair){.first_cpu = first_cpu};
	return &pairs->pair[at];
}

static void set_pair(
	struct rwk_format *fmt, const struct declaration *d, struct rwk_probe_pairs *pairs)
{
	const char *end = d->name + d->name_len;
	bool scan = d->name_len > 4 && !memcmp(d->name, "scan", 4);
	bool core = d->name_len > 4 && !memcmp(d->name, "core", 4);
	struct rwk_probe_pair *pair;
	int64_t n;

	if ((!scan && !core) || parse_number(d->name + 4, end, &n) != end || n >= RWK_MAX_CPUS)
		return;
	pair = find_pair(pairs, (int32_t)n);
	if (pair)
		set_number(fmt, d, scan ? &pair->scan : &pair->core);
}

/* A half of a pair says nothing of use. */
static void drop_halves(struct rwk_probe_pairs *pairs)
{
	int n = 0;

	for (int i = 0; i < pairs->nr; i++) {
		if (pairs->pair[i].scan.size && pairs->pair[i].core.size)
			pairs->pair[n++] = pairs->pair[i];
	}
	pairs->nr = n;
}

static void set_field(struct rwk_format *fmt, const struct declaration *d, int first_role,
	int end_role, struct rwk_probe_pairs *pairs)
{
	if (named(d, "common_pid"))
		set_number(fmt, d, &fmt->common_tid);
	else if (named(d, "common_flags"))
		set_number(fmt, d, &fmt->common_flags);
	if (first_role == end_role)
		return;
	for (int i = first_role; i < end_role; i++) {
		if (named(d, roles[i].field))
			set_number(fmt, d, &fmt->field[roles[i].role]);
	}
	if (named(d, fmt->kind == RWK_EV_SWITCH ? "prev_comm" : "comm"))
		set_string(fmt, d, &fmt->comm);
	else if (fmt->kind == RWK_EV_SWITCH && named(d, "next_comm"))
		set_string(fmt, d, &fmt->next_comm);
	else if (fmt->kind == RWK_EV_SEL)
		set_pair(fmt, d, pairs);
}

/* Next line of text from *p on; false at the end. */
static bool next_line(const char **p, const char *end, const char **ret_line, const char **ret_end)
{
	const char *eol;

	if (*p >= end)
		return false;
	eol = memchr(*p, '\n', (size_t)(end - *p));
	*ret_line = *p;
	*ret_end = eol ? eol : end;
	*p = eol ? eol + 1 : end;
	return true;
}

static bool starts(const char *line, const char *end, const char *word)
{
	return (size_t)(end - line) >= strlen(word) && !memcmp(line, word, strlen(word));
}

/* Roles of an event as a range of the table; empty for an event of no interest. */
static void find_roles(
	const char *system, const char *name, size_t len, int *ret_first, int *ret_end)
{
	int first = 0, end;

	while (first < (int)NR_ROLES &&
		(strcmp(roles[first].system, system) || strlen(roles[first].event) != len ||
			memcmp(roles[first].event, name, len)))
		first++;
	for (end = first; end < (int)NR_ROLES && roles[end].kind == roles[first].kind;)
		end++;
	*ret_first = first;
	*ret_end = end;
}

/* Stores a format; one of an event of no interest shares that of the one before if equal. */
static int store(struct rwk_tracedat_formats *f, const struct rwk_format *fmt, uint16_t id)
{
	int err;

	if (fmt->kind == RWK_EV_OTHER) {
		for (size_t i = f->nr_formats; i > 0 && i + 16 > f->nr_formats; i--) {
			const struct rwk_format *old = &f->format[i - 1];

			if (old->kind != RWK_EV_OTHER || old->need != fmt->need ||
				memcmp(&old->common_tid, &fmt->common_tid,
					sizeof(old->common_tid)) ||
				memcmp(&old->common_flags, &fmt->common_flags,
					sizeof(old->common_flags)))
				continue;
			f->index[id] = (uint16_t)i;
			return 0;
		}
	}
	if (f->nr_formats >= 65535)
		return 0;
	err = rwk_vec_grow(&f->format, &f->cap_formats, f->nr_formats + 1, sizeof(*f->format));
	if (err)
		return err;
	f->format[f->nr_formats++] = *fmt;
	f->index[id] = (uint16_t)f->nr_formats;
	return 0;
}

/* The print fmt is the last thing of a format file. */
static int keep_state_fmt(struct rwk_tracedat_formats *f, const char *line, const char *end)
{
	char *copy = strndup(line, (size_t)(end - line));

	if (!copy)
		return -ENOMEM;
	free(f->state_fmt);
	f->state_fmt = copy;
	return 0;
}

int rwk_tracedat_formats_add(
	struct rwk_tracedat_formats *f, const char *system, const char *text, size_t size)
{
	const char *p = text, *end = text + size, *line, *eol;
	struct rwk_format fmt = {.kind = RWK_EV_OTHER};
	struct rwk_probe_pairs *pairs = NULL;
	int first = 0, end_role = 0, err = 0;
	int64_t id = -1;

	while (!err && next_line(&p, end, &line, &eol)) {
		struct declaration d;

		if (starts(line, eol, "name: ")) {
			find_roles(system, line + 6, (size_t)(eol - line - 6), &first, &end_role);
			if (first < end_role)
				fmt.kind = roles[first].kind;
			if (fmt.kind == RWK_EV_SEL && !pairs)
				pairs = calloc(1, sizeof(*pairs));
			if (fmt.kind == RWK_EV_SEL && !pairs)
				err = -ENOMEM;
		} else if (starts(line, eol, "ID: ")) {
			if (!parse_number(line + 4, eol, &id))
				id = -1;
		} else if (starts(line, eol, "print fmt:")) {
			if (fmt.kind == RWK_EV_SWITCH)
				err = keep_state_fmt(f, line, end);
			break;
		} else if (parse_declaration(line, eol, &d)) {
			set_field(&fmt, &d, first, end_role, pairs);
			if (named(&d, "common_type") && !f->type.size)
				set_number(&fmt, &d, &f->type);
		}
	}
	if (err || id < 0 || id > UINT16_MAX)
		goto out;
	for (int i = first; i < end_role; i++) {
		if (roles[i].required && !fmt.field[roles[i].role].size)
			fmt.broken = true;
	}
	if (pairs && !f->pairs) {
		drop_halves(pairs);
		fmt.pairs = f->pairs = pairs;
		pairs = NULL;
	}
	err = store(f, &fmt, (uint16_t)id);
out:
	free(pairs);
	return err;
}
