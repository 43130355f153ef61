/* Code that misbehaves in every way a foreign library can, each in its child process. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/isolate.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static const struct rwk_isolate_limits usual = {
	.memory = 64 << 20,
	.cpu_seconds = 5,
	.wall_ms = 60000,
};

/* Runs it with an int as its result, which starts as 7. */
static int run(const struct rwk_isolate_limits *limits, int (*fn)(void *ctx, void *result),
	void *ctx, int *ret, char *why)
{
	*ret = 7;
	why[0] = '\0';
	return rwk_isolate_run(limits, fn, ctx, ret, sizeof(*ret), why);
}

static void assert_fails(const struct rwk_isolate_limits *limits,
	int (*fn)(void *ctx, void *result), void *ctx, const char *word)
{
	char why[RWK_ISOLATE_WHY];
	int result;

	assert_int_equal(run(limits, fn, ctx, &result, why), -EBADMSG);
	assert_int_equal(result, 7);
	if (!strstr(why, word))
		fail_msg("\"%s\" does not say \"%s\"", why, word);
	/* No zombie is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int add_one(void *ctx, void *result)
{
	int *counter = ctx, *ret = result;

	++*counter;
	*ret += *counter;
	return 0;
}

static void result_comes_back_and_nothing_else(void **state)
{
	char why[RWK_ISOLATE_WHY];
	int counter = 10, result;

	(void)state;
	assert_int_equal(run(&usual, add_one, &counter, &result, why), 0);
	assert_int_equal(result, 18);
	assert_int_equal(counter, 10);
}

#define LARGE (1 << 20)

static int fill_large(void *ctx, void *result)
{
	unsigned char *p = result;

	(void)ctx;
	for (size_t i = 0; i < LARGE; i++)
		p[i] = (unsigned char)(i % 251);
	return 0;
}

/* More than a pipe holds. */
static void large_result(void **state)
{
	char why[RWK_ISOLATE_WHY];
	unsigned char *p = calloc(1, LARGE);

	(void)state;
	assert_non_null(p);
	assert_int_equal(rwk_isolate_run(&usual, fill_large, NULL, p, LARGE, why), 0);
	for (size_t i = 0; i < LARGE; i++)
		assert_int_equal(p[i], i % 251);
	free(p);
}

static int refuse(void *ctx, void *result)
{
	*(int *)result = 8;
	(void)ctx;
	return -EINVAL;
}

static int die_by(void *ctx, void *result)
{
	*(int *)result = 8;
	raise(*(int *)ctx);
	return 0;
}

static int call_exit(void *ctx, void *result)
{
	*(int *)result = 8;
	_exit(*(int *)ctx);
}

static void what_dies_is_told(void **state)
{
	int segv = SIGSEGV, abrt = SIGABRT, killed = SIGKILL, good = 0, three = 3;

	(void)state;
	assert_fails(&usual, die_by, &segv, "died (signal 11)");
	assert_fails(&usual, die_by, &abrt, "died (signal 6)");
	assert_fails(&usual, die_by, &killed, "died (signal 9)");
	assert_fails(&usual, call_exit, &three, "died (exit 3)");
	/* A good end without the result is none. */
	assert_fails(&usual, call_exit, &good, "died (exit 0)");
}

static void what_refuses_is_told(void **state)
{
	/* Not the exact words: valgrind ends a child by its own number. */
	(void)state;
	assert_fails(&usual, refuse, NULL, "");
}

static int spin(void *ctx, void *result)
{
	volatile unsigned int n = 0;

	while (n != UINT_MAX || ctx != result)
		n++;
	return 0;
}

static int sleep_long(void *ctx, void *result)
{
	while (ctx != result)
		pause();
	return 0;
}

/* Without its pipe the child looks as if it had ended. */
static int sleep_without_pipe(void *ctx, void *result)
{
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	return sleep_long(ctx, result);
}

static void what_hangs_is_ended(void **state)
{
	const struct rwk_isolate_limits one_second = {64 << 20, 1, 60000},
					no_patience = {64 << 20, 60, 50};

	(void)state;
	assert_fails(&one_second, spin, NULL, "took too long");
	assert_fails(&no_patience, spin, NULL, "took too long");
	assert_fails(&no_patience, sleep_long, NULL, "took too long");
	assert_fails(&no_patience, sleep_without_pipe, NULL, "died (signal 9)");
}

/* Takes what it gets, up to 1 GB, and says how many MB that was. */
static int eat_memory(void *ctx, void *result)
{
	int *mb = result;

	(void)ctx;
	for (*mb = 0; *mb < 1024; ++*mb) {
		void *p = mmap(
			NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			break;
	}
	return 0;
}

static void memory_is_limited(void **state)
{
	char why[RWK_ISOLATE_WHY];
	int mb;

	(void)state;
	if (SANITIZED)
		skip();
	assert_int_equal(run(&usual, eat_memory, NULL, &mb, why), 0);
	assert_in_range(mb, 32, 64);
}

static void handler(int sig)
{
	(void)sig;
}

enum { HAS_HANDLER = 1, IS_BLOCKED = 2, IS_IGNORED = 4, CORE = 8, STDOUT = 16, STDERR = 32 };

static bool is_null_device(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

static int look_around(void *ctx, void *result)
{
	struct sigaction action;
	struct rlimit core;
	sigset_t mask;
	int *ret = result;

	(void)ctx;
	*ret = 0;
	if (sigaction(SIGUSR1, NULL, &action) || action.sa_handler != SIG_DFL)
		*ret |= HAS_HANDLER;
	if (sigaction(SIGPIPE, NULL, &action) || action.sa_handler != SIG_DFL)
		*ret |= IS_IGNORED;
	if (sigprocmask(SIG_SETMASK, NULL, &mask) || sigismember(&mask, SIGUSR2))
		*ret |= IS_BLOCKED;
	if (getrlimit(RLIMIT_CORE, &core) || core.rlim_cur)
		*ret |= CORE;
	if (!is_null_device(STDOUT_FILENO))
		*ret |= STDOUT;
	if (!is_null_device(STDERR_FILENO))
		*ret |= STDERR;
	return 0;
}

/* The child has nothing of the caller's signals and output; the caller keeps all of it. */
static void child_is_confined(void **state)
{
	struct sigaction action = {.sa_handler = handler}, old, pipe_action;
	sigset_t mask, before, after;
	char why[RWK_ISOLATE_WHY];
	int seen;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	action.sa_handler = SIG_IGN;
	assert_int_equal(sigaction(SIGPIPE, &action, &pipe_action), 0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	assert_int_equal(sigprocmask(SIG_BLOCK, &mask, &before), 0);
	assert_int_equal(run(&usual, look_around, NULL, &seen, why), 0);
	assert_int_equal(seen, 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, &after), 0);
	assert_true(sigismember(&after, SIGUSR2));
	assert_false(sigismember(&after, SIGUSR1));
	assert_int_equal(sigaction(SIGUSR1, &old, &action), 0);
	assert_ptr_equal(action.sa_handler, handler);
	assert_int_equal(sigaction(SIGPIPE, &pipe_action, NULL), 0);
}

/* valgrind has libc release its memory at any exit, and with it write what stdio holds. */
static bool is_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

/* What stdio holds is written once, by the caller. */
static void stdio_is_not_written_twice(void **state)
{
	FILE *file = tmpfile();
	char why[RWK_ISOLATE_WHY], text[64] = "";
	int counter = 0, result;

	(void)state;
	assert_non_null(file);
	if (is_under_valgrind()) {
		fclose(file);
		skip();
	}
	fputs("once", file);
	assert_int_equal(run(&usual, add_one, &counter, &result, why), 0);
	rewind(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "once");
	fclose(file);
}

/* A caller that ignores SIGCHLD gets no status, but its result. */
static void sigchld_ignored(void **state)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	int segv = SIGSEGV, counter = 0, result;
	char why[RWK_ISOLATE_WHY];

	(void)state;
	assert_int_equal(sigaction(SIGCHLD, &ignore, &old), 0);
	assert_int_equal(run(&usual, add_one, &counter, &result, why), 0);
	assert_int_equal(result, 8);
	assert_fails(&usual, die_by, &segv, "died");
	assert_int_equal(sigaction(SIGCHLD, &old, NULL), 0);
}

static void no_file_descriptors_left(void **state)
{
	struct rlimit old, none;
	char why[RWK_ISOLATE_WHY];
	int counter = 0, result;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(run(&usual, add_one, &counter, &result, why), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(result, 7);
	assert_non_null(strstr(why, "could not be run"));
}

static int count_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void files_do_not_leak(void **state)
{
	int before = count_files(), segv = SIGSEGV, counter = 0, result;
	char why[RWK_ISOLATE_WHY];

	(void)state;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(run(&usual, add_one, &counter, &result, why), 0);
		assert_fails(&usual, die_by, &segv, "died");
	}
	assert_int_equal(count_files(), before);
}

#define MUCH (4 << 20) /* far beyond what a pipe holds */

static int write_much(void *ctx, int fd)
{
	const int *bad = ctx;
	unsigned char piece[4096];

	for (int i = 0; i < MUCH / 4096; i++) {
		memset(piece, i, sizeof(piece));
		if (write(fd, piece, sizeof(piece)) != sizeof(piece))
			return -1;
	}
	if (*bad > 1)
		raise(*bad);
	return *bad;
}

/* All that comes: how many bytes; checks them. */
static int64_t read_all(struct rwk_isolate_stream *s)
{
	unsigned char piece[5000];
	int64_t nr = 0, n;

	while ((n = rwk_isolate_read(s, piece, sizeof(piece))) > 0) {
		for (int64_t i = 0; i < n; i++)
			assert_int_equal(piece[i], (unsigned char)((nr + i) / 4096));
		nr += n;
	}
	assert_int_equal(rwk_isolate_read(s, piece, sizeof(piece)), 0);
	return n < 0 ? n : nr;
}

static void streams(void **state)
{
	static const struct {
		int bad;
		const char *words; /* NULL: it ends well */
	} cases[] = {{0, NULL}, {1, "refused it"}, {SIGABRT, "died (signal 6)"}};
	int before = count_files();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int bad = cases[i].bad;
		struct rwk_isolate_stream *s;
		char why[RWK_ISOLATE_WHY] = "";

		assert_int_equal(rwk_isolate_start(&usual, write_much, &bad, why, &s), 0);
		assert_int_equal(read_all(s), MUCH);
		assert_int_equal(rwk_isolate_end(s, why), cases[i].words ? -EBADMSG : 0);
		assert_string_equal(why, cases[i].words ? cases[i].words : "");
	}
	assert_int_equal(count_files(), before);
}

/* Nobody reads to the end: it ends all the same, at once. */
static void stream_left_alone(void **state)
{
	struct rwk_isolate_stream *s;
	char why[RWK_ISOLATE_WHY], byte;
	int bad = 0;

	(void)state;
	assert_int_equal(rwk_isolate_start(&usual, write_much, &bad, why, &s), 0);
	assert_int_equal(rwk_isolate_read(s, &byte, 1), 1);
	assert_int_equal(rwk_isolate_end(s, why), -EBADMSG);
	assert_int_equal(rwk_isolate_end(NULL, why), 0);
}

static int stay_silent(void *ctx, int fd)
{
	(void)ctx;
	(void)fd;
	sleep(100);
	return 0;
}

static void silent_stream_is_ended(void **state)
{
	const struct rwk_isolate_limits no_patience = {64 << 20, 60, 50};
	struct rwk_isolate_stream *s;
	char why[RWK_ISOLATE_WHY], byte;

	(void)state;
	assert_int_equal(rwk_isolate_start(&no_patience, stay_silent, NULL, why, &s), 0);
	assert_int_equal(rwk_isolate_read(s, &byte, 1), -ETIME);
	assert_int_equal(rwk_isolate_read(s, &byte, 1), 0);
	assert_int_equal(rwk_isolate_end(s, why), -EBADMSG);
	assert_string_equal(why, "took too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(result_comes_back_and_nothing_else),
		cmocka_unit_test(large_result),
		cmocka_unit_test(what_dies_is_told),
		cmocka_unit_test(what_refuses_is_told),
		cmocka_unit_test(what_hangs_is_ended),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(child_is_confined),
		cmocka_unit_test(stdio_is_not_written_twice),
		cmocka_unit_test(sigchld_ignored),
		cmocka_unit_test(no_file_descriptors_left),
		cmocka_unit_test(files_do_not_leak),
		cmocka_unit_test(streams),
		cmocka_unit_test(stream_left_alone),
		cmocka_unit_test(silent_stream_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
