/*
 * Pages of one CPU.  libtraceevent's kbuffer walks the records of a page, but
 * believes what the page says: a length that points back makes it loop for ever.
 * So each page is walked once before, and left out when it is not sound.
 */
#include "decode/tracedat_pages.h"

#include <errno.h>
#include <kbuffer.h>
#include <stdlib.h>
#include <string.h>

#include "decode/bytes.h"

#define COMMIT_MASK     ((UINT32_C(1) << 27) - 1)
#define MISSED_EVENTS   (UINT32_C(1) << 31)
#define MISSED_STORED   (UINT32_C(1) << 30)
#define CHUNK_HEADER    8
#define MAX_CHUNK       (1 << 20) /* of pages of usual size; trace-cmd writes 10 pages */
#define MAX_CHUNK_PAGES 16 /* of larger pages */
#define MAX_LOST        (INT64_C(1) << 48)
#define PAD             64 /* behind the pages: kbuffer reads a few bytes past what it checks */

struct rwk_pages {
	struct rwk_pages_env *env;
	struct kbuffer *kbuf;
	int32_t cpu;
	int page_size;
	bool compressed;
	int64_t start, pos, end; /* in the file: of the data, of what is read next */
	int64_t cut_at;
	uint32_t nr_chunks; /* left to read */
	bool started; /* the number of chunks was read */
	bool first_record; /* the page's first one is still to be given */
	unsigned char *block; /* owned; PAD bytes longer than cap */
	size_t cap, len, at; /* at: of the next page in the block */
	int64_t block_pos; /* of the block in the file */
	const unsigned char *page; /* being walked, NULL: none */
	struct rwk_gap gap;
};

int rwk_pages_open(
	struct rwk_pages_env *env, const struct rwk_tracedat_cpu *cpu, struct rwk_pages **ret)
{
	const struct rwk_tracedat_layout *l = env->layout;
	struct rwk_pages *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	*p = (struct rwk_pages){
		.env = env,
		.cpu = cpu->cpu,
		.page_size = l->buffer[cpu->buffer].page_size,
		.compressed = l->buffer[cpu->buffer].compressed,
		.start = cpu->offset,
		.pos = cpu->offset,
		.end = cpu->offset + cpu->size,
		.cut_at = cpu->cut ? cpu->offset + cpu->size : RWK_NONE,
	};
	/* Chunks tell themselves where they end; the size, up to trace-cmd 3.1, is 4 bytes short.
	 */
	if (p->compressed && cpu->size)
		p->end = env->file->size;
	p->kbuf = kbuffer_alloc(l->commit_size == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
		l->big_endian ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	if (!p->kbuf) {
		free(p);
		return -ENOMEM;
	}
	*ret = p;
	return 0;
}

void rwk_pages_close(struct rwk_pages *p)
{
	if (!p)
		return;
	kbuffer_free(p->kbuf);
	free(p->block);
	free(p);
}

static void add_gap(struct rwk_pages *p, int64_t count)
{
	if (p->gap.present && (count < 0 || p->gap.count < 0))
		p->gap.count = RWK_NONE;
	else
		p->gap.count = p->gap.present ? p->gap.count + count : count;
	p->gap.present = true;
}

static int reserve(unsigned char **buf, size_t *cap, size_t size)
{
	unsigned char *bigger;

	if (size <= *cap)
		return 0;
	bigger = realloc(*buf, size + PAD);
	if (!bigger)
		return -ENOMEM;
	memset(bigger + *cap, 0, size + PAD - *cap);
	*buf = bigger;
	*cap = size;
	return 0;
}

/* What is whole in the file ends at offset. */
static void cut(struct rwk_pages *p, int64_t offset)
{
	if (p->cut_at == RWK_NONE || offset < p->cut_at)
		p->cut_at = offset;
	p->end = p->pos = offset;
	p->nr_chunks = 0;
}

/* A block of plain pages: 1, 0 at the end, negative errno. */
static int read_plain(struct rwk_pages *p, struct rwk_diag *diag)
{
	int64_t page = p->page_size;
	int64_t left = p->end - p->pos;
	int64_t most = (int64_t)p->env->block > page ? (int64_t)p->env->block : page;
	int64_t want = left < most ? left : most;
	int64_t n;
	int err;

	want -= want % page;
	if (!want) {
		/* Part of a page: the file was cut inside it, or its size is damaged. */
		if (left > 0)
			cut(p, p->pos);
		return 0;
	}
	err = reserve(&p->block, &p->cap, (size_t)want);
	if (err)
		return err;
	n = rwk_file_read(p->env->file, p->pos, p->block, (size_t)want, diag);
	if (n < 0)
		return (int)n;
	p->block_pos = p->pos;
	p->len = (size_t)(n - n % page);
	p->pos += (int64_t)p->len;
	if (n < want)
		cut(p, p->pos);
	return p->len > 0;
}

/* A chunk whose bytes make no sense: what follows it is found by its header all the same. */
static int skip_chunk(struct rwk_pages *p, int64_t next)
{
	rwk_anomaly_add(p->env->anomalies, RWK_AN_BAD_PAGE, RWK_NS_NONE, p->cpu, p->pos);
	add_gap(p, RWK_NONE);
	p->pos = next;
	p->nr_chunks--;
	p->len = 0;
	return 1;
}

/* One chunk: 1 (it may hold no page), 0 at the end, negative errno. */
static int read_chunk(struct rwk_pages *p, struct rwk_diag *diag)
{
	struct rwk_pages_env *env = p->env;
	int64_t page = p->page_size;
	int64_t max = page * MAX_CHUNK_PAGES > MAX_CHUNK ? page * MAX_CHUNK_PAGES : MAX_CHUNK;
	unsigned char head[CHUNK_HEADER];
	uint32_t packed, size;
	int64_t n;
	int err;

	if (!p->started) {
		p->started = true;
		n = p->end - p->pos < 4 ? 0 : rwk_file_read(env->file, p->pos, head, 4, diag);
		if (n < 0)
			return (int)n;
		if (n < 4) {
			if (p->end > p->pos)
				cut(p, p->pos);
			return 0;
		}
		p->nr_chunks = rwk_bytes_u32(head, env->layout->swap);
		p->pos += 4;
	}
	if (!p->nr_chunks)
		return 0;
	n = p->end - p->pos < CHUNK_HEADER
		    ? 0
		    : rwk_file_read(env->file, p->pos, head, sizeof(head), diag);
	if (n < 0)
		return (int)n;
	packed = rwk_bytes_u32(head, env->layout->swap);
	size = rwk_bytes_u32(head + 4, env->layout->swap);
	if (n < CHUNK_HEADER || packed > p->end - p->pos - CHUNK_HEADER) {
		cut(p, p->pos);
		return 0;
	}
	if (!size || size > max || size % page || packed > 2 * max)
		return skip_chunk(p, p->pos + CHUNK_HEADER + packed);
	err = reserve(&p->block, &p->cap, size);
	if (!err)
		err = reserve(&env->scratch, &env->scratch_size, packed);
	if (err)
		return err;
	n = rwk_file_read(env->file, p->pos + CHUNK_HEADER, env->scratch, packed, diag);
	if (n < 0)
		return (int)n;
	if (n < packed) {
		cut(p, p->pos);
		return 0;
	}
	if (rwk_inflate_block(env->layout->inflate, env->scratch, packed, p->block, size))
		return skip_chunk(p, p->pos + CHUNK_HEADER + packed);
	p->block_pos = p->pos + CHUNK_HEADER;
	p->len = size;
	p->pos += CHUNK_HEADER + packed;
	p->nr_chunks--;
	return 1;
}

/*
 * Whether every record of the page lies inside what the page holds and each
 * leads forward: then kbuffer is safe on it.
 */
static bool page_sound(
	const struct rwk_tracedat_layout *l, const unsigned char *data, uint32_t commit)
{
	uint32_t at = 0;

	while (at < commit) {
		uint32_t room = commit - at, head, type, len = 4;

		if (room < 4)
			return false;
		head = rwk_bytes_u32(data + at, l->swap);
		type = l->big_endian ? head >> 27 : head & 31;
		if (type == 0 || type > 28) {
			if (room < 8)
				return false;
			if (type == 0 || type == KBUFFER_TYPE_PADDING) {
				uint32_t n = rwk_bytes_u32(data + at + 4, l->swap);

				/* Of a record in bytes, of padding in words: only the first is
				 * rounded. */
				if (n < 4 || n > room - 4 || (type && n % 4))
					return false;
				len += (n + 3) & ~UINT32_C(3);
			} else {
				len = 8;
			}
		} else {
			len += 4 * type;
		}
		if (len > room)
			return false;
		at += len;
	}
	return true;
}

/* The mark of lost events in front of a page's first; the count stands behind the records. */
static void read_gap(struct rwk_pages *p, uint32_t flags, const unsigned char *end, size_t room)
{
	const struct rwk_tracedat_layout *l = p->env->layout;
	uint64_t count = 0;

	if (!(flags & MISSED_EVENTS))
		return;
	if (flags & MISSED_STORED && room >= (size_t)l->commit_size)
		count = l->commit_size == 8 ? rwk_bytes_u64(end, l->swap)
					    : rwk_bytes_u32(end, l->swap);
	add_gap(p, count && count < MAX_LOST ? (int64_t)count : RWK_NONE);
}

/* Starts to walk the next page that is sound: 1, 0 at the end, negative errno. */
static int next_page(struct rwk_pages *p, struct rwk_diag *diag)
{
	const struct rwk_tracedat_layout *l = p->env->layout;
	size_t size = (size_t)p->page_size;

	for (;;) {
		unsigned char *page;
		uint32_t flags, commit;
		size_t room;

		while (p->len - p->at < size) {
			int ret;

			p->len = p->at = 0;
			ret = p->compressed ? read_chunk(p, diag) : read_plain(p, diag);
			if (ret <= 0)
				return ret;
		}
		page = p->block + p->at;
		p->at += size;
		flags = l->commit_size == 8 ? (uint32_t)rwk_bytes_u64(page + 8, l->swap)
					    : rwk_bytes_u32(page + 8, l->swap);
		commit = flags & COMMIT_MASK;
		room = size - (size_t)l->data_offset;
		if (commit > room || !page_sound(l, page + l->data_offset, commit)) {
			rwk_anomaly_add(p->env->anomalies, RWK_AN_BAD_PAGE, RWK_NS_NONE, p->cpu,
				p->block_pos + (p->compressed ? 0 : page - p->block));
			add_gap(p, RWK_NONE);
			continue;
		}
		read_gap(p, flags, page + l->data_offset + commit, room - commit);
		if (!commit)
			continue;
		kbuffer_load_subbuffer(p->kbuf, page);
		p->page = page;
		p->first_record = true;
		return 1;
	}
}

int rwk_pages_next(struct rwk_pages *p, struct rwk_record *ret, struct rwk_diag *diag)
{
	for (;;) {
		unsigned long long ts = 0;
		unsigned char *data;
		int err;

		if (!p->page) {
			err = next_page(p, diag);
			if (err <= 0)
				return err;
		}
		data = p->first_record ? kbuffer_read_event(p->kbuf, &ts)
				       : kbuffer_next_event(p->kbuf, &ts);
		p->first_record = false;
		if (!data) {
			p->page = NULL;
			continue;
		}
		ret->data = data;
		ret->size = (uint32_t)kbuffer_event_size(p->kbuf);
		ret->ts = ts;
		ret->offset = p->block_pos + (p->compressed ? 0 : data - p->block);
		ret->gap = p->gap;
		p->gap = (struct rwk_gap){0};
		return 1;
	}
}

struct rwk_gap rwk_pages_gap_at_end(const struct rwk_pages *p)
{
	return p->gap;
}

int64_t rwk_pages_consumed(const struct rwk_pages *p)
{
	return p->pos - p->start;
}

int64_t rwk_pages_cut_at(const struct rwk_pages *p)
{
	return p->cut_at;
}
