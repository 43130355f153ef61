/* Records and headers of the small perf.data files that tests write. */
#include "perf_build.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define ATTR_SIZE 128
#define TRAILER   64 /* at most */

void pb_init(struct pb_perf *p, bool big_endian)
{
	*p = (struct pb_perf){.sample_type = PB_USUAL};
	tb_init(&p->trace);
	p->trace.big_endian = big_endian;
	p->records.big_endian = p->waiting.big_endian = big_endian;
}

void pb_finish(struct pb_perf *p)
{
	tb_finish(&p->trace);
	free(p->records.data);
	free(p->waiting.data);
	ZSTD_freeCStream(p->zstd);
}

static int nr_attrs(const struct pb_perf *p)
{
	return p->nr_attrs ? p->nr_attrs : p->trace.nr_formats;
}

static int attr_of(const struct pb_perf *p, const struct tb_format *fmt)
{
	for (int i = 0; i < nr_attrs(p); i++) {
		if (p->trace.format[i]->id == fmt->id)
			return i;
	}
	tb_check(false, "no attribute of that event");
	return -1;
}

static uint64_t id_of(int attr, int cpu)
{
	return 1000 + (uint64_t)attr * PB_CPUS + (uint64_t)cpu;
}

static void put_head(struct tb_bytes *b, int type, int misc, size_t body)
{
	tb_check(body + 8 <= UINT16_MAX, "record is too long");
	tb_u32(b, (uint32_t)type);
	tb_u16(b, (uint16_t)misc);
	tb_u16(b, (uint16_t)(body + 8));
}

/* What waits becomes one compressed record, or a part of it that is pack bytes long. */
static void flush(struct pb_perf *p, bool all)
{
	while (p->pack && p->waiting.len >= (all ? 1 : (size_t)p->pack)) {
		unsigned char packed[4096];
		size_t n = p->waiting.len < (size_t)p->pack ? p->waiting.len : (size_t)p->pack;
		ZSTD_inBuffer in = {.src = p->waiting.data, .size = n};
		ZSTD_outBuffer out = {.dst = packed, .size = sizeof(packed)};
		size_t pad;

		if (!p->zstd) {
			p->zstd = ZSTD_createCStream();
			tb_check(p->zstd && !ZSTD_isError(ZSTD_initCStream(p->zstd, 1)), "zstd");
		}
		tb_check(!ZSTD_isError(ZSTD_compressStream(p->zstd, &out, &in)), "zstd");
		tb_check(!ZSTD_flushStream(p->zstd, &out) && in.pos == n, "zstd flush");
		pad = p->padded ? -out.pos & 7 : 0;
		put_head(&p->records, p->padded ? 83 : 81, 0, out.pos + pad + (p->padded ? 8 : 0));
		if (p->padded)
			tb_u64(&p->records, out.pos);
		tb_put(&p->records, packed, out.pos);
		tb_zeros(&p->records, pad);
		memmove(p->waiting.data, p->waiting.data + n, p->waiting.len - n);
		p->waiting.len -= n;
	}
}

void pb_bytes(struct pb_perf *p, const void *data, size_t size)
{
	flush(p, true);
	tb_put(&p->records, data, size);
}

void pb_record(struct pb_perf *p, int type, int misc, const void *body, size_t size)
{
	struct tb_bytes *b = p->pack ? &p->waiting : &p->records;

	put_head(b, type, misc, size);
	tb_put(b, body, size);
	flush(p, false);
}

void pb_round(struct pb_perf *p)
{
	flush(p, true);
	put_head(&p->records, 68, 0, 0);
}

/*
 * A counter, or a group of three; perf gives a sample on only for those whose id
 * it knows and whose value has grown.
 */
static void put_read(const struct pb_perf *p, struct tb_bytes *b, uint64_t id, uint64_t value)
{
	bool group = p->read_format & 8;

	tb_u64(b, group ? 3 : value);
	if (p->read_format & 1)
		tb_u64(b, 0x1111);
	if (p->read_format & 2)
		tb_u64(b, 0x1111);
	for (uint64_t i = 0; i < (group ? 3 : 1); i++) {
		if (group)
			tb_u64(b, value);
		if (p->read_format & 4)
			tb_u64(b, i ? i : id);
		if (p->read_format & 16)
			tb_u64(b, 0);
	}
}

/* The fields in front of the raw ones; at the wrong place each would be noticed. */
static void put_fields(
	const struct pb_perf *p, struct tb_bytes *b, int attr, int cpu, uint64_t ts, int tid)
{
	uint64_t type = p->sample_type;

	if (type & PB_IDENTIFIER)
		tb_u64(b, id_of(attr, cpu));
	if (type & PB_IP)
		tb_u64(b, 0xffffffff81000000);
	if (type & PB_TID) {
		tb_u32(b, (uint32_t)tid + 1); /* the process */
		tb_u32(b, (uint32_t)tid);
	}
	if (type & PB_TIME)
		tb_u64(b, ts);
	if (type & PB_ADDR)
		tb_u64(b, 0xaddaddadd);
	if (type & PB_ID)
		tb_u64(b, id_of(attr, cpu));
	if (type & PB_STREAM_ID)
		tb_u64(b, 77);
	if (type & PB_CPU) {
		tb_u32(b, (uint32_t)cpu);
		tb_u32(b, 0);
	}
	if (type & PB_PERIOD)
		tb_u64(b, 1);
	if (type & PB_READ)
		put_read(p, b, id_of(attr, cpu), ts);
	if (type & PB_CALLCHAIN) {
		tb_u64(b, 5);
		for (int i = 0; i < 5; i++)
			tb_u64(b, 0x2222);
	}
}

void pb_sample(struct pb_perf *p, int cpu, uint64_t ts, const struct tb_record *r)
{
	struct tb_bytes b = {.big_endian = p->trace.big_endian};
	uint32_t tid = 0;

	for (int i = 0; i < 4; i++)
		tid |= (uint32_t)r->data[p->trace.big_endian ? 7 - i : 4 + i] << (8 * i);
	put_fields(
		p, &b, attr_of(p, r->fmt), cpu, ts, p->exiting ? -1 : (int)tid + 1000 * p->shifted);
	if (p->sample_type & PB_RAW) {
		size_t pad = -(r->len + 4) & 7;

		tb_u32(&b, (uint32_t)(r->len + pad));
		tb_put(&b, r->data, r->len);
		tb_zeros(&b, pad);
	}
	pb_record(p, 9, 1, b.data, b.len);
	free(b.data);
}

void pb_switch(struct pb_perf *p, int cpu, uint64_t ts, int prev, int64_t state, int next)
{
	struct tb_record r;

	tb_fill_switch(&r, &p->trace, cpu, prev, state, next);
	pb_sample(p, cpu, ts, &r);
}

void pb_task(struct pb_perf *p, int cpu, uint64_t ts, const struct tb_format *fmt, int who, int tid,
	int target)
{
	struct tb_record r;

	tb_fill_task(&r, &p->trace, fmt, who, tid, target);
	pb_sample(p, cpu, ts, &r);
}

void pb_migrate(struct pb_perf *p, int cpu, uint64_t ts, int tid, int from, int to)
{
	struct tb_record r;

	tb_fill_migrate(&r, &p->trace, tid, from, to);
	pb_sample(p, cpu, ts, &r);
}

static void put_trailer(
	const struct pb_perf *p, struct tb_bytes *b, uint64_t id, int cpu, uint64_t ts)
{
	uint64_t type = p->sample_type;

	if (p->without & PB_NO_TRAILERS)
		return;
	if (type & PB_TID)
		tb_u64(b, 0);
	if (type & PB_TIME)
		tb_u64(b, ts);
	if (type & PB_ID)
		tb_u64(b, id);
	if (type & PB_STREAM_ID)
		tb_u64(b, 77);
	if (type & PB_CPU) {
		tb_u32(b, (uint32_t)cpu);
		tb_u32(b, 0);
	}
	if (type & PB_IDENTIFIER)
		tb_u64(b, id);
}

void pb_lost(struct pb_perf *p, int cpu, uint64_t ts, uint64_t count)
{
	struct tb_bytes b = {.big_endian = p->trace.big_endian};

	tb_u64(&b, p->without & PB_NO_IDS ? 0 : id_of(0, cpu));
	tb_u64(&b, count);
	put_trailer(p, &b, id_of(0, cpu), cpu, ts);
	pb_record(p, 2, 0, b.data, b.len);
	free(b.data);
}

void pb_lost_samples(struct pb_perf *p, const struct tb_format *fmt, int cpu, uint64_t count)
{
	struct tb_bytes b = {.big_endian = p->trace.big_endian};

	tb_u64(&b, count);
	/* perf fills in nothing but the id. */
	put_trailer(p, &b, id_of(attr_of(p, fmt), cpu), 0, 0);
	pb_record(p, 13, 0, b.data, b.len);
	free(b.data);
}

void pb_id_index(struct pb_perf *p)
{
	struct tb_bytes b = {.big_endian = p->trace.big_endian};
	int nr = nr_attrs(p) * PB_CPUS;

	tb_u64(&b, (uint64_t)nr);
	for (int i = 0; i < nr; i++) {
		tb_u64(&b, id_of(i / PB_CPUS, i % PB_CPUS));
		tb_u64(&b, (uint64_t)i % PB_CPUS);
		tb_u64(&b, (uint64_t)i % PB_CPUS);
		tb_u64(&b, p->of_task ? 4711 : UINT64_MAX);
	}
	pb_record(p, 69, 0, b.data, b.len);
	free(b.data);
}

static void put_attr(const struct pb_perf *p, struct tb_bytes *b, int i)
{
	size_t start = b->len;
	bool trailers = !(p->without & PB_NO_TRAILERS);

	tb_u32(b, 2);
	tb_u32(b, ATTR_SIZE);
	tb_u64(b, (uint64_t)p->trace.format[i]->id);
	tb_u64(b, 1);
	tb_u64(b, p->sample_type);
	tb_u64(b, p->read_format);
	/* Bit fields begin at the other end of a big-endian machine's words. */
	tb_u64(b, trailers ? UINT64_C(1) << (b->big_endian ? 63 - 18 : 18) : 0);
	tb_zeros(b, ATTR_SIZE - (b->len - start));
}

static void put_ids(const struct pb_perf *p, struct tb_bytes *b, int attr)
{
	for (int cpu = 0; cpu < PB_CPUS && !(p->without & PB_NO_IDS); cpu++)
		tb_u64(b, id_of(attr, cpu));
}

/* Padded to 64 bytes, as perf does. */
static void put_text(struct tb_bytes *b, const char *text)
{
	size_t n = strlen(text) + 1, padded = (n + 63) & ~(size_t)63;

	tb_u32(b, (uint32_t)padded);
	tb_put(b, text, n);
	tb_zeros(b, padded - n);
}

static void put_cache(
	struct tb_bytes *b, uint32_t level, const char *type, const char *size, const char *cpus)
{
	tb_u32(b, level);
	tb_u32(b, 64);
	tb_u32(b, 512);
	tb_u32(b, 8);
	put_text(b, type);
	put_text(b, size);
	put_text(b, cpus);
}

static void put_topology(struct tb_bytes *b)
{
	tb_u32(b, 1);
	put_text(b, "0-3");
	tb_u32(b, 2);
	put_text(b, "0-1");
	put_text(b, "2-3");
	for (uint32_t cpu = 0; cpu < PB_CPUS; cpu++) {
		tb_u32(b, cpu / 2);
		tb_u32(b, 0);
	}
}

static void put_nodes(struct tb_bytes *b)
{
	tb_u32(b, 2);
	for (uint32_t node = 0; node < 2; node++) {
		tb_u32(b, node);
		tb_u64(b, 1000);
		tb_u64(b, 500);
		put_text(b, node ? "2-3" : "0-1");
	}
}

static void put_caches(struct tb_bytes *b)
{
	tb_u32(b, 1);
	tb_u32(b, 5);
	put_cache(b, 1, "Data", "32K", "0-1");
	put_cache(b, 1, "Data", "32K", "2-3");
	put_cache(b, 1, "Instruction", "32K", "0-1");
	put_cache(b, 3, "Unified", "4M", "0-1");
	put_cache(b, 3, "Unified", "4M", "2-3");
}

/* What feature number bit holds; false: this file has none of it. */
static bool put_feature(const struct pb_perf *p, int bit, struct tb_bytes *b)
{
	bool cpus = !(p->without & PB_NO_CPUS);

	switch (bit) {
	case 3:
		put_text(b, "host");
		return true;
	case 4:
		put_text(b, "6.1.0-13-amd64");
		return true;
	case 7:
		tb_u32(b, PB_CPUS);
		tb_u32(b, PB_CPUS);
		return cpus;
	case 13:
		put_topology(b);
		return cpus;
	case 14:
		put_nodes(b);
		return cpus;
	case 20:
		put_caches(b);
		return cpus;
	case 24:
		tb_u64(b, 1);
		return p->without & PB_DIRECTORY;
	case 27:
		tb_u32(b, 1);
		tb_u32(b, 1);
		tb_u32(b, 1);
		tb_u32(b, 4);
		tb_u32(b, 528384);
		return p->pack;
	case 200:
		tb_u64(b, 0xbad);
		return p->without & PB_ODD_FEATURE;
	default:
		return false;
	}
}

static void build_pipe(struct pb_perf *p, struct tb_bytes *ret)
{
	tb_u64(ret, 16);
	for (int i = 0; i < nr_attrs(p); i++) {
		struct tb_bytes b = {.big_endian = ret->big_endian};

		put_attr(p, &b, i);
		put_ids(p, &b, i);
		put_head(ret, 64, 0, b.len);
		tb_put(ret, b.data, b.len);
		free(b.data);
	}
	for (int bit = 2; bit < 256; bit++) {
		struct tb_bytes b = {.big_endian = ret->big_endian};

		tb_u64(&b, (uint64_t)bit);
		if (put_feature(p, bit, &b)) {
			put_head(ret, 80, 0, b.len);
			tb_put(ret, b.data, b.len);
		}
		free(b.data);
	}
	if (!(p->without & PB_NO_FORMATS)) {
		struct tb_bytes b;
		size_t pad;

		tb_build_formats(&p->trace, &b);
		pad = -b.len & 7;
		put_head(ret, 66, 0, 4);
		tb_u32(ret, (uint32_t)(b.len + pad));
		tb_put(ret, b.data, b.len);
		tb_zeros(ret, pad);
		free(b.data);
	}
	tb_put(ret, p->records.data, p->records.len);
}

static void put_place(struct tb_bytes *b, size_t at, uint64_t offset, uint64_t size)
{
	tb_store(b->data + at, offset, 8, b->big_endian);
	tb_store(b->data + at + 8, size, 8, b->big_endian);
}

/* The row of places behind the data, and what they point to. */
static void put_features(const struct pb_perf *p, struct tb_bytes *ret, uint64_t flags[4])
{
	struct tb_bytes all[256] = {0};
	size_t table = ret->len, n = 0;

	for (int bit = 1; bit < 256; bit++) {
		bool there;

		all[bit].big_endian = ret->big_endian;
		if (bit == 1 && (there = !(p->without & PB_NO_FORMATS)))
			tb_build_formats(&p->trace, &all[bit]);
		else
			there = put_feature(p, bit, &all[bit]);
		if (!there)
			continue;
		flags[bit / 64] |= UINT64_C(1) << (bit % 64);
		tb_zeros(ret, 16);
	}
	for (int bit = 1; bit < 256; bit++) {
		if (flags[bit / 64] >> (bit % 64) & 1) {
			put_place(ret, table + 16 * n++, ret->len, all[bit].len);
			tb_put(ret, all[bit].data, all[bit].len);
		}
		free(all[bit].data);
	}
}

static void build_file(struct pb_perf *p, struct tb_bytes *ret)
{
	uint64_t flags[4] = {0};
	size_t ids = 104, attrs = ids + 8 * (size_t)(nr_attrs(p) * PB_CPUS), data;

	if (p->without & PB_NO_IDS)
		attrs = ids;
	tb_u64(ret, 104);
	tb_u64(ret, ATTR_SIZE + 16);
	tb_zeros(ret, 104 - 24);
	for (int i = 0; i < nr_attrs(p); i++)
		put_ids(p, ret, i);
	for (int i = 0; i < nr_attrs(p); i++) {
		put_attr(p, ret, i);
		tb_u64(ret, ids + (p->without & PB_NO_IDS ? 0 : 8 * PB_CPUS * (uint64_t)i));
		tb_u64(ret, p->without & PB_NO_IDS ? 0 : 8 * PB_CPUS);
	}
	data = ret->len;
	tb_put(ret, p->records.data, p->records.len);
	put_place(ret, 24, attrs, data - attrs);
	put_place(ret, 40, data, p->without & PB_NO_SIZE ? 0 : p->records.len);
	if (!(p->without & PB_NO_SIZE))
		put_features(p, ret, flags);
	for (size_t i = 0; i < 4; i++)
		tb_store(ret->data + 72 + 8 * i, flags[i], 8, ret->big_endian);
}

void pb_build(struct pb_perf *p, struct tb_bytes *ret)
{
	flush(p, true);
	*ret = (struct tb_bytes){.big_endian = p->trace.big_endian};
	tb_put(ret, ret->big_endian ? "2ELIFREP" : "PERFILE2", 8);
	if (p->pipe)
		build_pipe(p, ret);
	else
		build_file(p, ret);
}
