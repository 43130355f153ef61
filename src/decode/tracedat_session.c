/*
 * Tables of times, as libtracecmd applies them, but for what differs from its documentation: a
 * correction counts from its time on, also the last one; a single one has its scaling too; and
 * what lies between two offsets that fall is rounded as between two that rise.  Numbers of hostile
 * files are bounded so that nothing overflows.
 */
#include "decode/tracedat_session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "decode/bytes.h"
#include "decode/tracedat_layout.h"

#define INTERPOLATE 1 /* flag of the protocol that found the corrections */
#define MAX_OFFSET  (INT64_C(1) << 62)

/* The rest of an option; reading behind its end makes it bad. */
struct rest {
	const unsigned char *at;
	size_t left;
	bool swap, bad;
};

static uint64_t number(struct rest *r, size_t size)
{
	uint64_t v;

	if (r->left < size) {
		r->bad = true;
		return 0;
	}
	v = size == 4 ? rwk_bytes_u32(r->at, r->swap) : rwk_bytes_u64(r->at, r->swap);
	r->at += size;
	r->left -= size;
	return v;
}

static void finish_vcpus(struct rwk_tracedat_vcpu *vcpu, int nr)
{
	for (int i = 0; i < nr; i++)
		free(vcpu[i].shift);
	free(vcpu);
}

static int by_time(const void *a, const void *b)
{
	const struct rwk_tracedat_shift *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset != y->offset ? x->offset < y->offset ? -1 : 1 : 0;
}

/* In order, each time once; nothing if one of them is impossible. */
static bool settle(struct rwk_tracedat_vcpu *v)
{
	size_t nr = 0;

	for (size_t i = 0; i < v->nr; i++) {
		const struct rwk_tracedat_shift *s = &v->shift[i];

		if (s->time > INT64_MAX || s->offset > MAX_OFFSET || s->offset < -MAX_OFFSET ||
			!s->scaling || s->fraction > 63)
			return false;
	}
	if (v->nr)
		qsort(v->shift, v->nr, sizeof(*v->shift), by_time);
	for (size_t i = 0; i < v->nr; i++) {
		if (!nr || v->shift[nr - 1].time != v->shift[i].time)
			v->shift[nr++] = v->shift[i];
	}
	v->nr = nr;
	return true;
}

static int read_vcpu(struct rest *r, struct rwk_tracedat_vcpu *v)
{
	size_t nr = (size_t)number(r, 4);

	/* Each is three numbers: no more than are there are made room for. */
	if (r->bad || nr > r->left / 24) {
		r->bad = true;
		return 0;
	}
	v->shift = calloc(nr + 1, sizeof(*v->shift));
	if (!v->shift)
		return -ENOMEM;
	v->nr = nr;
	for (size_t i = 0; i < nr; i++)
		v->shift[i].time = number(r, 8);
	for (size_t i = 0; i < nr; i++)
		v->shift[i].offset = (int64_t)number(r, 8);
	for (size_t i = 0; i < nr; i++)
		v->shift[i].scaling = number(r, 8);
	return 0;
}

/* Behind the tables of all CPUs, in files since 2021; absent ones are 0. */
static void read_fractions(struct rest *r, struct rwk_tracedat_vcpu *v)
{
	for (size_t i = 0; i < v->nr; i++) {
		uint64_t fraction = number(r, 8);

		v->shift[i].fraction = fraction > UINT32_MAX ? UINT32_MAX : (uint32_t)fraction;
	}
}

static int read_time_shift(struct rwk_tracedat_session *s, struct rest *r)
{
	uint64_t host_id = number(r, 8);
	uint32_t flags = (uint32_t)number(r, 4), nr = (uint32_t)number(r, 4);
	struct rwk_tracedat_vcpu *vcpu;
	bool fractions;
	int err = 0;

	if (r->bad || nr > RWK_MAX_CPUS) {
		r->bad = true;
		return 0;
	}
	vcpu = calloc((size_t)nr + 1, sizeof(*vcpu));
	if (!vcpu)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr && !err && !r->bad; i++)
		err = read_vcpu(r, &vcpu[i]);
	fractions = r->left;
	for (uint32_t i = 0; i < nr && !err && !r->bad && fractions; i++)
		read_fractions(r, &vcpu[i]);
	for (uint32_t i = 0; i < nr && !err; i++)
		r->bad |= !settle(&vcpu[i]);
	if (err || r->bad) {
		finish_vcpus(vcpu, (int)nr);
		return err;
	}
	finish_vcpus(s->vcpu, s->nr_vcpus);
	s->host_id = host_id;
	s->interpolates = flags & INTERPOLATE;
	s->vcpu = vcpu;
	s->nr_vcpus = (int)nr;
	return 0;
}

static int add_note(struct rwk_trace_info *info, const char *name, char *text)
{
	struct rwk_trace_fact *note = reallocarray(info->note, info->nr_notes + 1, sizeof(*note));

	if (!note) {
		free(text);
		return -ENOMEM;
	}
	info->note = note;
	note[info->nr_notes] = (struct rwk_trace_fact){strdup(name), text};
	if (!note[info->nr_notes].path) {
		free(text);
		return -ENOMEM;
	}
	info->nr_notes++;
	return 0;
}

static bool has_note(const struct rwk_trace_info *info, const char *name)
{
	for (size_t i = 0; i < info->nr_notes; i++) {
		if (!strcmp(info->note[i].path, name))
			return true;
	}
	return false;
}

/* "name: NAME", then a line "VCPU: TID" for each. */
static int read_guest(struct rest *r, struct rwk_trace_info *info)
{
	const unsigned char *end = memchr(r->at, '\0', r->left);
	char name[64], key[64], *text = NULL;
	size_t length, size = 0;
	uint32_t nr;
	uint64_t id;
	FILE *f;

	if (!end) {
		r->bad = true;
		return 0;
	}
	length = (size_t)(end - r->at);
	snprintf(name, sizeof(name), "%.*s", (int)(length < 63 ? length : 63), (const char *)r->at);
	for (char *c = name; *c; c++)
		*c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
	r->at += length + 1;
	r->left -= length + 1;
	id = number(r, 8);
	nr = (uint32_t)number(r, 4);
	snprintf(key, sizeof(key), "rewake/guest/%#" PRIx64, id);
	if (r->bad || nr > RWK_MAX_CPUS || nr > r->left / 8 || has_note(info, key)) {
		r->bad = true;
		return 0;
	}
	f = open_memstream(&text, &size);
	if (!f)
		return -ENOMEM;
	fprintf(f, "name: %s", name);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t vcpu = (uint32_t)number(r, 4), tid = (uint32_t)number(r, 4);

		fprintf(f, "\n%" PRIu32 ": %" PRIu32, vcpu, tid);
	}
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	return add_note(info, key, text);
}

int rwk_tracedat_session_option(struct rwk_tracedat_session *s, int id, const unsigned char *data,
	size_t size, bool swap, struct rwk_trace_info *info)
{
	struct rest r = {data, size, swap, false};
	int err = 0;

	if (id == RWK_TRACEDAT_TRACEID)
		s->id = number(&r, 8);
	else if (id == RWK_TRACEDAT_TIME_SHIFT)
		err = read_time_shift(s, &r);
	else
		err = read_guest(&r, info);
	if (!err && r.bad)
		rwk_anomaly_add(
			&info->anomalies, RWK_AN_BAD_RECORD, RWK_NS_NONE, RWK_NONE, RWK_NONE);
	return err;
}

void rwk_tracedat_session_finish(struct rwk_tracedat_session *s)
{
	finish_vcpus(s->vcpu, s->nr_vcpus);
	*s = (struct rwk_tracedat_session){0};
}

bool rwk_tracedat_session_shifts(const struct rwk_tracedat_session *s, int cpu)
{
	return cpu < s->nr_vcpus && s->vcpu[cpu].nr;
}

/* The last that is not behind ts, or the first. */
static size_t find(const struct rwk_tracedat_vcpu *v, uint64_t ts)
{
	size_t low = 0, high = v->nr;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (v->shift[mid].time <= ts)
			low = mid;
		else
			high = mid;
	}
	return low;
}

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* To the nearest; by more than 0. */
static wide divide(wide n, wide by)
{
	wide ret = n / by, rest = n % by;

	if (rest < 0) {
		ret--;
		rest += by;
	}
	return ret + (rest >= by - rest);
}

uint64_t rwk_tracedat_session_time(const struct rwk_tracedat_session *s, int cpu, uint64_t ts)
{
	const struct rwk_tracedat_vcpu *v = &s->vcpu[cpu];
	const struct rwk_tracedat_shift *at, *next;
	unsigned_wide scaled;
	wide offset, t;

	if (ts > INT64_MAX)
		return UINT64_MAX;
	at = &v->shift[find(v, ts)];
	offset = at->offset;
	if (s->interpolates && v->nr > 1) {
		wide delta, way;

		/* Behind the last: on as from the one before it. */
		at -= at == &v->shift[v->nr - 1];
		next = at + 1;
		delta = (wide)next->time - (wide)at->time;
		way = ((wide)ts - (wide)at->time) * ((wide)next->offset - (wide)at->offset);
		offset = at->offset + divide(way, delta);
	}
	scaled = (unsigned_wide)ts * at->scaling >> at->fraction;
	if (scaled > INT64_MAX)
		return UINT64_MAX;
	t = (wide)scaled + offset;
	return t < 0 || t > INT64_MAX ? UINT64_MAX : (uint64_t)t;
}

int rwk_tracedat_session_note(const struct rwk_tracedat_session *s, struct rwk_trace_info *info)
{
	size_t nr = 0;
	char *text;

	if (!s->vcpu && !info->nr_notes)
		return 0;
	for (int i = 0; i < s->nr_vcpus; i++)
		nr += s->vcpu[i].nr;
	if (asprintf(&text, "id: %#" PRIx64 "\nhost: %#" PRIx64 "\nclock: %s\ncorrections: %zu%s",
		    s->id, s->host_id, info->options->host_clock ? "host" : "own", nr,
		    s->interpolates ? ", interpolated" : "") < 0)
		return -ENOMEM;
	return add_note(info, "rewake/session", text);
}
