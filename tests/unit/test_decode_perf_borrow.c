/*
 * Recordings of perf that ended before their event formats, read by those of
 * another recording of the same kernel: of every kind of place they can come from,
 * and what is refused as being of another kernel.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode_run.h"
#include "perf_build.h"

#define NR_EVENTS 9 /* of put_records() */

static void put_records(struct pb_perf *p)
{
	pb_id_index(p);
	for (int cpu = 0; cpu < 3; cpu++) {
		uint64_t ts = 1000 + (uint64_t)cpu;

		pb_switch(p, cpu, ts, 0, 0, 10 + cpu);
		pb_task(p, cpu, ts + 10, &tb_waking, 10 + cpu, 60, cpu);
		pb_switch(p, cpu, ts + 50, 10 + cpu, 1, 0);
	}
	pb_round(p);
}

/* A recording of which perf did not come to its end. */
static void build_killed(bool big_endian, int pack, struct tb_bytes *ret)
{
	struct pb_perf p;

	pb_init(&p, big_endian);
	p.pack = pack;
	p.without = PB_NO_SIZE;
	put_records(&p);
	pb_build(&p, ret);
	pb_finish(&p);
}

/* Another recording, of other events at other times. */
static void build_other(bool big_endian, bool pipe, struct tb_bytes *ret)
{
	struct pb_perf p;

	pb_init(&p, big_endian);
	p.pipe = pipe;
	pb_switch(&p, 1, 77, 0, 0, 5);
	pb_build(&p, ret);
	pb_finish(&p);
}

static void build_tracedat(bool big_endian, struct tb_bytes *ret)
{
	struct tb_trace t;

	tb_init(&t);
	t.big_endian = big_endian;
	tb_put_switch(&t, 0, 77, 0, 0, 5);
	tb_build(&t, ret);
	tb_finish(&t);
}

/* Both in memory; r is to be finished. */
static void run(struct tb_bytes *recording, struct tb_bytes *formats, struct decode_run *r)
{
	struct rwk_decode_options options = {0};
	struct tb_file file, from;

	tb_file_init(&file);
	tb_file_init(&from);
	tb_file_set(&file, recording->data, recording->len);
	tb_file_set(&from, formats->data, formats->len);
	options.formats = from.path;
	decode_run_with(r, file.path, &options);
	tb_file_finish(&file);
	tb_file_finish(&from);
}

static void assert_records(const struct decode_run *r)
{
	const struct rwk_event *waking;

	if (r->open_err || r->next_err)
		fail_msg("%s", r->text);
	assert_int_equal(r->nr, NR_EVENTS);
	assert_int_equal(r->info.nr_events[RWK_EV_SWITCH], 6);
	assert_int_equal(r->info.nr_events[RWK_EV_WAKING], 3);
	waking = decode_run_find(r, RWK_EV_WAKING, 1);
	assert_int_equal(waking->ts, 1011);
	assert_int_equal(waking->task.tid, 60);
	assert_int_equal(waking->task.target_cpu, 1);
	assert_comm(waking->task.comm, "task-60");
	assert_int_equal(decode_run_find(r, RWK_EV_SWITCH, 3)->sw.prev_state, RWK_END_SLEEPING);
	assert_true(r->info.truncated);
	assert_int_equal(r->info.nr_cpus, 3);
	/* All seven kinds that the attributes are of. */
	assert_int_equal(r->info.anomalies.of[RWK_AN_FORMATS_FROM_ELSEWHERE].count, 7);
	assert_int_equal(r->info.anomalies.of[RWK_AN_BAD_RECORD].count, 0);
	assert_int_equal(r->info.anomalies.of[RWK_AN_UNKNOWN_EVENT].count, 0);
	assert_true(r->info.formats_from != NULL);
}

static void from_other_recordings(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		bool big_endian = i & 1;
		struct tb_bytes killed, other;
		struct decode_run r;

		build_killed(big_endian, i & 2 ? 150 : 0, &killed);
		if (i / 4 == 2)
			build_tracedat(big_endian, &other);
		else
			build_other(big_endian, i / 4, &other);
		run(&killed, &other, &r);
		assert_records(&r);
		assert_string_equal(r.info.release, "6.1.0-13-amd64");
		decode_run_finish(&r);
		free(killed.data);
		free(other.data);
	}
}

/* X1: all in front of the cut is there, wherever that is behind the headers. */
static void cut_everywhere(void **state)
{
	struct tb_bytes killed, other;
	size_t most = 0, nr_opened = 0;

	(void)state;
	build_killed(false, 0, &killed);
	build_other(false, false, &other);
	for (size_t len = killed.len; len > 8; len -= len > 16 ? 7 : 1) {
		struct tb_bytes cut = {.data = killed.data, .len = len};
		struct decode_run r;

		run(&cut, &other, &r);
		if (r.open_err) {
			assert_int_equal(r.open_err, -EBADMSG);
			assert_non_null(strstr(r.text, "offset="));
			assert_int_equal(most, 0);
		} else {
			assert_int_equal(r.next_err, 0);
			assert_true(r.info.truncated);
			assert_in_range(r.info.truncated_at, 104, len);
			assert_true(!nr_opened++ || r.nr <= most);
			most = r.nr;
			if (len == killed.len)
				assert_int_equal(r.nr, NR_EVENTS);
		}
		decode_run_finish(&r);
	}
	assert_true(nr_opened > 20);
	assert_int_equal(most, 0);
	free(killed.data);
	free(other.data);
}

static void write_text(const char *folder, const char *name, const char *text, size_t size)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* Folders as in tracefs, out of the formats that a trace.dat would have. */
static void make_events(const char *root, const struct tb_trace *t)
{
	char path[200], text[4096];

	for (int i = 0; i < t->nr_formats; i++) {
		const struct tb_format *fmt = t->format[i];
		int n = snprintf(
			text, sizeof(text), "name: %s\nID: %d\nformat:\n", fmt->name, fmt->id);

		for (const struct tb_field *f = fmt->field; f->decl; f++)
			n += snprintf(text + n, sizeof(text) - (size_t)n,
				"\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", f->decl,
				f->offset, f->size, f->is_signed);
		n += snprintf(
			text + n, sizeof(text) - (size_t)n, "\nprint fmt: %s\n", fmt->print_fmt);
		snprintf(path, sizeof(path), "%s/events/%s", root, fmt->system);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), "%s/events/%s/%s", root, fmt->system, fmt->name);
		assert_int_equal(mkdir(path, 0700), 0);
		write_text(path, "format", text, (size_t)n);
	}
}

static void from_tracefs(void **state)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n";
	char root[] = "/tmp/rewake-tracefs-XXXXXX", path[128], command[160];
	struct tb_bytes killed;
	struct tb_file file;
	struct tb_trace t;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/events", root);
	assert_int_equal(mkdir(path, 0700), 0);
	tb_init(&t);
	make_events(root, &t);
	tb_finish(&t);
	write_text(path, "header_page", page, sizeof(page) - 1);
	build_killed(false, 0, &killed);
	tb_file_init(&file);
	tb_file_set(&file, killed.data, killed.len);
	for (int i = 0; i < 2; i++) {
		struct rwk_decode_options options = {.formats = i ? path : root};
		struct decode_run r;

		decode_run_with(&r, file.path, &options);
		assert_records(&r);
		/* A folder does not tell. */
		assert_string_equal(r.info.release, "");
		decode_run_finish(&r);
	}
	tb_file_finish(&file);
	free(killed.data);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void assert_refused(struct tb_bytes *recording, struct tb_bytes *formats, const char *words)
{
	struct decode_run r;

	run(recording, formats, &r);
	assert_int_equal(r.open_err, -EBADMSG);
	if (!strstr(r.text, words) || (!strstr(r.text, "file=") && !strstr(r.text, "from=")))
		fail_msg("%s", r.text);
	decode_run_finish(&r);
	free(formats->data);
}

/* A recording of which one format is another than those of the killed one. */
static void build_changed(const struct tb_format *changed, struct tb_bytes *ret)
{
	struct pb_perf p;

	pb_init(&p, false);
	for (int i = 0; i < p.trace.nr_formats; i++) {
		if (!strcmp(p.trace.format[i]->name, changed->name))
			p.trace.format[i] = changed;
	}
	pb_migrate(&p, 1, 77, 5, 0, 1);
	pb_build(&p, ret);
	pb_finish(&p);
}

/* What could be told of another kernel must be told: X4, and never a wrong number. */
static void of_another_kernel(void **state)
{
	struct tb_format longer = tb_switch, shifted = tb_switch, moved = tb_waking;
	struct tb_bytes killed, other;
	struct pb_perf p;
	int n = 0;

	(void)state;
	build_killed(false, 0, &killed);

	while (longer.field[n].decl)
		n++;
	longer.field[n] = (struct tb_field){"u64 more", 96, 8, 0};
	build_changed(&longer, &other);
	assert_refused(&killed, &other, "event=sched_switch bytes=");

	/* As long, but prev_pid is somewhere else. */
	for (int i = 0; i < n; i++) {
		if (!strcmp(shifted.field[i].decl, "pid_t prev_pid"))
			shifted.field[i].decl = "pid_t next_pid";
		else if (!strcmp(shifted.field[i].decl, "pid_t next_pid"))
			shifted.field[i].decl = "pid_t prev_pid";
	}
	build_changed(&shifted, &other);
	assert_refused(&killed, &other, "event=sched_switch bytes=");

	/* Ids that other events have there: a switch is read as what it is not. */
	moved.id = tb_switch.id;
	shifted = tb_switch;
	shifted.id = tb_waking.id;
	pb_init(&p, false);
	for (int i = 0; i < p.trace.nr_formats; i++) {
		if (p.trace.format[i] == &tb_waking)
			p.trace.format[i] = &moved;
		else if (p.trace.format[i] == &tb_switch)
			p.trace.format[i] = &shifted;
	}
	pb_migrate(&p, 1, 77, 5, 0, 1);
	pb_build(&p, &other);
	pb_finish(&p);
	assert_refused(&killed, &other, "are not as the format there has them");

	build_other(true, false, &other);
	assert_refused(&killed, &other, "the other byte order");
	free(killed.data);
}

static void not_of_use(void **state)
{
	struct tb_bytes killed, other;
	struct tb_format none = tb_other;
	struct rwk_decode_options options = {.formats = "/nonexistent/formats"};
	struct decode_run r;
	struct tb_file file;
	struct tb_trace t;

	(void)state;
	build_killed(false, 0, &killed);
	build_killed(false, 0, &other);
	assert_refused(&killed, &other, "it has none either");

	none.id = 9;
	tb_init(&t);
	t.nr_formats = 0;
	tb_add_format(&t, &none);
	tb_put_switch(&t, 0, 77, 0, 0, 5);
	tb_build(&t, &other);
	tb_finish(&t);
	assert_refused(&killed, &other, "no event of these ids there");

	other = (struct tb_bytes){0};
	tb_string(&other, "neither");
	assert_refused(&killed, &other, "neither a perf.data, a trace.dat, nor");

	tb_file_init(&file);
	tb_file_set(&file, killed.data, killed.len);
	decode_run_with(&r, file.path, &options);
	assert_int_equal(r.open_err, -ENOENT);
	decode_run_finish(&r);

	/* What has its own needs no others, and a trace.dat is never without. */
	free(killed.data);
	build_other(false, false, &killed);
	tb_file_set(&file, killed.data, killed.len);
	decode_run_with(&r, file.path, &options);
	assert_int_equal(r.open_err, 0);
	assert_null(r.info.formats_from);
	decode_run_finish(&r);
	free(killed.data);
	build_tracedat(false, &killed);
	tb_file_set(&file, killed.data, killed.len);
	decode_run_with(&r, file.path, &options);
	assert_int_equal(r.open_err, -EINVAL);
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(killed.data);
}

/* Its own formats end in the middle: the rest comes from elsewhere, and what both have is compared.
 */
static void some_are_its_own(void **state)
{
	struct tb_format longer = tb_switch;
	struct tb_bytes whole, other, formats;
	struct decode_run r;
	struct tb_file file;
	struct pb_perf p;
	size_t at, len;
	int n = 0;

	(void)state;
	pb_init(&p, false);
	tb_build_formats(&p.trace, &formats);
	put_records(&p);
	pb_build(&p, &whole);
	pb_finish(&p);
	at = (size_t)((unsigned char *)memmem(whole.data, whole.len, formats.data, 200) -
		      whole.data);
	len = at +
	      (size_t)((unsigned char *)memmem(formats.data, formats.len, "sched_wakeup\n", 13) -
		       formats.data);
	whole.len = len;
	build_other(false, false, &other);
	run(&whole, &other, &r);
	if (r.open_err)
		fail_msg("%s", r.text);
	assert_int_equal(r.nr, NR_EVENTS);
	/* Those of sched_switch, sched_waking and the two of rewake stand in front. */
	assert_int_equal(r.info.anomalies.of[RWK_AN_FORMATS_FROM_ELSEWHERE].count, 3);
	assert_true(r.info.truncated);
	decode_run_finish(&r);
	free(other.data);

	while (longer.field[n].decl)
		n++;
	longer.field[n] = (struct tb_field){"u64 more", 96, 8, 0};
	build_changed(&longer, &other);
	assert_refused(&whole, &other, "is another there");

	/* None of its own is whole: as without any. */
	whole.len = at + (size_t)((unsigned char *)memmem(formats.data, formats.len, "ID: ", 4) -
				  formats.data);
	tb_file_init(&file);
	tb_file_set(&file, whole.data, whole.len);
	decode_run(&r, file.path);
	assert_int_equal(r.open_err, -EBADMSG);
	assert_non_null(strstr(r.text, "--formats"));
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(whole.data);
	free(formats.data);
}

/* One record of many that is damaged costs itself. */
static void one_damaged(void **state)
{
	struct tb_bytes killed, other;
	struct decode_run r;
	struct pb_perf p;

	(void)state;
	pb_init(&p, false);
	p.without = PB_NO_SIZE;
	for (int i = 0; i < 40; i++) {
		struct tb_record rec;

		tb_fill_switch(&rec, &p.trace, 1, i, 1, i + 1);
		if (i == 20)
			tb_set(&rec, "prev_pid", 4711);
		pb_sample(&p, 1, 1000 + (uint64_t)i, &rec);
	}
	pb_build(&p, &killed);
	pb_finish(&p);
	build_other(false, false, &other);
	run(&killed, &other, &r);
	if (r.open_err)
		fail_msg("%s", r.text);
	assert_int_equal(r.info.nr_events[RWK_EV_SWITCH], 39);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
	decode_run_finish(&r);
	free(killed.data);
	free(other.data);
}

/* perf record --threads that was killed: what says that there are more files is lost too. */
static void folder_of_threads(void **state)
{
	char folder[] = "/tmp/rewake-perf-XXXXXX", command[160];
	struct rwk_decode_options options = {0};
	struct tb_bytes other;
	struct tb_file from;
	struct decode_run r;

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int file = 0; file < 3; file++) {
		static const char *const names[] = {"data", "data.0", "data.1"};
		struct tb_bytes bytes;
		struct pb_perf p;

		pb_init(&p, false);
		p.without = PB_NO_SIZE;
		for (int i = 0; i < 20 && file; i++)
			pb_switch(&p, file, 1000 + (uint64_t)i * 10, i, 1, i + 1);
		if (file) {
			write_text(folder, names[file], (char *)p.records.data, p.records.len);
		} else {
			pb_build(&p, &bytes);
			write_text(folder, names[file], (char *)bytes.data, bytes.len);
			free(bytes.data);
		}
		pb_finish(&p);
	}
	build_other(false, false, &other);
	tb_file_init(&from);
	tb_file_set(&from, other.data, other.len);
	options.formats = from.path;
	decode_run_with(&r, folder, &options);
	if (r.open_err || r.next_err)
		fail_msg("%s", r.text);
	assert_int_equal(r.info.nr_events[RWK_EV_SWITCH], 40);
	assert_int_equal(r.info.nr_cpus, 3);
	assert_true(r.info.truncated);
	decode_run_finish(&r);
	tb_file_finish(&from);
	free(other.data);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* X2: both are input that anybody may have made. */
static void changed_at_random(void **state)
{
	struct tb_bytes killed, other;
	uint32_t seed = 42;

	(void)state;
	build_killed(false, 0, &killed);
	for (int i = 0; i < 300; i++) {
		struct tb_bytes changed = {0};
		struct decode_run r;

		build_other(false, i & 1, &other);
		tb_put(&changed, killed.data, killed.len);
		for (uint32_t k = 0; k < 1 + next_random(&seed) % 6; k++) {
			struct tb_bytes *b = i & 2 ? &other : &changed;

			b->data[next_random(&seed) % b->len] = (unsigned char)next_random(&seed);
		}
		run(&changed, &other, &r);
		assert_true(!r.open_err || r.diag.nr > 0);
		decode_run_finish(&r);
		free(changed.data);
		free(other.data);
	}
	free(killed.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_other_recordings),
		cmocka_unit_test(cut_everywhere),
		cmocka_unit_test(from_tracefs),
		cmocka_unit_test(of_another_kernel),
		cmocka_unit_test(not_of_use),
		cmocka_unit_test(some_are_its_own),
		cmocka_unit_test(one_damaged),
		cmocka_unit_test(folder_of_threads),
		cmocka_unit_test(changed_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
