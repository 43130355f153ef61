/* Where it goes, and the machine's part of it. */
#include "cli/record_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rwk_record_stream_is_meant(const char *name)
{
	struct stat st;

	return !strcmp(name, "-") || (!stat(name, &st) && S_ISFIFO(st.st_mode));
}

int rwk_record_stream_open(const char *name, const struct rwk_compression *compression,
	const volatile sig_atomic_t *nr_stops, struct rwk_diag *diag, struct rwk_record_stream *ret)
{
	struct rwk_record_stream s = {.on = true, .is_stdout = !strcmp(name, "-"), .fd = -1};

	s.fd = s.is_stdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
			   : open(name, O_WRONLY | O_CLOEXEC);
	*ret = s;
	if (s.fd < 0)
		return rwk_diag_push(diag, -errno, "cannot write: file=%s why=%s", name,
			errno == EINTR ? "stopped before anybody has read" : strerror(errno));
	if (isatty(s.fd))
		return rwk_diag_push(diag, -ENOTTY,
			"the output is a terminal: send it to a file or through a pipe");
	return rwk_archive_create(s.fd, compression, nr_stops, diag, &ret->archive);
}

static int to_text(
	const struct rwk_snapshot *snap, struct rwk_diag *diag, char **ret, size_t *ret_len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);
	int err;

	if (!out)
		return rwk_diag_push(diag, -ENOMEM, "cannot keep the machine: why=no memory");
	err = rwk_snapshot_print(snap, out, diag);
	if (fclose(out) && !err)
		err = rwk_diag_push(diag, -ENOMEM, "cannot keep the machine: why=no memory");
	if (err)
		free(text);
	else
		*ret = text;
	return err;
}

int rwk_record_stream_set_start(
	struct rwk_record_stream *stream, const struct rwk_snapshot *snap, struct rwk_diag *diag)
{
	size_t len;

	return to_text(snap, diag, &stream->start, &len);
}

int64_t rwk_record_stream_end(
	struct rwk_record_stream *stream, const struct rwk_snapshot *snap, struct rwk_diag *diag)
{
	size_t len;
	char *text = NULL;
	int err = to_text(snap, diag, &text, &len);

	if (err)
		return err;
	err = rwk_archive_put(stream->archive, RWK_ARCHIVE_SIDECAR, text, len, diag);
	free(text);
	return err ? err : rwk_archive_finish(stream->archive, diag);
}

void rwk_record_stream_finish(struct rwk_record_stream *stream)
{
	rwk_archive_destroy(stream->archive);
	if (stream->on && stream->fd >= 0)
		close(stream->fd);
	free(stream->start);
	*stream = (struct rwk_record_stream){0};
}
