/* The decoder of CTF traces, as LTTng records them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctf_build.h"
#include "decode/ctf_wire.h"
#include "decode_run.h"

/* As in test_decode_damage.c: what AddressSanitizer holds back makes each fork slow. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

struct place {
	char folder[256];
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	cb_folder_make(p->folder, sizeof(p->folder));
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	cb_folder_remove(p->folder);
	free(p);
	return 0;
}

static struct rwk_event task(enum rwk_event_kind kind, rwk_ns ts, int tid, int prio, int target)
{
	struct rwk_event ev = {.ts = ts,
		.tid = RWK_NONE,
		.kind = (uint8_t)kind,
		.task = {.tid = tid, .prio = prio, .target_cpu = target}};

	snprintf(ev.task.comm, RWK_COMM_LEN, "t%d", tid);
	return ev;
}

static struct rwk_event switched(rwk_ns ts, int prev, int64_t raw, int next)
{
	struct rwk_event ev = {.ts = ts,
		.tid = RWK_NONE,
		.kind = RWK_EV_SWITCH,
		.sw = {.prev_tid = prev,
			.prev_prio = 20,
			.next_tid = next,
			.next_prio = -2,
			.prev_state_raw = raw}};

	snprintf(ev.sw.prev_comm, RWK_COMM_LEN, "t%d", prev);
	memcpy(ev.sw.next_comm, "a name of 16 byt", RWK_COMM_LEN);
	return ev;
}

static struct rwk_event migrated(rwk_ns ts, int tid, int from, int to)
{
	struct rwk_event ev = {.ts = ts,
		.tid = RWK_NONE,
		.kind = RWK_EV_MIGRATE,
		.migrate = {.tid = tid, .prio = 39, .orig_cpu = from, .dest_cpu = to}};

	snprintf(ev.migrate.comm, RWK_COMM_LEN, "\xff\n%d", tid);
	return ev;
}

static struct rwk_event other(rwk_ns ts, int tid)
{
	return (struct rwk_event){.ts = ts, .tid = tid, .kind = RWK_EV_OTHER};
}

static void add(struct cb_trace *t, int stream, struct rwk_event ev)
{
	cb_event(t, stream, &ev);
}

/* Two CPUs: what a test looks for by its own means. */
static void fill(struct cb_trace *t)
{
	add(t, 0, task(RWK_EV_WAKING, 1000, 7, 20, 1));
	add(t, 1, switched(1010, 0, 0, 7));
	add(t, 1, task(RWK_EV_WAKEUP, 1020, 8, 20, 0));
	add(t, 0, switched(1020, 3, 1026, 8));
	add(t, 0, other(1025, 8));
	add(t, 0, task(RWK_EV_WAKING, 1030, 9, 0, 1));
	add(t, 1, migrated(1040, 9, 1, 0));
	cb_packet(t, 0, 0);
	add(t, 0, task(RWK_EV_WAKEUP_NEW, 1050, 10, 20, 0));
	add(t, 0, switched(1060, 8, 4096, 10));
}

/* Writes and decodes it. */
static void run(const struct place *p, struct cb_trace *t, struct decode_run *r)
{
	cb_write(t, p->folder);
	cb_finish(t);
	decode_run(r, p->folder);
}

static void run_well(const struct place *p, struct cb_trace *t, struct decode_run *r)
{
	run(p, t, r);
	if (r->open_err || r->next_err)
		fail_msg("%s", r->text);
	assert_false(r->info.truncated);
	for (int i = 0; i < RWK_AN_COUNT; i++)
		assert_int_equal(r->info.anomalies.of[i].count, 0);
}

static void check(const struct decode_run *r)
{
	const struct rwk_event *ev;

	assert_int_equal(r->nr, 9);
	ev = &r->event[0];
	assert_int_equal(ev->kind, RWK_EV_WAKING);
	assert_int_equal(ev->ts, 1000);
	assert_int_equal(ev->cpu, 0);
	assert_int_equal(ev->tid, RWK_NONE); /* who was there before the first switch? */
	assert_int_equal(ev->task.tid, 7);
	assert_int_equal(ev->task.prio, 120);
	assert_int_equal(ev->task.target_cpu, 1);
	assert_string_equal(ev->task.comm, "t7");
	ev = &r->event[1];
	assert_int_equal(ev->kind, RWK_EV_SWITCH);
	assert_int_equal(ev->cpu, 1);
	assert_int_equal(ev->tid, 0);
	assert_int_equal(ev->sw.prev_tid, 0);
	assert_int_equal(ev->sw.prev_prio, 120);
	assert_int_equal(ev->sw.prev_state, RWK_END_RUNNABLE);
	assert_int_equal(ev->sw.next_tid, 7);
	assert_int_equal(ev->sw.next_prio, 98);
	assert_memory_equal(ev->sw.next_comm, "a name of 16 byt", RWK_COMM_LEN);
	/* At one time: the wakeup before the switch. */
	assert_int_equal(r->event[2].kind, RWK_EV_WAKEUP);
	assert_int_equal(r->event[2].tid, 7);
	ev = &r->event[3];
	assert_int_equal(ev->kind, RWK_EV_SWITCH);
	assert_int_equal(ev->ts, 1020);
	assert_int_equal(ev->sw.prev_state_raw, 1026);
	assert_int_equal(ev->sw.prev_state, RWK_END_IDLE);
	assert_int_equal(r->event[4].task.prio, 100);
	assert_int_equal(r->event[4].tid, 8);
	ev = &r->event[5];
	assert_int_equal(ev->kind, RWK_EV_MIGRATE);
	assert_int_equal(ev->tid, 7);
	assert_int_equal(ev->migrate.tid, 9);
	assert_int_equal(ev->migrate.prio, 139);
	assert_int_equal(ev->migrate.orig_cpu, 1);
	assert_int_equal(ev->migrate.dest_cpu, 0);
	assert_string_equal(ev->migrate.comm, "\xff\n9");
	assert_int_equal(r->event[6].kind, RWK_EV_WAKEUP_NEW);
	assert_int_equal(r->event[7].sw.prev_state, RWK_END_PREEMPTED);
}

static void both_byte_orders(void **state)
{
	for (int i = 0; i < 8; i++) {
		struct cb_trace t;
		struct decode_run r;

		cb_init(&t);
		t.big_endian = i & 1;
		t.packed_metadata = i & 2;
		t.underscores = i & 4;
		fill(&t);
		/* Nothing of it stands for something in the trace before. */
		add(&t, 1, task(RWK_EV_WAKING, 1070, 11, -101, 0));
		run_well(*state, &t, &r);
		check(&r);
		assert_int_equal(r.event[8].task.prio, -1);
		assert_int_equal(r.info.nr_cpus, 2);
		assert_string_equal(r.info.release, "4.15.0-65-generic");
		assert_string_equal(r.info.clock, "monotonic");
		assert_int_equal(r.info.cpu[0].nr_events, 6);
		assert_int_equal(r.info.cpu[0].first_ts, 1000);
		assert_int_equal(r.info.cpu[0].last_ts, 1060);
		assert_true(r.info.has_format[RWK_EV_WAKING]);
		decode_run_finish(&r);
	}
}

/* With whom each event was written by, others tell who is there before the first switch. */
static void tasks_of_contexts(void **state)
{
	struct rwk_event waking = task(RWK_EV_WAKING, 30, 7, 20, 0);
	struct cb_trace t;
	struct decode_run r;

	cb_init(&t);
	t.tids = true;
	waking.tid = 6;
	add(&t, 0, other(10, 5));
	add(&t, 0, waking);
	waking = switched(40, 6, 1, 0);
	waking.tid = 6;
	add(&t, 0, waking);
	add(&t, 0, other(50, 0));
	run_well(*state, &t, &r);
	assert_int_equal(r.nr, 3);
	assert_int_equal(r.event[0].kind, RWK_EV_OTHER);
	assert_int_equal(r.event[0].tid, 5);
	assert_int_equal(r.event[1].tid, 6);
	assert_int_equal(r.event[2].tid, 6);
	assert_int_equal(r.info.cpu[0].nr_events, 4);
	assert_int_equal(r.info.cpu[0].last_ts, 50);
	decode_run_finish(&r);
}

/* Of 2.5, priorities of wakeups are the kernel's; of 2.7, values tell, and of others nothing. */
static void priorities(void **state)
{
	static const struct {
		const char *tracer;
		int minor, stored, want, want_switch;
	} cases[] = {
		{"lttng-modules", 5, 120, 120, 120},
		{"lttng-modules", 5, 20, 20, 120},
		{"lttng-modules", 7, 120, 120, 120},
		{"lttng-modules", 7, -60, 40, 120},
		{"lttng-modules", 7, 20, RWK_PRIO_UNKNOWN, 120},
		{"lttng-modules", 13, 20, 120, 120},
		{"somebody", 13, 20, RWK_PRIO_UNKNOWN, RWK_PRIO_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cb_trace t;
		struct decode_run r;

		cb_init(&t);
		t.old_wakeups = true;
		t.tracer = cases[i].tracer;
		t.tracer_minor = cases[i].minor;
		add(&t, 0, task(RWK_EV_WAKEUP, 10, 7, cases[i].stored, 0));
		add(&t, 0, switched(20, 1, 1, 2));
		run_well(*state, &t, &r);
		assert_int_equal(r.event[0].task.prio, cases[i].want);
		assert_int_equal(r.event[1].sw.prev_prio, cases[i].want_switch);
		decode_run_finish(&r);
	}
}

/* A kernel that nobody names: the metadata's own names tell, as far as they go. */
static void named_states(void **state)
{
	for (int named = 0; named < 2; named++) {
		struct cb_trace t;
		struct decode_run r;

		cb_init(&t);
		t.release = "";
		t.named_states = named;
		add(&t, 0, switched(10, 1, 128, 2));
		add(&t, 0, switched(20, 2, 1026, 3));
		add(&t, 0, switched(30, 3, 128, 4));
		run_well(*state, &t, &r);
		assert_int_equal(r.event[0].sw.prev_state, RWK_END_UNKNOWN);
		assert_int_equal(r.event[1].sw.prev_state, named ? RWK_END_IDLE : RWK_END_UNKNOWN);
		assert_int_equal(r.event[2].sw.prev_state, named ? RWK_END_DEAD : RWK_END_UNKNOWN);
		decode_run_finish(&r);
	}
}

static void lost_events(void **state)
{
	struct cb_trace t;
	struct decode_run r;

	cb_init(&t);
	add(&t, 0, switched(10, 1, 1, 2));
	cb_packet(&t, 0, 0);
	add(&t, 1, switched(15, 1, 1, 2));
	add(&t, 0, task(RWK_EV_WAKING, 20, 7, 20, 0));
	cb_packet(&t, 0, 42);
	run(*state, &t, &r);
	assert_int_equal(r.open_err | r.next_err, 0);
	assert_int_equal(r.nr, 4);
	assert_int_equal(r.event[2].kind, RWK_EV_LOST);
	assert_int_equal(r.event[2].ts, 20);
	assert_int_equal(r.event[2].cpu, 0);
	assert_int_equal(r.event[2].lost.count, 42);
	assert_int_equal(r.event[2].lost.from_ts, 10);
	assert_int_equal(r.event[3].tid, RWK_NONE);
	assert_int_equal(r.info.cpu[0].nr_lost, 42);
	decode_run_finish(&r);
}

static void cpus_of_the_machine(void **state)
{
	struct cb_trace t;
	struct decode_run r;

	cb_init(&t);
	t.first_cpu = 1022;
	fill(&t);
	run_well(*state, &t, &r);
	assert_int_equal(r.info.nr_cpus, 1024);
	assert_false(r.info.cpu[0].present);
	assert_int_equal(r.event[0].cpu, 1022);
	decode_run_finish(&r);

	cb_init(&t);
	t.first_cpu = 1023;
	fill(&t);
	run(*state, &t, &r);
	assert_int_equal(r.open_err, -ERANGE);
	assert_non_null(strstr(r.text, "cpu=1024"));
	decode_run_finish(&r);
}

static void impossible_values(void **state)
{
	struct cb_trace t;
	struct decode_run r;

	cb_init(&t);
	add(&t, 0, task(RWK_EV_WAKING, 10, -7, 20, 0));
	add(&t, 0, task(RWK_EV_WAKING, 20, 7, 20, 5000));
	add(&t, 0, migrated(30, 7, 0, 1 << 30));
	add(&t, 0, switched(40, -1, 1, 2));
	add(&t, 0, task(RWK_EV_WAKING, 50, 7, 20, 0));
	run(*state, &t, &r);
	assert_int_equal(r.open_err | r.next_err, 0);
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 2);
	assert_int_equal(r.info.anomalies.of[RWK_AN_CPU_OUT_OF_RANGE].count, 2);
	decode_run_finish(&r);
}

/* babeltrace2 finds the same events, at the same times, on the same CPUs. */
static void as_babeltrace2_prints(void **state)
{
	const struct place *p = *state;
	char command[512], line[1024];
	size_t nr = 0;
	struct cb_trace t;
	struct decode_run r;
	FILE *f;

	if (system("babeltrace2 --version >/dev/null 2>&1"))
		skip();
	cb_init(&t);
	t.big_endian = true;
	t.clock_offset = 1571238431155326264;
	fill(&t);
	run_well(p, &t, &r);
	snprintf(command, sizeof(command), "babeltrace2 --clock-seconds --no-delta %s", p->folder);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		long long s, ns;
		char name[32];
		bool found = false;
		int cpu;

		if (sscanf(line, "[%lld.%lld] box %31[a-z_]: { cpu_id = %d }", &s, &ns, name,
			    &cpu) != 4)
			fail_msg("%s", line);
		for (size_t i = 0; i < r.nr; i++)
			found |= r.event[i].ts == s * 1000000000 + ns && r.event[i].cpu == cpu &&
				 !strcmp(rwk_event_kind_name(r.event[i].kind), name);
		/* Of others we only give out what tells who is there. */
		if (!strcmp(name, "timer_start"))
			continue;
		if (!found)
			fail_msg("not found: %s", line);
		nr++;
	}
	pclose(f);
	assert_int_equal(nr, r.nr);
	assert_int_equal(nr, 8);
	decode_run_finish(&r);
}

static void fails(const char *path, int err, const char *words)
{
	struct decode_run r;

	decode_run(&r, path);
	if (r.open_err != err || !strstr(r.text, words))
		fail_msg("%d (%s), not %d (%s)", r.open_err, r.text, err, words);
	decode_run_finish(&r);
}

static void which_folder(void **state)
{
	const struct place *p = *state;
	struct cb_trace t;
	struct decode_run r;
	char path[512];

	fails(p->folder, -EISDIR, "is a directory");
	for (int i = 0; i < 3; i++) {
		static const char *const below[] = {"s/ust/uid/0/64-bit", "s/kernel", "u/kernel"};

		cb_init(&t);
		t.domain = i ? "kernel" : "ust";
		add(&t, 0, switched(10 + i, 1, 1, 2));
		snprintf(path, sizeof(path), "%s/%s", p->folder, below[i]);
		cb_write(&t, path);
		cb_finish(&t);
		if (i == 2) {
			fails(p->folder, -ENOTSUP, "several kernel traces below it");
			fails(p->folder, -ENOTSUP, "s/kernel");
			continue;
		}
		decode_run(&r, p->folder);
		assert_int_equal(r.open_err | r.next_err, 0);
		assert_int_equal(r.nr, 1);
		assert_int_equal(r.event[0].ts, 10 + i);
		decode_run_finish(&r);
	}
	snprintf(path, sizeof(path), "%s/s/kernel/metadata", p->folder);
	fails(path, -ENOTSUP, "give the folder");
	snprintf(path, sizeof(path), "%s/s/kernel/channel0_0", p->folder);
	fails(path, -ENOTSUP, "format=CTF stream why=it is a part of a trace");
}

/* By packets that have begun: it never goes back, and is 1000 at the end only. */
static void progress(void **state)
{
	struct place *p = *state;
	struct rwk_decode *dec;
	struct cb_trace t;
	struct rwk_event ev;
	int last = 0, nr_steps = 0;

	cb_init(&t);
	for (int i = 0; i < 40; i++) {
		struct rwk_event wake = task(RWK_EV_WAKING, 1000 + i * 10, 7, 20, 0);

		cb_event(&t, i % 2, &wake);
		if (i % 5 == 4)
			cb_packet(&t, i % 2, 0);
	}
	cb_write(&t, p->folder);
	cb_finish(&t);
	assert_int_equal(rwk_decode_open(p->folder, NULL, &dec), 0);
	assert_int_equal(rwk_decode_permille(dec), 0);
	for (int i = 0; i < 40; i++) {
		int now;

		assert_int_equal(rwk_decode_next(dec, &ev, NULL), 1);
		now = rwk_decode_permille(dec);
		assert_true(now >= last);
		nr_steps += now > last;
		last = now;
	}
	assert_true(nr_steps >= 5);
	assert_int_equal(rwk_decode_next(dec, &ev, NULL), 0);
	assert_int_equal(rwk_decode_permille(dec), 1000);
	rwk_decode_close(dec);
}

static void without_the_library(void **state)
{
	const struct place *p = *state;
	struct cb_trace t;

	cb_init(&t);
	fill(&t);
	cb_write(&t, p->folder);
	cb_finish(&t);
	fails(p->folder, -ENOTSUP, "built without libbabeltrace2");
}

/* What the environment names is not looked at. */
static void environment(void **state)
{
	struct cb_trace t;
	struct decode_run r;

	assert_int_equal(setenv("BABELTRACE_PLUGIN_PATH", "/nonexistent", 1), 0);
	assert_int_equal(setenv("HOME", "/nonexistent", 1), 0);
	cb_init(&t);
	fill(&t);
	run_well(*state, &t, &r);
	assert_int_equal(r.nr, 8);
	assert_string_equal(getenv("BABELTRACE_PLUGIN_PATH"), "/nonexistent");
	decode_run_finish(&r);
}

int main(void)
{
	const struct CMUnitTest with[] = {
		cmocka_unit_test_setup_teardown(both_byte_orders, setup, teardown),
		cmocka_unit_test_setup_teardown(tasks_of_contexts, setup, teardown),
		cmocka_unit_test_setup_teardown(priorities, setup, teardown),
		cmocka_unit_test_setup_teardown(named_states, setup, teardown),
		cmocka_unit_test_setup_teardown(lost_events, setup, teardown),
		cmocka_unit_test_setup_teardown(cpus_of_the_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(impossible_values, setup, teardown),
		cmocka_unit_test_setup_teardown(as_babeltrace2_prints, setup, teardown),
		cmocka_unit_test_setup_teardown(which_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(progress, setup, teardown),
		cmocka_unit_test_setup_teardown(environment, setup, teardown),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test_setup_teardown(without_the_library, setup, teardown),
	};

	return rwk_ctf_built ? cmocka_run_group_tests(with, NULL, NULL)
			     : cmocka_run_group_tests(without, NULL, NULL);
}
