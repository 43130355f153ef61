/* The headers of both kinds, with every offset and size checked before it is used. */
#include "decode/perf_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/bytes.h"
#include "decode/perf_features.h"
#include "decode/tracedat_layout.h"

#define PIPE_HEADER   16
#define OLD_HEADER    72 /* without features */
#define FILE_HEADER   104
#define SECTION       16 /* bytes of an offset and a size */
#define ID_INDEX      32 /* bytes of an entry: id, index, CPU, thread */
#define MAX_ATTR_SIZE 4096

/* What both kinds of header are read with. */
struct reading {
	struct rwk_perf_layout *l;
	const struct rwk_file *file;
	struct rwk_tracedat_texts *texts;
	struct rwk_trace_info *info;
	struct rwk_perf_features features;
	struct rwk_diag *diag;
};

static int refuse(struct reading *r, int err, int64_t offset, const char *why)
{
	return rwk_diag_push(r->diag, err, "cannot read perf.data: file=%s offset=0x%llx why=%s",
		r->file->path, (unsigned long long)offset, why);
}

/* What a cursor ended with, in words. */
static int refuse_cursor(struct reading *r, const struct rwk_cursor *c, const char *what)
{
	if (c->err != -EBADMSG)
		return c->err;
	return rwk_diag_push(r->diag, -EBADMSG,
		"cannot read perf.data: file=%s offset=0x%llx size=0x%llx why=%s %s", r->file->path,
		(unsigned long long)rwk_cursor_offset(c), (unsigned long long)r->file->size, what,
		c->past_end ? "end too early" : "are damaged");
}

/* Whether a section lies in the file as a whole; false: it is cut, or cannot be. */
static bool inside(const struct reading *r, uint64_t offset, uint64_t size)
{
	return size <= (uint64_t)r->file->size && offset <= (uint64_t)r->file->size - size;
}

/*
 * Event formats: the same text as in a trace.dat.  Those that were read before
 * the file ends, or damage begins, are kept.
 */
static int read_formats(struct reading *r, int64_t offset, int64_t size)
{
	static const unsigned char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	struct rwk_perf_layout *l = r->l;
	struct rwk_cursor c;
	const unsigned char *p;
	char version[16];
	int err;

	rwk_cursor_init_file(&c, r->file, offset, offset + size, l->swap, r->diag);
	rwk_cursor_expect(&c, magic, sizeof(magic));
	rwk_cursor_string(&c, version, sizeof(version));
	p = rwk_cursor_take(&c, 2);
	if (p && (p[0] != l->big_endian || (p[1] != 4 && p[1] != 8)))
		c.err = -EBADMSG;
	else if (p)
		l->long_size = p[1];
	rwk_cursor_skip(&c, 4); /* page size */
	rwk_cursor_expect(&c, "header_page", 12);
	rwk_cursor_skip(&c, rwk_cursor_u64(&c));
	rwk_cursor_expect(&c, "header_event", 13);
	rwk_cursor_skip(&c, rwk_cursor_u64(&c));
	l->has_texts = !c.err;
	l->texts_at = offset;
	rwk_tracedat_ftrace_formats(r->texts, &c);
	rwk_tracedat_event_formats(r->texts, &c);
	err = c.err;
	l->texts_cut = err;
	if (err == -EBADMSG) {
		rwk_anomaly_add(&r->info->anomalies, RWK_AN_BAD_RECORD, RWK_NS_NONE, RWK_NONE,
			rwk_cursor_offset(&c));
		err = 0;
	}
	rwk_cursor_finish(&c);
	return err;
}

static int read_feature(struct reading *r, uint64_t feature, int64_t offset, int64_t size)
{
	struct rwk_cursor c;
	int err;

	if (feature == RWK_PERF_FEATURE_TRACING_DATA)
		return r->l->has_texts ? 0 : read_formats(r, offset, size);
	rwk_cursor_init_file(&c, r->file, offset, offset + size, r->l->swap, r->diag);
	err = rwk_perf_feature_read(&r->features, feature, &c, r->diag);
	rwk_cursor_finish(&c);
	return err;
}

/* The ids of one attribute, each 8 bytes. */
static int read_ids(struct reading *r, size_t attr, uint64_t offset, uint64_t size)
{
	struct rwk_cursor c;
	int err = 0;

	if (!size)
		return 0;
	if (!inside(r, offset, size) || size % 8)
		return refuse(r, -EBADMSG, (int64_t)(offset & INT64_MAX),
			"impossible place of an attribute's ids");
	rwk_cursor_init_file(
		&c, r->file, (int64_t)offset, (int64_t)(offset + size), r->l->swap, r->diag);
	for (uint64_t i = 0; i < size / 8 && !err; i++) {
		uint64_t id = rwk_cursor_u64(&c);

		err = c.err ? c.err : rwk_perf_attrs_add_id(&r->l->attrs, id, attr);
	}
	if (err == -EBADMSG)
		refuse(r, err, rwk_cursor_offset(&c), "the attributes' ids are damaged");
	rwk_cursor_finish(&c);
	return err;
}

/* Entries of an attribute and the place of its ids. */
static int read_attrs(struct reading *r, uint64_t offset, uint64_t size, uint64_t each)
{
	struct rwk_cursor c;
	int err = 0;

	if (!inside(r, offset, size))
		return refuse(r, -EBADMSG, (int64_t)(offset & INT64_MAX),
			"the file ends inside its attributes");
	if (each < SECTION || each > MAX_ATTR_SIZE)
		return refuse(r, -EBADMSG, SECTION, "impossible size of an attribute");
	rwk_cursor_init_file(
		&c, r->file, (int64_t)offset, (int64_t)(offset + size), r->l->swap, r->diag);
	for (uint64_t i = 0; i < size / each && !err; i++) {
		const unsigned char *p = rwk_cursor_take(&c, (int64_t)(each - SECTION));
		size_t index = 0;
		uint64_t ids, ids_size;

		err = p ? rwk_perf_attrs_add(
				  &r->l->attrs, p, each - SECTION, r->l->big_endian, &index)
			: c.err;
		ids = rwk_cursor_u64(&c);
		ids_size = rwk_cursor_u64(&c);
		if (err == -EBADMSG || (!err && c.err == -EBADMSG)) {
			err = refuse(r, -EBADMSG, rwk_cursor_offset(&c), "an attribute is damaged");
			break;
		}
		err = err ? err : c.err;
		if (!err)
			err = read_ids(r, index, ids, ids_size);
	}
	rwk_cursor_finish(&c);
	return err;
}

/*
 * The bits of the features are longs of whoever recorded, who may have had
 * shorter ones than the 64 bits that they are written in on most machines.
 * Every perf writes the name of the host.
 */
static void fix_flags(const struct reading *r, uint64_t flags[4])
{
	if (!r->l->big_endian || flags[0] >> RWK_PERF_FEATURE_HOSTNAME & 1)
		return;
	for (int i = 0; i < 4; i++)
		flags[i] = flags[i] << 32 | flags[i] >> 32;
}

/* A row of places behind the data, one for each bit. */
static int read_features(struct reading *r, uint64_t flags[4])
{
	struct rwk_perf_layout *l = r->l;
	struct rwk_cursor c;
	int err = 0;

	rwk_cursor_init_file(&c, r->file, l->data_end, INT64_MAX, l->swap, r->diag);
	for (uint64_t bit = 0; bit < RWK_PERF_FEATURE_COUNT && !err; bit++) {
		uint64_t offset, size;

		if (!(flags[bit / 64] >> (bit % 64) & 1))
			continue;
		offset = rwk_cursor_u64(&c);
		size = rwk_cursor_u64(&c);
		if (c.err)
			break;
		if (!inside(r, offset, size)) {
			l->cut = true;
			if (offset >= (uint64_t)r->file->size)
				continue;
			size = (uint64_t)r->file->size - offset;
		}
		err = read_feature(r, bit, (int64_t)offset, (int64_t)size);
	}
	if (c.err == -EBADMSG)
		l->cut = true;
	else if (c.err)
		err = c.err;
	rwk_cursor_finish(&c);
	return err;
}

static int read_file(struct reading *r, struct rwk_cursor *c, uint64_t header_size)
{
	struct rwk_perf_layout *l = r->l;
	uint64_t each = rwk_cursor_u64(c);
	uint64_t attrs = rwk_cursor_u64(c), attrs_size = rwk_cursor_u64(c);
	uint64_t data = rwk_cursor_u64(c), data_size = rwk_cursor_u64(c);
	uint64_t flags[4] = {0};
	int err;

	rwk_cursor_skip(c, SECTION); /* event types, which nobody writes any more */
	for (int i = 0; i < 4 && header_size >= FILE_HEADER; i++)
		flags[i] = rwk_cursor_u64(c);
	if (c->err)
		return refuse_cursor(r, c, "the headers");
	if (data > INT64_MAX || data_size > (uint64_t)INT64_MAX - data)
		return refuse(r, -EBADMSG, 40, "impossible place of the data");
	l->data = l->headers_end = (int64_t)data;
	l->data_end = (int64_t)(data + data_size);
	fix_flags(r, flags);
	err = read_attrs(r, attrs, attrs_size, each);
	if (err)
		return err;
	/* The size is filled in at the end of a recording: there was none. */
	if (!data_size) {
		l->cut = true;
		l->data_end = INT64_MAX;
		return 0;
	}
	return read_features(r, flags);
}

int rwk_perf_layout_take_attr(struct rwk_perf_layout *l, const struct rwk_perf_record *rec)
{
	size_t room = rec->size - RWK_PERF_HEADER, size, index;
	const unsigned char *p = rec->data + RWK_PERF_HEADER;
	int err;

	if (room < 8)
		return -EBADMSG;
	size = rwk_bytes_u32(p + 4, l->swap);
	size = size ? size : 64;
	if (size > room || (room - size) % 8)
		return -EBADMSG;
	err = rwk_perf_attrs_add(&l->attrs, p, size, l->big_endian, &index);
	for (size_t at = size; at < room && !err; at += 8)
		err = rwk_perf_attrs_add_id(&l->attrs, rwk_bytes_u64(p + at, l->swap), index);
	rwk_perf_attrs_settle(&l->attrs);
	return err;
}

int rwk_perf_layout_take_id_index(
	struct rwk_perf_layout *l, const struct rwk_perf_record *rec, int *ret_of_tasks)
{
	const unsigned char *p = rec->data + RWK_PERF_HEADER;
	size_t room = rec->size - RWK_PERF_HEADER;
	uint64_t nr = room >= 8 ? rwk_bytes_u64(p, l->swap) : UINT64_MAX;

	if (room < 8 || nr > (room - 8) / ID_INDEX)
		return -EBADMSG;
	*ret_of_tasks = 0;
	for (p += 8; nr; nr--, p += ID_INDEX) {
		struct rwk_perf_id *id = rwk_perf_attrs_find(&l->attrs, rwk_bytes_u64(p, l->swap));
		uint64_t cpu = rwk_bytes_u64(p + 16, l->swap);

		if (!id)
			continue;
		if (rwk_bytes_u64(p + 24, l->swap) != UINT64_MAX &&
			l->attrs.attr[id->attr].type == RWK_PERF_TYPE_TRACEPOINT)
			++*ret_of_tasks;
		if (cpu < RWK_MAX_CPUS) /* -1: on any */
			rwk_perf_id_learn(id, (int32_t)cpu);
	}
	return 0;
}

/* A header's record of a stream.  0, or -EBADMSG after which it is left out. */
static int take_header(struct reading *r, const struct rwk_perf_record *rec)
{
	switch (rec->type) {
	case RWK_PERF_RECORD_HEADER_ATTR:
		return rwk_perf_layout_take_attr(r->l, rec);
	case RWK_PERF_RECORD_HEADER_TRACING_DATA:
		return rec->extra && !r->l->has_texts ? read_formats(r, rec->extra, rec->extra_size)
						      : 0;
	case RWK_PERF_RECORD_HEADER_FEATURE:
		if (rec->size < RWK_PERF_HEADER + 8)
			return -EBADMSG;
		return read_feature(r, rwk_bytes_u64(rec->data + RWK_PERF_HEADER, r->l->swap),
			rec->offset + RWK_PERF_HEADER + 8,
			(int64_t)rec->size - RWK_PERF_HEADER - 8);
	default:
		return 0;
	}
}

/*
 * The records in front of the first that is an event, or that events are packed
 * in.  Of a file with sections there is nothing to read in them but what an
 * unusual recorder put there; the features are read then.
 */
static int read_records(struct reading *r)
{
	struct rwk_perf_layout *l = r->l;
	struct rwk_perf_stream s;
	struct rwk_perf_record rec;
	int err = rwk_perf_stream_open(&s, r->file, l->data, l->data_end, l->swap);

	while (!err) {
		int64_t at = s.pos;
		int got;

		l->headers_end = at;
		if (s.inflate)
			break;
		got = rwk_perf_stream_next(&s, &rec, r->diag);
		if (got <= 0) {
			err = got;
			break;
		}
		if (s.inflate || rec.type == RWK_PERF_RECORD_SAMPLE ||
			rec.type == RWK_PERF_RECORD_FINISHED_ROUND)
			break;
		err = take_header(r, &rec);
		if (err == -EBADMSG) {
			rwk_anomaly_add(&r->info->anomalies, RWK_AN_BAD_RECORD, RWK_NS_NONE,
				RWK_NONE, rec.offset);
			err = 0;
		}
	}
	rwk_perf_stream_close(&s);
	return err;
}

static int read_all(struct reading *r, struct rwk_cursor *c)
{
	struct rwk_perf_layout *l = r->l;
	const unsigned char *magic = rwk_cursor_take(c, 8);
	uint64_t size;
	int err = 0;

	if (magic)
		l->big_endian = !memcmp(magic, "2ELIFREP", 8);
	l->swap = c->swap = rwk_bytes_swap(l->big_endian);
	size = rwk_cursor_u64(c);
	if (c->err)
		return refuse_cursor(r, c, "the headers");
	if (size == PIPE_HEADER) {
		l->pipe = true;
		l->data = PIPE_HEADER;
		l->data_end = r->file->size;
	} else if (size == OLD_HEADER || size >= FILE_HEADER) {
		err = read_file(r, c, size);
	} else {
		err = refuse(r, -EBADMSG, 8, "impossible size of the headers");
	}
	rwk_perf_attrs_settle(&l->attrs);
	if (!err)
		err = read_records(r);
	/* What says so is behind the data too: where it is lost, the other files are looked for. */
	l->directory = r->features.directory || (l->cut && r->file->folder >= 0);
	if (!err && l->directory && r->file->folder < 0)
		err = refuse(r, -EINVAL, 0,
			"recorded with --threads: the rest of it is in the files beside it; name "
			"the folder that they are in");
	if (!err)
		err = rwk_perf_features_end(&r->features);
	l->nr_cpus = r->features.nr_cpus;
	l->compressed = r->features.compressed;
	return err;
}

int rwk_perf_layout_read(struct rwk_perf_layout *l, const struct rwk_file *file,
	struct rwk_tracedat_texts *texts, struct rwk_trace_info *info, struct rwk_diag *diag)
{
	struct reading r = {.l = l,
		.file = file,
		.texts = texts,
		.info = info,
		.features = {.info = info},
		.diag = diag};
	struct rwk_cursor c;
	int err;

	rwk_cursor_init_file(&c, file, 0, file->size, false, diag);
	err = read_all(&r, &c);
	rwk_cursor_finish(&c);
	return err;
}

void rwk_perf_layout_finish(struct rwk_perf_layout *l)
{
	rwk_perf_attrs_finish(&l->attrs);
	*l = (struct rwk_perf_layout){0};
}
