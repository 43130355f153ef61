/* The texts of probe events for kernels of several releases. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/extra.h"
#include "record/probe_plan.h"

#define S32(at)     ((struct rwk_btf_member){.offset = (at), .size = 4, .is_signed = true})
#define U32(at)     ((struct rwk_btf_member){.offset = (at), .size = 4})
#define U64(at)     ((struct rwk_btf_member){.offset = (at), .size = 8})
#define POINTER(at) ((struct rwk_btf_member){.offset = (at), .size = 8, .is_pointer = true})

static const int two_llcs[] = {0, 4};

/* 6.1 of Debian on two cache domains of four CPUs. */
static struct rwk_probe_facts facts_6_1(void)
{
	struct rwk_probe_facts f = {
		.kernel = {6, 1, 0},
		.prev_place = 2,
		.flags_place = 3,
		.pointer_size = 8,
		.flips = U32(72),
		.recent = S32(96),
		.nr_cpus_allowed = S32(976),
		.last_wakee = POINTER(88),
		.tid = S32(2416),
		.has_idle_cores = S32(8),
		.nr_idle_scan = S32(12),
		.nr_running = U32(4),
		.ttwu_pending = U32(40),
		.curr = POINTER(2424),
		.load = U64(256),
		.has_llc_shared = true,
		.llc_shared = 0x20230,
		.has_runqueues = true,
		.runqueues = 0x31900,
		.llc_cpu = two_llcs,
		.nr_llc = 2,
	};

	for (int cpu = 0; cpu < 6; cpu++)
		rwk_cpuset_add(&f.cpus, cpu);
	return f;
}

static struct rwk_probe_plan plan(const struct rwk_probe_facts *f, enum rwk_probe_level level)
{
	struct rwk_probe_plan p;

	assert_int_equal(rwk_probe_plan_make(&p, f, level, NULL), 0);
	assert_int_equal(p.level, level);
	return p;
}

static void none_is_nothing(void **state)
{
	struct rwk_probe_facts f = {.no_kprobes = "why", .no_fprobes = "why", .no_btf = "why"};
	struct rwk_probe_plan p = plan(&f, RWK_PROBE_LEVEL_NONE);

	(void)state;
	assert_int_equal(p.nr_events, 0);
	rwk_probe_plan_finish(&p);
}

/* Without BTF the release decides which argument the flags are. */
static void flags_by_release(void **state)
{
	static const struct {
		struct rwk_version kernel;
		int prev_place, flags_place;
		const char *want;
	} cases[] = {
		{{4, 19, 0}, 0, 0, "prev=$arg2:s32 wf=$arg4:x32"},
		{{5, 10, 223}, 0, 0, "prev=$arg2:s32 wf=$arg4:x32"},
		{{5, 11, 0}, 0, 0, "prev=$arg2:s32 wf=$arg3:x32"},
		{{6, 1, 0}, 0, 0, "prev=$arg2:s32 wf=$arg3:x32"},
		{{7, 3, 4}, 0, 0, "prev=$arg2:s32 wf=$arg3:x32"},
		/* A vendor's 5.10 with a newer scheduler says so itself. */
		{{5, 10, 0}, 2, 3, "prev=$arg2:s32 wf=$arg3:x32"},
		{{9, 9, 0}, 5, 7, "prev=$arg5:s32 wf=$arg7:x32"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_probe_facts f = {.kernel = cases[i].kernel,
			.no_btf = "none",
			.prev_place = cases[i].prev_place,
			.flags_place = cases[i].flags_place};
		struct rwk_probe_plan p = plan(&f, RWK_PROBE_LEVEL_FLAGS);

		assert_int_equal(p.nr_events, 2);
		assert_string_equal(p.event[0].name, "sel");
		assert_int_equal(p.event[0].type, RWK_DYNEVENT_KPROBE);
		assert_string_equal(p.event[0].fetch, cases[i].want);
		assert_string_equal(p.event[1].name, "sel_ret");
		assert_int_equal(p.event[1].type, RWK_DYNEVENT_KRETPROBE);
		assert_string_equal(p.event[1].fetch, "cpu=$retval:s32");
		assert_string_equal(p.note, "");
		rwk_probe_plan_finish(&p);
	}
}

static void hidden_on_6_1(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);

	(void)state;
	assert_int_equal(p.nr_events, 2);
	assert_string_equal(p.event[0].fetch,
		"prev=$arg2:s32 wf=$arg3:x32 flips=+72($arg1):u32 recent=+96($arg1):s32 "
		"nca=+976($arg1):s32 lastw=+2416(+88($arg1)):s32 "
		"scan0=+12(+131632(@__per_cpu_offset+0)):s32 "
		"core0=+8(+131632(@__per_cpu_offset+0)):s32 "
		"scan4=+12(+131632(@__per_cpu_offset+32)):s32 "
		"core4=+8(+131632(@__per_cpu_offset+32)):s32");
	assert_string_equal(p.event[1].fetch, "cpu=$retval:s32");
	assert_int_equal(p.nr_llc, 2);
	assert_string_equal(p.note, "");
	rwk_probe_plan_finish(&p);
}

/* From 6.15 on the address of a per-CPU variable is a full one: negative to the kernel. */
static void hidden_on_7_3(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan p;

	(void)state;
	f.kernel = (struct rwk_version){7, 3, 4};
	f.nr_cpus_allowed = S32(1432);
	f.tid = S32(2872);
	f.llc_shared = 0xffffffff82e1c230;
	f.nr_llc = 1;
	p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
	assert_string_equal(p.event[0].fetch,
		"prev=$arg2:s32 wf=$arg3:x32 flips=+72($arg1):u32 recent=+96($arg1):s32 "
		"nca=+1432($arg1):s32 lastw=+2872(+88($arg1)):s32 "
		"scan0=+12(-2099133904(@__per_cpu_offset+0)):s32 "
		"core0=+8(-2099133904(@__per_cpu_offset+0)):s32");
	rwk_probe_plan_finish(&p);
}

/* No nr_idle_scan before 5.19: a constant that says so, where the kernel has constants. */
static void hidden_on_5_10(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan p;

	(void)state;
	f.kernel = (struct rwk_version){5, 10, 223};
	f.flags_place = 4;
	f.nr_idle_scan = (struct rwk_btf_member){0};
	f.nr_llc = 1;
	p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
	assert_string_equal(p.event[0].fetch,
		"prev=$arg2:s32 wf=$arg4:x32 flips=+72($arg1):u32 recent=+96($arg1):s32 "
		"nca=+976($arg1):s32 lastw=+2416(+88($arg1)):s32 "
		"scan0=\\-1:s32 core0=+8(+131632(@__per_cpu_offset+0)):s32");
	assert_string_equal(p.note, "no nr_idle_scan in this kernel");
	rwk_probe_plan_finish(&p);

	f.kernel = (struct rwk_version){5, 4, 0};
	p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
	assert_null(strstr(p.event[0].fetch, "scan"));
	assert_non_null(strstr(p.note, "nothing of cache domains"));
	rwk_probe_plan_finish(&p);
}

/* Fprobes stand in where there are no kprobes, with the same fields; not for the state of CPUs. */
static void fprobes_stand_in(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan with = plan(&f, RWK_PROBE_LEVEL_HIDDEN), p;
	struct rwk_dynevent_text text;
	char *line;

	(void)state;
	assert_null(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_STATE));
	strcpy(f.no_kprobes, "they are switched off");
	assert_null(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_HIDDEN));
	assert_string_equal(
		rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_STATE), "they are switched off");
	p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
	assert_int_equal(p.nr_events, 2);
	assert_int_equal(p.event[0].type, RWK_DYNEVENT_FPROBE);
	assert_int_equal(p.event[1].type, RWK_DYNEVENT_FRETPROBE);
	for (int i = 0; i < 2; i++)
		assert_string_equal(p.event[i].fetch, with.event[i].fetch);
	assert_string_equal(p.note,
		"by fprobes, whose misses the kernel does not count: they are switched off");
	text = rwk_probe_event_text(&p.event[1]);
	line = rwk_dynevent_format(&text, "rewake");
	assert_string_equal(line, "f:rewake/sel_ret select_task_rq_fair%return cpu=$retval:s32");
	free(line);
	strcpy(f.no_fprobes, "none either");
	assert_string_equal(
		rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_FLAGS), "they are switched off");
	rwk_probe_plan_finish(&p);
	rwk_probe_plan_finish(&with);
}

static void lines_of_the_kernel(void **state)
{
	char group[96], name[24], *line;

	(void)state;
	line = rwk_dynevent_format(&rwk_nr_event, "rewake_1_2_3_4");
	assert_string_equal(line,
		"t:rewake_1_2_3_4/nr sched_update_nr_running_tp cpu=rq->cpu nr=rq->nr_running "
		"change=change");
	assert_true(rwk_dynevent_parse(line, group, name));
	assert_string_equal(group, "rewake_1_2_3_4");
	assert_string_equal(name, "nr");
	free(line);
	assert_true(rwk_dynevent_parse("f16:a/b f%return", group, name));
	assert_string_equal(name, "b");
	/* Libtracefs has these; and what is none. */
	assert_false(rwk_dynevent_parse("p:rewake_1/sel f", group, name));
	assert_false(rwk_dynevent_parse("r16:rewake_1/sel f", group, name));
	assert_false(rwk_dynevent_parse("t:nogroup tp", group, name));
	assert_false(rwk_dynevent_parse("t", group, name));
	assert_false(rwk_dynevent_parse("", group, name));
}

/* Sizes and signs are the kernel's, and so is the width of its table of offsets. */
static void types_follow_the_kernel(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan p;

	(void)state;
	f.pointer_size = 4;
	f.flips = (struct rwk_btf_member){.offset = 1, .size = 8, .is_signed = true};
	f.recent = (struct rwk_btf_member){.offset = 2, .size = 1};
	f.nr_cpus_allowed = (struct rwk_btf_member){.offset = 3, .size = 2, .is_signed = true};
	f.has_idle_cores = (struct rwk_btf_member){.offset = 4, .size = 1};
	p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
	assert_string_equal(p.event[0].fetch,
		"prev=$arg2:s32 wf=$arg3:x32 flips=+1($arg1):s64 recent=+2($arg1):u8 "
		"nca=+3($arg1):s16 lastw=+2416(+88($arg1)):s32 "
		"scan0=+12(+131632(@__per_cpu_offset+0)):s32 "
		"core0=+4(+131632(@__per_cpu_offset+0)):u8 "
		"scan4=+12(+131632(@__per_cpu_offset+16)):s32 "
		"core4=+4(+131632(@__per_cpu_offset+16)):u8");
	rwk_probe_plan_finish(&p);
}

static void domains_that_cannot_be_had(void **state)
{
	static const char wakee_only[] =
		"prev=$arg2:s32 wf=$arg3:x32 flips=+72($arg1):u32 recent=+96($arg1):s32 "
		"nca=+976($arg1):s32 lastw=+2416(+88($arg1)):s32";
	struct rwk_probe_facts f;
	struct rwk_probe_plan p;

	(void)state;
	for (int i = 0; i < 4; i++) {
		static const char *const want[] = {
			"none of several CPUs is known", "hidden", "sd_llc_shared", "idle_cores"};

		f = facts_6_1();
		if (i == 0)
			f.nr_llc = 0;
		if (i == 1 || i == 2)
			f.has_llc_shared = false;
		if (i == 1)
			strcpy(f.no_symbols, "addresses are hidden");
		if (i == 3)
			f.has_idle_cores.size = 0;
		p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
		assert_string_equal(p.event[0].fetch, wakee_only);
		assert_int_equal(p.nr_llc, 0);
		assert_non_null(strstr(p.note, want[i]));
		rwk_probe_plan_finish(&p);
	}
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (const char *p = strstr(text, what); p; p = strstr(p + 1, what))
		n++;
	return n;
}

/* More domains than a definition holds: whole ones, from the first on, and said so. */
static void many_domains(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	int llc[200], before = 201;

	(void)state;
	for (int i = 0; i < 200; i++)
		llc[i] = 4 * i;
	f.llc_cpu = llc;
	f.nr_llc = 200;
	for (int i = 0; i < 3; i++) {
		static const uint64_t address[] = {0, 0x20230, 0xffffffff82e1c230};
		struct rwk_probe_plan p;
		char last[32], note[128];

		f.llc_shared = address[i];
		p = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
		assert_true(p.nr_llc > 30 && p.nr_llc < 62);
		assert_true(p.nr_llc <= before); /* longer addresses, fewer domains */
		before = p.nr_llc;
		assert_true(strlen(p.event[0].fetch) <= RWK_PROBE_MAX_TEXT);
		assert_true(count(p.event[0].fetch, "=") <= RWK_PROBE_MAX_FIELDS);
		assert_int_equal(count(p.event[0].fetch, " scan"), p.nr_llc);
		assert_int_equal(count(p.event[0].fetch, " core"), p.nr_llc);
		assert_int_equal(count(p.event[0].fetch, ")):s32"), 2 * p.nr_llc + 1);
		snprintf(last, sizeof(last), " core%d=", llc[p.nr_llc - 1]);
		assert_non_null(strstr(p.event[0].fetch, last));
		snprintf(note, sizeof(note), "only %d of 200 cache domains fit", p.nr_llc);
		assert_non_null(strstr(p.note, note));
		rwk_probe_plan_finish(&p);
	}
}

static void state_on_6_1(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan p = plan(&f, RWK_PROBE_LEVEL_STATE), hidden;

	(void)state;
	/* Before "sel", as the kernel runs what was made last first. */
	assert_int_equal(p.nr_events, 4);
	assert_string_equal(p.event[0].name, "sel_state0");
	assert_string_equal(p.event[1].name, "sel_state1");
	assert_string_equal(p.event[2].name, "sel");
	assert_string_equal(p.event[3].name, "sel_ret");
	assert_string_equal(p.event[1].fetch,
		"nr4=+203012(@__per_cpu_offset+32):u32 pend4=+203048(@__per_cpu_offset+32):u32 "
		"curr4=+2416(+205432(@__per_cpu_offset+32)):s32 "
		"load4=+203264(@__per_cpu_offset+32):u64 "
		"nr5=+203012(@__per_cpu_offset+40):u32 pend5=+203048(@__per_cpu_offset+40):u32 "
		"curr5=+2416(+205432(@__per_cpu_offset+40)):s32 "
		"load5=+203264(@__per_cpu_offset+40):u64");
	assert_int_equal(count(p.event[0].fetch, "="), RWK_PROBE_STATE_FIELDS);
	hidden = plan(&f, RWK_PROBE_LEVEL_HIDDEN);
	assert_string_equal(p.event[2].fetch, hidden.event[0].fetch);
	rwk_probe_plan_finish(&hidden);
	rwk_probe_plan_finish(&p);

	/* Sparse ids on a full address, and a kernel before ttwu_pending. */
	rwk_cpuset_zero(&f.cpus);
	rwk_cpuset_add(&f.cpus, 130);
	f.runqueues = 0xffffffff82e00000;
	f.ttwu_pending.size = 0;
	p = plan(&f, RWK_PROBE_LEVEL_STATE);
	assert_int_equal(p.nr_events, 3);
	assert_string_equal(p.event[0].fetch,
		"nr130=-2099249148(@__per_cpu_offset+1040):u32 "
		"curr130=+2416(-2099246728(@__per_cpu_offset+1040)):s32 "
		"load130=-2099248896(@__per_cpu_offset+1040):u64");
	assert_string_equal(p.note, "no ttwu_pending in this kernel");
	rwk_probe_plan_finish(&p);
}

/* Every CPU there can be, in probes none of which is large. */
static void state_of_very_many(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan p;
	int fields = 0;

	(void)state;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		rwk_cpuset_add(&f.cpus, cpu);
	p = plan(&f, RWK_PROBE_LEVEL_STATE);
	for (int i = 0; i < p.nr_events - 2; i++) {
		int n = count(p.event[i].fetch, "=");

		assert_true(n <= RWK_PROBE_STATE_FIELDS);
		fields += n;
	}
	assert_int_equal(fields, 4 * RWK_MAX_CPUS);
	rwk_probe_plan_finish(&p);
}

static void lacks(void **state)
{
	struct rwk_probe_facts f = facts_6_1();
	struct rwk_probe_plan p = {.nr_events = 77};
	struct rwk_diag diag = {0};
	char text[512];

	(void)state;
	strcpy(f.no_kprobes, "the kernel has no kprobe events");
	strcpy(f.no_fprobes, "the kernel has no fprobe events");
	for (int level = RWK_PROBE_LEVEL_FLAGS; level <= RWK_PROBE_LEVEL_STATE; level++) {
		assert_ptr_equal(
			rwk_probe_plan_lack(&f, (enum rwk_probe_level)level), f.no_kprobes);
		rwk_diag_clear(&diag);
		assert_int_equal(
			rwk_probe_plan_make(&p, &f, (enum rwk_probe_level)level, &diag), -ENODATA);
		rwk_diag_format(&diag, text, sizeof(text));
		assert_non_null(strstr(text, "why=the kernel has no kprobe events"));
		assert_non_null(strstr(text, rwk_probe_level_name((enum rwk_probe_level)level)));
	}
	assert_int_equal(p.nr_events, 77);

	f = facts_6_1();
	strcpy(f.no_btf, "no type information");
	assert_null(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_FLAGS));
	assert_ptr_equal(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_HIDDEN), f.no_btf);
	assert_ptr_equal(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_STATE), f.no_btf);

	f = facts_6_1();
	f.last_wakee.is_pointer = false;
	assert_null(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_FLAGS));
	assert_non_null(strstr(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_HIDDEN), "last_wakee"));

	f = facts_6_1();
	f.has_runqueues = false;
	assert_null(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_HIDDEN));
	assert_non_null(strstr(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_STATE), "runqueues"));
	f = facts_6_1();
	f.curr.size = 0;
	f.curr.is_pointer = false;
	assert_non_null(strstr(rwk_probe_plan_lack(&f, RWK_PROBE_LEVEL_STATE), "curr"));
}

static void names_of_levels(void **state)
{
	enum rwk_probe_level level = RWK_PROBE_LEVEL_STATE;

	(void)state;
	for (int i = 0; i < RWK_PROBE_LEVEL_COUNT; i++) {
		assert_int_equal(rwk_probe_level_parse(
					 rwk_probe_level_name((enum rwk_probe_level)i), &level),
			0);
		assert_int_equal(level, i);
	}
	assert_int_equal(rwk_probe_level_parse("", &level), -EINVAL);
	assert_int_equal(rwk_probe_level_parse("hidden ", &level), -EINVAL);
	assert_int_equal(level, RWK_PROBE_LEVEL_AUTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_nothing),
		cmocka_unit_test(flags_by_release),
		cmocka_unit_test(hidden_on_6_1),
		cmocka_unit_test(hidden_on_7_3),
		cmocka_unit_test(hidden_on_5_10),
		cmocka_unit_test(fprobes_stand_in),
		cmocka_unit_test(lines_of_the_kernel),
		cmocka_unit_test(types_follow_the_kernel),
		cmocka_unit_test(domains_that_cannot_be_had),
		cmocka_unit_test(many_domains),
		cmocka_unit_test(state_on_6_1),
		cmocka_unit_test(state_of_very_many),
		cmocka_unit_test(lacks),
		cmocka_unit_test(names_of_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
