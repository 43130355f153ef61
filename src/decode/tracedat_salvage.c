/*
 * A version 7 file lists its CPUs behind their data, so a file that was cut has
 * lost the list.  trace-cmd writes the CPUs in ascending order, each from a page
 * boundary on.  Where one ends follows from the chunks of compressed data, and
 * in plain pages from the time stepping back to the start of the recording.
 * Which CPU it is follows from the name of its idle task, "swapper/3", and for
 * one that was never idle from the CPUs that the recorder counted events on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/bytes.h"
#include "decode/tracedat_layout.h"
#include "decode/tracedat_pages.h"
#include "decode/tracedat_record.h"

#define SECTION_HEADER     16
#define SECTION_COMPRESSED 1
#define CHUNK_HEADER       8

static int refuse(const struct rwk_file *file, int64_t offset, struct rwk_diag *diag)
{
	return rwk_diag_push(diag, -EBADMSG,
		"cannot read trace.dat: file=%s offset=0x%llx why=the file ends before the list of "
		"its CPUs, and their data cannot be told apart",
		file->path, (unsigned long long)offset);
}

/* size bytes, or -EBADMSG at the end of the file. */
static int read_exact(
	const struct rwk_file *file, int64_t offset, void *buf, size_t size, struct rwk_diag *diag)
{
	int64_t n = rwk_file_read(file, offset, buf, size, diag);

	return n < 0 ? (int)n : n < (int64_t)size ? -EBADMSG : 0;
}

static int64_t align_up(int64_t v, int64_t to)
{
	return (v + to - 1) / to * to;
}

/* The n-th CPU's data, numbered in their order for now. */
static int add_piece(struct rwk_tracedat_layout *l, const struct rwk_file *file, int64_t start,
	int64_t end, struct rwk_diag *diag)
{
	return rwk_tracedat_add_cpu(
		l, file, (uint32_t)l->nr_cpus, (uint64_t)start, (uint64_t)(end - start), diag);
}

/* end: of all of the data. */
static int add_last_piece(struct rwk_tracedat_layout *l, const struct rwk_file *file, int64_t start,
	int64_t end, struct rwk_diag *diag)
{
	int err = start < end ? add_piece(l, file, start, end, diag) : 0;

	if (!err && start < end && end == file->size)
		l->cpu[l->nr_cpus - 1].cut = true;
	return err;
}

/* Behind the chunks that start at *pos: 1, 0 the file ends before, negative errno. */
static int pass_chunks(const struct rwk_tracedat_layout *l, const struct rwk_file *file,
	int64_t *pos, struct rwk_diag *diag)
{
	unsigned char head[CHUNK_HEADER];
	uint32_t chunks;
	int err = read_exact(file, *pos, head, 4, diag);

	if (err)
		return err == -EBADMSG ? 0 : err;
	chunks = rwk_bytes_u32(head, l->swap);
	*pos += 4;
	for (; chunks; chunks--) {
		err = read_exact(file, *pos, head, sizeof(head), diag);
		if (err)
			return err == -EBADMSG ? 0 : err;
		*pos += CHUNK_HEADER + (int64_t)rwk_bytes_u32(head, l->swap);
	}
	return *pos <= file->size;
}

static int split_chunks(struct rwk_tracedat_layout *l, const struct rwk_file *file, int64_t pos,
	int64_t end, struct rwk_diag *diag)
{
	for (int n = 0; n < l->cpu_count && pos < end; n++) {
		int64_t start = pos;
		int ret = pass_chunks(l, file, &pos, diag);

		if (ret <= 0)
			return ret < 0 ? ret : add_last_piece(l, file, start, end, diag);
		ret = add_piece(l, file, start, pos, diag);
		if (ret)
			return ret;
		pos = align_up(pos, l->page_size);
	}
	return 0;
}

/* Environment for reading pieces before they are read for good. */
static struct rwk_pages_env make_env(const struct rwk_tracedat_layout *l,
	const struct rwk_file *file, struct rwk_anomalies *ignored)
{
	return (struct rwk_pages_env){
		.file = file,
		.layout = l,
		.anomalies = ignored,
		.block = (size_t)align_up(64 << 10, l->page_size),
	};
}

/* All plain pages in one row, divided in front of each page on which time steps back. */
static int split_pages(struct rwk_tracedat_layout *l, const struct rwk_file *file, int64_t pos,
	int64_t end, struct rwk_diag *diag)
{
	const struct rwk_tracedat_cpu row = {.offset = pos, .size = end > pos ? end - pos : 0};
	struct rwk_anomalies ignored = {0};
	struct rwk_pages_env env = make_env(l, file, &ignored);
	struct rwk_pages *pages;
	struct rwk_record rec;
	int64_t start = pos;
	uint64_t last = 0;
	int err = rwk_pages_open(&env, &row, &pages);

	if (err)
		return err;
	while ((err = rwk_pages_next(pages, &rec, diag)) > 0) {
		int64_t page = pos + (rec.offset - pos) / l->page_size * l->page_size;

		if (rec.ts < last) {
			/* More pieces than CPUs: these steps are not where CPUs end. */
			err = l->nr_cpus + 1 < (size_t)l->cpu_count
				      ? add_piece(l, file, start, page, diag)
				      : refuse(file, page, diag);
			if (err)
				break;
			start = page;
		}
		last = rec.ts;
	}
	rwk_pages_close(pages);
	return err ? err : add_last_piece(l, file, start, end, diag);
}

/*
 * Where the section of the data ends.  Its size is filled in when it is whole, as
 * that of the first of several buffers may be; else all that is left is of it.
 */
static int64_t end_of(
	const struct rwk_file *file, int64_t from, const unsigned char *header, bool swap)
{
	uint64_t size = rwk_bytes_u64(header + 8, swap);
	int64_t room = file->size - from - SECTION_HEADER;

	return size && size < (uint64_t)room ? from + SECTION_HEADER + (int64_t)size : file->size;
}

/* The N of a "swapper/N" that a switch tells of; RWK_NONE: it does not. */
static int idle_cpu(const struct rwk_event *ev)
{
	char comm[RWK_COMM_LEN + 1];
	int cpu;

	if (ev->kind != RWK_EV_SWITCH || (ev->sw.prev_tid && ev->sw.next_tid))
		return RWK_NONE;
	snprintf(
		comm, sizeof(comm), "%.16s", ev->sw.prev_tid ? ev->sw.next_comm : ev->sw.prev_comm);
	return sscanf(comm, "swapper/%4d", &cpu) == 1 && cpu >= 0 ? cpu : RWK_NONE;
}

/*
 * 0 and *ret_cpu, RWK_NONE when the piece does not tell.  -EBADMSG without a
 * cause when it tells of several: then it was not of one CPU.
 */
static int find_idle_cpu(struct rwk_pages_env *env, struct rwk_record_reader *reader,
	const struct rwk_tracedat_cpu *piece, int *ret_cpu, struct rwk_diag *diag)
{
	struct rwk_ev_probe probe;
	struct rwk_pages *pages;
	struct rwk_record rec;
	int found = RWK_NONE;
	int err = rwk_pages_open(env, piece, &pages);

	if (err)
		return err;
	while ((err = rwk_pages_next(pages, &rec, diag)) > 0) {
		struct rwk_event ev;
		int id, cpu = RWK_NONE;

		if (rwk_record_decode(reader, rec.data, rec.size, &ev, &probe, &id) ==
			RWK_RECORD_EVENT)
			cpu = idle_cpu(&ev);
		if (cpu != RWK_NONE && found != RWK_NONE && cpu != found) {
			err = -EBADMSG;
			break;
		}
		if (cpu != RWK_NONE)
			found = cpu;
		/* Chunks leave no doubt where a CPU ends. */
		if (found != RWK_NONE && env->layout->buffer[piece->buffer].compressed) {
			err = 0;
			break;
		}
	}
	rwk_pages_close(pages);
	if (err < 0)
		return err;
	*ret_cpu = found;
	return 0;
}

/* Next CPU from cpu on that has events as far as the recorder counted; RWK_NONE: none left. */
static int next_candidate(const struct rwk_tracedat_layout *l, int cpu)
{
	for (; cpu < l->cpu_count; cpu++) {
		bool empty = false;

		for (size_t i = 0; i < l->nr_stats; i++)
			empty |= l->stat[i].cpu == cpu && !l->stat[i].entries;
		if (!empty)
			return cpu;
	}
	return RWK_NONE;
}

/* From numbers in their order to the CPUs that the pieces are of. */
static int name_pieces(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	const struct rwk_tracedat_formats *formats, struct rwk_diag *diag)
{
	struct rwk_anomalies ignored = {0};
	struct rwk_pages_env env = make_env(l, file, &ignored);
	struct rwk_record_reader reader = {.formats = formats, .swap = l->swap};
	int cpu = 0, err = 0;

	rwk_prev_state_init(&reader.prev_state, formats->state_fmt, (struct rwk_version){0});
	for (size_t i = 0; i < l->nr_cpus && !err; i++) {
		struct rwk_tracedat_cpu *piece = &l->cpu[i];
		int idle = RWK_NONE;

		err = find_idle_cpu(&env, &reader, piece, &idle, diag);
		cpu = next_candidate(l, cpu);
		if (!err && (cpu == RWK_NONE || (idle != RWK_NONE && idle < cpu) ||
				    idle >= l->cpu_count))
			err = -EBADMSG;
		if (err == -EBADMSG)
			err = refuse(file, piece->offset, diag);
		if (err)
			break;
		piece->cpu = idle == RWK_NONE ? cpu : idle;
		cpu = piece->cpu + 1;
	}
	free(env.scratch);
	return err;
}

int rwk_tracedat_salvage(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	const struct rwk_tracedat_formats *formats, struct rwk_diag *diag)
{
	unsigned char header[SECTION_HEADER];
	int64_t from = l->list_from, pos, end;
	bool compressed;
	int err = read_exact(file, from, header, sizeof(header), diag);

	if (err && err != -EBADMSG)
		return err;
	if (err || rwk_bytes_u16(header, l->swap) != RWK_TRACEDAT_BUFFER || !l->cpu_count)
		return refuse(file, from, diag);
	l->truncated = true;
	err = rwk_tracedat_add_buffer(l, "");
	if (err)
		return err;
	compressed = rwk_bytes_u16(header + 2, l->swap) & SECTION_COMPRESSED;
	l->buffer[0].compressed = compressed;
	if (compressed && !l->inflate)
		return refuse(file, from, diag);
	pos = align_up(from + SECTION_HEADER, l->page_size);
	end = end_of(file, from, header, l->swap);
	err = compressed ? split_chunks(l, file, pos, end, diag)
			 : split_pages(l, file, pos, end, diag);
	return err ? err : name_pieces(l, file, formats, diag);
}
