/*
 * The few parts of trace.dat version 7 that this room looks at and changes: the
 * chain of option sections, and the option that lists a buffer's CPUs.
 */
#ifndef SRC_RECORD_DATFILE_H
#define SRC_RECORD_DATFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RWK_DATFILE_MAGIC           "\x17\x08\x44tracing"
#define RWK_DATFILE_OPTION_DONE     0
#define RWK_DATFILE_OPTION_BUFFER   3
#define RWK_DATFILE_SECTION_OPTIONS 0
#define RWK_DATFILE_SECTION_HEADER  16 /* id 2, flags 2, string id 4, size 8 */
#define RWK_DATFILE_SECTION_PACKED  1 /* flag */
#define RWK_DATFILE_SECTION_BUFFER  3
#define RWK_DATFILE_MAX_SECTIONS    1000

struct rwk_datfile {
	int fd;
	uint64_t size;
	char *why;
	size_t why_size;
};

/* One section of options, as read. */
struct rwk_datfile_options {
	uint64_t offset; /* of its header in the file */
	size_t len; /* of data, without the header */
	char *data;
};

/*
 * BUFFER option: offset 8, name, clock (both ending in NUL), page size 4,
 * number of CPUs 4, and for each CPU id 4, offset 8, size 8.
 */
struct rwk_datfile_buffer {
	size_t clock, clock_len; /* where in the options */
	size_t cpus;
	uint32_t nr_cpus;
};

/* The head of a file: what comes before its sections. */
struct rwk_datfile_head {
	bool is_v7; /* else nothing of the rest is known */
	bool is_packed;
	size_t compression; /* where its name is: "none" */
	size_t first; /* where the offset of the first options is */
	uint64_t first_offset;
};

/* Keeps the reason; -EBADMSG. */
int rwk_datfile_bad(const struct rwk_datfile *f, const char *what);

/* All of it, or a negative errno; -EBADMSG behind the end. */
int rwk_datfile_read(const struct rwk_datfile *f, uint64_t offset, void *buf, size_t len);
int rwk_datfile_write(const struct rwk_datfile *f, uint64_t offset, const void *buf, size_t len);

uint16_t rwk_datfile_get16(const char *p);
uint32_t rwk_datfile_get32(const char *p);
uint64_t rwk_datfile_get64(const char *p);
void rwk_datfile_put32(char *p, uint32_t v);
void rwk_datfile_put64(char *p, uint64_t v);

int rwk_datfile_read_head(const struct rwk_datfile *f, struct rwk_datfile_head *ret);

/* ret->data is to be freed.  -EOPNOTSUPP: packed. */
int rwk_datfile_read_options(
	const struct rwk_datfile *f, uint64_t offset, struct rwk_datfile_options *ret);

/* The next option from *at on: its header's place and its data.  false at the end. */
bool rwk_datfile_next_option(const struct rwk_datfile_options *o, size_t *at, uint16_t *ret_id,
	size_t *ret_data, size_t *ret_len);

/* An option's data as a buffer; false: it is none. */
bool rwk_datfile_parse_buffer(const struct rwk_datfile_options *o, size_t data, size_t len,
	struct rwk_datfile_buffer *ret);

#endif
