/*
 * Writes small trace.dat files from nothing, in memory, with whatever formats,
 * pages and damage a test needs.  Values that a test gives are of its own making,
 * so a failure here ends the test program.
 */
#ifndef TESTS_UNIT_TRACEDAT_BUILD_H
#define TESTS_UNIT_TRACEDAT_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TB_MAX_CPUS    8
#define TB_MAX_FORMATS 16
#define TB_MAX_FIELDS  24

/* Growing bytes, numbers in the byte order of the file. */
struct tb_bytes {
	unsigned char *data;
	size_t len, cap;
	bool big_endian;
};

void tb_check(bool ok, const char *what);
void tb_store(unsigned char *p, uint64_t v, int size, bool big_endian);
void tb_put(struct tb_bytes *b, const void *data, size_t size);
void tb_string(struct tb_bytes *b, const char *text);
void tb_zeros(struct tb_bytes *b, size_t n);
void tb_u16(struct tb_bytes *b, uint16_t v);
void tb_u32(struct tb_bytes *b, uint32_t v);
void tb_u64(struct tb_bytes *b, uint64_t v);

/* "char comm[16]", "__data_loc char[] comm", "int prio" */
struct tb_field {
	const char *decl;
	int offset, size, is_signed;
};

struct tb_format {
	const char *system, *name;
	int id;
	struct tb_field field[TB_MAX_FIELDS]; /* ends with a NULL decl */
	const char *print_fmt;
};

struct tb_cpu {
	int id;
	struct tb_bytes pages;
	size_t page; /* offset of the open page */
	bool open;
	uint32_t used; /* of its data */
	uint64_t ts; /* of its last record */
};

enum tb_compression { TB_PLAIN, TB_ZSTD, TB_ZLIB };

struct tb_trace {
	/* Set before anything else is written. */
	int version; /* 6 or 7 */
	bool big_endian;
	int long_size; /* of the recorded kernel: 4 or 8 */
	uint32_t page_size; /* of the buffer */
	uint32_t machine_page; /* 0: the same */
	enum tb_compression compression;
	int chunk_pages; /* pages in a chunk */
	const char *uname, *clock;
	int cpu_count; /* what the file says; 0: as many as have data */
	bool no_cpu_stats;
	bool no_options; /* of version 6: as before there were any */
	int64_t overrun[TB_MAX_CPUS];
	const char *instance; /* a further buffer of that name, … */
	struct tb_trace *second; /* … with these pages, of as many CPUs; NULL: without data */
	const char *offset; /* ns that are to be added to all times */
	uint32_t tsc_mult, tsc_shift; /* times are ticks; 0: ns */
	struct tb_option { /* as they stand in the file */
		int id;
		struct tb_bytes bytes;
	} option[4];
	int nr_options;

	const struct tb_format *format[TB_MAX_FORMATS];
	int nr_formats;
	struct tb_cpu cpu[TB_MAX_CPUS];
	int nr_cpus;
	int nr_records[TB_MAX_CPUS];
};

/* Version 7, little-endian, 64-bit, 4096-byte pages, formats of today. */
void tb_init(struct tb_trace *t);
void tb_finish(struct tb_trace *t);

/* Formats like those of kernel 6.1, at other offsets than any kernel's. */
extern const struct tb_format tb_switch, tb_waking, tb_wakeup, tb_wakeup_new, tb_migrate, tb_sel,
	tb_sel_ret, tb_sel_state0, tb_sel_state12, tb_nr, tb_other;

/* One more option, in the file's byte order; its bytes are to be put. */
struct tb_bytes *tb_option(struct tb_trace *t, int id);

void tb_add_format(struct tb_trace *t, const struct tb_format *fmt);

/* Bytes that a page has for records. */
uint32_t tb_data_size(const struct tb_trace *t);

/* A record being filled, by the names of its format's fields. */
struct tb_record {
	const struct tb_trace *trace;
	const struct tb_format *fmt;
	unsigned char data[512];
	size_t len;
};

void tb_record(struct tb_record *r, const struct tb_trace *t, const struct tb_format *fmt);
void tb_set(struct tb_record *r, const char *name, int64_t value);
void tb_set_text(struct tb_record *r, const char *name, const char *text);

/* The usual events; cpu names the idle task. */
void tb_fill_switch(
	struct tb_record *r, const struct tb_trace *t, int cpu, int prev, int64_t state, int next);
void tb_fill_task(struct tb_record *r, const struct tb_trace *t, const struct tb_format *fmt,
	int who, int tid, int target);
void tb_fill_migrate(struct tb_record *r, const struct tb_trace *t, int tid, int from, int to);

/* Pages of one CPU (an index, not its id).  A new page closes the one before. */
void tb_page(struct tb_trace *t, int cpu, uint64_t ts);
void tb_write(struct tb_trace *t, int cpu, uint64_t ts, const void *data, size_t size);
void tb_extend(struct tb_trace *t, int cpu, uint64_t delta);
void tb_stamp(struct tb_trace *t, int cpu, uint64_t ts); /* absolute, its low 59 bits */
void tb_padding(struct tb_trace *t, int cpu, uint32_t size);
void tb_missed(struct tb_trace *t, int cpu, int64_t count); /* -1: not stored */

/* Whole records of the usual events; a page is begun when there is none or it is full. */
void tb_put_switch(struct tb_trace *t, int cpu, uint64_t ts, int prev, int64_t state, int next);
void tb_put_task(struct tb_trace *t, int cpu, uint64_t ts, const struct tb_format *fmt, int who,
	int tid, int target);
void tb_put_migrate(struct tb_trace *t, int cpu, uint64_t ts, int tid, int from, int to);
void tb_put_record(struct tb_trace *t, int cpu, uint64_t ts, const struct tb_record *r);

/* The file; free() ret->data. */
void tb_build(struct tb_trace *t, struct tb_bytes *ret);

/* Only its headers with the formats, as a perf.data has them; likewise. */
void tb_build_formats(const struct tb_trace *t, struct tb_bytes *ret);

/* A file in memory under a path that can be opened. */
struct tb_file {
	int fd;
	char path[64];
};

void tb_file_init(struct tb_file *f);
void tb_file_set(struct tb_file *f, const void *data, size_t size);
void tb_file_finish(struct tb_file *f);

#endif
