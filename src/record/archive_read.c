/* From an archive to a trace.dat with its sidecar, in a folder of its own. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/parse.h"
#include "record/archive_reader.h"
#include "record/assemble.h"
#include "record/leftover.h"
#include "record/owner.h"

#define TAR_MAGIC_AT  257
#define HEAD_LEN      (TAR_MAGIC_AT + 5)
#define PEEK_TRIES    400 /* for a sender that is slow to begin */
#define PEEK_PAUSE_MS 5

enum look { NOT_ARCHIVE, PLAIN, PACKED };

/* What these first bytes may be of. */
static enum look look_at(const char *head, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
	} packed[] = {{"\x28\xb5\x2f\xfd", 4}, {"\x1f\x8b", 2},
		{"\xfd"
		 "7zXZ",
			5}};

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
		if (len >= packed[i].len && !memcmp(head, packed[i].magic, packed[i].len))
			return PACKED;
	}
	return len >= HEAD_LEN && !memcmp(head + TAR_MAGIC_AT, "ustar", 5) ? PLAIN : NOT_ARCHIVE;
}

/* The first bytes of a pipe, which stay in it; fewer only if there are no more. */
static size_t peek_pipe(int fd, char *head)
{
	size_t len = 0;
	int copy[2];

	if (pipe2(copy, O_CLOEXEC))
		return 0;
	for (int tries = 0; tries < PEEK_TRIES; tries++) {
		struct pollfd pfd = {.fd = fd, .events = POLLIN};
		ssize_t n = tee(fd, copy[1], HEAD_LEN, 0);

		if (n <= 0)
			break;
		n = read(copy[0], head, HEAD_LEN);
		len = n > 0 ? (size_t)n : 0;
		if (len == HEAD_LEN || (poll(&pfd, 1, 0) > 0 && pfd.revents & POLLHUP))
			break;
		poll(NULL, 0, PEEK_PAUSE_MS);
	}
	close(copy[0]);
	close(copy[1]);
	return len;
}

/* A pipe cannot be looked into and then left to the decoder: from now on *fd is a file. */
static int spool(int *fd, const char *near, struct rwk_diag *diag)
{
	char *dir = rwk_workdir_parent(near), buf[16384];
	int to = dir ? open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1, err = 0;
	ssize_t n;

	free(dir);
	if (to < 0)
		to = memfd_create("standard input", MFD_CLOEXEC);
	if (to < 0)
		return rwk_diag_push(
			diag, -errno, "cannot keep standard input: why=%s", strerror(errno));
	while (!err && (n = read(*fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || write(to, buf, (size_t)n) != n)
			err = rwk_diag_push(diag, errno ? -errno : -EIO,
				"cannot keep standard input: why=%s", strerror(errno));
	}
	/* The decoder reads it as standard input, too. */
	if (!err && (lseek(to, 0, SEEK_SET) < 0 || dup2(to, STDIN_FILENO) < 0))
		err = rwk_diag_push(
			diag, -errno, "cannot keep standard input: why=%s", strerror(errno));
	close(*fd);
	*fd = to;
	return err;
}

/*
 * fd of what may be an archive, -1 with 0 for what is none.  Of a packed one only
 * reading it tells; *ret_packed then.
 */
static int open_candidate(
	const char *path, const char *near, struct rwk_diag *diag, int *ret_fd, bool *ret_packed)
{
	bool is_input = !strcmp(path, "-");
	enum look look = NOT_ARCHIVE;
	char head[HEAD_LEN];
	struct stat st;
	ssize_t n;
	int err = 0, fd;

	*ret_fd = -1;
	/* What cannot be opened is for the decoder to tell, and so is a FIFO. */
	fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
		      : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		n = pread(fd, head, sizeof(head), 0);
		look = n > 0 ? look_at(head, (size_t)n) : NOT_ARCHIVE;
	} else if (is_input && S_ISFIFO(st.st_mode)) {
		look = look_at(head, peek_pipe(fd, head));
		if (look == PACKED)
			err = spool(&fd, near, diag);
	}
	if (err || look == NOT_ARCHIVE) {
		close(fd);
		return err;
	}
	*ret_fd = fd;
	*ret_packed = look == PACKED;
	return 0;
}

/* 1: an archive, 0: packed, but something else. */
static int open_tar(struct rwk_archive_reader *r, int fd, bool packed)
{
	struct archive_entry *entry;
	int code, err;

	r->tar = archive_read_new();
	if (!r->tar || archive_read_support_format_tar(r->tar) ||
		archive_read_support_filter_none(r->tar) ||
		archive_read_support_filter_zstd(r->tar) ||
		archive_read_support_filter_gzip(r->tar) || archive_read_support_filter_xz(r->tar))
		return rwk_diag_push(r->diag, -EIO, "cannot read archive: file=%s why=%s", r->path,
			r->tar ? archive_error_string(r->tar) : "no memory");
	/* What it is shows here or there. */
	code = archive_read_open_fd(r->tar, fd, RWK_ARCHIVE_BLOCK);
	if (code == ARCHIVE_OK)
		code = archive_read_next_header(r->tar, &entry);
	/* The decoder knows more that may be packed. */
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN && packed)
		return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
		return rwk_diag_push(r->diag, -EBADMSG, "cannot read archive: file=%s why=%s",
			r->path,
			code == ARCHIVE_EOF ? "it is empty" : archive_error_string(r->tar));
	if (!archive_entry_pathname(entry) ||
		strcmp(archive_entry_pathname(entry), RWK_ARCHIVE_FIRST) ||
		archive_entry_filetype(entry) != AE_IFREG)
		return rwk_diag_push(r->diag, -EBADMSG,
			"not a recording: file=%s why=its first member is not " RWK_ARCHIVE_FIRST
			"; if it is an archive of traces, unpack it first",
			r->path);
	err = rwk_archive_read_head(r);
	return err ? err : 1;
}

/* What the last member says must have come. */
static void check_totals(struct rwk_archive_reader *r)
{
	if (!r->complete) {
		rwk_archive_cut(r, "it ends early");
		return;
	}
	for (const char *line = r->totals; line && *line;) {
		int cpu, used = 0;
		int64_t bytes;

		if (sscanf(line, "cpu%4d %" SCNd64 "%n", &cpu, &bytes, &used) != 2 || cpu < 0 ||
			cpu >= RWK_MAX_CPUS || bytes != r->bytes[cpu]) {
			rwk_archive_cut(r, "it holds other pages than it says");
			return;
		}
		line = strchr(line + used, '\n');
		line += line != NULL;
	}
}

static int read_members(struct rwk_archive_reader *r)
{
	int err = 0;

	while (!err && !r->out->cut) {
		struct archive_entry *entry;
		int code = archive_read_next_header(r->tar, &entry);

		if (code == ARCHIVE_EOF)
			break;
		if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
			/* A few zeros are missing behind the end: nothing is. */
			if (!r->complete)
				rwk_archive_cut(r, archive_error_string(r->tar));
			break;
		}
		err = rwk_archive_read_member(r, entry);
	}
	if (!err)
		check_totals(r);
	return err;
}

static int assemble(struct rwk_archive_reader *r)
{
	struct rwk_record_cpu *cpu = calloc(RWK_MAX_CPUS, sizeof(*cpu));
	struct rwk_workdir *work = &r->out->work;
	struct rwk_view_sink view = rwk_assemble_view(&work->fd);
	char *tool = NULL;
	int nr = 0, err;

	if (!cpu)
		return rwk_diag_push(r->diag, -ENOMEM, "cannot unpack %s: why=no memory", r->path);
	for (int i = 0; i < RWK_MAX_CPUS; i++) {
		if (r->bytes[i])
			cpu[nr++] = (struct rwk_record_cpu){.cpu = i, .bytes = r->bytes[i]};
	}
	err = nr ? 0
		 : rwk_diag_push(r->diag, -EBADMSG, "no events: file=%s why=%s", r->path,
			   r->out->cut ? r->out->why : "there are no pages in it");
	if (!err)
		err = rwk_assemble_find_tool(r->diag, &tool);
	/* The kernel tells them only in the end. */
	if (!err && faccessat(work->fd, "tracing/saved_cmdlines", F_OK, 0))
		err = view.put(view.ctx, "saved_cmdlines", "", 0, r->diag);
	if (!err)
		err = rwk_assemble(tool, work->path, work->fd, r->clock, cpu, nr, r->diag);
	for (int i = 0; i < nr; i++) {
		char name[32];

		snprintf(name, sizeof(name), "cpu%d", cpu[i].cpu);
		unlinkat(work->fd, name, 0);
	}
	free(tool);
	free(cpu);
	if (!err && asprintf(&r->out->trace, "%s/out.dat", work->path) < 0) {
		r->out->trace = NULL;
		err = rwk_diag_push(r->diag, -ENOMEM, "cannot unpack %s: why=no memory", r->path);
	}
	return err;
}

static int make_folder(const char *near, struct rwk_unpacked *out, struct rwk_diag *diag)
{
	struct rwk_owner self;
	int err = rwk_owner_self(&self);

	if (err)
		return rwk_diag_push(
			diag, err, "cannot tell who I am: dir=/proc why=%s", strerror(-err));
	/* Of one that was killed before. */
	rwk_leftovers_remove_folders(near, &self);
	return rwk_workdir_create(&out->work, near, &self, diag);
}

int rwk_archive_unpack(
	const char *path, const char *near, struct rwk_diag *diag, struct rwk_unpacked *ret)
{
	struct rwk_unpacked out = {.work = RWK_WORKDIR_NONE};
	struct rwk_archive_reader *r = NULL;
	bool packed = false;
	int fd, is_one = 0, err = open_candidate(path, near, diag, &fd, &packed);

	if (err || fd < 0) {
		if (!err)
			*ret = out;
		return err;
	}
	r = calloc(1, sizeof(*r));
	if (!r) {
		err = rwk_diag_push(diag, -ENOMEM, "cannot unpack %s: why=no memory", path);
		goto out;
	}
	r->path = strcmp(path, "-") ? path : "standard input";
	r->out = &out;
	r->diag = diag;
	is_one = open_tar(r, fd, packed);
	if (is_one <= 0) {
		err = is_one;
		goto out;
	}
	err = make_folder(near, &out, diag);
	if (!err)
		err = read_members(r);
	if (!err)
		err = assemble(r);
	out.nr_ignored = r->nr_ignored;
out:
	if (r) {
		archive_read_free(r->tar);
		free(r->names);
		free(r->totals);
	}
	free(r);
	close(fd);
	if (err)
		rwk_unpacked_finish(&out);
	else
		*ret = out;
	return err;
}

void rwk_unpacked_finish(struct rwk_unpacked *unpacked)
{
	if (unpacked->work.path)
		rwk_workdir_remove(&unpacked->work);
	free(unpacked->trace);
	free(unpacked->sidecar);
	*unpacked = (struct rwk_unpacked){.work = RWK_WORKDIR_NONE};
}
