/*
 * Offsets out of a kernel's type information: blobs made here, from what a
 * kernel looks like to what none should.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <bpf/btf.h>

#include "record/btf.h"
#include "record/kallsyms.h"
#include "record/probe_facts.h"

/* Written to a file and read back, as the kernel's own is. */
static struct btf *reopen(struct btf *made)
{
	char path[] = "/tmp/rewake-test-XXXXXX";
	int fd = mkstemp(path);
	struct btf *ret = NULL;
	const void *data;
	uint32_t size;

	assert_true(fd >= 0);
	data = btf__raw_data(made, &size);
	assert_non_null(data);
	assert_int_equal(write(fd, data, size), (ssize_t)size);
	close(fd);
	assert_int_equal(rwk_btf_open(path, &ret), 0);
	unlink(path);
	btf__free(made);
	return ret;
}

static void field(struct btf *b, const char *name, int type, unsigned int byte)
{
	assert_int_equal(btf__add_field(b, name, type, byte * 8, 0), 0);
}

struct basic {
	int s32, u32, u64, u8;
};

static struct basic add_basic(struct btf *b)
{
	return (struct basic){
		.s32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED),
		.u32 = btf__add_int(b, "unsigned int", 4, 0),
		.u64 = btf__add_int(b, "long unsigned int", 8, 0),
		.u8 = btf__add_int(b, "unsigned char", 1, 0),
	};
}

/* Laid out like nothing that was ever released, so that no table can be behind it. */
static struct btf *make_kernel(void)
{
	struct btf *b = btf__new_empty();
	struct basic t = add_basic(b);
	int pid_t_ = btf__add_typedef(b, "pid_t", btf__add_typedef(b, "__kernel_pid_t", t.s32));
	int const_u64 = btf__add_const(b, t.u64), volatile_u32 = btf__add_volatile(b, t.u32);
	int task = (int)btf__type_cnt(b) + 2, task_ptr = btf__add_ptr(b, task);
	int rcu_ptr = btf__add_type_tag(b, "rcu", task_ptr), avg, cfs, inner;

	/* Fields go to the type that was added last, so all that they need is there before. */
	assert_int_equal(btf__add_struct(b, "task_struct", 4096), task);
	field(b, "wakee_flips", t.u32, 24);
	field(b, "last_wakee", task_ptr, 32);
	field(b, "recent_used_cpu", t.s32, 40);
	field(b, "nr_cpus_allowed", t.s32, 44);
	field(b, "pid", pid_t_, 3000);

	btf__add_struct(b, "sched_domain_shared", 16);
	field(b, "has_idle_cores", t.s32, 8);
	field(b, "nr_idle_scan", t.s32, 12);

	avg = btf__add_struct(b, "sched_avg", 64);
	field(b, "load_avg", const_u64, 8);
	cfs = btf__add_struct(b, "cfs_rq", 128);
	field(b, "avg", avg, 64);
	inner = btf__add_struct(b, NULL, 16);
	field(b, "ttwu_pending", t.u32, 4);
	field(b, "nr_running", volatile_u32, 8);
	btf__add_struct(b, "rq", 512);
	field(b, NULL, inner, 16);
	field(b, "curr", rcu_ptr, 64);
	field(b, "cfs", cfs, 128);

	inner = btf__add_func_proto(b, t.s32);
	btf__add_func_param(b, "p", task_ptr);
	btf__add_func_param(b, "prev_cpu", t.s32);
	btf__add_func_param(b, "sd_flag", t.s32);
	btf__add_func_param(b, "wake_flags", t.s32);
	assert_true(btf__add_func(b, "select_task_rq_fair", BTF_FUNC_STATIC, inner) > 0);
	return reopen(b);
}

static void expect(const struct btf *b, const char *type, const char *path, int64_t offset,
	int size, bool is_signed, bool is_pointer)
{
	struct rwk_btf_member m;

	assert_int_equal(rwk_btf_find_member(b, type, path, &m), 0);
	assert_int_equal(m.offset, offset);
	assert_int_equal(m.size, size);
	assert_int_equal(m.is_signed, is_signed);
	assert_int_equal(m.is_pointer, is_pointer);
}

static void members_and_parameters(void **state)
{
	struct btf *b = make_kernel();
	struct rwk_btf_member m = {.offset = 77};
	int place = 5;

	(void)state;
	expect(b, "task_struct", "wakee_flips", 24, 4, false, false);
	expect(b, "task_struct", "recent_used_cpu", 40, 4, true, false);
	expect(b, "task_struct", "pid", 3000, 4, true, false);
	expect(b, "task_struct", "last_wakee", 32, 8, false, true);
	expect(b, "rq", "ttwu_pending", 20, 4, false, false);
	expect(b, "rq", "nr_running", 24, 4, false, false);
	expect(b, "rq", "curr", 64, 8, false, true);
	expect(b, "rq", "cfs.avg.load_avg", 200, 8, false, false);
	assert_int_equal(rwk_btf_pointer_size(b), 8);

	assert_int_equal(rwk_btf_find_member(b, "rq", "no_such", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "no_such", "pid", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "int", "pid", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "rq", "cfs.no_such", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "rq", "nr_running.x", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "rq", "curr.pid", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "rq", "", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "rq", "cfs.", &m), -ENOENT);
	assert_int_equal(rwk_btf_find_member(b, "rq", ".cfs", &m), -ENOENT);
	/* A whole struct is no value. */
	assert_int_equal(rwk_btf_find_member(b, "rq", "cfs.avg", &m), -ENOTSUP);
	assert_int_equal(m.offset, 77); /* failures leave it alone */

	assert_int_equal(rwk_btf_find_parameter(b, "select_task_rq_fair", "wake_flags", &place), 0);
	assert_int_equal(place, 4);
	assert_int_equal(rwk_btf_find_parameter(b, "select_task_rq_fair", "prev_cpu", &place), 0);
	assert_int_equal(place, 2);
	assert_int_equal(
		rwk_btf_find_parameter(b, "select_task_rq_fair", "flags", &place), -ENOENT);
	assert_int_equal(rwk_btf_find_parameter(b, "rq", "flags", &place), -ENOENT);
	assert_int_equal(place, 2);
	rwk_btf_close(b);
	rwk_btf_close(NULL);
}

static void facts_of_a_kernel(void **state)
{
	struct btf *b = make_kernel();
	struct rwk_probe_facts f = {0};

	(void)state;
	rwk_probe_facts_from_btf(&f, b);
	rwk_btf_close(b);
	assert_int_equal(f.prev_place, 2);
	assert_int_equal(f.flags_place, 4);
	assert_int_equal(f.flips.offset, 24);
	assert_int_equal(f.last_wakee.offset, 32);
	assert_int_equal(f.recent.offset, 40);
	assert_int_equal(f.nr_cpus_allowed.offset, 44);
	assert_int_equal(f.tid.offset, 3000);
	assert_int_equal(f.has_idle_cores.offset, 8);
	assert_int_equal(f.nr_idle_scan.offset, 12);
	assert_int_equal(f.nr_running.offset, 24);
	assert_int_equal(f.ttwu_pending.offset, 20);
	assert_int_equal(f.curr.offset, 64);
	assert_int_equal(f.load.offset, 200);
}

/* A number where a pointer belongs, and the other way around, count as missing. */
static void facts_of_another_shape_are_missing(void **state)
{
	struct btf *b = btf__new_empty();
	struct basic t = add_basic(b);
	int pointer = btf__add_ptr(b, t.u32), list = btf__add_array(b, t.u32, t.s32, 2);
	struct rwk_probe_facts f = {0};

	(void)state;
	btf__add_struct(b, "task_struct", 64);
	field(b, "wakee_flips", pointer, 0);
	field(b, "last_wakee", t.u64, 8);
	field(b, "recent_used_cpu", list, 16);
	assert_int_equal(btf__add_field(b, "nr_cpus_allowed", t.u32, 32 * 8, 10), 0);
	field(b, "pid", t.s32, 62);
	b = reopen(b);
	rwk_probe_facts_from_btf(&f, b);
	rwk_btf_close(b);
	assert_int_equal(f.flips.size, 0);
	assert_int_equal(f.last_wakee.size, 0);
	assert_int_equal(f.recent.size, 0);
	assert_int_equal(f.nr_cpus_allowed.size, 0);
	assert_int_equal(f.tid.size, 0); /* reaches beyond the end */
	assert_int_equal(f.flags_place, 0);
}

static void what_no_probe_can_fetch(void **state)
{
	struct btf *b = btf__new_empty();
	struct basic t = add_basic(b);
	int list = btf__add_array(b, t.u32, t.s32, 4), large = btf__add_int(b, "__int128", 16, 0);
	int real = btf__add_float(b, "double", 8);
	struct rwk_btf_member m;

	(void)state;
	btf__add_struct(b, "s", 64);
	assert_int_equal(btf__add_field(b, "before", t.u32, 0, 1), 0);
	assert_int_equal(btf__add_field(b, "bits", t.u32, 1, 7), 0);
	field(b, "plain", t.u8, 1);
	field(b, "list", list, 16);
	field(b, "large", large, 32);
	field(b, "real", real, 48);
	b = reopen(b);
	assert_int_equal(rwk_btf_find_member(b, "s", "before", &m), -ENOTSUP);
	assert_int_equal(rwk_btf_find_member(b, "s", "bits", &m), -ENOTSUP);
	assert_int_equal(rwk_btf_find_member(b, "s", "list", &m), -ENOTSUP);
	assert_int_equal(rwk_btf_find_member(b, "s", "large", &m), -ENOTSUP);
	assert_int_equal(rwk_btf_find_member(b, "s", "real", &m), -ENOTSUP);
	/* Beside bit fields, whole members are found as ever. */
	expect(b, "s", "plain", 1, 1, false, false);
	rwk_btf_close(b);
}

static void types_that_never_end(void **state)
{
	struct btf *b = btf__new_empty();
	struct basic t = add_basic(b);
	struct rwk_btf_member m;
	int id, next;

	(void)state;
	/* A name for itself. */
	id = (int)btf__type_cnt(b);
	assert_int_equal(btf__add_typedef(b, "loop", id), id);
	btf__add_struct(b, "a", 64);
	field(b, "x", id, 0);
	field(b, NULL, id, 8);
	field(b, "y", t.s32, 16);
	/* A type that there is not. */
	btf__add_struct(b, "b", 64);
	field(b, "x", 100000, 0);
	field(b, NULL, 100000, 8);
	field(b, "y", t.s32, 16);
	/* An unnamed struct in itself. */
	id = (int)btf__type_cnt(b);
	assert_int_equal(btf__add_struct(b, NULL, 64), id);
	field(b, NULL, id, 0);
	btf__add_struct(b, "c", 64);
	field(b, NULL, id, 0);
	/* Each holds the next one twice: more paths than can be walked. */
	id = (int)btf__type_cnt(b);
	for (int i = 0; i < 30; i++) {
		next = id + i + 1;
		btf__add_struct(b, NULL, 64);
		field(b, NULL, next, 0);
		field(b, NULL, next, 8);
	}
	btf__add_struct(b, NULL, 8);
	field(b, "other", t.s32, 0);
	btf__add_struct(b, "d", 64);
	field(b, NULL, id, 0);
	b = reopen(b);

	assert_int_equal(rwk_btf_find_member(b, "a", "x", &m), -EBADMSG);
	expect(b, "a", "y", 16, 4, true, false);
	assert_int_equal(rwk_btf_find_member(b, "b", "x", &m), -EBADMSG);
	expect(b, "b", "y", 16, 4, true, false);
	assert_int_equal(rwk_btf_find_member(b, "c", "x", &m), -EBADMSG);
	assert_int_equal(rwk_btf_find_member(b, "d", "x", &m), -EBADMSG);
	rwk_btf_close(b);
}

static void files_that_are_none(void **state)
{
	struct btf *b = (struct btf *)16;
	char path[] = "/tmp/rewake-test-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(rwk_btf_open("/nonexistent/vmlinux", &b), -ENOENT);
	assert_int_equal(rwk_btf_open(path, &b), -EBADMSG);
	assert_int_equal(write(fd, "\x9f\xeb\x01\x00 and then nothing of the kind", 33), 33);
	assert_int_equal(rwk_btf_open(path, &b), -EBADMSG);
	assert_ptr_equal(b, (struct btf *)16);
	close(fd);
	unlink(path);
}

static int find_symbols(const char *text, struct rwk_symbol *s, int nr)
{
	char path[] = "/tmp/rewake-test-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	err = rwk_kallsyms_find(path, s, nr);
	unlink(path);
	return err;
}

static void symbols(void **state)
{
	struct rwk_symbol s[] = {
		{.name = "sd_llc_shared"}, {.name = "__per_cpu_offset"}, {.name = "runqueues"}};

	(void)state;
	assert_int_equal(find_symbols("0000000000020230 A sd_llc_shared\n"
				      "ffffffff81000000 T _text\n"
				      "ffffffff82000000 d __per_cpu_offset\t[odd]\n"
				      "ffffffff83000000 D __per_cpu_offset\n"
				      "ffffffff84000000 D __per_cpu_offset\n"
				      "rubbish\n\nffffffffffffffffffff0 t runqueues\n"
				      "ffffffff85000000 D runqueues_of_another\n",
				 s, 3),
		0);
	assert_true(s[0].found && !s[0].is_hidden);
	assert_int_equal(s[0].address, 0x20230);
	assert_int_equal(s[1].address, 0xffffffff83000000);
	assert_false(s[2].found);

	/* Zeros all over: not allowed to see.  A single one is an address. */
	assert_int_equal(find_symbols("0000000000000000 A sd_llc_shared\n"
				      "0000000000000000 T __per_cpu_offset\n",
				 s, 3),
		0);
	assert_true(s[0].found && s[0].is_hidden && s[1].is_hidden && !s[2].is_hidden);
	assert_int_equal(find_symbols("0000000000000000 A sd_llc_shared\n"
				      "ffffffff81000000 T __per_cpu_offset\n",
				 s, 3),
		0);
	assert_true(s[0].found && !s[0].is_hidden);
	assert_int_equal(rwk_kallsyms_find("/nonexistent/kallsyms", s, 3), -ENOENT);
	assert_false(s[0].found || s[1].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_and_parameters),
		cmocka_unit_test(facts_of_a_kernel),
		cmocka_unit_test(facts_of_another_shape_are_missing),
		cmocka_unit_test(what_no_probe_can_fetch),
		cmocka_unit_test(types_that_never_end),
		cmocka_unit_test(files_that_are_none),
		cmocka_unit_test(symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
