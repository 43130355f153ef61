/* From an archive to a trace.dat with its sidecar, in a folder of its own. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/parse.h"
#include "record/archive_reader.h"
#include "record/assemble.h"
#include "record/leftover.h"
#include "record/owner.h"

#define TAR_MAGIC_AT 257

/* Whether these first bytes may be of a tar, packed or not. */
static bool looks_like_archive(const unsigned char *head, size_t len)
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
			return true;
	}
	return len >= TAR_MAGIC_AT + 5 && !memcmp(head + TAR_MAGIC_AT, "ustar", 5);
}

/* fd of what may be an archive, -1 with 0 for what is none. */
static int open_candidate(const char *path, struct rwk_diag *diag, int *ret_fd)
{
	unsigned char head[512];
	struct stat st;
	ssize_t n;
	int fd;

	*ret_fd = -1;
	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return rwk_diag_push(diag, -errno, "cannot read standard input: why=%s",
				strerror(errno));
		*ret_fd = fd;
		return 0;
	}
	/* What cannot be opened is for the decoder to tell. */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* From a pipe nothing else can be read. */
	n = fstat(fd, &st) || S_ISREG(st.st_mode) ? pread(fd, head, sizeof(head), 0) : 0;
	if (n > 0 ? looks_like_archive(head, (size_t)n) : S_ISFIFO(st.st_mode))
		*ret_fd = fd;
	else
		close(fd);
	return 0;
}

static int open_tar(struct rwk_archive_reader *r, int fd)
{
	struct archive_entry *entry;
	int code;

	r->tar = archive_read_new();
	if (!r->tar || archive_read_support_format_tar(r->tar) ||
		archive_read_support_filter_none(r->tar) ||
		archive_read_support_filter_zstd(r->tar) ||
		archive_read_support_filter_gzip(r->tar) ||
		archive_read_support_filter_xz(r->tar) ||
		archive_read_open_fd(r->tar, fd, RWK_ARCHIVE_BLOCK))
		return rwk_diag_push(r->diag, -EIO, "cannot read archive: file=%s why=%s", r->path,
			r->tar ? archive_error_string(r->tar) : "no memory");
	code = archive_read_next_header(r->tar, &entry);
	if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
		return rwk_diag_push(r->diag, -EBADMSG, "cannot read archive: file=%s why=%s",
			r->path,
			code == ARCHIVE_EOF ? "it is empty" : archive_error_string(r->tar));
	if (!archive_entry_pathname(entry) ||
		strcmp(archive_entry_pathname(entry), RWK_ARCHIVE_FIRST) ||
		archive_entry_filetype(entry) != AE_IFREG)
		return rwk_diag_push(r->diag, -EBADMSG,
			"not a recording: file=%s why=its first member is not " RWK_ARCHIVE_FIRST,
			r->path);
	return rwk_archive_read_head(r);
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
	int fd, err = open_candidate(path, diag, &fd);

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
	err = open_tar(r, fd);
	if (!err)
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
