/* The child process, its limits, and the pipe that its result comes through. */
#include "decode/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sanitizers reserve terabytes of addresses, and count what they add to them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
	__has_feature(thread_sanitizer)
#define LIMIT_MEMORY 0
#endif
#endif
#ifndef LIMIT_MEMORY
#define LIMIT_MEMORY 1
#endif

enum { EXIT_REFUSED = 1, EXIT_UNCONFINED = 2 };

struct child {
	pid_t pid;
	int fd; /* its result */
	int64_t deadline_ms;
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Bytes of address space that this process has; 0 when there is no /proc to tell. */
static size_t memory_now(void)
{
	char text[64];
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return (size_t)strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Lowers the limit, as far as the caller's own is not lower already. */
static bool lower(__rlimit_resource_t what, rlim_t soft, rlim_t hard)
{
	struct rlimit old, new;

	if (getrlimit(what, &old))
		return false;
	new.rlim_max = hard < old.rlim_max ? hard : old.rlim_max;
	new.rlim_cur = soft < old.rlim_cur ? soft : old.rlim_cur;
	if (new.rlim_cur > new.rlim_max)
		new.rlim_cur = new.rlim_max;
	return !setrlimit(what, &new);
}

/* No output, no handlers of the caller, no core, and no more than its share. */
static bool confine(const struct rwk_isolate_limits *limits)
{
	const struct sigaction as_usual = {.sa_handler = SIG_DFL};
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		return false;
	/* Those that cannot be set are those that nobody can catch. */
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &as_usual, NULL);
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL))
		return false;
	if (LIMIT_MEMORY) {
		rlim_t memory = memory_now() + limits->memory;

		if (!lower(RLIMIT_AS, memory, memory))
			return false;
	}
	/* SIGXCPU at the first, SIGKILL at the second. */
	return lower(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1) &&
	       lower(RLIMIT_CORE, 0, 0);
}

static bool write_all(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
	}
	return true;
}

/* At most size bytes before the deadline: how many, 0 the child ended before, negative errno. */
static int64_t read_some(const struct child *c, char *p, size_t size)
{
	for (;;) {
		int64_t left = c->deadline_ms - now_ms();
		struct pollfd ready = {.fd = c->fd, .events = POLLIN};
		ssize_t n;
		int ret = poll(&ready, 1, left > 0 ? (int)left : 0);

		if (ret < 0 && errno != EINTR)
			return -errno;
		if (!ret)
			return -ETIME;
		if (ret < 0)
			continue;
		n = read(c->fd, p, size);
		if (n >= 0)
			return n;
		if (errno != EINTR)
			return -errno;
	}
}

/* All size bytes before the deadline: 1, 0 the child ended before, negative errno. */
static int read_result(const struct child *c, char *p, size_t size)
{
	while (size) {
		int64_t n = read_some(c, p, size);

		if (n <= 0)
			return (int)n;
		p += n;
		size -= (size_t)n;
	}
	return 1;
}

/*
 * Its status, with SIGKILL for one that closed its pipe and lives on past the
 * deadline.  -1: somebody else has waited for it, or the caller ignores SIGCHLD.
 */
static int reap(const struct child *c)
{
	unsigned int pause_us = 20;
	int flags = WNOHANG, status;

	for (;;) {
		pid_t got = waitpid(c->pid, &status, flags);

		if (got == c->pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		if (!got && now_ms() >= c->deadline_ms) {
			kill(c->pid, SIGKILL);
			flags = 0;
		} else if (!got) {
			usleep(pause_us);
			pause_us = pause_us < 1000 ? 2 * pause_us : pause_us;
		}
	}
}

static void tell_end(int status, char *why)
{
	if (status == -1)
		snprintf(why, RWK_ISOLATE_WHY, "died");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, RWK_ISOLATE_WHY, "took too long");
	else if (WIFSIGNALED(status))
		snprintf(why, RWK_ISOLATE_WHY, "died (signal %d)", WTERMSIG(status));
	else if (WEXITSTATUS(status) == EXIT_UNCONFINED)
		snprintf(why, RWK_ISOLATE_WHY, "was not run, since it could not be confined");
	else if (WEXITSTATUS(status) == EXIT_REFUSED)
		snprintf(why, RWK_ISOLATE_WHY, "refused it");
	else
		snprintf(why, RWK_ISOLATE_WHY, "died (exit %d)", WEXITSTATUS(status));
}

/* Reads into a copy, so that half a result leaves the caller's alone. */
static int collect(const struct child *c, void *result, size_t size, char *why)
{
	char *copy = malloc(size);
	int err = copy ? read_result(c, copy, size) : -ENOMEM;
	int status;

	if (err < 0)
		kill(c->pid, SIGKILL);
	status = reap(c);
	if (err > 0) {
		memcpy(result, copy, size);
		err = 0;
	} else if (!err) {
		tell_end(status, why);
		err = -EBADMSG;
	} else {
		snprintf(why, RWK_ISOLATE_WHY, "%s",
			err == -ETIME ? "took too long" : strerror(-err));
		if (err == -ETIME)
			err = -EBADMSG;
	}
	free(copy);
	return err;
}

/* What of the caller's goes on in the child: either run or stream. */
struct work {
	int (*run)(void *ctx, void *result);
	int (*stream)(void *ctx, int fd);
	void *ctx, *result;
	size_t size;
};

/* Ends without the caller's exit handlers, and without what stdio still holds of it. */
static void __attribute__((noreturn))
be_child(const struct rwk_isolate_limits *limits, const struct work *w, int fd)
{
	if (!confine(limits))
		_exit(EXIT_UNCONFINED);
	if (w->stream)
		_exit(w->stream(w->ctx, fd) ? EXIT_REFUSED : 0);
	if (w->run(w->ctx, w->result) || !write_all(fd, w->result, w->size))
		_exit(EXIT_REFUSED);
	_exit(0);
}

static int start(
	const struct rwk_isolate_limits *limits, const struct work *w, char *why, struct child *ret)
{
	sigset_t all, before;
	int fds[2], err;

	ret->deadline_ms = now_ms() + limits->wall_ms;
	if (pipe2(fds, O_CLOEXEC)) {
		err = -errno;
		snprintf(why, RWK_ISOLATE_WHY, "could not be run: %s", strerror(-err));
		return err;
	}
	/* Nothing is to call the caller's handlers in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret->pid = fork();
	if (!ret->pid) {
		close(fds[0]);
		be_child(limits, w, fds[1]);
	}
	err = ret->pid < 0 ? -errno : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(fds[1]);
	ret->fd = fds[0];
	if (!err)
		return 0;
	snprintf(why, RWK_ISOLATE_WHY, "could not be run: %s", strerror(-err));
	close(fds[0]);
	return err;
}

int rwk_isolate_run(const struct rwk_isolate_limits *limits, int (*run)(void *ctx, void *result),
	void *ctx, void *result, size_t size, char why[RWK_ISOLATE_WHY])
{
	const struct work w = {.run = run, .ctx = ctx, .result = result, .size = size};
	struct child c;
	int err = start(limits, &w, why, &c);

	if (err)
		return err;
	err = collect(&c, result, size, why);
	close(c.fd);
	return err;
}

struct rwk_isolate_stream {
	struct child child;
	int wall_ms;
	bool ended, silent;
};

int rwk_isolate_start(const struct rwk_isolate_limits *limits, int (*run)(void *ctx, int fd),
	void *ctx, char why[RWK_ISOLATE_WHY], struct rwk_isolate_stream **ret)
{
	const struct work w = {.stream = run, .ctx = ctx};
	struct rwk_isolate_stream *s = calloc(1, sizeof(*s));
	int err = s ? start(limits, &w, why, &s->child) : -ENOMEM;

	if (err) {
		free(s);
		return err;
	}
	s->wall_ms = limits->wall_ms;
	*ret = s;
	return 0;
}

int64_t rwk_isolate_read(struct rwk_isolate_stream *s, void *buf, size_t size)
{
	int64_t n;

	if (s->ended)
		return 0;
	s->child.deadline_ms = now_ms() + s->wall_ms;
	n = read_some(&s->child, buf, size);
	s->ended = n <= 0;
	s->silent = n == -ETIME;
	return n;
}

int rwk_isolate_end(struct rwk_isolate_stream *s, char why[RWK_ISOLATE_WHY])
{
	int status;

	if (!s)
		return 0;
	/* One that closed its pipe is about to end by itself. */
	s->child.deadline_ms = now_ms() + (s->ended && !s->silent ? s->wall_ms : 0);
	close(s->child.fd);
	status = reap(&s->child);
	if (s->silent)
		snprintf(why, RWK_ISOLATE_WHY, "took too long");
	else if (status)
		tell_end(status, why);
	free(s);
	return status ? -EBADMSG : 0;
}
