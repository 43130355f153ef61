/*
 * Version 7 of a trace.dat: sections anywhere in the file, found through a chain
 * of option sections, compressed or not.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/bytes.h"
#include "decode/tracedat_layout.h"

#define SECTION_HEADER     16
#define SECTION_COMPRESSED 1
#define MAX_SECTION        (64 << 20) /* uncompressed; the largest real ones are a few MB */
#define MAX_CHAIN          4096 /* option sections: more is a loop */

/* What the options point to; 0 is no offset, since the file's first bytes lie there. */
struct places {
	uint64_t header_info, ftrace_events, event_formats;
	bool has_buffer;
	int64_t end; /* behind the last section that was read */
};

struct reader {
	struct rwk_tracedat_layout *l;
	const struct rwk_file *file;
	struct rwk_tracedat_texts *texts;
	struct rwk_trace_info *info;
	struct rwk_diag *diag;
	struct places at;
};

static int section_error(const struct reader *r, int err, uint64_t offset, const char *why)
{
	return rwk_diag_push(r->diag, err,
		"cannot read trace.dat: file=%s offset=0x%" PRIx64 " why=%s", r->file->path, offset,
		why);
}

/* One whole compressed section into memory. */
static int load_compressed(
	struct reader *r, struct rwk_cursor *raw, uint64_t offset, struct rwk_cursor *ret)
{
	uint32_t packed = rwk_cursor_u32(raw), size = rwk_cursor_u32(raw);
	const unsigned char *data = rwk_cursor_take(raw, packed);
	unsigned char *mem;
	int err;

	if (!data)
		return section_error(r, raw->err, offset, "the file ends inside a section");
	if (!r->l->inflate || size > MAX_SECTION)
		return section_error(r, -EBADMSG, offset,
			size > MAX_SECTION ? "section too large"
					   : "compressed section in a plain file");
	mem = malloc(size + 1);
	if (!mem)
		return -ENOMEM;
	err = rwk_inflate_block(r->l->inflate, data, packed, mem, size);
	if (err) {
		free(mem);
		return section_error(r, err, offset, "damaged compressed section");
	}
	rwk_cursor_init_memory(ret, mem, size, (int64_t)offset, r->l->swap);
	return 0;
}

/* A cursor over a section's contents; *ret is to be finished also after an error. */
static int open_section(struct reader *r, uint64_t offset, int id, struct rwk_cursor *ret)
{
	struct rwk_cursor raw;
	int got, flags;
	uint64_t size;
	int err = 0;

	*ret = (struct rwk_cursor){.err = -EBADMSG};
	if (offset > (uint64_t)r->file->size)
		return section_error(
			r, -EBADMSG, offset, "the file ends before one of its sections");
	rwk_cursor_init_file(&raw, r->file, (int64_t)offset, r->file->size, r->l->swap, r->diag);
	got = rwk_cursor_u16(&raw);
	flags = rwk_cursor_u16(&raw);
	rwk_cursor_skip(&raw, 4); /* id of its description */
	size = rwk_cursor_u64(&raw);
	if (raw.err || size > (uint64_t)(r->file->size - raw.pos))
		err = section_error(
			r, raw.err ? raw.err : -EBADMSG, offset, "the file ends inside a section");
	else if (got != id)
		err = section_error(r, -EBADMSG, offset, "another section than its option says");
	if (!err) {
		raw.end = raw.pos + (int64_t)size;
		if (raw.end > r->at.end)
			r->at.end = raw.end;
	}
	if (!err && flags & SECTION_COMPRESSED) {
		err = load_compressed(r, &raw, offset, ret);
	} else if (!err) {
		*ret = raw;
		return 0;
	}
	rwk_cursor_finish(&raw);
	return err;
}

/* A parser over one section; what the section lacks is no error. */
static int read_section(struct reader *r, uint64_t offset, int id)
{
	struct rwk_cursor c;
	int err;

	if (!offset)
		return id == RWK_TRACEDAT_HEADER_INFO
			       ? section_error(r, -EBADMSG, 0, "no header info section")
			       : 0;
	err = open_section(r, offset, id, &c);
	if (!err && id == RWK_TRACEDAT_HEADER_INFO)
		err = rwk_tracedat_header_info(r->l, &c);
	else if (!err && id == RWK_TRACEDAT_FTRACE_EVENTS)
		err = rwk_tracedat_ftrace_formats(r->texts, &c);
	else if (!err)
		err = rwk_tracedat_event_formats(r->texts, &c);
	if (err == -EBADMSG && c.err == err && c.window)
		section_error(r, err, (uint64_t)rwk_cursor_offset(&c), "damaged section");
	rwk_cursor_finish(&c);
	return err;
}

static bool has_buffer(const struct rwk_tracedat_layout *l, const char *name)
{
	for (size_t i = 0; i < l->nr_buffers; i++) {
		if (!strcmp(l->buffer[i].name, name))
			return true;
	}
	return false;
}

/* Whether the CPUs' data is compressed, which only its section says. */
static int read_data_flags(struct reader *r, uint64_t section, bool *ret)
{
	unsigned char header[SECTION_HEADER];
	int64_t n;

	if (!r->l->inflate || section > (uint64_t)r->file->size)
		return 0;
	n = rwk_file_read(r->file, (int64_t)section, header, sizeof(header), r->diag);
	if (n < 0)
		return (int)n;
	if (n < SECTION_HEADER || rwk_bytes_u16(header, r->l->swap) != RWK_TRACEDAT_BUFFER)
		return section_error(r, -EBADMSG, section, "no buffer section there");
	*ret = rwk_bytes_u16(header + 2, r->l->swap) & SECTION_COMPRESSED;
	return 0;
}

/* offset, instance, clock, page size, and the CPUs with their places. */
static int read_buffer(struct reader *r, const unsigned char *data, size_t size)
{
	struct rwk_cursor c;
	char name[256], clock[64];
	unsigned char *copy = malloc(size + 1);
	struct rwk_trace_info own = {0};
	struct rwk_tracedat_buffer *b;
	uint64_t section;
	uint32_t page_size, n;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, size);
	rwk_cursor_init_memory(&c, copy, size, 0, r->l->swap);
	section = rwk_cursor_u64(&c);
	rwk_cursor_string(&c, name, sizeof(name));
	rwk_cursor_string(&c, clock, sizeof(clock));
	page_size = rwk_cursor_u32(&c);
	n = rwk_cursor_u32(&c);
	if (c.err || has_buffer(r->l, name)) {
		err = section_error(r, -EBADMSG, section,
			c.err ? "damaged buffer option" : "two buffers of one name");
		goto out;
	}
	err = rwk_tracedat_add_buffer(r->l, name);
	if (err)
		goto out;
	r->at.has_buffer = true;
	b = &r->l->buffer[r->l->nr_buffers - 1];
	b->page_size = page_size < INT32_MAX ? (int)page_size : 0;
	rwk_tracedat_clock(clock, strlen(clock), &own);
	memcpy(b->clock, own.clock, sizeof(b->clock));
	/* Without any CPU there is nothing in it, nor need its section be there. */
	if (n)
		err = read_data_flags(r, section, &b->compressed);
	for (uint32_t i = 0; i < n && !err; i++) {
		uint32_t cpu = rwk_cursor_u32(&c);
		uint64_t at = rwk_cursor_u64(&c), bytes = rwk_cursor_u64(&c);

		err = c.err ? section_error(r, c.err, section, "damaged buffer option")
			    : rwk_tracedat_add_cpu(r->l, r->file, cpu, at, bytes, r->diag);
	}
out:
	rwk_cursor_finish(&c);
	return err;
}

static int read_option(struct reader *r, int id, const unsigned char *data, size_t size)
{
	uint64_t offset = size >= 8 ? rwk_bytes_u64(data, r->l->swap) : 0;

	switch (id) {
	case RWK_TRACEDAT_HEADER_INFO:
		r->at.header_info = offset;
		return 0;
	case RWK_TRACEDAT_FTRACE_EVENTS:
		r->at.ftrace_events = offset;
		return 0;
	case RWK_TRACEDAT_EVENT_FORMATS:
		r->at.event_formats = offset;
		return 0;
	case RWK_TRACEDAT_BUFFER:
		return read_buffer(r, data, size);
	default:
		return rwk_tracedat_option(r->l, id, data, size, r->info);
	}
}

/* One option section; *ret_next 0: it was the last. */
static int read_options(struct reader *r, uint64_t offset, uint64_t *ret_next)
{
	struct rwk_cursor c;
	uint64_t next = 0;
	int err = open_section(r, offset, RWK_TRACEDAT_DONE, &c);

	while (!err && c.pos < c.end) {
		int id = rwk_cursor_u16(&c);
		uint32_t size = rwk_cursor_u32(&c);
		const unsigned char *data = rwk_cursor_take(&c, size);

		if (!data) {
			err = section_error(r, c.err, offset, "damaged options");
		} else if (id == RWK_TRACEDAT_DONE) {
			next = size >= 8 ? rwk_bytes_u64(data, r->l->swap) : 0;
			break;
		} else {
			err = read_option(r, id, data, size);
		}
	}
	rwk_cursor_finish(&c);
	if (!err)
		*ret_next = next;
	return err;
}

/* Whether the file reaches to the end of the section there: 1, 0, negative errno. */
static int section_fits(const struct reader *r, uint64_t offset)
{
	unsigned char header[SECTION_HEADER];
	uint64_t room = (uint64_t)r->file->size;
	int64_t n;

	if (offset > room || room - offset < SECTION_HEADER)
		return 0;
	n = rwk_file_read(r->file, (int64_t)offset, header, sizeof(header), r->diag);
	if (n < 0)
		return (int)n;
	return n == SECTION_HEADER &&
	       rwk_bytes_u64(header + 8, r->l->swap) <= room - offset - SECTION_HEADER;
}

static int read_chain(struct reader *r, uint64_t offset)
{
	int err = 0;

	for (int n = 0; offset && !err; n++) {
		if (n == MAX_CHAIN)
			return section_error(r, -EBADMSG, offset, "option sections form a loop");
		/*
		 * What comes last in the file was written last: the list of CPUs.
		 * Their data may be there without it; the caller looks for it.
		 */
		if (n) {
			err = section_fits(r, offset);
			if (err <= 0)
				return err;
		}
		err = read_options(r, offset, &offset);
	}
	return err;
}

/* "zstd" and "1.5.4"; "none" and nothing. */
static int read_compressor(struct reader *r, struct rwk_cursor *c)
{
	struct rwk_tracedat_layout *l = r->l;
	char name[16], version[32];
	int err;

	rwk_cursor_string(c, name, sizeof(name));
	rwk_cursor_string(c, version, sizeof(version));
	if (c->err)
		return c->err;
	r->info->format = "trace.dat v7";
	if (!strcmp(name, "none") || !name[0])
		return 0;
	err = rwk_inflate_create(name, &l->inflate);
	if (err == -ENOTSUP)
		return rwk_diag_push(r->diag, err,
			"cannot read trace.dat: file=%s compression=%s why=only zstd and zlib are "
			"supported",
			r->file->path, name);
	r->info->format = strcmp(name, "zstd") ? "trace.dat v7 (zlib)" : "trace.dat v7 (zstd)";
	return err;
}

int rwk_tracedat_v7_read(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct rwk_tracedat_texts *texts, struct rwk_trace_info *info,
	struct rwk_diag *diag)
{
	struct reader r = {.l = l, .file = file, .texts = texts, .info = info, .diag = diag};
	uint64_t first;
	int err;

	err = read_compressor(&r, c);
	if (err)
		return err;
	first = rwk_cursor_u64(c);
	if (c->err)
		return c->err;
	if (!first)
		return section_error(&r, -EBADMSG, (uint64_t)c->pos, "no options");
	err = read_chain(&r, first);
	if (!err)
		err = read_section(&r, r.at.header_info, RWK_TRACEDAT_HEADER_INFO);
	if (!err)
		err = read_section(&r, r.at.ftrace_events, RWK_TRACEDAT_FTRACE_EVENTS);
	if (!err)
		err = read_section(&r, r.at.event_formats, RWK_TRACEDAT_EVENT_FORMATS);
	if (err)
		return err;
	l->list_lost = !r.at.has_buffer;
	l->list_from = r.at.end;
	return 0;
}
