/* Zips: which member is meant, and what is not unpacked. */
#include "decode/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char several[] = "it holds several files; unpack it first";

struct rwk_zip {
	struct archive *archive;
	const char *path;
	rwk_zip_source *source;
	void *ctx;
	int source_err; /* of the last read of the source */
	const void *block; /* of the file, not given yet */
	size_t block_size;
	bool begun, ended, damaged;
};

bool rwk_zip_knows(const unsigned char *head, size_t size)
{
	return size >= 4 && !memcmp(head, "PK\x03\x04", 4);
}

static la_ssize_t read_source(struct archive *a, void *ctx, const void **ret)
{
	struct rwk_zip *z = ctx;
	ssize_t n = z->source(z->ctx, ret);

	if (n >= 0)
		return n;
	z->source_err = (int)n;
	archive_set_error(a, (int)-n, "cannot read");
	return ARCHIVE_FATAL;
}

int rwk_zip_open(const char *path, rwk_zip_source *source, void *ctx, struct rwk_zip **ret)
{
	struct rwk_zip *z = calloc(1, sizeof(*z));

	if (!z)
		return -ENOMEM;
	*z = (struct rwk_zip){
		.path = path, .source = source, .ctx = ctx, .archive = archive_read_new()};
	if (!z->archive || archive_read_support_format_zip_streamable(z->archive) != ARCHIVE_OK) {
		rwk_zip_close(z);
		return -ENOMEM;
	}
	*ret = z;
	return 0;
}

void rwk_zip_close(struct rwk_zip *z)
{
	if (!z)
		return;
	archive_read_free(z->archive);
	free(z);
}

static int refuse(const struct rwk_zip *z, const char *why, struct rwk_diag *diag)
{
	return rwk_diag_push(
		diag, -ENOTSUP, "cannot unpack: file=%s format=zip why=%s", z->path, why);
}

/* What libarchive failed with. */
static int failure(const struct rwk_zip *z)
{
	if (z->source_err)
		return z->source_err;
	return archive_errno(z->archive) == ENOMEM ? -ENOMEM : -EBADMSG;
}

/* On to the next member that is a file, and not known to be empty: 1, 0 none, negative errno. */
static int next_member(struct rwk_zip *z, struct archive_entry **ret)
{
	for (;;) {
		int code = archive_read_next_header(z->archive, ret);

		if (code == ARCHIVE_EOF)
			return 0;
		if (code < ARCHIVE_WARN)
			return failure(z);
		if (archive_entry_filetype(*ret) == AE_IFREG &&
			(!archive_entry_size_is_set(*ret) || archive_entry_size(*ret)))
			return 1;
	}
}

struct listing {
	int fd;
	int64_t at;
	unsigned char buf[4096];
};

static la_ssize_t read_listing(struct archive *a, void *ctx, const void **ret)
{
	struct listing *l = ctx;
	ssize_t n = pread(l->fd, l->buf, sizeof(l->buf), l->at);

	(void)a;
	if (n > 0)
		l->at += n;
	*ret = l->buf;
	return n;
}

static la_int64_t seek_listing(struct archive *a, void *ctx, la_int64_t offset, int whence)
{
	struct listing *l = ctx;
	struct stat st;

	(void)a;
	if (whence == SEEK_CUR)
		offset += l->at;
	else if (whence == SEEK_END && !fstat(l->fd, &st))
		offset += st.st_size;
	l->at = offset;
	return offset;
}

int rwk_zip_check(int fd, const char *path, struct rwk_diag *diag)
{
	struct rwk_zip z = {.path = path};
	struct listing l = {.fd = fd};
	struct archive_entry *entry;
	struct stat st;
	int nr = 0;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	z.archive = archive_read_new();
	if (z.archive && archive_read_support_format_zip_seekable(z.archive) == ARCHIVE_OK &&
		archive_read_set_seek_callback(z.archive, seek_listing) == ARCHIVE_OK &&
		archive_read_open(z.archive, &l, NULL, read_listing, NULL) == ARCHIVE_OK) {
		while (nr < 2 && next_member(&z, &entry) > 0)
			nr++;
	}
	archive_read_free(z.archive);
	return nr < 2 ? 0 : refuse(&z, several, diag);
}

/* Other packings take as much memory as the file says. */
static bool is_usual(const struct rwk_zip *z)
{
	static const char *const usual[] = {"(deflation)", "(uncompressed)"};
	const char *name = archive_format_name(z->archive);

	for (size_t i = 0; name && i < sizeof(usual) / sizeof(usual[0]); i++) {
		if (strstr(name, usual[i]))
			return true;
	}
	return false;
}

/* Data of the member, if there is none that was not given yet: 1, 0 at its end, negative errno. */
static int fill_block(struct rwk_zip *z)
{
	/* Not archive_read_data(), which drops what it has in front of damage. */
	while (!z->block_size) {
		la_int64_t offset;
		int code;

		if (z->damaged)
			return -EBADMSG;
		code = archive_read_data_block(z->archive, &z->block, &z->block_size, &offset);
		if (code == ARCHIVE_EOF)
			return 0;
		if (code < ARCHIVE_WARN)
			return failure(z);
		/* Of another length or sum than it should have. */
		z->damaged = code != ARCHIVE_OK;
	}
	return 1;
}

/* On to the next member with something in it: 1, 0 none, negative errno. */
static int next_full(struct rwk_zip *z, struct rwk_diag *diag)
{
	struct archive_entry *entry;
	int got;

	while ((got = next_member(z, &entry)) > 0) {
		if (archive_entry_is_encrypted(entry))
			return refuse(z, "it is encrypted", diag);
		if (!is_usual(z))
			return refuse(z, "packed in a way that is not read; unpack it first", diag);
		got = fill_block(z);
		if (got)
			break;
	}
	return got;
}

static int begin(struct rwk_zip *z, struct rwk_diag *diag)
{
	int got;

	z->begun = true;
	if (archive_read_open(z->archive, z, NULL, read_source, NULL) != ARCHIVE_OK)
		return failure(z);
	got = next_full(z, diag);
	return got ? got : refuse(z, "it holds no file", diag);
}

/* A second file may be the one that was meant. */
static int end(struct rwk_zip *z, struct rwk_diag *diag)
{
	int got = next_full(z, diag);

	z->ended = true;
	return got > 0 ? refuse(z, several, diag) : got;
}

ssize_t rwk_zip_read(struct rwk_zip *z, void *buf, size_t size, struct rwk_diag *diag)
{
	int got = z->begun ? 1 : begin(z, diag);

	if (got < 0 || z->ended)
		return got < 0 ? got : 0;
	got = fill_block(z);
	if (got <= 0)
		return got ? got : end(z, diag);
	if (size > z->block_size)
		size = z->block_size;
	memcpy(buf, z->block, size);
	z->block = (const char *)z->block + size;
	z->block_size -= size;
	return (ssize_t)size;
}
