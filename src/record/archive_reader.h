/* Inside of reading an archive. */
#ifndef SRC_RECORD_ARCHIVE_READER_H
#define SRC_RECORD_ARCHIVE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/archive_stream.h"

#define RWK_ARCHIVE_BLOCK (64 << 10)

struct archive;
struct archive_entry;

struct rwk_archive_reader {
	const char *path;
	struct archive *tar;
	struct rwk_unpacked *out;
	struct rwk_diag *diag;
	char clock[16];
	int64_t page_size;
	int nr_formats, nr_ignored;
	char *names; /* of the members so far, apart from pages: each ends in NUL */
	size_t names_len;
	bool complete;
	char *totals; /* the text of the last member */
	int64_t bytes[RWK_MAX_CPUS], nr_chunks[RWK_MAX_CPUS];
	char block[RWK_ARCHIVE_BLOCK];
};

/* A cause that names the member; -EBADMSG. */
int rwk_archive_refuse(const struct rwk_archive_reader *r, const char *name, const char *why);

/* From here on it counts as cut; 0. */
int rwk_archive_cut(struct rwk_archive_reader *r, const char *why);

/* The first member. */
int rwk_archive_read_head(struct rwk_archive_reader *r);

/* Any other.  0 also when it is cut, which is noted. */
int rwk_archive_read_member(struct rwk_archive_reader *r, struct archive_entry *entry);

#endif
