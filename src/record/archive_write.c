/* Writing: libarchive makes the tar, and blocks of it go to the receiver as they fill. */
#include "record/archive_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#define TICK_MS     200 /* how late it is noticed that there is a hurry */
#define PATIENCE_MS 30000

struct rwk_archive {
	pthread_mutex_t lock; /* of everything but the flag */
	struct archive *tar;
	struct archive_entry *entry;
	int fd;
	int own_fd; /* of the same pipe, without blocking; -1: it can only be waited for */
	int err; /* the first failure */
	int64_t out_bytes;
	int64_t bytes[RWK_MAX_CPUS], nr_chunks[RWK_MAX_CPUS];
	atomic_bool hurry;
	const volatile sig_atomic_t *nr_stops; /* NULL: nobody asks */
};

/* 0 as soon as something may be written. */
static int wait_for_receiver(struct rwk_archive *a)
{
	struct pollfd pfd = {.fd = a->own_fd, .events = POLLOUT};
	int waited_ms = 0;

	while (!atomic_load(&a->hurry) || waited_ms < PATIENCE_MS) {
		int n = poll(&pfd, 1, TICK_MS);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		/* The first one has ended the recording, and this is what it ends with. */
		if (a->nr_stops && *a->nr_stops > 1)
			return -EINTR;
		if (atomic_load(&a->hurry))
			waited_ms += TICK_MS;
	}
	return -ETIMEDOUT;
}

static la_ssize_t write_block(struct archive *tar, void *ctx, const void *block, size_t len)
{
	struct rwk_archive *a = ctx;
	const char *p = block;
	size_t left = len;

	(void)tar;
	while (left && !a->err) {
		ssize_t n = write(a->own_fd >= 0 ? a->own_fd : a->fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && a->own_fd >= 0) {
			a->err = wait_for_receiver(a);
			continue;
		}
		if (n < 0) {
			a->err = -errno;
			break;
		}
		p += n;
		left -= (size_t)n;
		a->out_bytes += n;
	}
	return a->err ? -1 : (la_ssize_t)len;
}

static int failed(struct rwk_archive *a, struct rwk_diag *diag)
{
	const char *said = archive_error_string(a->tar);

	if (a->err == -EPIPE)
		return rwk_diag_push(diag, a->err, "whoever received the recording is gone");
	if (a->err == -EINTR)
		return rwk_diag_push(
			diag, a->err, "stopped for the second time: not all has been sent");
	if (a->err == -ETIMEDOUT)
		return rwk_diag_push(
			diag, a->err, "whoever receives the recording takes nothing any more");
	if (a->err)
		return rwk_diag_push(
			diag, a->err, "cannot send the recording: why=%s", strerror(-a->err));
	a->err = -EIO;
	return rwk_diag_push(diag, a->err, "cannot send the recording: why=%s",
		said ? said : "libarchive does not say");
}

static int set_compression(struct archive *tar, const struct rwk_compression *compression)
{
	char level[16];

	if (!compression->zstd)
		return archive_write_add_filter_none(tar);
	if (archive_write_add_filter_zstd(tar))
		return ARCHIVE_FAILED;
	snprintf(level, sizeof(level), "%d", compression->level);
	return archive_write_set_filter_option(tar, "zstd", "compression-level", level);
}

/* Flags belong to everybody who has the pipe open: so one opens it once more. */
static int open_again(int fd)
{
	struct stat st;
	char path[64];

	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

int rwk_archive_create(int fd, const struct rwk_compression *compression,
	const volatile sig_atomic_t *nr_stops, struct rwk_diag *diag, struct rwk_archive **ret)
{
	struct rwk_archive *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return rwk_diag_push(diag, -ENOMEM, "cannot send the recording: why=no memory");
	a->fd = fd;
	a->own_fd = open_again(fd);
	a->nr_stops = nr_stops;
	pthread_mutex_init(&a->lock, NULL);
	a->tar = archive_write_new();
	a->entry = archive_entry_new();
	/* Whole blocks only, but none is filled up in the end: it need not fit a tape. */
	if (!a->tar || !a->entry || archive_write_set_format_ustar(a->tar) ||
		set_compression(a->tar, compression) ||
		archive_write_set_bytes_in_last_block(a->tar, 1) ||
		archive_write_open(a->tar, a, NULL, write_block, NULL)) {
		err = failed(a, diag);
		rwk_archive_destroy(a);
		return err;
	}
	*ret = a;
	return 0;
}

static int put(struct rwk_archive *a, const char *path, const void *data, size_t len,
	struct rwk_diag *diag)
{
	if (a->err)
		return failed(a, diag);
	archive_entry_clear(a->entry);
	archive_entry_set_pathname(a->entry, path);
	archive_entry_set_filetype(a->entry, AE_IFREG);
	archive_entry_set_perm(a->entry, 0600);
	archive_entry_set_size(a->entry, (la_int64_t)len);
	if (archive_write_header(a->tar, a->entry) ||
		(len && archive_write_data(a->tar, data, len) != (la_ssize_t)len) ||
		archive_write_finish_entry(a->tar))
		return failed(a, diag);
	return 0;
}

int rwk_archive_put(struct rwk_archive *archive, const char *path, const void *data, size_t len,
	struct rwk_diag *diag)
{
	int err;

	pthread_mutex_lock(&archive->lock);
	err = put(archive, path, data, len, diag);
	pthread_mutex_unlock(&archive->lock);
	return err;
}

int rwk_archive_begin(
	struct rwk_archive *archive, const char *clock, size_t page_size, struct rwk_diag *diag)
{
	const uint16_t one = 1;
	struct utsname uts;
	char text[512];
	int len;

	if (uname(&uts))
		uts.machine[0] = '\0';
	len = snprintf(text, sizeof(text),
		"version: %d\nclock: %s\npage_size: %zu\nbyte_order: %s\nlong: %zu\n"
		"architecture: %s\n",
		RWK_ARCHIVE_VERSION, clock, page_size,
		*(const unsigned char *)&one ? "little" : "big", sizeof(long), uts.machine);
	return rwk_archive_put(archive, RWK_ARCHIVE_FIRST, text, (size_t)len, diag);
}

int rwk_archive_put_pages(
	struct rwk_archive *archive, int cpu, const void *pages, size_t len, struct rwk_diag *diag)
{
	char path[64];
	int err;

	pthread_mutex_lock(&archive->lock);
	snprintf(path, sizeof(path), "cpu%d/%010" PRId64, cpu, archive->nr_chunks[cpu]);
	err = put(archive, path, pages, len, diag);
	if (!err) {
		archive->nr_chunks[cpu]++;
		archive->bytes[cpu] += (int64_t)len;
	}
	pthread_mutex_unlock(&archive->lock);
	return err;
}

static int put_in_view(
	void *ctx, const char *path, const void *data, size_t len, struct rwk_diag *diag)
{
	char name[300];

	snprintf(name, sizeof(name), RWK_ARCHIVE_VIEW "%s", path);
	return rwk_archive_put(ctx, name, data, len, diag);
}

struct rwk_view_sink rwk_archive_view(struct rwk_archive *archive)
{
	return (struct rwk_view_sink){.put = put_in_view, .ctx = archive};
}

void rwk_archive_hurry(struct rwk_archive *archive)
{
	atomic_store(&archive->hurry, true);
}

int rwk_archive_why(struct rwk_archive *archive, struct rwk_diag *diag)
{
	int err;

	pthread_mutex_lock(&archive->lock);
	err = archive->err ? failed(archive, diag) : 0;
	pthread_mutex_unlock(&archive->lock);
	return err;
}

int64_t rwk_archive_finish(struct rwk_archive *archive, struct rwk_diag *diag)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err = 0;

	if (!out)
		return rwk_diag_push(diag, -ENOMEM, "cannot send the recording: why=no memory");
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		if (archive->nr_chunks[cpu])
			fprintf(out, "cpu%d %" PRId64 "\n", cpu, archive->bytes[cpu]);
	}
	if (fclose(out))
		err = rwk_diag_push(diag, -ENOMEM, "cannot send the recording: why=no memory");
	if (!err)
		err = rwk_archive_put(archive, RWK_ARCHIVE_COMPLETE, text, size, diag);
	if (!err && archive_write_close(archive->tar))
		err = failed(archive, diag);
	free(text);
	return err ? err : archive->out_bytes;
}

void rwk_archive_destroy(struct rwk_archive *archive)
{
	if (!archive)
		return;
	/* Else freeing would write an end, as if this were all. */
	if (!archive->err)
		archive->err = -ECANCELED;
	archive_write_free(archive->tar);
	archive_entry_free(archive->entry);
	if (archive->own_fd >= 0)
		close(archive->own_fd);
	pthread_mutex_destroy(&archive->lock);
	free(archive);
}
