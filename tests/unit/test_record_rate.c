/* The estimate of how much will be recorded, and what is read of rights, from texts of real
 * kernels. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/offer.h"
#include "record/rate.h"
#include "record/setup.h"

static const char waking[] = "name: sched_waking\nID: 300\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\n"
			     "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
			     "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";

static void test_event_bytes(void **state)
{
	int n = -1;

	(void)state;
	assert_int_equal(rwk_event_bytes("field:int a;\toffset:8;\tsize:3;", &n), 0);
	assert_int_equal(n, 16); /* 11, rounded up, and the header */
	n = -1;
	assert_int_equal(rwk_event_bytes("name: x\n", &n), -EBADMSG);
	assert_int_equal(rwk_event_bytes("offset:99999999999; size:4;", &n), -EBADMSG);
	assert_int_equal(rwk_event_bytes("offset:-4; size:4;", &n), -EBADMSG);
	assert_int_equal(n, -1);
	/* A format file as the kernel writes it, with tabs between. */
	assert_int_equal(rwk_event_bytes(waking, &n), 0);
	assert_int_equal(n, 40);
}

static void test_decision_bytes(void **state)
{
	(void)state;
	assert_int_equal(rwk_decision_bytes(NULL), 0);
	assert_int_equal(rwk_decision_bytes(""), 0);
	/* Two of 32 bits behind a head of 16, one of 32 behind one of 24; 4 before each. */
	assert_int_equal(rwk_decision_bytes("p:rewake/sel f prev=$arg2:s32 wf=$arg3:x32\n"
					    "r:rewake/sel_ret f cpu=$retval:s32\n"),
		4 + 16 + 8 + 4 + 24 + 4);
	assert_int_equal(
		rwk_decision_bytes("p:rewake/sel f a=+0x10($arg1):u8 b=+8(%di):x64"), 4 + 16 + 12);
}

static void test_count_bytes(void **state)
{
	(void)state;
	assert_int_equal(rwk_count_bytes(NULL), 0);
	assert_int_equal(rwk_count_bytes("p:rewake/sel f prev=$arg2:s32\n"), 0);
	assert_int_equal(rwk_count_bytes("p:rewake/sel f prev=$arg2:s32\n"
					 "t:rewake/nr tp cpu=rq->cpu nr=rq->nr change=change\n"),
		4 + 16 + 12);
	/* Which is none of a decision's. */
	assert_int_equal(rwk_decision_bytes("t:rewake/nr tp cpu=rq->cpu nr=rq->nr\n"), 0);
}

static void test_counts(void **state)
{
	int64_t switches = 0, forks = 0;

	(void)state;
	assert_int_equal(rwk_stat_counts("cpu  1 2\nintr 5 0\nctxt 123\nbtime 7\nprocesses 45\n",
				 &switches, &forks),
		0);
	assert_int_equal(switches, 123);
	assert_int_equal(forks, 45);
	assert_int_equal(rwk_stat_counts("cpu 1\nctxt 5\n", &switches, &forks), -EBADMSG);
	assert_int_equal(rwk_stat_counts("x\nctxt -5\nprocesses 1\n", &switches, &forks), -EBADMSG);
	assert_int_equal(rwk_stat_counts("x\nctxt 99999999999999999999999\nprocesses 1\n",
				 &switches, &forks),
		-EBADMSG);
	assert_int_equal(switches, 123);
}

static void test_estimate(void **state)
{
	const struct rwk_event_sizes sizes = {68, 40, 40, 52, 0, 0};
	struct rwk_rate rate = {.switches = 1000, .forks = 10};

	(void)state;
	rwk_rate_estimate(&rate, &sizes);
	/* 1000 switches, 500 wakings and wakeups, 250 migrations, 10 new tasks */
	assert_true(rate.events == 2260);
	assert_true(rate.bytes > 68 * 1000 + 40 * 1010 + 52 * 250);
	assert_true(rate.bytes < 1.01 * (68 * 1000 + 40 * 1010 + 52 * 250));
}

/* Each of the 510 tasks that are put on a queue also leaves it. */
static void test_estimate_counts(void **state)
{
	const struct rwk_event_sizes sizes = {68, 40, 40, 52, 0, 32};
	struct rwk_rate rate = {.switches = 1000, .forks = 10}, without = rate;
	const struct rwk_event_sizes none = {68, 40, 40, 52, 0, 0};

	(void)state;
	rwk_rate_estimate(&rate, &sizes);
	rwk_rate_estimate(&without, &none);
	assert_true(rate.events == without.events + 2 * 510);
	assert_true(rate.bytes >= without.bytes + 2 * 510 * 32);
}

static void test_default_buffers(void **state)
{
	(void)state;
	assert_int_equal(rwk_setup_default_kb(2, 4 << 20), 4096);
	assert_int_equal(rwk_setup_default_kb(128, 1 << 30), 2048); /* 256 MB in all */
	assert_int_equal(rwk_setup_default_kb(128, 0), 2048);
	assert_int_equal(rwk_setup_default_kb(8, 256 << 10), 2048); /* a sixteenth of 256 MB */
	assert_int_equal(rwk_setup_default_kb(4096, 64 << 10), 16);
	assert_true(rwk_setup_is_too_much(513, 1024));
	assert_false(rwk_setup_is_too_much(512, 1024));
	assert_false(rwk_setup_is_too_much(INT64_MAX, 0)); /* of what? */
}

static void test_rights(void **state)
{
	uint64_t caps = 7;

	(void)state;
	assert_int_equal(
		rwk_capabilities_parse("Name:\tx\nCapPrm:\t00\nCapEff:\t0000000400000002\n", &caps),
		0);
	assert_true(caps == UINT64_C(0x400000002));
	assert_int_equal(rwk_capabilities_parse("Name:\tx\n", &caps), -EBADMSG);
	assert_int_equal(rwk_capabilities_parse("CapEff:\tzz\n", &caps), -EBADMSG);
	assert_true(caps == UINT64_C(0x400000002));
	assert_true(rwk_lockdown_is_total("none integrity [confidentiality]\n"));
	assert_false(rwk_lockdown_is_total("none [integrity] confidentiality\n"));
	assert_false(rwk_lockdown_is_total(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_bytes),
		cmocka_unit_test(test_decision_bytes),
		cmocka_unit_test(test_count_bytes),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_estimate_counts),
		cmocka_unit_test(test_default_buffers),
		cmocka_unit_test(test_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
