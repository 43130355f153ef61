/*
 * Event formats: looked up by the libraries in a child process, which some texts
 * are deadly to; what comes back is taken as hostile.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/isolate.h"
#include "decode/tracedat_layout.h"
#include "decode/tracedat_lookup.h"
#include "decode/tracedat_record.h"
#include "decode_run.h"
#include "tracedat_build.h"

static const char waking_text[] =
	"name: sched_waking\nID: 302\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"pid=%d\", REC->pid\n";

static void add(struct rwk_tracedat_texts *t, const char *system, const char *text)
{
	assert_int_equal(rwk_tracedat_texts_add(t, system, text, strlen(text)), 0);
}

static bool is_other(const struct rwk_tracedat_texts *t, int id)
{
	return t->other[id / 64] >> (id % 64) & 1;
}

static void texts_are_told_apart(void **state)
{
	struct rwk_tracedat_texts t = {0};

	(void)state;
	add(&t, "sched", waking_text);
	add(&t, "sched", "name: sched_waking\nID: 400\nformat:\n"); /* a second one of that name */
	add(&t, "other", "name: sched_switch\nID: 401\nformat:\n"); /* of another system */
	add(&t, "sched", "name: sched_wakin\nID: 402\nformat:\n");
	add(&t, "sched", "name: sched_switch\nID: 403 \nformat:\n\nprint fmt: \"a\", b\nc");
	add(&t, "rewake", "name: sel\nID: 65536\nformat:\n");
	add(&t, "rewake", "name: sel_ret\nID: -1\nformat:\n");
	add(&t, "rewake", "name: sel_ret\nformat:\nID: 404\n");
	add(&t, "rewake", "name: sel\nID: \nformat:\n");
	add(&t, "sched", "");
	add(&t, "sched", "\n\n\nID: 65535");
	assert_int_equal(t.of[RWK_EV_WAKING].id, 302);
	assert_non_null(strstr(t.of[RWK_EV_WAKING].text, "field:pid_t pid;"));
	assert_null(strstr(t.of[RWK_EV_WAKING].text, "REC->pid"));
	assert_string_equal(t.of[RWK_EV_WAKING].print_fmt, "print fmt: \"pid=%d\", REC->pid\n");
	assert_int_equal(t.of[RWK_EV_SWITCH].id, 403);
	assert_string_equal(t.of[RWK_EV_SWITCH].print_fmt, "print fmt: \"a\", b\nc");
	assert_null(t.of[RWK_EV_SEL].text);
	assert_null(t.of[RWK_EV_SEL_RET].text);
	assert_int_equal(t.of[RWK_EV_OTHER].id, 401);
	assert_true(is_other(&t, 401));
	assert_true(is_other(&t, 402));
	assert_true(is_other(&t, 65535));
	assert_false(is_other(&t, 302));
	assert_false(is_other(&t, 400));
	assert_false(is_other(&t, 403));
	assert_false(is_other(&t, 404));
	rwk_tracedat_texts_finish(&t);
}

/* A whole file's headers, as far as formats are concerned. */
struct head {
	struct tb_file name;
	struct rwk_file file;
	struct rwk_tracedat_layout layout;
	struct rwk_tracedat_texts texts;
	struct rwk_trace_info info;
	struct rwk_lookup_source source;
};

static void open_head(struct head *h, struct tb_trace *t)
{
	struct rwk_diag diag = {0};
	struct tb_bytes bytes;

	*h = (struct head){0};
	tb_build(t, &bytes);
	tb_file_init(&h->name);
	tb_file_set(&h->name, bytes.data, bytes.len);
	free(bytes.data);
	assert_int_equal(rwk_file_open(h->name.path, &diag, &h->file), 0);
	assert_int_equal(
		rwk_tracedat_layout_read(&h->layout, &h->file, &h->texts, &h->info, &diag), 0);
	h->source = (struct rwk_lookup_source){
		.path = h->name.path,
		.name = "t.dat",
		.texts = &h->texts,
		.kinds = UINT32_MAX,
		.big_endian = h->layout.big_endian,
		.long_size = h->layout.commit_size,
	};
}

static void close_head(struct head *h)
{
	rwk_tracedat_texts_finish(&h->texts);
	rwk_tracedat_layout_finish(&h->layout);
	rwk_file_close(&h->file);
	tb_file_finish(&h->name);
}

static const struct rwk_isolate_limits limits = {256 << 20, 5, 60000};

/* Both ways of asking give the same, byte by byte but for the event that stands for all others. */
static void both_look_ups_agree(void **state)
{
	(void)state;
	for (int i = 0; i < 16; i++) {
		struct rwk_lookup in_file = {0}, in_texts = {0};
		char why[RWK_ISOLATE_WHY];
		struct tb_trace t;
		struct head h;

		tb_init(&t);
		t.version = i & 1 ? 6 : 7;
		t.big_endian = i & 2;
		t.long_size = i & 4 ? 4 : 8;
		t.compression = i & 8 && t.version == 7 ? TB_ZSTD : TB_PLAIN;
		tb_add_format(&t, &tb_sel_state12);
		tb_add_format(&t, &tb_sel_state0);
		tb_put_switch(&t, 0, 1000, 0, 0, 10);
		open_head(&h, &t);
		assert_int_equal(rwk_isolate_run(&limits, rwk_lookup_in_file, &h.source, &in_file,
					 sizeof(in_file), why),
			0);
		assert_int_equal(rwk_isolate_run(&limits, rwk_lookup_in_texts, &h.source, &in_texts,
					 sizeof(in_texts), why),
			0);
		assert_int_equal(in_file.event[RWK_EV_SWITCH].id, 301);
		assert_int_equal(in_file.event[RWK_EV_SWITCH].of[RWK_FIELD_STATE].size, 8);
		assert_int_equal(in_file.event[RWK_EV_MIGRATE].of[RWK_LOOKUP_COMM].form,
			RWK_STRING_DATA_LOC);
		assert_int_equal(in_file.nr_halves, 7);
		assert_int_equal(in_file.nr_states, 2);
		assert_int_equal(in_file.nr_state_fields, 12);
		assert_true(in_file.event[RWK_EV_OTHER].found);
		in_file.event[RWK_EV_OTHER] = in_texts.event[RWK_EV_OTHER];
		assert_memory_equal(&in_file, &in_texts, sizeof(in_file));
		close_head(&h);
		tb_finish(&t);
	}
}

/* Neither library gives anything: both are named, with what became of them, and the file. */
static void both_refuse(void **state)
{
	struct rwk_tracedat_texts texts = {0};
	const struct rwk_lookup_source source = {
		.path = "/nonexistent", .name = "t.dat", .texts = &texts, .long_size = 8};
	struct rwk_tracedat_formats f = {0};
	struct rwk_diag diag = {0};
	char text[1024];

	(void)state;
	assert_int_equal(rwk_tracedat_formats_read(&f, &source, &diag), -EBADMSG);
	rwk_diag_format(&diag, text, sizeof(text));
	assert_non_null(strstr(text, "file=t.dat"));
	assert_non_null(strstr(text, "libtraceevent had no format to read"));
	rwk_tracedat_formats_finish(&f);
	add(&texts, "sched", "ID: 3\nformat:\n"); /* nameless */
	assert_int_equal(rwk_tracedat_formats_read(&f, &source, &diag), -EBADMSG);
	rwk_tracedat_formats_finish(&f);
	rwk_tracedat_texts_finish(&texts);
	/* And with one text that says something, all is well. */
	add(&texts, "sched", waking_text);
	assert_int_equal(rwk_tracedat_formats_read(&f, &source, &diag), 0);
	assert_true(f.format[RWK_EV_WAKING].present);
	assert_false(f.format[RWK_EV_WAKING].broken);
	assert_int_equal(f.type.size, 2);
	rwk_tracedat_formats_finish(&f);
	rwk_tracedat_texts_finish(&texts);
}

static void put_some(struct tb_trace *t)
{
	tb_put_switch(t, 0, 1000, 0, 0, 50);
	tb_put_task(t, 0, 2000, &tb_waking, 50, 60, 1);
	tb_put_switch(t, 0, 3000, 50, 0x20, 0);
}

static void decode(struct decode_run *r, struct tb_trace *t)
{
	struct tb_bytes bytes;
	struct tb_file file;

	tb_build(t, &bytes);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	decode_run(r, file.path);
	tb_file_finish(&file);
	free(bytes.data);
	if (r->open_err || r->next_err)
		fail_msg("%s", r->text);
}

/*
 * X5.  Names a field that the event lacks as one of flags, a byte's change away
 * from what kernels write: libtraceevent 1.7 follows a NULL.  The fields, and the
 * states that the text goes on to name, are told all the same.
 */
static void deadly_print_fmt(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		struct tb_format damaged = tb_switch;
		char *fmt = strdup(tb_switch.print_fmt), *at;
		struct decode_run r;
		struct tb_trace t;

		assert_non_null(fmt);
		at = strstr(fmt, "__print_flags(REC->prev_state");
		assert_non_null(at);
		at[strlen("__print_flags(REC->")] = 't';
		damaged.print_fmt = fmt;
		tb_init(&t);
		t.version = version;
		tb_add_format(&t, &damaged);
		put_some(&t);
		decode(&r, &t);
		assert_int_equal(r.nr, 3);
		assert_true(r.info.has_format[RWK_EV_SWITCH]);
		assert_int_equal(
			decode_run_find(&r, RWK_EV_SWITCH, 1)->sw.prev_state, RWK_END_ZOMBIE);
		assert_int_equal(decode_run_find(&r, RWK_EV_WAKING, 0)->task.tid, 60);
		assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 0);
		decode_run_finish(&r);
		tb_finish(&t);
		free(fmt);
	}
}

/*
 * A control character where an array's length was: libtraceevent 1.7 dies of it
 * wherever it meets the text.  It costs that event's records, which are counted,
 * and no others.
 */
static void deadly_field(void **state)
{
	static const struct tb_format damaged = {"sched", "sched_waking", 302,
		{{"unsigned short common_type", 0, 2, 0}, {"int common_pid", 4, 4, 1},
			{"char comm[\x08"
			 "6]",
				24, 16, 0},
			{"pid_t pid", 16, 4, 1}, {"int prio", 20, 4, 1},
			{"int target_cpu", 12, 4, 1}},
		"\"\""};

	(void)state;
	for (int version = 6; version <= 7; version++) {
		struct decode_run r;
		struct tb_trace t;

		tb_init(&t);
		t.version = version;
		tb_add_format(&t, &damaged);
		put_some(&t);
		decode(&r, &t);
		assert_int_equal(r.info.nr_events[RWK_EV_SWITCH], 2);
		assert_int_equal(
			decode_run_find(&r, RWK_EV_SWITCH, 1)->sw.prev_state, RWK_END_ZOMBIE);
		/* A library that survives it may well know the event's other fields. */
		assert_int_equal(r.info.nr_events[RWK_EV_WAKING] +
					 r.info.anomalies.of[RWK_AN_BAD_RECORD].count,
			1);
		assert_int_equal(r.info.has_format[RWK_EV_WAKING], r.info.nr_events[RWK_EV_WAKING]);
		assert_true(r.info.has_format[RWK_EV_MIGRATE]);
		decode_run_finish(&r);
		tb_finish(&t);
	}
}

/* Nothing but such a text, and not even libtracecmd to open: it ends in words. */
static void nothing_but_a_deadly_field(void **state)
{
	struct rwk_tracedat_texts texts = {0};
	const struct rwk_lookup_source source = {
		.path = "/nonexistent", .name = "t.dat", .texts = &texts, .long_size = 8};
	struct rwk_tracedat_formats f = {0};
	struct rwk_diag diag = {0};
	char text[1024];
	int err;

	(void)state;
	add(&texts, "sched",
		"name: sched_waking\nID: 302\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:char comm[\x08"
		"6];\toffset:24;\tsize:16;\tsigned:0;\n");
	err = rwk_tracedat_formats_read(&f, &source, &diag);
	rwk_diag_format(&diag, text, sizeof(text));
	assert_true(err == 0 || err == -EBADMSG);
	if (err)
		assert_non_null(strstr(text, "libtraceevent died"));
	rwk_tracedat_formats_finish(&f);
	rwk_tracedat_texts_finish(&texts);
}

/* Decodes records of all ids and lengths by formats that were taken from who knows where. */
static void decode_all(const struct rwk_tracedat_formats *f)
{
	struct rwk_record_reader reader = {.formats = f};

	rwk_prev_state_init(&reader.prev_state, f->state_fmt, (struct rwk_version){0});
	for (uint32_t size = 0; size <= 512; size += size < 80 ? 1 : 48) {
		/* Of exactly that size, so that a byte too far is found. */
		unsigned char *data = malloc(size + !size);

		assert_non_null(data);
		for (int id = 0; id < 16; id++) {
			struct rwk_ev_probe probe;
			struct rwk_event ev;
			int got;

			memset(data, id, size);
			rwk_record_decode(&reader, data, size, &ev, &probe, &got);
		}
		free(data);
	}
}

static void check(const struct rwk_lookup *found, const struct rwk_tracedat_texts *texts)
{
	struct rwk_tracedat_formats f = {0};

	assert_int_equal(rwk_tracedat_formats_take(&f, found, texts), 0);
	for (int kind = 0; kind < RWK_EV_COUNT; kind++)
		assert_in_range(f.format[kind].need, 0, 65000);
	decode_all(&f);
	rwk_tracedat_formats_finish(&f);
}

/* In the long arrays of sel_state events, behind those that there are. */
static bool is_unused(const struct rwk_lookup *l, size_t at)
{
	size_t state = offsetof(struct rwk_lookup, state),
	       field = offsetof(struct rwk_lookup, state_field);

	return at >= field ? at >= field + (size_t)l->nr_state_fields * sizeof(l->state_field[0])
			   : at >= state + (size_t)l->nr_states * sizeof(l->state[0]);
}

/* One number wrong at a time, then all of them, then everything at random. */
static void hostile_answers(void **state)
{
	static const int32_t numbers[] = {
		-1, 0, 1, 3, 4, 64996, 64997, 65000, 65536, INT32_MAX, INT32_MIN};
	struct rwk_tracedat_texts texts = {0};
	struct rwk_lookup found, good = {0};
	char why[RWK_ISOLATE_WHY];
	uint32_t seed = 42;
	struct tb_trace t;
	struct head h;

	(void)state;
	tb_init(&t);
	tb_add_format(&t, &tb_sel_state0);
	tb_add_format(&t, &tb_sel_state12);
	tb_put_switch(&t, 0, 1000, 0, 0, 10);
	open_head(&h, &t);
	assert_int_equal(
		rwk_isolate_run(&limits, rwk_lookup_in_texts, &h.source, &good, sizeof(good), why),
		0);
	for (int kind = 0; kind < RWK_EV_COUNT; kind++)
		good.event[kind].id = kind; /* ids that decode_all() goes through */
	for (int i = 0; i < good.nr_states; i++)
		good.state[i].id = RWK_EV_COUNT + i;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (size_t at = 0; at < sizeof(found); at += 4 * (1 + at % 20)) {
			if (is_unused(&good, at))
				continue;
			found = good;
			memcpy((char *)&found + at, &numbers[i], 4);
			check(&found, &texts);
		}
		found = good;
		found.nr_halves = found.nr_states = found.nr_state_fields = numbers[i];
		check(&found, &texts);
		for (size_t at = 0; at < sizeof(found); at += 4)
			memcpy((char *)&found + at, &numbers[i], 4);
		check(&found, &texts);
	}
	for (int i = 0; i < 200; i++) {
		for (size_t at = 0; at < sizeof(found); at++) {
			seed = seed * 1664525 + 1013904223;
			/* Small numbers are the more dangerous ones. */
			((unsigned char *)&found)[at] =
				at % 4 < 1 || i % 4 == 0 ? (unsigned char)(seed >> 24) : 0;
		}
		check(&found, &texts);
	}
	close_head(&h);
	tb_finish(&t);
}

/* An event that the file describes and the library says nothing of is broken, not unknown. */
static void event_that_was_not_found(void **state)
{
	struct rwk_tracedat_texts texts = {0};
	struct rwk_tracedat_formats f = {0};
	struct rwk_lookup found = {0};

	(void)state;
	add(&texts, "sched", waking_text);
	add(&texts, "irq", "name: irq_handler_entry\nID: 17\nformat:\n");
	assert_int_equal(rwk_tracedat_formats_take(&f, &found, &texts), 0);
	assert_int_equal(rwk_tracedat_format_find(&f, 302)->kind, RWK_EV_WAKING);
	assert_true(rwk_tracedat_format_find(&f, 302)->broken);
	assert_int_equal(rwk_tracedat_format_find(&f, 17)->kind, RWK_EV_OTHER);
	assert_null(rwk_tracedat_format_find(&f, 0));
	assert_null(rwk_tracedat_format_find(&f, 65536));
	assert_false(f.format[RWK_EV_SWITCH].present);
	rwk_tracedat_formats_finish(&f);
	rwk_tracedat_texts_finish(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_told_apart),
		cmocka_unit_test(both_look_ups_agree),
		cmocka_unit_test(both_refuse),
		cmocka_unit_test(deadly_print_fmt),
		cmocka_unit_test(deadly_field),
		cmocka_unit_test(nothing_but_a_deadly_field),
		cmocka_unit_test(hostile_answers),
		cmocka_unit_test(event_that_was_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
