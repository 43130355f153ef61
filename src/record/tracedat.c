/*
 * The few parts of the trace.dat formats 6 and 7 that are needed to trust a
 * file that another program wrote.  Version 7 lists its buffer, with clock and
 * place of each CPU's pages, in an option; trace-cmd restore writes the clock
 * of the kernel's own buffer there, which need not be that of our instance.
 */
#include "record/tracedat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTION_DONE     0
#define OPTION_BUFFER   3
#define SECTION_OPTIONS 0
#define SECTION_HEADER  16 /* id 2, flags 2, string id 4, size 8 */
#define SECTION_PACKED  1 /* flag */
#define MAX_OPTIONS     (1 << 20)
#define MAX_SECTIONS    1000

static const char magic[] = "\x17\x08\x44tracing";

struct file {
	int fd;
	uint64_t size;
	char *why;
	size_t why_size;
};

static int bad(const struct file *f, const char *what)
{
	snprintf(f->why, f->why_size, "%s", what);
	return -EBADMSG;
}

static int read_at(const struct file *f, uint64_t offset, void *buf, size_t len)
{
	char *p = buf;

	if (offset > f->size || len > f->size - offset)
		return bad(f, "it is cut short");
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

static int write_at(const struct file *f, uint64_t offset, const void *buf, size_t len)
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

static uint16_t get16(const char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t get32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t get64(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put32(char *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void put64(char *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* One section of options, as read. */
struct options {
	uint64_t offset; /* of its header in the file */
	size_t len; /* of data, without the header */
	char *data;
};

/* The next option from *at on: its header's place and its data.  false at the end. */
static bool next_option(
	const struct options *o, size_t *at, uint16_t *ret_id, size_t *ret_data, size_t *ret_len)
{
	if (o->len - *at < 6)
		return false;
	*ret_id = get16(o->data + *at);
	*ret_len = get32(o->data + *at + 2);
	*ret_data = *at + 6;
	if (*ret_len > o->len - *ret_data)
		return false;
	*at = *ret_data + *ret_len;
	return true;
}

static int read_options(const struct file *f, uint64_t offset, struct options *ret)
{
	char header[SECTION_HEADER];
	int err = read_at(f, offset, header, sizeof(header));

	if (err)
		return err;
	if (get16(header) != SECTION_OPTIONS)
		return bad(f, "its options are not where they should be");
	if (get16(header + 2) & SECTION_PACKED)
		return -EOPNOTSUPP;
	if (get64(header + 8) > MAX_OPTIONS)
		return bad(f, "its options are too long");
	ret->offset = offset;
	ret->len = get64(header + 8);
	ret->data = malloc(ret->len + 1);
	if (!ret->data)
		return -ENOMEM;
	err = read_at(f, offset + sizeof(header), ret->data, ret->len);
	if (err)
		free(ret->data);
	return err;
}

/*
 * BUFFER option: offset 8, name, clock (both ending in NUL), page size 4,
 * number of CPUs 4, and for each CPU id 4, offset 8, size 8.
 */
struct buffer {
	size_t clock, clock_len; /* where in the options */
	size_t cpus;
	uint32_t nr_cpus;
};

static bool parse_buffer(const struct options *o, size_t data, size_t len, struct buffer *ret)
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
	ret->nr_cpus = get32(o->data + ret->cpus - 4);
	return ret->nr_cpus <= RWK_MAX_CPUS && ret->nr_cpus * (size_t)20 == end - ret->cpus;
}

static int check_buffer(const struct file *f, const struct options *o, const struct buffer *buffer,
	const struct rwk_record_cpu *cpu, int nr_cpus)
{
	for (int i = 0; i < nr_cpus; i++) {
		int64_t bytes = 0;

		for (uint32_t k = 0; k < buffer->nr_cpus; k++) {
			const char *entry = o->data + buffer->cpus + k * (size_t)20;
			uint64_t offset = get64(entry + 4), size = get64(entry + 12);

			if (get32(entry) != (uint32_t)cpu[i].cpu)
				continue;
			if (offset > f->size || size > f->size - offset)
				return bad(f, "it is cut short");
			bytes = (int64_t)size;
		}
		if (bytes < cpu[i].bytes) {
			snprintf(f->why, f->why_size,
				"recorded pages are missing in it, cpu=%d bytes=%" PRId64
				" of=%" PRId64,
				cpu[i].cpu, bytes, cpu[i].bytes);
			return -EBADMSG;
		}
	}
	return 0;
}

/* Only at the end of the file can something become longer or shorter. */
static int correct_clock(const struct file *f, struct options *o, size_t option,
	const struct buffer *buffer, const char *clock)
{
	size_t len = strlen(clock);
	size_t tail = buffer->clock + buffer->clock_len;
	size_t new_len = o->len - buffer->clock_len + len;
	char header[SECTION_HEADER], *data;
	int err;

	if (len == buffer->clock_len && !memcmp(o->data + buffer->clock, clock, len))
		return 0;
	if (o->offset + SECTION_HEADER + o->len != f->size)
		return 0;
	err = read_at(f, o->offset, header, sizeof(header));
	if (err)
		return err;
	data = malloc(new_len);
	if (!data)
		return -ENOMEM;
	memcpy(data, o->data, buffer->clock);
	memcpy(data + buffer->clock, clock, len);
	memcpy(data + buffer->clock + len, o->data + tail, o->len - tail);
	put32(data + option + 2, (uint32_t)(get32(o->data + option + 2) - buffer->clock_len + len));
	put64(header + 8, new_len);
	err = write_at(f, o->offset, header, sizeof(header));
	if (!err)
		err = write_at(f, o->offset + SECTION_HEADER, data, new_len);
	if (!err && ftruncate(f->fd, (off_t)(o->offset + SECTION_HEADER + new_len)))
		err = -errno;
	free(data);
	return err;
}

/* One section: its buffer, if it has one, and where the next section is (0: nowhere). */
static int check_options(const struct file *f, struct options *o, const char *clock,
	const struct rwk_record_cpu *cpu, int nr_cpus, bool *ret_found, uint64_t *ret_next)
{
	size_t at = 0, option = 0, data, len;
	struct buffer buffer;
	uint16_t id;

	*ret_next = 0;
	while (option = at, next_option(o, &at, &id, &data, &len)) {
		if (id == OPTION_DONE) {
			if (len >= 8)
				*ret_next = get64(o->data + data);
			return 0;
		}
		if (id == OPTION_BUFFER) {
			int err = -EOPNOTSUPP;

			*ret_found = parse_buffer(o, data, len, &buffer);
			if (*ret_found)
				err = check_buffer(f, o, &buffer, cpu, nr_cpus);
			return err ? err : correct_clock(f, o, option, &buffer, clock);
		}
	}
	return 0;
}

/* -EOPNOTSUPP: not laid out as known here. */
static int check_v7(const struct file *f, uint64_t offset, const char *clock,
	const struct rwk_record_cpu *cpu, int nr_cpus)
{
	bool found = false;

	for (int i = 0; i < MAX_SECTIONS && offset && !found; i++) {
		struct options o;
		int err = read_options(f, offset, &o);

		if (err)
			return err;
		err = check_options(f, &o, clock, cpu, nr_cpus, &found, &offset);
		free(o.data);
		if (err)
			return err;
	}
	return found ? 0 : -EOPNOTSUPP;
}

int rwk_tracedat_check(int fd, const char *clock, const struct rwk_record_cpu *cpu, int nr_cpus,
	char *why, size_t why_size)
{
	struct file f = {.fd = fd, .why = why, .why_size = why_size};
	char head[256] = "";
	int64_t bytes = 0;
	size_t at = sizeof(magic) - 1;
	bool packed = false;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	f.size = (uint64_t)st.st_size;
	err = read_at(&f, 0, head, f.size < sizeof(head) - 1 ? f.size : sizeof(head) - 1);
	if (err)
		return err;
	if (f.size < sizeof(head) || memcmp(head, magic, at))
		return bad(&f, "it is no trace.dat");
	/* Version, NUL, byte order 1, size of long 1, page size 4; from version 7 on more. */
	if (!strcmp(head + at, "7")) {
		const char *compression = head + at + 2 + 6;

		packed = strcmp(compression, "none") != 0;
		at = (size_t)(compression - head) + strlen(compression) + 1;
		at += strlen(head + at) + 1; /* its version */
		if (at + 8 > sizeof(head) - 1)
			return bad(&f, "its head is malformed");
		err = packed ? -EOPNOTSUPP : check_v7(&f, get64(head + at), clock, cpu, nr_cpus);
		if (err != -EOPNOTSUPP)
			return err;
	}
	/* Another layout: its size is all that can be told. */
	for (int i = 0; i < nr_cpus; i++)
		bytes += cpu[i].bytes;
	if (!packed && f.size < (uint64_t)bytes)
		return bad(&f, "it is smaller than what was recorded");
	return 0;
}
