/* Reading forwards, unpacking on the way, with a window of what was read. */
#include "decode/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/unpack.h"
#include "decode/zip.h"

#define RAW      (256 << 10)
#define MIN_KEPT (1 << 20)
#define MAX_KEPT (16 << 20) /* before release; afterwards as much as one read asks for */

struct rwk_stream {
	int fd;
	const char *path;
	struct rwk_unpack *unpack; /* NULL, and … */
	struct rwk_zip *zip; /* … NULL: what is read is what there is */
	unsigned char *raw;
	size_t raw_len, raw_at;
	int64_t nr_raw; /* bytes read so far */
	bool raw_ended, begun;
	unsigned char *kept; /* from offset start on */
	size_t cap, len;
	int64_t start;
	bool released, ended, cut;
};

bool rwk_stream_is_packed(const unsigned char *head, size_t size)
{
	return rwk_unpack_knows(head, size) > 0 || rwk_zip_knows(head, size);
}

int rwk_stream_open(int fd, const char *path, struct rwk_diag *diag, struct rwk_stream **ret)
{
	struct rwk_stream *s = calloc(1, sizeof(*s));

	if (s)
		s->raw = malloc(RAW);
	if (!s || !s->raw) {
		free(s);
		close(fd);
		return rwk_diag_push(
			diag, -ENOMEM, "cannot open trace: file=%s why=out of memory", path);
	}
	s->fd = fd;
	s->path = path;
	*ret = s;
	return 0;
}

void rwk_stream_close(struct rwk_stream *s)
{
	if (!s)
		return;
	rwk_unpack_destroy(s->unpack);
	rwk_zip_close(s->zip);
	close(s->fd);
	free(s->raw);
	free(s->kept);
	free(s);
}

/* More bytes behind those that are left: 0, also at the end. */
static int read_raw(struct rwk_stream *s, struct rwk_diag *diag)
{
	if (s->raw_at) {
		s->raw_len -= s->raw_at;
		memmove(s->raw, s->raw + s->raw_at, s->raw_len);
		s->raw_at = 0;
	}
	while (!s->raw_ended && s->raw_len < RAW) {
		ssize_t n = read(s->fd, s->raw + s->raw_len, RAW - s->raw_len);
		struct pollfd wait = {.fd = s->fd, .events = POLLIN};

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && (poll(&wait, 1, -1) >= 0 || errno == EINTR))
			continue;
		if (n < 0)
			return rwk_diag_push(diag, -errno, "cannot read: file=%s why=%s", s->path,
				strerror(errno));
		s->raw_ended = !n;
		s->raw_len += (size_t)n;
		s->nr_raw += n;
		/* What came is used at once, except for the head, which has to be told by sight. */
		if (s->begun ||
			(s->raw_len >= 16 && rwk_unpack_knows(s->raw, s->raw_len) != -EAGAIN))
			break;
	}
	return 0;
}

/* All that is there of the input, to libarchive. */
static ssize_t give_raw(void *ctx, const void **ret)
{
	struct rwk_stream *s = ctx;
	int err = s->raw_at < s->raw_len ? 0 : read_raw(s, NULL);
	size_t n = s->raw_len - s->raw_at;

	*ret = s->raw + s->raw_at;
	s->raw_at = s->raw_len;
	return err ? err : (ssize_t)n;
}

/* The first bytes: whether they are packed. */
static int begin(struct rwk_stream *s, struct rwk_diag *diag)
{
	int err = read_raw(s, diag);

	s->begun = true;
	if (err || !rwk_stream_is_packed(s->raw, s->raw_len))
		return err;
	if (rwk_zip_knows(s->raw, s->raw_len)) {
		err = rwk_zip_check(s->fd, s->path, diag);
		if (err)
			return err;
		err = rwk_zip_open(s->path, give_raw, s, &s->zip);
	} else {
		err = rwk_unpack_create(s->raw, s->raw_len, &s->unpack);
	}
	return err ? rwk_diag_push(
			     diag, err, "cannot unpack: file=%s why=%s", s->path, strerror(-err))
		   : 0;
}

/* Of a zip. */
static int fill_from_zip(struct rwk_stream *s, struct rwk_diag *diag)
{
	int nr_causes = diag ? diag->nr : 0;
	ssize_t n = rwk_zip_read(s->zip, s->kept + s->len, s->cap - s->len, diag);

	if (n == -EBADMSG)
		s->ended = s->cut = true;
	else if (n < 0 && diag && diag->nr == nr_causes)
		return rwk_diag_push(
			diag, (int)n, "cannot read: file=%s why=%s", s->path, strerror((int)-n));
	else if (n < 0)
		return (int)n;
	else if (!n)
		s->ended = true;
	else
		s->len += (size_t)n;
	return 0;
}

/* More bytes into the room behind what is kept: 0, also at the end. */
static int fill(struct rwk_stream *s, struct rwk_diag *diag)
{
	size_t before = s->len, at, n;
	int err = s->begun ? 0 : begin(s, diag);

	if (!err && s->zip)
		return fill_from_zip(s, diag);
	if (!err && s->raw_at == s->raw_len)
		err = read_raw(s, diag);
	if (err)
		return err;
	if (!s->unpack) {
		n = s->raw_len - s->raw_at;
		if (n > s->cap - s->len)
			n = s->cap - s->len;
		memcpy(s->kept + s->len, s->raw + s->raw_at, n);
		s->raw_at += n;
		s->len += n;
		s->ended = !n;
		return 0;
	}
	at = s->raw_at;
	err = rwk_unpack_step(s->unpack, s->raw, s->raw_len, &s->raw_at, s->kept, s->cap, &s->len);
	if (err == -ENOBUFS)
		return rwk_diag_push(diag, -ENOTSUP,
			"cannot unpack: file=%s why=it was packed with more memory than is allowed "
			"here; unpack it first",
			s->path);
	if (err == -ENOMEM)
		return err;
	if (err)
		s->ended = s->cut = true;
	else if (rwk_unpack_ended(s->unpack) && s->raw_at == s->raw_len && s->raw_ended)
		s->ended = true;
	else if (s->len == before && s->raw_at == at && (s->raw_ended || at < s->raw_len))
		s->ended = s->cut = true;
	return 0;
}

/* Room behind what is kept, which begins at offset or before. */
static int make_room(struct rwk_stream *s, int64_t offset, size_t size)
{
	size_t drop = (size_t)(offset - s->start), want;
	unsigned char *bigger;

	if (s->released && drop) {
		if (drop > s->len)
			drop = s->len;
		s->len -= drop;
		memmove(s->kept, s->kept + drop, s->len);
		s->start += (int64_t)drop;
	}
	if (s->len < s->cap)
		return 0;
	if (!s->released && s->cap >= MAX_KEPT)
		return -ESPIPE;
	want = s->cap ? 2 * s->cap : MIN_KEPT;
	if (s->released && want < size)
		want = size;
	bigger = realloc(s->kept, want);
	if (!bigger)
		return -ENOMEM;
	s->kept = bigger;
	s->cap = want;
	return 0;
}

int64_t rwk_stream_read(
	struct rwk_stream *s, int64_t offset, void *buf, size_t size, struct rwk_diag *diag)
{
	size_t n;

	if (offset < s->start)
		return -ESPIPE;
	while (!s->ended && (offset - s->start >= (int64_t)s->len ||
				    size > s->len - (size_t)(offset - s->start))) {
		int err = s->len < s->cap ? 0 : make_room(s, offset, size);

		if (!err)
			err = fill(s, diag);
		if (err)
			return err;
	}
	if (offset - s->start >= (int64_t)s->len)
		return 0;
	n = s->len - (size_t)(offset - s->start);
	if (n > size)
		n = size;
	memcpy(buf, s->kept + (offset - s->start), n);
	return (int64_t)n;
}

void rwk_stream_release(struct rwk_stream *s)
{
	s->released = true;
}

bool rwk_stream_bursts(const struct rwk_stream *s)
{
	return (s->unpack || s->zip) && rwk_unpack_bursts(s->nr_raw, s->start + (int64_t)s->len);
}

bool rwk_stream_cut(const struct rwk_stream *s)
{
	return s->cut;
}
