/*
 * The few parts of the trace.dat formats 6 and 7 that are needed to trust a
 * file that another program wrote.  Version 7 lists its buffer, with clock and
 * place of each CPU's pages, in an option; trace-cmd restore writes the clock
 * of the kernel's own buffer there, which need not be that of our instance.
 */
#include "record/tracedat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/datfile.h"

static int check_buffer(const struct rwk_datfile *f, const struct rwk_datfile_options *o,
	const struct rwk_datfile_buffer *buffer, const struct rwk_record_cpu *cpu, int nr_cpus)
{
	for (int i = 0; i < nr_cpus; i++) {
		int64_t bytes = 0;

		for (uint32_t k = 0; k < buffer->nr_cpus; k++) {
			const char *entry = o->data + buffer->cpus + k * (size_t)20;
			uint64_t offset = rwk_datfile_get64(entry + 4),
				 size = rwk_datfile_get64(entry + 12);

			if (rwk_datfile_get32(entry) != (uint32_t)cpu[i].cpu)
				continue;
			if (offset > f->size || size > f->size - offset)
				return rwk_datfile_bad(f, "it is cut short");
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
static int correct_clock(const struct rwk_datfile *f, struct rwk_datfile_options *o, size_t option,
	const struct rwk_datfile_buffer *buffer, const char *clock)
{
	size_t len = strlen(clock);
	size_t tail = buffer->clock + buffer->clock_len;
	size_t new_len = o->len - buffer->clock_len + len;
	char header[RWK_DATFILE_SECTION_HEADER], *data;
	int err;

	if (len == buffer->clock_len && !memcmp(o->data + buffer->clock, clock, len))
		return 0;
	if (o->offset + RWK_DATFILE_SECTION_HEADER + o->len != f->size)
		return 0;
	err = rwk_datfile_read(f, o->offset, header, sizeof(header));
	if (err)
		return err;
	data = malloc(new_len);
	if (!data)
		return -ENOMEM;
	memcpy(data, o->data, buffer->clock);
	memcpy(data + buffer->clock, clock, len);
	memcpy(data + buffer->clock + len, o->data + tail, o->len - tail);
	rwk_datfile_put32(data + option + 2,
		(uint32_t)(rwk_datfile_get32(o->data + option + 2) - buffer->clock_len + len));
	rwk_datfile_put64(header + 8, new_len);
	err = rwk_datfile_write(f, o->offset, header, sizeof(header));
	if (!err)
		err = rwk_datfile_write(f, o->offset + RWK_DATFILE_SECTION_HEADER, data, new_len);
	if (!err && ftruncate(f->fd, (off_t)(o->offset + RWK_DATFILE_SECTION_HEADER + new_len)))
		err = -errno;
	free(data);
	return err;
}

/* One section: its buffer, if it has one, and where the next section is (0: nowhere). */
static int check_options(const struct rwk_datfile *f, struct rwk_datfile_options *o,
	const char *clock, const struct rwk_record_cpu *cpu, int nr_cpus, bool *ret_found,
	uint64_t *ret_next)
{
	size_t at = 0, option = 0, data, len;
	struct rwk_datfile_buffer buffer;
	uint16_t id;

	*ret_next = 0;
	while (option = at, rwk_datfile_next_option(o, &at, &id, &data, &len)) {
		if (id == RWK_DATFILE_OPTION_DONE) {
			if (len >= 8)
				*ret_next = rwk_datfile_get64(o->data + data);
			return 0;
		}
		if (id == RWK_DATFILE_OPTION_BUFFER) {
			int err = -EOPNOTSUPP;

			*ret_found = rwk_datfile_parse_buffer(o, data, len, &buffer);
			if (*ret_found)
				err = check_buffer(f, o, &buffer, cpu, nr_cpus);
			return err ? err : correct_clock(f, o, option, &buffer, clock);
		}
	}
	return 0;
}

/* -EOPNOTSUPP: not laid out as known here. */
static int check_v7(const struct rwk_datfile *f, uint64_t offset, const char *clock,
	const struct rwk_record_cpu *cpu, int nr_cpus)
{
	bool found = false;

	for (int i = 0; i < RWK_DATFILE_MAX_SECTIONS && offset && !found; i++) {
		struct rwk_datfile_options o;
		int err = rwk_datfile_read_options(f, offset, &o);

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
	struct rwk_datfile f = {.fd = fd, .why = why, .why_size = why_size};
	struct rwk_datfile_head head;
	int64_t bytes = 0;
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	f.size = (uint64_t)st.st_size;
	err = rwk_datfile_read_head(&f, &head);
	if (err)
		return err;
	if (head.is_v7 && !head.is_packed) {
		err = check_v7(&f, head.first_offset, clock, cpu, nr_cpus);
		if (err != -EOPNOTSUPP)
			return err;
	}
	/* Another layout: its size is all that can be told. */
	for (int i = 0; i < nr_cpus; i++)
		bytes += cpu[i].bytes;
	if (!head.is_packed && f.size < (uint64_t)bytes)
		return rwk_datfile_bad(&f, "it is smaller than what was recorded");
	return 0;
}
