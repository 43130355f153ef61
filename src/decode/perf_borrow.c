/* Formats of elsewhere: whether they may be of the kernel that recorded, and what is seen of it. */
#include "decode/perf_borrow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/formats_from.h"

#define IDS_TOLD 6

struct borrowing {
	const struct rwk_perf_layout *l;
	const struct rwk_file *file;
	const char *path;
	struct rwk_diag *diag;
};

static int refuse(const struct borrowing *b, const char *why)
{
	return rwk_diag_push(b->diag, -EBADMSG,
		"cannot use event formats of elsewhere: file=%s formats=%s why=%s", b->file->path,
		b->path, why);
}

/* Tracepoints that were recorded have their events there: any of them. */
static int check_ids(const struct borrowing *b, const struct rwk_tracedat_texts *texts)
{
	char ids[128] = "";
	size_t len = 0, nr = 0;
	uint64_t last = UINT64_MAX;

	for (size_t i = 0; i < b->l->attrs.nr; i++) {
		const struct rwk_perf_attr *a = &b->l->attrs.attr[i];

		if (a->type != RWK_PERF_TYPE_TRACEPOINT)
			continue;
		if (rwk_tracedat_texts_has(texts, a->config))
			return 0;
		if (a->config != last && nr++ < IDS_TOLD)
			len += (size_t)snprintf(ids + len, sizeof(ids) - len, "%s%llu",
				len ? "," : "", (unsigned long long)(a->config & UINT32_MAX));
		last = a->config;
	}
	return rwk_diag_push(b->diag, -EBADMSG,
		"cannot use event formats of elsewhere: file=%s formats=%s ids=%s%s why=no event "
		"of "
		"these ids there: they are of another kernel, or of other events",
		b->file->path, b->path, ids, nr > IDS_TOLD ? ",…" : "");
}

static bool same_text(const struct rwk_tracedat_text *a, const struct rwk_tracedat_text *b)
{
	return a->id == b->id && !strcmp(a->system, b->system) && !strcmp(a->text, b->text);
}

static bool was_recorded(const struct rwk_perf_attrs *attrs, uint64_t id)
{
	for (size_t i = 0; i < attrs->nr; i++) {
		if (attrs->attr[i].type == RWK_PERF_TYPE_TRACEPOINT && attrs->attr[i].config == id)
			return true;
	}
	return false;
}

/* What both have must be equal; what the recording lacks goes over to it. */
static int merge(const struct borrowing *b, struct rwk_tracedat_texts *own,
	struct rwk_tracedat_texts *from, struct rwk_trace_info *info)
{
	static const char differ[] =
		"an event that the recording has the format of is another there";

	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		struct rwk_tracedat_text *mine = &own->of[kind], *other = &from->of[kind];

		if (kind == RWK_EV_OTHER || !other->text)
			continue;
		if (mine->text ? !same_text(mine, other) : rwk_tracedat_texts_has(own, other->id))
			return refuse(b, differ);
		if (mine->text)
			continue;
		*mine = *other;
		*other = (struct rwk_tracedat_text){0};
		if (was_recorded(&b->l->attrs, mine->id))
			rwk_anomaly_add(&info->anomalies, RWK_AN_FORMATS_FROM_ELSEWHERE,
				RWK_NS_NONE, RWK_NONE, RWK_NONE);
	}
	for (int i = 0; i < from->nr_states && own->nr_states < RWK_PROBE_MAX_STATES; i++) {
		if (rwk_tracedat_texts_has(own, from->state[i].id))
			continue;
		own->state[own->nr_states++] = from->state[i];
		from->state[i] = (struct rwk_tracedat_text){0};
	}
	for (size_t i = 0; i < sizeof(own->other) / sizeof(own->other[0]); i++)
		own->other[i] |= from->other[i];
	if (!own->of[RWK_EV_OTHER].text) {
		own->of[RWK_EV_OTHER] = from->of[RWK_EV_OTHER];
		from->of[RWK_EV_OTHER] = (struct rwk_tracedat_text){0};
	}
	return 0;
}

int rwk_perf_borrow(struct rwk_perf_layout *l, const struct rwk_file *file, const char *path,
	struct rwk_tracedat_texts *own, struct rwk_trace_info *info, struct rwk_perf_borrowed *ret,
	struct rwk_diag *diag)
{
	const struct borrowing b = {.l = l, .file = file, .path = path, .diag = diag};
	struct rwk_formats_from from;
	int err = rwk_formats_from_open(path, diag, &from);

	if (err)
		return err;
	if (from.order_known && from.big_endian != l->big_endian)
		err = refuse(&b, "they are of a machine of the other byte order");
	else if (l->long_size && from.long_size && l->long_size != from.long_size)
		err = refuse(&b, "they are of a machine with other words");
	else if (info->release[0] && from.release[0] && strcmp(info->release, from.release))
		err = rwk_diag_push(diag, -EBADMSG,
			"cannot use event formats of elsewhere: file=%s release=%s formats=%s "
			"release=%s why=of another kernel",
			file->path, info->release, path, from.release);
	if (!err)
		err = merge(&b, own, &from.texts, info);
	if (!err)
		err = check_ids(&b, own);
	if (!err) {
		if (!l->long_size)
			l->long_size = from.long_size;
		if (!info->release[0])
			memcpy(info->release, from.release, sizeof(from.release));
		info->formats_from = path;
		ret->used = true;
	}
	rwk_formats_from_finish(&from);
	return err;
}

static uint32_t up(uint32_t n)
{
	return (n + 7) & ~7u;
}

/* The number behind key in a line of a format, -1 without. */
static long number(const char *line, const char *end, const char *key)
{
	const char *p = memmem(line, (size_t)(end - line), key, strlen(key));

	return p ? strtol(p + strlen(key), NULL, 10) : -1;
}

/*
 * The kernel rounds a record up to its own alignment, which is at most 8, and the
 * raw data with the number in front of it up to 8.
 */
static struct rwk_perf_fit fit_of(const char *text)
{
	uint32_t need = 0;
	bool varies = false;

	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		long offset, size;

		end = strchrnul(line, '\n');
		offset = number(line, end, "offset:");
		size = number(line, end, "size:");
		if (offset < 0 || size < 0 || offset > UINT16_MAX || size > UINT16_MAX)
			continue;
		if ((uint32_t)(offset + size) > need)
			need = (uint32_t)(offset + size);
		varies |= memmem(line, (size_t)(end - line), "_loc ", 5) != NULL;
	}
	return (struct rwk_perf_fit){
		.min = up(need + 4) - 4, .max = varies ? UINT32_MAX : up(up(need) + 4) - 4};
}

void rwk_perf_borrow_sizes(struct rwk_perf_borrowed *b, const struct rwk_tracedat_texts *texts,
	const struct rwk_tracedat_formats *formats)
{
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		if (kind != RWK_EV_OTHER && texts->of[kind].text)
			b->fit[kind] = fit_of(texts->of[kind].text);
	}
	for (int i = 0; i < texts->nr_states; i++) {
		unsigned int at = formats->index[texts->state[i].id];

		if (at)
			b->fit[at - 1] = fit_of(texts->state[i].text);
	}
}

bool rwk_perf_borrow_fits(const struct rwk_perf_borrowed *b,
	const struct rwk_tracedat_formats *formats, const struct rwk_format *fmt,
	const struct rwk_perf_sample *s, const struct rwk_event *ev)
{
	const struct rwk_perf_fit *fit = &b->fit[fmt - formats->format];

	if (!fit->max)
		return true;
	if (s->raw_size < fit->min || s->raw_size > fit->max)
		return false;
	/* Who leaves the CPU is who runs the code that records it. */
	return ev->kind != RWK_EV_SWITCH || ev->sw.prev_tid == ev->tid;
}
