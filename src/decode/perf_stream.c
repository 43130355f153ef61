/*
 * Reading and unpacking in pieces of bounded size: a record has at most 64 KB,
 * and what a packed one unpacks to is taken as far as there is room for it.
 */
#include "decode/perf_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rewake/types.h>

#include "decode/bytes.h"

#define WINDOW (512 << 10)
#define PLAIN  (512 << 10)

int rwk_perf_stream_open(struct rwk_perf_stream *s, const struct rwk_file *file, int64_t from,
	int64_t end, bool swap)
{
	*s = (struct rwk_perf_stream){
		.file = file,
		.swap = swap,
		.pos = from,
		.end = end < file->size ? end : file->size,
		.cut = end > file->size,
		.cut_at = RWK_NONE,
		.window = malloc(WINDOW),
	};
	return s->window ? 0 : -ENOMEM;
}

void rwk_perf_stream_close(struct rwk_perf_stream *s)
{
	free(s->window);
	free(s->plain);
	rwk_inflate_destroy(s->inflate);
	*s = (struct rwk_perf_stream){0};
}

static int stop(struct rwk_perf_stream *s, int64_t at, const char *why)
{
	s->cut_at = at;
	s->why = why;
	s->pos = s->end;
	s->packed = NULL;
	s->plain_len = s->plain_pos = 0;
	return 0;
}

/* size bytes at pos: 1, 0 there are not as many, negative errno. */
static int look(
	struct rwk_perf_stream *s, size_t size, const unsigned char **ret, struct rwk_diag *diag)
{
	int64_t skip = s->pos - s->window_pos;
	int64_t n;

	if (s->end - s->pos < (int64_t)size)
		return 0;
	if (skip < 0 || skip + (int64_t)size > (int64_t)s->window_len) {
		n = rwk_file_read(s->file, s->pos, s->window, WINDOW, diag);
		if (n < 0)
			return (int)n;
		s->window_pos = s->pos;
		s->window_len = (size_t)n;
		skip = 0;
		/* It has become shorter than it was when it was opened. */
		if (n < (int64_t)size) {
			if (s->file->stream)
				s->end = s->pos + n;
			return 0;
		}
	}
	*ret = s->window + skip;
	return 1;
}

static void fill_record(const struct rwk_perf_stream *s, const unsigned char *p, int64_t offset,
	struct rwk_perf_record *ret)
{
	*ret = (struct rwk_perf_record){
		.data = p,
		.type = rwk_bytes_u32(p, s->swap),
		.size = rwk_bytes_u16(p + 6, s->swap),
		.offset = offset,
	};
}

/*
 * Some records are followed by bytes that their size does not count.  Android's
 * simpleperf has those of the event formats inside the record.
 */
static void skip_extra(struct rwk_perf_stream *s, struct rwk_perf_record *rec)
{
	uint64_t size = 0;

	if (rec->type == RWK_PERF_RECORD_HEADER_TRACING_DATA && rec->size >= 12)
		size = rwk_bytes_u32(rec->data + 8, s->swap);
	else if (rec->type == RWK_PERF_RECORD_AUXTRACE && rec->size >= 16)
		size = rwk_bytes_u64(rec->data + 8, s->swap);
	if (!size)
		return;
	if (rec->type == RWK_PERF_RECORD_HEADER_TRACING_DATA && size <= rec->size - 12u) {
		rec->extra = rec->offset + 12;
		rec->extra_size = (int64_t)size;
		return;
	}
	rec->extra = s->pos;
	if (size > (uint64_t)(s->end - s->pos)) {
		rec->extra_size = s->end - s->pos;
		s->cut_at = s->pos;
		s->why = "the file ends inside what follows a record";
	} else {
		rec->extra_size = (int64_t)size;
	}
	s->pos += rec->extra_size;
}

/* 1, 0 the packed ones are used up (so far), negative errno. */
static int next_packed(struct rwk_perf_stream *s, struct rwk_perf_record *ret)
{
	for (;;) {
		size_t left = s->plain_len - s->plain_pos;
		const unsigned char *p = s->plain + s->plain_pos;
		size_t filled, before;

		if (left >= RWK_PERF_HEADER) {
			fill_record(s, p, s->packed_at, ret);
			if (ret->size < RWK_PERF_HEADER)
				return stop(s, s->packed_at, "a packed record of impossible size");
			if (ret->size <= left) {
				s->plain_pos += ret->size;
				return 1;
			}
		}
		if (s->packed_pos == s->packed_size && !s->plain_full)
			return 0;
		memmove(s->plain, p, left);
		s->plain_pos = 0;
		filled = left;
		before = s->packed_pos;
		if (rwk_inflate_stream(s->inflate, s->packed, s->packed_size, &s->packed_pos,
			    s->plain, PLAIN, &filled))
			return stop(s, s->packed_at, "packed records that cannot be unpacked");
		s->plain_len = filled;
		if (filled == left && s->packed_pos == before && before < s->packed_size)
			return stop(s, s->packed_at, "packed records that cannot be unpacked");
		s->plain_full = filled == PLAIN;
	}
}

static int start_packed(struct rwk_perf_stream *s, const struct rwk_perf_record *rec)
{
	uint64_t size = rec->size - RWK_PERF_HEADER;
	size_t skip = RWK_PERF_HEADER;
	int err;

	if (rec->type == RWK_PERF_RECORD_COMPRESSED2) {
		skip += 8;
		if (rec->size < skip || rwk_bytes_u64(rec->data + 8, s->swap) > rec->size - skip)
			return stop(s, rec->offset, "a packed record of impossible size");
		size = rwk_bytes_u64(rec->data + 8, s->swap);
	}
	if (!s->inflate) {
		err = rwk_inflate_create("zstd", &s->inflate);
		if (err)
			return err;
		s->plain = malloc(PLAIN);
		if (!s->plain)
			return -ENOMEM;
	}
	s->packed = rec->data + skip;
	s->packed_size = (size_t)size;
	s->packed_pos = 0;
	s->packed_at = rec->offset;
	return 0;
}

/* The next record as it stands in the file: 1, 0, negative errno. */
static int next_plain(struct rwk_perf_stream *s, struct rwk_perf_record *ret, struct rwk_diag *diag)
{
	const unsigned char *p = NULL; /* for gcc -O3, which does not see that look() sets it */
	int got = look(s, RWK_PERF_HEADER, &p, diag);

	if (got < 0)
		return got;
	if (!got) {
		if (s->pos != s->end || s->cut)
			return stop(s, s->pos, "the file ends before its records do");
		if (s->plain_pos != s->plain_len)
			return stop(s, s->packed_at, "the file ends inside a packed record");
		return 0;
	}
	fill_record(s, p, s->pos, ret);
	if (ret->size < RWK_PERF_HEADER)
		return stop(s, s->pos, "a record of impossible size");
	got = look(s, ret->size, &ret->data, diag);
	if (got < 0)
		return got;
	if (!got)
		return stop(s, s->pos, "the file ends inside a record");
	s->pos += ret->size;
	skip_extra(s, ret);
	return 1;
}

int rwk_perf_stream_next(
	struct rwk_perf_stream *s, struct rwk_perf_record *ret, struct rwk_diag *diag)
{
	int got;

	for (;;) {
		if (s->packed) {
			got = next_packed(s, ret);
			if (got)
				return got;
			s->packed = NULL;
		}
		/* What was found damaged, or cut behind a record, is the end. */
		if (s->cut_at != RWK_NONE)
			return 0;
		got = next_plain(s, ret, diag);
		if (got <= 0)
			return got;
		if (ret->type != RWK_PERF_RECORD_COMPRESSED &&
			ret->type != RWK_PERF_RECORD_COMPRESSED2)
			return 1;
		got = start_packed(s, ret);
		if (got < 0)
			return got;
	}
}
