/* Where pages go: to a CPU's file, spliced if that works, or to whoever takes them. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "record/drain_cpu.h"

int rwk_drain_fail(struct rwk_drain_cpu *c, const char *what)
{
	c->err = -errno;
	c->what = what;
	return c->err;
}

void rwk_drain_tell(struct rwk_drain *drain)
{
	uint64_t one = 1;

	if (write(drain->told_fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: then it is readable already */
}

static void account(struct rwk_drain_cpu *c, int64_t bytes)
{
	struct rwk_drain *drain = c->drain;
	int64_t before = atomic_fetch_add(&drain->written, bytes), near = drain->opt.near_bytes;

	c->bytes += bytes;
	if (near && before < near && before + bytes >= near)
		rwk_drain_tell(drain);
}

/* To whoever takes them; the cause is kept there. */
static int put_sink(struct rwk_drain_cpu *c, const char *buf, size_t len)
{
	const struct rwk_drain_options *opt = &c->drain->opt;
	int err = opt->take(opt->take_ctx, c->cpu, buf, len);

	if (err) {
		errno = -err;
		return rwk_drain_fail(c, "send");
	}
	account(c, (int64_t)len);
	return 0;
}

int rwk_drain_put(struct rwk_drain_cpu *c, const char *buf, size_t len)
{
	if (c->buf)
		return put_sink(c, buf, len);
	while (len) {
		ssize_t n = write(c->out_fd, buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rwk_drain_fail(c, "write");
		buf += n;
		len -= (size_t)n;
		account(c, n);
	}
	return 0;
}

/* For file systems that cannot splice. */
static int copy_pipe(struct rwk_drain_cpu *c, size_t left)
{
	char buf[16384];

	while (left) {
		ssize_t n = read(c->pipe[0], buf, left < sizeof(buf) ? left : sizeof(buf));
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return rwk_drain_fail(c, "read pipe");
		err = rwk_drain_put(c, buf, (size_t)n);
		if (err)
			return err;
		left -= (size_t)n;
	}
	return 0;
}

/* All at once: what goes to a sink is one piece. */
static int pipe_to_sink(struct rwk_drain_cpu *c, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = read(c->pipe[0], c->buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return rwk_drain_fail(c, "read pipe");
		done += (size_t)n;
	}
	return put_sink(c, c->buf, len);
}

int rwk_drain_put_pipe(struct rwk_drain_cpu *c, size_t left)
{
	if (c->buf)
		return pipe_to_sink(c, left);
	while (left) {
		ssize_t n = splice(c->pipe[0], NULL, c->out_fd, NULL, left, SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL)
			return copy_pipe(c, left);
		if (n < 0)
			return rwk_drain_fail(c, "write");
		left -= (size_t)n;
		account(c, n);
	}
	return 0;
}
