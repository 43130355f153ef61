/* Reading and writing parts of a trace.dat, with every length checked. */
#include "record/datfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rewake/types.h>

#define MAX_OPTIONS (1 << 20)

int rwk_datfile_bad(const struct rwk_datfile *f, const char *what)
{
	snprintf(f->why, f->why_size, "%s", what);
	return -EBADMSG;
}

int rwk_datfile_read(const struct rwk_datfile *f, uint64_t offset, void *buf, size_t len)
{
	char *p = buf;

	if (offset > f->size || len > f->size - offset)
		return rwk_datfile_bad(f, "it is cut short");
	while (len) {
		ssize_t n = pread(f->fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int rwk_datfile_write(const struct rwk_datfile *f, uint64_t offset, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = pwrite(f->fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

uint16_t rwk_datfile_get16(const char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

uint32_t rwk_datfile_get32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

uint64_t rwk_datfile_get64(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

void rwk_datfile_put32(char *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

void rwk_datfile_put64(char *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* The next option from *at on: its header's place and its data.  false at the end. */
bool rwk_datfile_next_option(const struct rwk_datfile_options *o, size_t *at, uint16_t *ret_id,
	size_t *ret_data, size_t *ret_len)
{
	if (o->len - *at < 6)
		return false;
	*ret_id = rwk_datfile_get16(o->data + *at);
	*ret_len = rwk_datfile_get32(o->data + *at + 2);
	*ret_data = *at + 6;
	if (*ret_len > o->len - *ret_data)
		return false;
	*at = *ret_data + *ret_len;
	return true;
}

int rwk_datfile_read_options(
	const struct rwk_datfile *f, uint64_t offset, struct rwk_datfile_options *ret)
{
	char header[RWK_DATFILE_SECTION_HEADER];
	int err = rwk_datfile_read(f, offset, header, sizeof(header));

	if (err)
		return err;
	if (rwk_datfile_get16(header) != RWK_DATFILE_SECTION_OPTIONS)
		return rwk_datfile_bad(f, "its options are not where they should be");
	if (rwk_datfile_get16(header + 2) & RWK_DATFILE_SECTION_PACKED)
		return -EOPNOTSUPP;
	if (rwk_datfile_get64(header + 8) > MAX_OPTIONS)
		return rwk_datfile_bad(f, "its options are too long");
	ret->offset = offset;
	ret->len = rwk_datfile_get64(header + 8);
	ret->data = malloc(ret->len + 1);
	if (!ret->data)
		return -ENOMEM;
	err = rwk_datfile_read(f, offset + sizeof(header), ret->data, ret->len);
	if (err) {
		free(ret->data);
		ret->data = NULL;
	}
	return err;
}

bool rwk_datfile_parse_buffer(const struct rwk_datfile_options *o, size_t data, size_t len,
	struct rwk_datfile_buffer *ret)
{
	size_t end = data + len, name = data + 8, name_len, clock_len;

	if (len < 8)
		return false;
	name_len = strnlen(o->data + name, end - name);
	ret->clock = name + name_len + 1;
	if (ret->clock >= end)
		return false;
	clock_len = strnlen(o->data + ret->clock, end - ret->clock);
	ret->clock_len = clock_len;
	ret->cpus = ret->clock + clock_len + 1 + 8;
	if (ret->cpus > end)
		return false;
	ret->nr_cpus = rwk_datfile_get32(o->data + ret->cpus - 4);
	return ret->nr_cpus <= RWK_MAX_CPUS && ret->nr_cpus * (size_t)20 == end - ret->cpus;
}

int rwk_datfile_read_head(const struct rwk_datfile *f, struct rwk_datfile_head *ret)
{
	char head[256] = "";
	size_t at = sizeof(RWK_DATFILE_MAGIC) - 1;
	int err = rwk_datfile_read(
		f, 0, head, f->size < sizeof(head) - 1 ? f->size : sizeof(head) - 1);

	if (err)
		return err;
	if (f->size < sizeof(head) || memcmp(head, RWK_DATFILE_MAGIC, at))
		return rwk_datfile_bad(f, "it is no trace.dat");
	*ret = (struct rwk_datfile_head){.is_v7 = !strcmp(head + at, "7")};
	/* Version, NUL, byte order 1, size of long 1, page size 4; from version 7 on more. */
	if (!ret->is_v7)
		return 0;
	ret->compression = at + 2 + 6;
	ret->is_packed = strcmp(head + ret->compression, "none") != 0;
	at = ret->compression + strlen(head + ret->compression) + 1;
	at += strlen(head + at) + 1; /* its version */
	if (at + 8 > sizeof(head) - 1)
		return rwk_datfile_bad(f, "its head is malformed");
	ret->first = at;
	ret->first_offset = rwk_datfile_get64(head + at);
	return 0;
}
