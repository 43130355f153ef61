/*
 * Draining threads.  They sleep on a clock instead of waiting for the buffer:
 * kernels differ in when they wake a reader and in whether a waiting one can be
 * stopped, while a sleep behaves the same everywhere and adds few wakeups to
 * the recording.
 */
#include "record/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "record/drain_cpu.h"

#define STACK_BYTES     (512 << 10) /* whoever takes the pages may compress them */
#define MAX_INTERVAL_MS 100
#define MIN_INTERVAL_MS 5

/* Whole pages of at most want bytes that may be written; 0: the limit is reached. */
static size_t reserve(struct rwk_drain *drain, size_t want)
{
	int64_t had = atomic_load(&drain->reserved), take;

	if (!drain->opt.max_bytes)
		return want;
	do {
		int64_t left = drain->opt.max_bytes - had;

		take = (int64_t)want < left ? (int64_t)want : left;
		take -= take % (int64_t)drain->page_size;
		if (take <= 0)
			return 0;
	} while (!atomic_compare_exchange_weak(&drain->reserved, &had, had + take));
	return (size_t)take;
}

static void give_back(struct rwk_drain *drain, size_t bytes)
{
	if (drain->opt.max_bytes)
		atomic_fetch_sub(&drain->reserved, (int64_t)bytes);
}

/* A CPU that was never online has no buffer; it gets one when it comes. */
static bool is_empty(ssize_t n)
{
	return n == 0 || (n < 0 && (errno == EAGAIN || errno == ENODEV));
}

/* All full pages that are there and may be written; their bytes, or a negative errno. */
static int64_t move_pages(struct rwk_drain_cpu *c)
{
	int64_t moved = 0;

	for (;;) {
		size_t may = reserve(c->drain, RWK_DRAIN_PIPE_BYTES);
		ssize_t n;
		int err;

		/* What is not fetched the kernel overwrites and counts. */
		if (!may)
			return moved;
		n = splice(
			c->raw_fd, NULL, c->pipe[1], NULL, may, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		give_back(c->drain, n > 0 ? may - (size_t)n : may);
		if (n < 0 && errno == EINTR)
			continue;
		if (is_empty(n))
			return moved;
		if (n < 0)
			return rwk_drain_fail(c, "read buffer");
		err = rwk_drain_put_pipe(c, (size_t)n);
		if (err)
			return err;
		moved += n;
		/* A buffer that fills as fast as it is read must not keep us from stopping. */
		if (moved >= c->drain->buffer_bytes)
			return moved;
	}
}

/* The page that is not full, which only read() hands out. */
static int flush(struct rwk_drain_cpu *c)
{
	size_t size = c->drain->page_size;
	char *page = malloc(size);
	int err = 0;

	if (!page) {
		errno = ENOMEM;
		return rwk_drain_fail(c, "flush");
	}
	while (!err && reserve(c->drain, size)) {
		ssize_t n = read(c->raw_fd, page, size);

		if (n <= 0)
			give_back(c->drain, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (is_empty(n))
			break;
		err = n < 0 ? rwk_drain_fail(c, "read buffer") : rwk_drain_put(c, page, (size_t)n);
	}
	free(page);
	return err;
}

/* How long to sleep: shorter while the buffer is filling fast. */
static int next_interval(const struct rwk_drain *drain, int interval, int64_t moved)
{
	if (moved > drain->buffer_bytes / 4)
		interval /= 2;
	else if (moved < drain->buffer_bytes / 8)
		interval *= 2;
	if (interval < MIN_INTERVAL_MS)
		return MIN_INTERVAL_MS;
	return interval > MAX_INTERVAL_MS ? MAX_INTERVAL_MS : interval;
}

static int drain_until_stopped(struct rwk_drain_cpu *c)
{
	struct pollfd stop = {.fd = c->drain->stop_fd, .events = POLLIN};
	int interval = MIN_INTERVAL_MS;

	for (;;) {
		int64_t moved = move_pages(c);
		int n;

		if (moved < 0)
			return (int)moved;
		interval = next_interval(c->drain, interval, moved);
		n = poll(&stop, 1, interval);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return rwk_drain_fail(c, "poll");
	}
}

/* Nothing is added any more; a buffer or two is all that can be left. */
static void drain_rest(struct rwk_drain_cpu *c)
{
	int64_t moved;

	if (c->err || c->closed)
		return;
	do {
		moved = move_pages(c);
	} while (moved > 0);
	if (!moved)
		flush(c);
}

static void *drain_main(void *arg)
{
	struct rwk_drain_cpu *c = arg;

	if (drain_until_stopped(c))
		rwk_drain_tell(c->drain);
	return NULL;
}

static int open_cpu(struct rwk_drain *drain, struct rwk_drain_cpu *c, struct rwk_instance *inst,
	int dir_fd, struct rwk_diag *diag)
{
	char name[32];

	c->drain = drain;
	c->raw_fd = rwk_instance_open_cpu(inst, c->cpu, diag);
	if (c->raw_fd < 0)
		return c->raw_fd;
	snprintf(name, sizeof(name), "cpu%d", c->cpu);
	if (drain->opt.take)
		c->buf = malloc(RWK_DRAIN_PIPE_BYTES);
	else
		c->out_fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if ((c->out_fd < 0 && !c->buf) || pipe2(c->pipe, O_CLOEXEC)) {
		int err = -errno;

		return rwk_diag_push(diag, err, "cannot create the file of a CPU: cpu=%d why=%s%s",
			c->cpu, strerror(-err),
			err == -EMFILE ? "; raise the limit of open files (ulimit -n)" : "");
	}
	/* Fewer calls with a larger pipe; the usual one does as well. */
	fcntl(c->pipe[0], F_SETPIPE_SZ, RWK_DRAIN_PIPE_BYTES);
	return 0;
}

static int start_threads(struct rwk_drain *drain, struct rwk_diag *diag)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err = pthread_attr_init(&attr);

	if (err)
		return rwk_diag_push(diag, -err, "cannot start threads: why=%s", strerror(err));
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Signals are the caller's, who waits for them in the thread that called. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (int i = 0; i < drain->nr_cpus && !err; i++) {
		struct rwk_drain_cpu *c = &drain->cpu[i];

		err = pthread_create(&c->thread, &attr, drain_main, c);
		c->running = !err;
		if (err)
			rwk_diag_push(diag, -err, "cannot start a thread: cpu=%d why=%s", c->cpu,
				strerror(err));
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

int rwk_drain_start(struct rwk_instance *inst, int dir_fd, const struct rwk_drain_options *opt,
	struct rwk_diag *diag, struct rwk_drain **ret)
{
	struct rwk_drain *drain = calloc(1, sizeof(*drain));
	int err = 0, nr = rwk_cpuset_weight(&inst->setup.cpus), i = 0;

	if (drain)
		drain->cpu = calloc((size_t)nr, sizeof(*drain->cpu));
	if (!drain || !drain->cpu) {
		free(drain);
		return rwk_diag_push(diag, -ENOMEM, "cannot start draining: why=no memory");
	}
	drain->opt = *opt;
	drain->buffer_bytes = inst->setup.buffer_kb * 1024;
	drain->page_size = inst->page_size;
	drain->nr_cpus = nr;
	rwk_cpuset_foreach (cpu, &inst->setup.cpus) {
		struct rwk_drain_cpu *c = &drain->cpu[i++];

		*c = (struct rwk_drain_cpu){
			.cpu = cpu, .raw_fd = -1, .out_fd = -1, .pipe = {-1, -1}};
	}
	drain->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	drain->told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (drain->stop_fd < 0 || drain->told_fd < 0)
		err = rwk_diag_push(diag, -errno, "cannot start draining: why=%s", strerror(errno));
	for (i = 0; i < nr && !err; i++)
		err = open_cpu(drain, &drain->cpu[i], inst, dir_fd, diag);
	if (!err && !opt->hold)
		err = start_threads(drain, diag);
	if (err) {
		rwk_drain_destroy(drain);
		return err;
	}
	*ret = drain;
	return 0;
}

int rwk_drain_fd(const struct rwk_drain *drain)
{
	return drain->told_fd;
}

int64_t rwk_drain_written(const struct rwk_drain *drain)
{
	return atomic_load(&drain->written);
}

bool rwk_drain_is_near(const struct rwk_drain *drain)
{
	return drain->opt.near_bytes && rwk_drain_written(drain) >= drain->opt.near_bytes;
}

static void join_threads(struct rwk_drain *drain)
{
	uint64_t one = 1;
	bool told = false;

	/* An eventfd that was never written to takes one write for certain. */
	for (int i = 0; i < drain->nr_cpus; i++) {
		struct rwk_drain_cpu *c = &drain->cpu[i];

		if (!c->running)
			continue;
		if (!told)
			told = write(drain->stop_fd, &one, sizeof(one)) > 0;
		pthread_join(c->thread, NULL);
		c->running = false;
	}
}

int rwk_drain_stop(struct rwk_drain *drain, struct rwk_diag *diag)
{
	join_threads(drain);
	for (int i = 0; i < drain->nr_cpus; i++) {
		struct rwk_drain_cpu *c = &drain->cpu[i];
		int fd;

		/* One after the other, so that nobody's reservation is in another one's way. */
		drain_rest(c);
		fd = c->out_fd;
		/* Some file systems tell only now that there was no room. */
		c->out_fd = -1;
		c->closed = true;
		if (fd >= 0 && close(fd) && !c->err)
			rwk_drain_fail(c, "close");
		if (c->err)
			return rwk_diag_push(diag, c->err,
				"cannot save recorded pages: cpu=%d offset=0x%llx call=%s why=%s",
				c->cpu, (unsigned long long)c->bytes, c->what, strerror(-c->err));
	}
	return 0;
}

int64_t rwk_drain_bytes(const struct rwk_drain *drain, int cpu)
{
	for (int i = 0; i < drain->nr_cpus; i++) {
		if (drain->cpu[i].cpu == cpu)
			return drain->cpu[i].bytes;
	}
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void rwk_drain_destroy(struct rwk_drain *drain)
{
	if (!drain)
		return;
	join_threads(drain);
	for (int i = 0; i < drain->nr_cpus; i++) {
		close_fd(drain->cpu[i].raw_fd);
		close_fd(drain->cpu[i].out_fd);
		close_fd(drain->cpu[i].pipe[0]);
		close_fd(drain->cpu[i].pipe[1]);
		free(drain->cpu[i].buf);
	}
	close_fd(drain->stop_fd);
	close_fd(drain->told_fd);
	free(drain->cpu);
	free(drain);
}
