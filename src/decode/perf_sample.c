/*
 * The fields in front of the raw data of a tracepoint.  Those behind it are of
 * no interest, so that newer ones do not matter.
 */
#include "decode/perf_sample.h"

#include <errno.h>

#include "decode/bytes.h"

/* Bytes that have not been read, of one record. */
struct rest {
	const unsigned char *p;
	uint64_t size;
};

static bool skip(struct rest *r, uint64_t count, uint64_t each)
{
	if (count > r->size / each)
		return false;
	r->p += count * each;
	r->size -= count * each;
	return true;
}

/* A counter's value, or those of a group of them. */
static bool skip_read(struct rest *r, uint64_t format, bool swap)
{
	uint64_t times = !!(format & RWK_PERF_READ_ENABLED) + !!(format & RWK_PERF_READ_RUNNING);
	uint64_t each = 1 + !!(format & RWK_PERF_READ_ID) + !!(format & RWK_PERF_READ_LOST);
	uint64_t nr;

	if (!(format & RWK_PERF_READ_GROUP))
		return skip(r, times + each, 8);
	if (r->size < 8)
		return false;
	nr = rwk_bytes_u64(r->p, swap);
	return skip(r, 1 + times, 8) && skip(r, nr, 8 * each);
}

static bool skip_callchain(struct rest *r, bool swap)
{
	uint64_t nr;

	if (r->size < 8)
		return false;
	nr = rwk_bytes_u64(r->p, swap);
	return skip(r, 1, 8) && skip(r, nr, 8);
}

static bool take_raw(struct rest *r, bool swap, struct rwk_perf_sample *ret)
{
	if (r->size < 4)
		return false;
	ret->raw_size = rwk_bytes_u32(r->p, swap);
	ret->raw = r->p + 4;
	if (ret->raw_size <= r->size - 4)
		return true;
	ret->raw = NULL;
	return false;
}

/* Whose it is; a single attribute needs no ids. */
static bool find_attr(struct rwk_perf_attrs *attrs, const unsigned char *id_at, bool swap,
	struct rwk_perf_sample *ret)
{
	ret->id = id_at ? rwk_perf_attrs_find(attrs, rwk_bytes_u64(id_at, swap)) : NULL;
	if (ret->id)
		ret->attr = &attrs->attr[ret->id->attr];
	else if (attrs->nr == 1)
		ret->attr = attrs->attr;
	return ret->attr;
}

static int32_t to_cpu(uint32_t v)
{
	return v <= INT32_MAX ? (int32_t)v : RWK_NONE;
}

static rwk_ns to_time(uint64_t v)
{
	return v < INT64_MAX ? (rwk_ns)v : RWK_NS_NONE;
}

int rwk_perf_sample_read(struct rwk_perf_attrs *attrs, const struct rwk_perf_record *rec, bool swap,
	struct rwk_perf_sample *ret)
{
	const unsigned char *body = rec->data + RWK_PERF_HEADER;
	struct rest rest = {.p = body, .size = rec->size - RWK_PERF_HEADER};
	const struct rwk_perf_attr *a;
	bool has_id = attrs->id_at >= 0 && (uint64_t)attrs->id_at + 8 <= rest.size;

	*ret = (struct rwk_perf_sample){
		.ts = RWK_NS_NONE, .cpu = RWK_NONE, .tid = RWK_NONE, .tgid = RWK_NONE};
	if (!find_attr(attrs, has_id ? body + attrs->id_at : NULL, swap, ret))
		return -EBADMSG;
	a = ret->attr;
	if (!skip(&rest, (uint64_t)a->fixed, 1))
		return -EBADMSG;
	if (a->at.time >= 0)
		ret->ts = to_time(rwk_bytes_u64(body + a->at.time, swap));
	if (a->at.cpu >= 0)
		ret->cpu = to_cpu(rwk_bytes_u32(body + a->at.cpu, swap));
	if (a->at.tid >= 0) {
		ret->tgid = to_cpu(rwk_bytes_u32(body + a->at.tid, swap));
		ret->tid = to_cpu(rwk_bytes_u32(body + a->at.tid + 4, swap));
	}
	if ((a->sample_type & RWK_PERF_SAMPLE_READ && !skip_read(&rest, a->read_format, swap)) ||
		(a->sample_type & RWK_PERF_SAMPLE_CALLCHAIN && !skip_callchain(&rest, swap)) ||
		(a->sample_type & RWK_PERF_SAMPLE_RAW && !take_raw(&rest, swap, ret)))
		return -EBADMSG;
	return 0;
}

void rwk_perf_trailer_read(struct rwk_perf_attrs *attrs, const struct rwk_perf_record *rec,
	bool swap, uint32_t fixed, struct rwk_perf_sample *ret)
{
	uint32_t room = rec->size - RWK_PERF_HEADER - fixed;
	const unsigned char *end = rec->data + rec->size;
	const struct rwk_perf_attr *a;

	*ret = (struct rwk_perf_sample){
		.ts = RWK_NS_NONE, .cpu = RWK_NONE, .tid = RWK_NONE, .tgid = RWK_NONE};
	if (!attrs->nr)
		return;
	find_attr(attrs,
		attrs->id_back >= 0 && (uint32_t)attrs->id_back <= room ? end - attrs->id_back
									: NULL,
		swap, ret);
	/* What perf made up itself may have no id: then it is written like the first. */
	a = ret->attr ? ret->attr : attrs->attr;
	if ((uint32_t)a->trailer > room)
		return;
	if (a->back.time >= 0)
		ret->ts = to_time(rwk_bytes_u64(end - a->back.time, swap));
	if (a->back.cpu >= 0)
		ret->cpu = to_cpu(rwk_bytes_u32(end - a->back.cpu, swap));
	if (a->back.tid >= 0)
		ret->tid = to_cpu(rwk_bytes_u32(end - a->back.tid + 4, swap));
}
