/* Counting what each buffer holds, and choosing. */
#include "decode/tracedat_buffers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_KINDS ((UINT32_C(1) << RWK_EV_COUNT) - 1)

static const char *name_of(const struct rwk_tracedat_buffer *b)
{
	return b->name[0] ? b->name : RWK_TRACEDAT_TOP;
}

static int refuse_name(const struct rwk_pages_env *env, const char *name, struct rwk_diag *diag)
{
	const struct rwk_tracedat_layout *l = env->layout;
	char list[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < l->nr_buffers && n < sizeof(list); i++)
		n += (size_t)snprintf(
			list + n, sizeof(list) - n, "%s%s", i ? "," : "", name_of(&l->buffer[i]));
	return rwk_diag_push(diag, -ENOENT,
		"cannot read trace.dat: file=%s buffer=%s why=no such buffer, it has %s",
		env->file->path, name, list);
}

static int take_named(const struct rwk_pages_env *env, struct rwk_tracedat_layout *l,
	const char *name, struct rwk_diag *diag)
{
	/* An instance may have that name too, and is meant then. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < l->nr_buffers; i++) {
			const char *has = pass ? name_of(&l->buffer[i]) : l->buffer[i].name;

			if (*has && !strcmp(has, name)) {
				l->buffer[i].kinds = ALL_KINDS;
				return 0;
			}
		}
	}
	return refuse_name(env, name, diag);
}

/* Events of each kind in one CPU's data; what is wrong with it is told when it is read. */
static int count_cpu(struct rwk_pages_env *env, struct rwk_record_reader *reader,
	const struct rwk_tracedat_cpu *cpu, int64_t *count, struct rwk_diag *diag)
{
	struct rwk_ev_probe probe;
	struct rwk_pages *pages;
	struct rwk_record rec;
	int err = rwk_pages_open(env, cpu, &pages);

	if (err)
		return err;
	while ((err = rwk_pages_next(pages, &rec, diag)) > 0) {
		struct rwk_event ev;
		int id;

		if (rwk_record_decode(reader, rec.data, rec.size, &ev, &probe, &id) ==
			RWK_RECORD_EVENT)
			count[ev.kind]++;
	}
	rwk_pages_close(pages);
	return err;
}

static int64_t sum(const int64_t count[RWK_EV_COUNT])
{
	int64_t n = 0;

	for (int kind = 0; kind < RWK_EV_COUNT; kind++)
		n += count[kind];
	return n;
}

/* Clocks that are both known, and not the same. */
static bool clocks_differ(const struct rwk_tracedat_buffer *a, const struct rwk_tracedat_buffer *b)
{
	return a->clock[0] && b->clock[0] && strcmp(a->clock, b->clock) != 0;
}

static void take_most(struct rwk_tracedat_layout *l, int64_t (*count)[RWK_EV_COUNT])
{
	const uint32_t always = UINT32_C(1) << RWK_EV_OTHER | UINT32_C(1) << RWK_EV_LOST;
	size_t main = 0;

	for (size_t i = 1; i < l->nr_buffers; i++) {
		if (sum(count[i]) > sum(count[main]))
			main = i;
	}
	l->buffer[main].kinds = always;
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		size_t best = main;

		for (size_t i = 0; i < l->nr_buffers; i++) {
			if (!clocks_differ(&l->buffer[i], &l->buffer[main]) &&
				(count[i][kind] > count[best][kind] ||
					(count[i][kind] == count[best][kind] && i < best)))
				best = i;
		}
		if (count[best][kind])
			l->buffer[best].kinds |= UINT32_C(1) << kind | always;
	}
}

int rwk_tracedat_buffers_choose(struct rwk_pages_env *env, struct rwk_tracedat_layout *l,
	const struct rwk_record_reader *reader, const char *name, struct rwk_diag *diag)
{
	struct rwk_record_reader counting = *reader;
	struct rwk_anomalies *anomalies = env->anomalies, ignored = {0};
	int64_t(*count)[RWK_EV_COUNT];
	size_t with_data = 0, last = 0;
	int err = 0;

	if (name)
		return take_named(env, l, name, diag);
	for (size_t i = 0; i < l->nr_cpus; i++) {
		if (!l->cpu[i].size || (with_data && l->cpu[i].buffer == last))
			continue;
		last = l->cpu[i].buffer;
		with_data++;
	}
	if (with_data <= 1) {
		if (l->nr_buffers)
			l->buffer[last].kinds = ALL_KINDS;
		return 0;
	}
	count = calloc(l->nr_buffers, sizeof(*count));
	if (!count)
		return -ENOMEM;
	env->anomalies = &ignored;
	for (size_t i = 0; i < l->nr_cpus && !err; i++)
		err = count_cpu(env, &counting, &l->cpu[i], count[l->cpu[i].buffer], diag);
	env->anomalies = anomalies;
	if (!err)
		take_most(l, count);
	free(count);
	return err;
}
