/*
 * The parts of the recorder that need neither root nor tracefs: the check of
 * what trace-cmd wrote, kernel counters, finding programs, the work directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/command.h"
#include "record/instance.h"
#include "record/tracefs_root.h"
#include "record/owner.h"
#include "record/tracedat.h"
#include "record/trail.h"
#include "record/workdir.h"

/* A file of bytes that are appended one thing at a time. */
struct image {
	char data[4096];
	size_t len;
};

static void add(struct image *im, const void *p, size_t len)
{
	assert_true(im->len + len <= sizeof(im->data));
	memcpy(im->data + im->len, p, len);
	im->len += len;
}

static void add_int(struct image *im, uint64_t v, size_t len)
{
	add(im, &v, len); /* trace.dat is in the order of the machine that wrote it */
}

static void add_text(struct image *im, const char *text)
{
	add(im, text, strlen(text) + 1);
}

/* Version 7, two CPUs with 16 and 0 bytes at offset 64, its options last in the file. */
static void make_trace(struct image *im, const char *clock, uint64_t cpu0_size)
{
	uint32_t option = (uint32_t)(8 + 1 + strlen(clock) + 1 + 8 + 2 * 20);

	*im = (struct image){0};
	add(im, "\x17\x08\x44tracing", 10);
	add_text(im, "7");
	add(im, "\0\x08", 2);
	add_int(im, 4096, 4);
	add_text(im, "none");
	add_text(im, "");
	add_int(im, 256, 8);
	im->len = 256;
	add_int(im, 0, 2);
	add_int(im, 0, 2);
	add_int(im, 0, 4);
	add_int(im, 6 + option + 6 + 8, 8);
	add_int(im, 3, 2);
	add_int(im, option, 4);
	add_int(im, 64, 8);
	add_text(im, "");
	add_text(im, clock);
	add_int(im, 4096, 4);
	add_int(im, 2, 4);
	add_int(im, 0, 4);
	add_int(im, 64, 8);
	add_int(im, cpu0_size, 8);
	add_int(im, 1, 4);
	add_int(im, 80, 8);
	add_int(im, 0, 8);
	add_int(im, 0, 2);
	add_int(im, 8, 4);
	add_int(im, 0, 8);
}

static int check(struct image *im, const char *clock, char *why, size_t why_size)
{
	static const struct rwk_record_cpu cpu[] = {{.cpu = 0, .bytes = 16}, {.cpu = 1}};
	char path[] = "/tmp/rewake-test-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, im->data, im->len), (ssize_t)im->len);
	why[0] = '\0';
	err = rwk_tracedat_check(fd, clock, cpu, 2, why, why_size);
	memset(im->data, 0, sizeof(im->data));
	im->len = (size_t)pread(fd, im->data, sizeof(im->data), 0);
	close(fd);
	return err;
}

static void trace_is_checked_and_gets_its_clock(void **state)
{
	static const char *const clocks[] = {"mono", "local", "global"};
	struct image im, want;
	char why[128];

	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		make_trace(&im, "local", 16);
		make_trace(&want, clocks[i], 16);
		assert_int_equal(check(&im, clocks[i], why, sizeof(why)), 0);
		assert_int_equal(im.len, want.len);
		assert_memory_equal(im.data, want.data, want.len);
	}
	/* More than was counted is no loss. */
	make_trace(&im, "local", 32);
	assert_int_equal(check(&im, "local", why, sizeof(why)), 0);
}

static void incomplete_trace_is_refused(void **state)
{
	struct image im, whole;
	char why[128];

	(void)state;
	make_trace(&im, "local", 8);
	assert_int_equal(check(&im, "local", why, sizeof(why)), -EBADMSG);
	assert_non_null(strstr(why, "cpu=0"));
	/* Says that it holds more than there is. */
	make_trace(&im, "local", 1 << 20);
	assert_int_equal(check(&im, "local", why, sizeof(why)), -EBADMSG);
	im.len = 0;
	assert_int_equal(check(&im, "local", why, sizeof(why)), -EBADMSG);
	memset(im.data, 'x', im.len = 2000);
	assert_int_equal(check(&im, "local", why, sizeof(why)), -EBADMSG);
	/* Cut anywhere, or with any byte turned around: an answer, and never a crash. */
	make_trace(&whole, "local", 16);
	for (size_t len = 0; len < whole.len; len++) {
		im = whole;
		im.len = len;
		assert_int_not_equal(check(&im, "mono", why, sizeof(why)), 0);
	}
	for (size_t at = 0; at < whole.len; at++) {
		im = whole;
		im.data[at] ^= 0xff;
		check(&im, "mono", why, sizeof(why));
	}
}

static void counters(void **state)
{
	struct rwk_record_cpu cpu = {0};

	(void)state;
	rwk_stats_parse("entries: 5\noverrun: 7\ncommit overrun: 11\nbytes: 104\n"
			"oldest event ts:  2397.454579\nnow ts:  2397.458430\n"
			"dropped events: 13\nread events: 336463\n",
		&cpu);
	assert_int_equal(cpu.entries, 5);
	assert_int_equal(cpu.overrun, 7);
	assert_int_equal(cpu.commit_overrun, 11);
	assert_int_equal(cpu.dropped, 13);
	assert_int_equal(cpu.read_events, 336463);
	assert_int_equal(cpu.bytes, 0); /* not the kernel's, which counts what is unread */
	rwk_stats_parse("overrun: x\nread events: 99999999999999999999999999\n\n", &cpu);
	assert_int_equal(cpu.overrun, 7);
	assert_int_equal(cpu.read_events, 336463);
}

static void missing_events_are_named(void **state)
{
	char dir[] = "/tmp/rewake-test-XXXXXX", command[256], text[1024];
	struct rwk_diag diag = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		"cd %s && for e in sched_waking sched_wakeup sched_migrate_task; do "
		"mkdir -p events/sched/$e && touch events/sched/$e/format; done",
		dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(rwk_tracefs_check_events(dir, &diag), -ENODATA);
	rwk_diag_format(&diag, text, sizeof(text));
	assert_non_null(strstr(text, "missing=sched_wakeup_new,sched_switch"));
	snprintf(command, sizeof(command),
		"cd %s/events && mkdir -p sched/sched_wakeup_new sched/sched_switch ftrace/print "
		"&& "
		"touch sched/sched_wakeup_new/format sched/sched_switch/format && "
		"echo field >header_page && echo name >ftrace/print/format",
		dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(rwk_tracefs_check_events(dir, NULL), 0);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

static void programs(void **state)
{
	char *path = NULL;

	(void)state;
	assert_int_equal(rwk_program_find("sh", &path), 0);
	assert_true(path[0] == '/' && !access(path, X_OK));
	free(path);
	assert_int_equal(rwk_program_find("/bin/sh", &path), 0);
	free(path);
	assert_int_equal(rwk_program_find("no-such-program-at-all", &path), -ENOENT);
	assert_int_equal(rwk_program_find("", &path), -ENOENT);
	assert_int_equal(rwk_program_find("./no-such-program", &path), -ENOENT);
	assert_int_equal(rwk_program_find("/etc/passwd", &path), -EACCES);
}

static void command_waits_for_its_word(void **state)
{
	char *const argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
		(char *)(uintptr_t) "exit 5", NULL};
	struct rwk_command cmd = RWK_COMMAND_NONE;
	struct rlimit limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(rwk_command_prepare(&cmd, argv, &limit, false, NULL), 0);
	usleep(20000);
	assert_false(rwk_command_ended(&cmd));
	assert_int_equal(rwk_command_go(&cmd, NULL), 0);
	rwk_command_finish(&cmd, INT64_C(10000000000));
	assert_true(rwk_command_ended(&cmd));
	assert_int_equal(cmd.status, 5 << 8);

	/* One that never gets it ends without having been the command. */
	cmd = RWK_COMMAND_NONE;
	assert_int_equal(rwk_command_prepare(&cmd, argv, &limit, false, NULL), 0);
	rwk_command_finish(&cmd, 0);
	assert_int_equal(cmd.status, 127 << 8);
	rwk_command_finish(&cmd, 0);
}

static void owners(void **state)
{
	struct rwk_owner self, other = {1, 2, 3, 4};
	const char *rest = NULL;
	char text[RWK_OWNER_LEN], group[RWK_OWNER_LEN];
	pid_t pid;

	(void)state;
	assert_int_equal(rwk_owner_self(&self), 0);
	assert_int_equal(self.pid, getpid());
	assert_true(self.start && self.pid_ns);
	assert_int_equal(rwk_owner_state(&self, &self), RWK_OWNER_ALIVE);
	rwk_owner_format(&self, '-', text);
	assert_int_equal(rwk_owner_parse(text, '-', &other, &rest), 0);
	assert_string_equal(rest, "");
	assert_true(rwk_owner_equal(&other, &self));
	other.boot++;
	assert_false(rwk_owner_equal(&other, &self));
	rwk_owner_format(&self, '_', group);
	assert_int_equal(rwk_owner_parse(group, '-', &other, &rest), -EINVAL);
	assert_int_equal(rwk_owner_parse(group, '_', &other, &rest), 0);

	/* The same pid at another time is another process. */
	other.start--;
	assert_int_equal(rwk_owner_state(&other, &self), RWK_OWNER_DEAD);
	/* Elsewhere it means nothing. */
	other.boot ^= 1;
	assert_int_equal(rwk_owner_state(&other, &self), RWK_OWNER_UNKNOWN);
	other.boot ^= 1;
	other.pid_ns++;
	assert_int_equal(rwk_owner_state(&other, &self), RWK_OWNER_UNKNOWN);

	/* Dead from the moment it has ended, and still when it is waited for. */
	pid = fork();
	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	other = self;
	other.pid = pid;
	for (int i = 0; i < 200; i++) {
		char path[64];
		int fd, n;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		fd = open(path, O_RDONLY);
		assert_true(fd >= 0);
		n = (int)read(fd, path, sizeof(path));
		close(fd);
		if (n > 0 && memmem(path, (size_t)n, ") Z ", 4))
			break;
		usleep(10000);
	}
	assert_int_equal(rwk_owner_state(&other, &self), RWK_OWNER_DEAD);
	waitpid(pid, NULL, 0);
	assert_int_equal(rwk_owner_state(&other, &self), RWK_OWNER_DEAD);
}

static void owners_that_are_none(void **state)
{
	static const char *const texts[] = {"", "-", "1", "1-2-3", "1-2-3-", "x-2-3-4", "0-2-3-4",
		"-1-2-3-4", "1-2--4", "1 -2-3-4", "+1-2-3-4", "1-0x2-3-4", "99999999999-2-3-4",
		"1-99999999999999999999-3-4", "1-2-3-123456789", "1-2-3-zz"};
	struct rwk_owner owner = {.pid = 5};
	const char *rest = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(rwk_owner_parse(texts[i], '-', &owner, &rest), -EINVAL);
	assert_int_equal(owner.pid, 5);
	assert_null(rest);
	assert_int_equal(rwk_owner_parse("12-34-56-0000abcd-tail", '-', &owner, &rest), 0);
	assert_int_equal(owner.boot, 0xabcd);
	assert_string_equal(rest, "-tail");
}

static void work_directory(void **state)
{
	char dir[] = "/tmp/rewake-test-XXXXXX", output[128], path[512];
	const struct rwk_owner owner = {12, 34, 56, 0xabcd};
	struct rwk_owner found;
	struct rwk_workdir work;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(output, sizeof(output), "%s/run.dat", dir);
	assert_int_equal(rwk_workdir_create(&work, output, &owner, NULL), 0);
	snprintf(path, sizeof(path), "%s/.run.dat.rewake-12-34-56-0000abcd-", dir);
	assert_int_equal(strncmp(work.path, path, strlen(path)), 0);
	assert_int_equal(rwk_workdir_parse(strrchr(work.path, '/') + 1, &found), 0);
	assert_int_equal(found.pid, 12);
	assert_int_equal(found.start, 34);
	assert_int_equal(found.pid_ns, 56);
	assert_int_equal(found.boot, 0xabcd);
	fd = openat(work.fd, "cpu0", O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(mkdirat(work.fd, "tracing", 0700), 0);
	assert_int_equal(mkdirat(work.fd, "tracing/events", 0700), 0);
	rwk_workdir_remove(&work);
	rwk_workdir_remove(&work);
	assert_int_equal(rwk_workdir_create(&work, dir, &owner, NULL), -EISDIR);
	/* An output with as long a name as can be still has room for one. */
	snprintf(path, sizeof(path), "%s/%0250d", dir, 1);
	assert_int_equal(rwk_workdir_create(&work, path, &owner, NULL), 0);
	assert_int_equal(rwk_workdir_parse(strrchr(work.path, '/') + 1, &found), 0);
	rwk_workdir_remove(&work);
	assert_int_equal(rmdir(dir), 0); /* so nothing was left in it */
	assert_int_equal(rwk_workdir_create(&work, output, &owner, NULL), -ENOENT);
}

static void names_of_work_directories(void **state)
{
	static const char *const none[] = {"run.dat.rewake-12-34-56-0000abcd-abcdef", ".run.dat",
		".rewake-12-34-56-0000abcd-abcdef", ".run.dat.rewake-12-34-56-0000abcd",
		".run.dat.rewake-12-34-56-0000abcd-abcde", ".run.dat.rewake-12-34-56-abcdef",
		".run.dat.rewake-12-34-56-0000abcd-abcdef.tmp", ".run.dat.rewake-abcdef"};
	struct rwk_owner owner = {.pid = 5};
	char *parent;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(rwk_workdir_parse(none[i], &owner), -EINVAL);
	assert_int_equal(owner.pid, 5);
	/* The output's own name may look like one. */
	assert_int_equal(
		rwk_workdir_parse(
			".a.rewake-1-2-3-4-aaaaaa.rewake-12-34-56-0000abcd-abcdef", &owner),
		0);
	assert_int_equal(owner.pid, 12);
	parent = rwk_workdir_parent("run.dat");
	assert_string_equal(parent, ".");
	free(parent);
	parent = rwk_workdir_parent("/run.dat");
	assert_string_equal(parent, "/");
	free(parent);
	parent = rwk_workdir_parent("a/b/run.dat");
	assert_string_equal(parent, "a/b");
	free(parent);
}

struct notes {
	int nr;
	int64_t pid[4];
	char parent[4][256];
};

static void note(void *ctx, const struct rwk_owner *owner, const char *parent)
{
	struct notes *n = ctx;

	assert_true(n->nr < 4);
	n->pid[n->nr] = owner->pid;
	snprintf(n->parent[n->nr++], sizeof(n->parent[0]), "%s", parent);
}

static void trails(void **state)
{
	char dir[] = "/tmp/rewake-test-XXXXXX", trail[64], path[128], here[256];
	const struct rwk_owner a = {12, 34, 56, 0xabcd}, b = {13, 34, 56, 0xabcd};
	struct notes n = {0};
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(trail, sizeof(trail), "%s/trail", dir);
	/* Of nothing there is nothing to follow or to take back. */
	rwk_trail_walk(trail, note, &n);
	rwk_trail_clear(trail, &a);
	assert_int_equal(n.nr, 0);

	assert_int_equal(rwk_trail_leave(trail, &a, dir), 0);
	assert_int_equal(rwk_trail_leave(trail, &b, "."), 0);
	assert_int_equal(stat(trail, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	snprintf(path, sizeof(path), "%s/other", trail);
	assert_int_equal(symlink("/", path), 0);
	snprintf(path, sizeof(path), "%s/14-34-56-0000abcd", trail);
	assert_int_equal(mkdir(path, 0700), 0); /* a name, but no note */
	rwk_trail_walk(trail, note, &n);
	assert_int_equal(n.nr, 2);
	assert_non_null(getcwd(here, sizeof(here)));
	for (int i = 0; i < 2; i++)
		assert_string_equal(n.parent[i], n.pid[i] == 12 ? dir : here);
	assert_int_not_equal(n.pid[0], n.pid[1]);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/other", trail);
	assert_int_equal(unlink(path), 0);

	rwk_trail_clear(trail, &a);
	n.nr = 0;
	rwk_trail_walk(trail, note, &n);
	assert_int_equal(n.nr, 1);
	assert_int_equal(n.pid[0], 13);
	assert_int_equal(rwk_trail_leave(trail, &a, "/nonexistent/directory"), -ENOENT);

	/* One that others can write to is not believed. */
	assert_int_equal(chmod(trail, 0777), 0);
	n.nr = 0;
	rwk_trail_walk(trail, note, &n);
	assert_int_equal(n.nr, 0);
	assert_int_equal(rwk_trail_leave(trail, &a, dir), -EPERM);
	assert_int_equal(chmod(trail, 0700), 0);
	rwk_trail_clear(trail, &b);
	assert_int_equal(rmdir(dir), 0); /* the last note takes the directory along */
}

/* Only what nobody else can have planted or can reach into is removed. */
static void removing_is_careful(void **state)
{
	char dir[] = "/tmp/rewake-test-XXXXXX", text[512];
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(text, sizeof(text),
		"cd %s && mkdir -m 700 ours kept && mkdir -m 777 open && mkdir -p ours/a/b && "
		"touch ours/a/b/f kept/f open/f file && ln -s ../kept ours/link && ln -s kept link",
		dir);
	assert_int_equal(system(text), 0);
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	assert_int_equal(rwk_workdir_remove_at(fd, "open"), -EPERM);
	assert_int_equal(rwk_workdir_remove_at(fd, "link"), -EPERM);
	assert_int_equal(rwk_workdir_remove_at(fd, "file"), -EPERM);
	assert_int_equal(rwk_workdir_remove_at(fd, "none"), -ENOENT);
	assert_int_equal(rwk_workdir_remove_at(fd, "ours"), 0);
	assert_int_equal(fstatat(fd, "ours", &st, 0), -1);
	assert_int_equal(fstatat(fd, "kept/f", &st, 0), 0); /* not through the link */
	assert_int_equal(fstatat(fd, "open/f", &st, 0), 0);
	if (!geteuid()) {
		assert_int_equal(fchownat(fd, "kept", 65534, 65534, 0), 0);
		assert_int_equal(rwk_workdir_remove_at(fd, "kept"), -EPERM);
		assert_int_equal(fstatat(fd, "kept/f", &st, 0), 0);
	}
	close(fd);
	snprintf(text, sizeof(text), "rm -rf %s", dir);
	assert_int_equal(system(text), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_is_checked_and_gets_its_clock),
		cmocka_unit_test(incomplete_trace_is_refused),
		cmocka_unit_test(counters),
		cmocka_unit_test(missing_events_are_named),
		cmocka_unit_test(programs),
		cmocka_unit_test(command_waits_for_its_word),
		cmocka_unit_test(owners),
		cmocka_unit_test(owners_that_are_none),
		cmocka_unit_test(work_directory),
		cmocka_unit_test(names_of_work_directories),
		cmocka_unit_test(removing_is_careful),
		cmocka_unit_test(trails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
