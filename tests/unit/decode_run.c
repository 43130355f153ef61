/* Decodes a whole file into memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "decode_run.h"

void decode_run(struct decode_run *r, const char *path)
{
	const struct rwk_decode_options none = {0};

	decode_run_with(r, path, &none);
}

void decode_run_with(
	struct decode_run *r, const char *path, const struct rwk_decode_options *options)
{
	const struct rwk_trace_info *info;
	struct rwk_event ev;
	struct rwk_decode *dec = NULL;
	rwk_ns last = INT64_MIN;

	memset(r, 0, sizeof(*r));
	r->open_err = rwk_decode_open_with(path, options, &r->diag, &dec);
	if (r->open_err)
		goto out;
	r->nr_cpus_at_open = rwk_decode_info(dec)->nr_cpus;
	while ((r->next_err = rwk_decode_next(dec, &ev, &r->diag)) > 0) {
		assert_int_equal(rwk_vec_grow(&r->event, &r->cap, r->nr + 1, sizeof(ev)), 0);
		assert_int_equal(
			rwk_vec_grow(&r->probe, &r->cap_probe, r->nr + 1, sizeof(*r->probe)), 0);
		if (rwk_event_has_probe(&ev))
			r->probe[r->nr] = *ev.probe;
		r->event[r->nr++] = ev;
		assert_true(ev.ts >= last);
		assert_in_range(rwk_decode_permille(dec) + 1, 0, 1001);
		last = ev.ts;
	}
	info = rwk_decode_info(dec);
	r->info = *info;
	r->info.cpu = calloc((size_t)info->nr_cpus + 1, sizeof(*info->cpu));
	assert_non_null(r->info.cpu);
	memcpy(r->info.cpu, info->cpu, (size_t)info->nr_cpus * sizeof(*info->cpu));
	r->info.processes = (struct rwk_processes){0};
	for (size_t i = 0; i < info->processes.of.nr_slots; i++) {
		const struct rwk_map_slot *slot = &info->processes.of.slot[i];

		if (slot->used)
			assert_int_equal(
				rwk_map_set(&r->info.processes.of, slot->key, slot->value), 0);
	}
out:
	rwk_decode_close(dec);
	rwk_diag_format(&r->diag, r->text, sizeof(r->text));
}

void decode_run_finish(struct decode_run *r)
{
	free(r->event);
	free(r->probe);
	free(r->info.cpu);
	rwk_processes_finish(&r->info.processes);
	memset(r, 0, sizeof(*r));
}

const struct rwk_event *decode_run_find(const struct decode_run *r, enum rwk_event_kind kind, int n)
{
	for (size_t i = 0; i < r->nr; i++) {
		if (r->event[i].kind == kind && !n--)
			return &r->event[i];
	}
	fail_msg("no such event: kind %d (%s)", kind, r->text);
	return NULL;
}

int decode_file_setup(void **state)
{
	struct tb_file *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	tb_file_init(f);
	*state = f;
	return 0;
}

int decode_file_teardown(void **state)
{
	tb_file_finish(*state);
	free(*state);
	return 0;
}

void decode_run_text(void **state, const char *text, struct decode_run *r)
{
	struct tb_file *f = *state;

	tb_file_set(f, text, strlen(text));
	decode_run(r, f->path);
	assert_int_equal(r->open_err, 0);
	assert_int_equal(r->next_err, 0);
}

void assert_comm(const char *comm, const char *want)
{
	char padded[RWK_COMM_LEN] = {0};

	memcpy(padded, want, strlen(want));
	assert_memory_equal(comm, padded, RWK_COMM_LEN);
}
