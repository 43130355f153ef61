/*
 * A trace.dat once more, with its pages in chunks that zstd has packed.  The
 * sections before them stay as they are and where they are: "zstd" is as long as
 * "none", and the version of the packer, which no reader looks at, stays empty.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "record/datfile.h"
#include "record/tracedat.h"

#define CHUNK_PAGES  32 /* what a reader must unpack to get at one event */
#define CHUNK_HEADER 8 /* packed size 4, size 4 */
#define MAX_PAGE     (1 << 20)
#define CPU_ENTRY    20 /* id 4, offset 8, size 8 */

struct packer {
	struct rwk_datfile in, out;
	struct rwk_datfile_options last; /* the section with the buffer's option */
	struct rwk_datfile_buffer buffer;
	size_t option; /* where the buffer's option has its data */
	uint64_t data; /* where the section with the pages begins */
	uint64_t link; /* where the offset of the last options is kept */
	uint64_t pos; /* end of what has been written */
	size_t page_size;
	ZSTD_CCtx *zstd;
	char *plain, *packed;
	size_t plain_size, packed_size;
	int level;
};

/* The place of the offset in the option that ends a section, and the offset. */
static bool find_link(const struct rwk_datfile_options *o, size_t *ret_place, uint64_t *ret_next)
{
	size_t at = 0, data, len;
	uint16_t id;

	while (rwk_datfile_next_option(o, &at, &id, &data, &len)) {
		if (id != RWK_DATFILE_OPTION_DONE)
			continue;
		*ret_place = data;
		*ret_next = len >= 8 ? rwk_datfile_get64(o->data + data) : 0;
		return true;
	}
	return false;
}

static bool find_buffer(struct packer *p, const struct rwk_datfile_options *o)
{
	size_t at = 0, data, len;
	uint16_t id;

	while (rwk_datfile_next_option(o, &at, &id, &data, &len)) {
		if (id == RWK_DATFILE_OPTION_BUFFER &&
			rwk_datfile_parse_buffer(o, data, len, &p->buffer)) {
			p->option = data;
			return true;
		}
	}
	return false;
}

/* Finds everything; -EOPNOTSUPP where it lies otherwise than known here. */
static int find_parts(struct packer *p)
{
	struct rwk_datfile_head head;
	char section[RWK_DATFILE_SECTION_HEADER];
	uint64_t offset;
	int err = rwk_datfile_read_head(&p->in, &head);

	if (err)
		return err;
	if (!head.is_v7 || head.is_packed || head.first != head.compression + strlen("none") + 2)
		return -EOPNOTSUPP;
	p->link = head.first;
	offset = head.first_offset;
	for (int i = 0; i < RWK_DATFILE_MAX_SECTIONS && offset; i++) {
		size_t place;
		uint64_t next = 0;

		err = rwk_datfile_read_options(&p->in, offset, &p->last);
		if (err)
			return err;
		if (find_buffer(p, &p->last))
			break;
		if (!find_link(&p->last, &place, &next))
			next = 0;
		else
			p->link = offset + RWK_DATFILE_SECTION_HEADER + place;
		offset = next;
		free(p->last.data);
		p->last.data = NULL;
	}
	if (!p->last.data)
		return -EOPNOTSUPP;
	p->data = rwk_datfile_get64(p->last.data + p->option);
	p->page_size = rwk_datfile_get32(p->last.data + p->buffer.cpus - 8);
	err = rwk_datfile_read(&p->in, p->data, section, sizeof(section));
	if (err)
		return err;
	/* The pages, and then the options, are what comes last. */
	if (rwk_datfile_get16(section) != RWK_DATFILE_SECTION_BUFFER ||
		rwk_datfile_get16(section + 2) & RWK_DATFILE_SECTION_PACKED ||
		p->data + sizeof(section) + rwk_datfile_get64(section + 8) != p->last.offset ||
		p->last.offset + RWK_DATFILE_SECTION_HEADER + p->last.len != p->in.size ||
		p->link >= p->data || p->page_size < 1024 || p->page_size > MAX_PAGE)
		return -EOPNOTSUPP;
	return 0;
}

static int append(struct packer *p, const void *data, size_t len)
{
	int err = rwk_datfile_write(&p->out, p->pos, data, len);

	p->pos += len;
	return err;
}

/* Everything before the pages, with the name of the packer. */
static int copy_front(struct packer *p)
{
	struct rwk_datfile_head head;
	int err = rwk_datfile_read_head(&p->in, &head);

	while (!err && p->pos < p->data) {
		size_t n = p->data - p->pos < p->plain_size ? (size_t)(p->data - p->pos)
							    : p->plain_size;

		err = rwk_datfile_read(&p->in, p->pos, p->plain, n);
		if (!err)
			err = append(p, p->plain, n);
	}
	return err ? err : rwk_datfile_write(&p->out, head.compression, "zstd", 4);
}

static int pack_chunk(struct packer *p, uint64_t from, size_t len)
{
	int err = rwk_datfile_read(&p->in, from, p->plain, len);
	size_t n;

	if (err)
		return err;
	n = ZSTD_compressCCtx(
		p->zstd, p->packed + CHUNK_HEADER, p->packed_size, p->plain, len, p->level);
	if (ZSTD_isError(n))
		return rwk_datfile_bad(&p->in, ZSTD_getErrorName(n));
	rwk_datfile_put32(p->packed, (uint32_t)n);
	rwk_datfile_put32(p->packed + 4, (uint32_t)len);
	return append(p, p->packed, n + CHUNK_HEADER);
}

/* A CPU's pages: number of chunks 4, chunks.  Its entry in the options is corrected. */
static int pack_cpu(struct packer *p, char *entry)
{
	uint64_t from = rwk_datfile_get64(entry + 4), size = rwk_datfile_get64(entry + 12), begin;
	char count[4];
	int err;

	if (!size) {
		rwk_datfile_put64(entry + 4, p->pos);
		return 0;
	}
	if ((size + p->plain_size - 1) / p->plain_size > UINT32_MAX)
		return rwk_datfile_bad(&p->in, "too large");
	p->pos = (p->pos + p->page_size - 1) / p->page_size * p->page_size;
	begin = p->pos;
	rwk_datfile_put32(count, (uint32_t)((size + p->plain_size - 1) / p->plain_size));
	err = append(p, count, sizeof(count));
	for (uint64_t done = 0; done < size && !err; done += p->plain_size)
		err = pack_chunk(p, from + done,
			size - done < p->plain_size ? (size_t)(size - done) : p->plain_size);
	rwk_datfile_put64(entry + 4, begin);
	rwk_datfile_put64(entry + 12, p->pos - begin);
	return err;
}

static int pack_pages(struct packer *p)
{
	char section[RWK_DATFILE_SECTION_HEADER];
	int err = rwk_datfile_read(&p->in, p->data, section, sizeof(section));

	if (!err)
		err = append(p, section, sizeof(section));
	for (uint32_t i = 0; i < p->buffer.nr_cpus && !err; i++)
		err = pack_cpu(p, p->last.data + p->buffer.cpus + i * (size_t)CPU_ENTRY);
	if (err)
		return err;
	section[2] |= RWK_DATFILE_SECTION_PACKED;
	rwk_datfile_put64(section + 8, p->pos - p->data - sizeof(section));
	return rwk_datfile_write(&p->out, p->data, section, sizeof(section));
}

/* The last options, and where they are now. */
static int write_back(struct packer *p)
{
	char section[RWK_DATFILE_SECTION_HEADER], link[8];
	int err = rwk_datfile_read(&p->in, p->last.offset, section, sizeof(section));

	rwk_datfile_put64(link, p->pos);
	if (!err)
		err = append(p, section, sizeof(section));
	if (!err)
		err = append(p, p->last.data, p->last.len);
	return err ? err : rwk_datfile_write(&p->out, p->link, link, sizeof(link));
}

static int make_room(struct packer *p)
{
	p->plain_size = CHUNK_PAGES * p->page_size;
	p->packed_size = ZSTD_compressBound(p->plain_size);
	p->plain = malloc(p->plain_size);
	p->packed = malloc(p->packed_size + CHUNK_HEADER);
	p->zstd = ZSTD_createCCtx();
	return p->plain && p->packed && p->zstd ? 0 : -ENOMEM;
}

int rwk_tracedat_pack(int fd, int to_fd, int level, char *why, size_t why_size)
{
	struct packer p = {.in = {.fd = fd, .why = why, .why_size = why_size},
		.out = {.fd = to_fd, .why = why, .why_size = why_size},
		.level = level};
	struct stat st;
	int err;

	why[0] = '\0';
	if (fstat(fd, &st))
		return -errno;
	p.in.size = (uint64_t)st.st_size;
	err = find_parts(&p);
	if (!err)
		err = make_room(&p);
	if (!err)
		err = copy_front(&p);
	if (!err)
		err = pack_pages(&p);
	if (!err)
		err = write_back(&p);
	ZSTD_freeCCtx(p.zstd);
	free(p.plain);
	free(p.packed);
	free(p.last.data);
	return err;
}
