/* The files around the pages: trace.dat versions 6 and 7. */
#include "tracedat_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* A blank line stands between the fields that all events have and an event's own. */
static bool is_common(const struct tb_field *f)
{
	return f->decl && strstr(f->decl, " common_");
}

static void put_format(struct tb_bytes *b, const struct tb_format *fmt)
{
	char text[8192];
	int n = snprintf(text, sizeof(text), "name: %s\nID: %d\nformat:\n", fmt->name, fmt->id);

	for (const struct tb_field *f = fmt->field; f->decl; f++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			"\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n%s", f->decl, f->offset,
			f->size, f->is_signed, is_common(f) && !is_common(f + 1) ? "\n" : "");
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\nprint fmt: %s\n", fmt->print_fmt);
	tb_u64(b, (uint64_t)n);
	tb_put(b, text, (size_t)n);
}

static void put_header_info(const struct tb_trace *t, struct tb_bytes *b)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:%d;\tsize:%u;\tsigned:0;\n",
		t->long_size, 8 + t->long_size, tb_data_size(t));

	tb_string(b, "header_page");
	tb_u64(b, (uint64_t)n);
	tb_put(b, text, (size_t)n);
	tb_string(b, "header_event");
	tb_u64(b, 5);
	tb_put(b, "# abc", 5);
}

static void put_event_formats(const struct tb_trace *t, struct tb_bytes *b)
{
	static const char *const systems[] = {"irq", "rewake", "sched"};

	tb_u32(b, 3);
	for (int s = 0; s < 3; s++) {
		uint32_t n = 0;

		for (int i = 0; i < t->nr_formats; i++)
			n += !strcmp(t->format[i]->system, systems[s]);
		tb_string(b, systems[s]);
		tb_u32(b, n);
		for (int i = 0; i < t->nr_formats; i++) {
			if (!strcmp(t->format[i]->system, systems[s]))
				put_format(b, t->format[i]);
		}
	}
}

static void put_option(struct tb_bytes *b, int id, const void *data, size_t size)
{
	tb_u16(b, (uint16_t)id);
	tb_u32(b, (uint32_t)size);
	tb_put(b, data, size);
}

/* An option whose data is the offset of a section. */
static void put_place(struct tb_bytes *b, int id, uint64_t offset)
{
	unsigned char p[8];

	tb_store(p, offset, 8, b->big_endian);
	put_option(b, id, p, 8);
}

static void put_stats(const struct tb_trace *t, struct tb_bytes *b)
{
	char text[512];

	for (int i = 0; i < t->nr_cpus && !t->no_cpu_stats; i++) {
		snprintf(text, sizeof(text),
			"CPU: %d\nentries: 0\noverrun: %lld\ncommit overrun: 0\nbytes: 0\n"
			"oldest event ts:     1.000000\nnow ts:     2.000000\ndropped events: 3\n"
			"read events: %d\n",
			t->cpu[i].id, (long long)t->overrun[i], t->nr_records[i]);
		put_option(b, 2, text, strlen(text) + 1);
	}
}

static void put_time_options(const struct tb_trace *t, struct tb_bytes *b)
{
	unsigned char tsc[16] = {0};

	if (t->offset)
		put_option(b, 7, t->offset, strlen(t->offset) + 1);
	tb_store(tsc, t->tsc_mult, 4, t->big_endian);
	tb_store(tsc + 4, t->tsc_shift, 4, t->big_endian);
	if (t->tsc_mult)
		put_option(b, 14, tsc, sizeof(tsc));
	for (int i = 0; i < t->nr_options; i++)
		put_option(b, t->option[i].id, t->option[i].bytes.data, t->option[i].bytes.len);
}

static void put_system_options(const struct tb_trace *t, struct tb_bytes *b)
{
	char text[512];

	if (t->uname)
		put_option(b, 5, t->uname, strlen(t->uname) + 1);
	snprintf(text, sizeof(text), "global [%s] counter uptime", t->clock);
	put_option(b, 4, text, strlen(text) + 1);
	put_stats(t, b);
	if (t->instance && t->second) {
		snprintf(text, sizeof(text), "\nBuffer: %s\n\n", t->instance);
		put_option(b, 2, text, strlen(text) + 1);
		put_stats(t->second, b);
	}
	put_time_options(t, b);
}

static void align(struct tb_bytes *b, uint32_t to)
{
	while (b->len % to)
		tb_zeros(b, 1);
}

/* All that comes before the CPUs, which is also what a perf.data has. */
static void put_headers(const struct tb_trace *t, struct tb_bytes *b)
{
	put_header_info(t, b);
	tb_u32(b, 1);
	put_format(b, &tb_other);
	put_event_formats(t, b);
	tb_u32(b, 7); /* kallsyms */
	tb_put(b, "symbols", 7);
	tb_u32(b, 0); /* printk formats */
	tb_u64(b, 5);
	tb_put(b, "1 foo", 5);
}

/* The list of CPUs, and what it lists; pages NULL: nothing. */
static void put_flyrecord(
	const struct tb_trace *t, const struct tb_trace *pages, bool clock, struct tb_bytes *b)
{
	char text[64];
	size_t table;

	tb_string(b, "flyrecord");
	table = b->len;
	tb_zeros(b, 16 * (size_t)t->nr_cpus);
	if (clock) {
		snprintf(text, sizeof(text), "[%s]", pages ? pages->clock : t->clock);
		tb_u64(b, strlen(text));
		tb_put(b, text, strlen(text));
	}
	align(b, t->page_size);
	for (int i = 0; i < t->nr_cpus && pages; i++) {
		tb_store(b->data + table + 16 * (size_t)i, b->len, 8, b->big_endian);
		tb_store(b->data + table + 16 * (size_t)i + 8, pages->cpu[i].pages.len, 8,
			b->big_endian);
		tb_put(b, pages->cpu[i].pages.data, pages->cpu[i].pages.len);
	}
}

static void build_v6(const struct tb_trace *t, struct tb_bytes *b)
{
	unsigned char place[72] = {0};
	size_t at = 0;

	put_headers(t, b);
	tb_u32(b, (uint32_t)t->nr_cpus);
	if (t->no_options) {
		put_flyrecord(t, t, false, b);
		return;
	}
	tb_string(b, "options  ");
	put_system_options(t, b);
	if (t->instance) {
		snprintf((char *)place + 8, sizeof(place) - 8, "%s", t->instance);
		put_option(b, 3, place, strlen(t->instance) + 9);
		at = b->len - strlen(t->instance) - 9;
	}
	tb_u16(b, 0);
	put_flyrecord(t, t, false, b);
	if (t->instance) {
		tb_store(b->data + at, b->len, 8, b->big_endian);
		put_flyrecord(t, t->second, true, b);
	}
}

static void put_packed(const struct tb_trace *t, struct tb_bytes *b, const void *data, size_t size)
{
	size_t room = ZSTD_compressBound(size) + compressBound(size);
	unsigned char *packed = malloc(room);
	uLongf n = room;

	tb_check(packed != NULL, "no memory");
	if (t->compression == TB_ZSTD)
		n = ZSTD_compress(packed, room, data, size, 3);
	else
		tb_check(compress2(packed, &n, data, size, 6) == Z_OK, "zlib");
	tb_u32(b, (uint32_t)n);
	tb_u32(b, (uint32_t)size);
	tb_put(b, packed, n);
	free(packed);
}

/* Returns the offset of the section, whose contents it takes and frees. */
static uint64_t put_section(const struct tb_trace *t, struct tb_bytes *b, int id,
	struct tb_bytes *contents, bool packed)
{
	size_t start = b->len;

	packed = packed && t->compression != TB_PLAIN;
	tb_u16(b, (uint16_t)id);
	tb_u16(b, packed ? 1 : 0);
	tb_u32(b, 0);
	tb_u64(b, 0);
	if (packed)
		put_packed(t, b, contents->data, contents->len);
	else
		tb_put(b, contents->data, contents->len);
	tb_store(b->data + start + 8, b->len - start - 16, 8, b->big_endian);
	free(contents->data);
	return start;
}

/* One CPU's chunks, and the size that trace-cmd gives them: without the number of chunks. */
static size_t put_chunks(const struct tb_trace *t, struct tb_bytes *b, const struct tb_cpu *c)
{
	size_t chunk = (size_t)t->chunk_pages * t->page_size, start = b->len;

	tb_u32(b, (uint32_t)((c->pages.len + chunk - 1) / chunk));
	for (size_t at = 0; at < c->pages.len; at += chunk)
		put_packed(t, b, c->pages.data + at,
			c->pages.len - at < chunk ? c->pages.len - at : chunk);
	return b->len - start - 4;
}

static uint64_t put_cpu_data(
	const struct tb_trace *t, struct tb_bytes *b, uint64_t *offsets, uint64_t *sizes)
{
	size_t start = b->len;

	tb_u16(b, 3);
	tb_u16(b, t->compression != TB_PLAIN);
	tb_u32(b, 0);
	tb_u64(b, 0);
	for (int i = 0; i < t->nr_cpus; i++) {
		const struct tb_cpu *c = &t->cpu[i];

		if (!c->pages.len)
			continue;
		align(b, t->page_size);
		offsets[i] = b->len;
		sizes[i] = c->pages.len;
		if (t->compression == TB_PLAIN)
			tb_put(b, c->pages.data, c->pages.len);
		else
			sizes[i] = put_chunks(t, b, c);
	}
	tb_store(b->data + start + 8, b->len - start - 16, 8, b->big_endian);
	return start;
}

static void put_buffer_option(const struct tb_trace *t, const char *name, struct tb_bytes *options,
	uint64_t section, const uint64_t *offsets, const uint64_t *sizes)
{
	struct tb_bytes b = {.big_endian = t->big_endian};
	uint32_t n = 0;

	for (int i = 0; i < t->nr_cpus; i++)
		n += t->cpu[i].pages.len > 0;
	tb_u64(&b, section);
	tb_string(&b, name);
	tb_string(&b, t->clock);
	tb_u32(&b, t->page_size);
	tb_u32(&b, n);
	for (int i = 0; i < t->nr_cpus; i++) {
		if (!t->cpu[i].pages.len)
			continue;
		tb_u32(&b, (uint32_t)t->cpu[i].id);
		tb_u64(&b, offsets[i]);
		tb_u64(&b, sizes[i]);
	}
	put_option(options, 3, b.data, b.len);
	free(b.data);
}

static void build_v7(const struct tb_trace *t, struct tb_bytes *b)
{
	static const char *const names[] = {"none", "zstd", "zlib"};
	struct tb_bytes options = {.big_endian = t->big_endian}, part = options;
	uint64_t offsets[TB_MAX_CPUS] = {0}, sizes[TB_MAX_CPUS] = {0}, section;
	size_t first, next;
	unsigned char count[4];

	tb_string(b, names[t->compression]);
	tb_string(b, t->compression == TB_PLAIN ? "" : "1.2.3");
	first = b->len;
	tb_u64(b, 0);
	put_header_info(t, &part);
	put_place(&options, 16, put_section(t, b, 16, &part, true));
	part = (struct tb_bytes){.big_endian = t->big_endian};
	tb_u32(&part, 1);
	put_format(&part, t->format[0]);
	put_place(&options, 17, put_section(t, b, 17, &part, true));
	part = (struct tb_bytes){.big_endian = t->big_endian};
	put_event_formats(t, &part);
	put_place(&options, 18, put_section(t, b, 18, &part, true));
	put_system_options(t, &options);
	tb_store(count, (uint64_t)(t->cpu_count ? t->cpu_count : t->nr_cpus), 4, t->big_endian);
	put_option(&options, 8, count, 4);
	put_place(&options, 0, 0);
	section = put_section(t, b, 0, &options, false);
	tb_store(b->data + first, section, 8, b->big_endian);
	next = b->len - 8;
	section = put_cpu_data(t, b, offsets, sizes);
	options = (struct tb_bytes){.big_endian = t->big_endian};
	put_buffer_option(t, "", &options, section, offsets, sizes);
	if (t->instance) {
		const struct tb_trace none = {
			.big_endian = t->big_endian, .page_size = t->page_size, .clock = t->clock};
		const struct tb_trace *second = t->second ? t->second : &none;

		section = put_cpu_data(second, b, offsets, sizes);
		put_buffer_option(second, t->instance, &options, section, offsets, sizes);
	}
	put_place(&options, 0, 0);
	section = put_section(t, b, 0, &options, false);
	tb_store(b->data + next, section, 8, b->big_endian);
}

static void put_start(
	const struct tb_trace *t, const char *version, int long_size, struct tb_bytes *ret)
{
	*ret = (struct tb_bytes){.big_endian = t->big_endian};
	tb_put(ret, "\x17\x08\x44tracing", 10);
	tb_string(ret, version);
	tb_put(ret, t->big_endian ? "\1" : "\0", 1);
	tb_put(ret, long_size == 4 ? "\4" : "\10", 1);
	tb_u32(ret, t->machine_page ? t->machine_page : t->page_size);
}

void tb_build_formats(const struct tb_trace *t, struct tb_bytes *ret)
{
	put_start(t, "0.6", t->long_size, ret);
	put_headers(t, ret);
}

void tb_build(struct tb_trace *t, struct tb_bytes *ret)
{
	put_start(t, t->version == 6 ? "6" : "7", 8, ret);
	if (t->version == 6)
		build_v6(t, ret);
	else
		build_v7(t, ret);
}

void tb_file_init(struct tb_file *f)
{
	f->fd = memfd_create("trace", MFD_CLOEXEC);
	tb_check(f->fd >= 0, "memfd_create");
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

void tb_file_set(struct tb_file *f, const void *data, size_t size)
{
	tb_check(ftruncate(f->fd, (off_t)size) == 0, "ftruncate");
	tb_check(!size || pwrite(f->fd, data, size, 0) == (ssize_t)size, "pwrite");
}

void tb_file_finish(struct tb_file *f)
{
	close(f->fd);
}
