/* Opening and reading the input. */
#include "decode/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/stream.h"
#include "decode/unpack.h"

#define COPY (256 << 10)

/* Whether a file is packed as a whole; one that cannot be read is told of later. */
static bool is_packed(int fd)
{
	unsigned char head[RWK_UNPACK_HEAD];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	return n > 0 && rwk_stream_is_packed(head, (size_t)n);
}

static int make_stream(struct rwk_file *file, struct rwk_diag *diag)
{
	int fd = file->fd;

	file->fd = -1;
	file->size = INT64_MAX;
	return rwk_stream_open(fd, file->path, diag, &file->stream);
}

/* "folder/name" is what is read from now on. */
static int rename_file(struct rwk_file *file, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", file->path, name) < 0)
		return -ENOMEM;
	free(file->path);
	file->path = path;
	return 0;
}

static int settle(struct rwk_file *file, bool is_input, struct rwk_diag *diag);

/* Where perf has more files than one to write, it makes a folder. */
static int enter(struct rwk_file *file, struct rwk_diag *diag)
{
	int fd = openat(file->fd, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err;

	if (fd < 0)
		return rwk_diag_push(
			diag, -EISDIR, "cannot open trace: file=%s why=is a directory", file->path);
	file->folder = file->fd;
	file->fd = fd;
	err = rename_file(file, "data");
	return err ? err : settle(file, false, diag);
}

/* The kind of what is open. */
static int settle(struct rwk_file *file, bool is_input, struct rwk_diag *diag)
{
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return rwk_diag_push(diag, -errno, "cannot open trace: file=%s why=%s", file->path,
			strerror(errno));
	if (S_ISDIR(st.st_mode) && file->folder < 0)
		return enter(file, diag);
	if (!S_ISREG(st.st_mode) && !is_input)
		return rwk_diag_push(diag, -EINVAL,
			"cannot open trace: file=%s why=not a regular file (- reads from a pipe)",
			file->path);
	file->size = st.st_size;
	return S_ISREG(st.st_mode) && !is_packed(file->fd) ? 0 : make_stream(file, diag);
}

int rwk_file_open(const char *path, struct rwk_diag *diag, struct rwk_file *ret)
{
	bool is_input = !strcmp(path, "-");
	struct rwk_file file = {
		.fd = -1, .folder = -1, .path = strdup(is_input ? "standard input" : path)};
	int err;

	if (!file.path)
		return -ENOMEM;
	/* Non-blocking, so that a FIFO is refused below instead of waited for. */
	file.fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			   : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file.fd < 0)
		err = rwk_diag_push(diag, -errno, "cannot open trace: file=%s why=%s", file.path,
			strerror(errno));
	else
		err = settle(&file, is_input, diag);
	if (err) {
		rwk_file_close(&file);
		return err;
	}
	*ret = file;
	return 0;
}

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : P_tmpdir;
}

/* A file without a name, that is gone when it is closed. */
static int open_temporary(const char *folder)
{
	char name[4096];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system has such. */
	if (snprintf(name, sizeof(name), "%s/rewake-XXXXXX", folder) >= (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int rwk_file_temporary(const char *for_what, struct rwk_diag *diag, int *ret_fd)
{
	int fd = open_temporary(temporary_folder());

	if (fd < 0)
		return rwk_diag_push(diag, -errno, "cannot make the temporary file of %s: %s",
			for_what, strerror(errno));
	*ret_fd = fd;
	return 0;
}

int rwk_file_write(int fd, int64_t offset, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = pwrite(fd, p, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		offset += n;
		size -= (size_t)n;
	}
	return 0;
}

void rwk_file_close(struct rwk_file *file)
{
	if (!file->path)
		return;
	rwk_stream_close(file->stream);
	if (file->fd >= 0)
		close(file->fd);
	if (file->folder >= 0)
		close(file->folder);
	free(file->path);
	*file = (struct rwk_file){.fd = -1, .folder = -1};
}

int rwk_file_open_beside(
	const struct rwk_file *file, const char *name, struct rwk_diag *diag, struct rwk_file *ret)
{
	const char *slash = strrchr(file->path, '/');
	struct rwk_file beside = {.fd = -1, .folder = -1};
	struct stat st;
	int err = 0;

	beside.fd = openat(file->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (beside.fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (asprintf(&beside.path, "%.*s/%s", (int)(slash - file->path), file->path, name) < 0) {
		if (beside.fd >= 0)
			close(beside.fd);
		return -ENOMEM;
	}
	if (beside.fd < 0 || fstat(beside.fd, &st) < 0)
		err = rwk_diag_push(diag, -errno, "cannot open trace: file=%s why=%s", beside.path,
			strerror(errno));
	else if (!S_ISREG(st.st_mode))
		err = rwk_diag_push(diag, -EINVAL,
			"cannot open trace: file=%s why=not a regular file", beside.path);
	if (err) {
		rwk_file_close(&beside);
		return err;
	}
	beside.size = st.st_size;
	*ret = beside;
	return 0;
}

int rwk_file_spool(struct rwk_file *file, struct rwk_diag *diag)
{
	const char *folder = temporary_folder();
	char *buf = malloc(COPY);
	int64_t at = 0, n = 0;
	bool bursts = false; /* a file that may not grow fails with the same errno */
	int fd, err;

	if (!buf)
		return -ENOMEM;
	fd = open_temporary(folder);
	err = fd < 0 ? -errno : 0;
	while (!err) {
		n = rwk_stream_read(file->stream, at, buf, COPY, diag);
		if (n <= 0)
			break;
		bursts = rwk_stream_bursts(file->stream);
		err = bursts ? -EFBIG : rwk_file_write(fd, at, buf, (size_t)n);
		at += n;
		/* What was kept so far is in the file now. */
		rwk_stream_release(file->stream);
	}
	free(buf);
	if (bursts)
		rwk_diag_push(diag, err,
			"cannot unpack: file=%s offset=0x%" PRIx64
			" why=it holds far more than a trace of its size can, and was not written "
			"to %s; unpack it first",
			file->path, at, folder);
	else if (err)
		rwk_diag_push(diag, err,
			"cannot spool what can only be read once: file=%s folder=%s why=%s "
			"(TMPDIR names another folder)",
			file->path, folder, strerror(-err));
	else if (n < 0)
		err = (int)n;
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	rwk_stream_close(file->stream);
	file->stream = NULL;
	file->fd = fd;
	file->size = at;
	return 0;
}

void rwk_file_release(struct rwk_file *file)
{
	if (file->stream)
		rwk_stream_release(file->stream);
}

bool rwk_file_cut(const struct rwk_file *file)
{
	return file->stream && rwk_stream_cut(file->stream);
}

int64_t rwk_file_read(
	const struct rwk_file *file, int64_t offset, void *buf, size_t size, struct rwk_diag *diag)
{
	size_t done = 0;

	if (file->stream)
		return rwk_stream_read(file->stream, offset, buf, size, diag);
	while (done < size) {
		ssize_t n =
			pread(file->fd, (char *)buf + done, size - done, offset + (int64_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rwk_diag_push(diag, -errno,
				"cannot read: file=%s offset=0x%llx why=%s", file->path,
				(unsigned long long)offset + done, strerror(errno));
		if (!n)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}
