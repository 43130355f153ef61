/* Version 6 of a trace.dat: one thing after the other, the list of CPUs last. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "decode/bytes.h"
#include "decode/ops.h"
#include "decode/tracedat_layout.h"

#define MAX_INSTANCES 4096
#define MARK_SIZE     10 /* "options  ", "flyrecord", "latency  " with their ends */

/* Further buffers, whose lists of CPUs stand elsewhere. */
struct instances {
	struct instance {
		uint64_t offset;
		char name[64];
	} * of;
	size_t nr, cap;
};

static int add_instance(struct instances *in, const unsigned char *data, uint32_t size, bool swap)
{
	int err = in->nr < MAX_INSTANCES
			  ? rwk_vec_grow(&in->of, &in->cap, in->nr + 1, sizeof(*in->of))
			  : 0;

	if (err || in->nr == MAX_INSTANCES || size < 9)
		return err;
	in->of[in->nr].offset = rwk_bytes_u64(data, swap);
	snprintf(in->of[in->nr].name, sizeof(in->of->name), "%.*s", (int)(size - 8),
		(const char *)data + 8);
	in->nr++;
	return 0;
}

/*
 * id and size before each, until id 0.  A TRACECLOCK without text announces
 * that the clock stands behind the list of CPUs.
 */
static int read_options(struct rwk_tracedat_layout *l, struct rwk_cursor *c,
	struct rwk_trace_info *info, struct instances *in, bool *ret_clock_follows)
{
	for (;;) {
		int id = rwk_cursor_u16(c);
		const unsigned char *data;
		uint32_t size;
		int err;

		if (c->err || id == RWK_TRACEDAT_DONE)
			return c->err;
		size = rwk_cursor_u32(c);
		data = rwk_cursor_take(c, size);
		if (!data)
			return c->err;
		if (id == RWK_TRACEDAT_TRACECLOCK)
			*ret_clock_follows = true;
		err = id == RWK_TRACEDAT_BUFFER ? add_instance(in, data, size, l->swap)
						: rwk_tracedat_option(l, id, data, size, info);
		if (err)
			return err;
	}
}

static int read_cpus(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct rwk_diag *diag)
{
	for (int cpu = 0; cpu < l->cpu_count; cpu++) {
		uint64_t offset = rwk_cursor_u64(c);
		uint64_t size = rwk_cursor_u64(c);
		int err = c->err;

		if (!err)
			err = rwk_tracedat_add_cpu(l, file, (uint32_t)cpu, offset, size, diag);
		if (err)
			return err;
	}
	return 0;
}

/* Behind the CPUs; a file without it, or cut right there, is still good. */
static void read_clock(struct rwk_cursor *c, struct rwk_trace_info *info)
{
	uint64_t size = rwk_cursor_u64(c);
	const unsigned char *text;

	if (c->err || size > 4096)
		return;
	text = rwk_cursor_take(c, (int64_t)size);
	if (text)
		rwk_tracedat_clock((const char *)text, size, info);
}

/* An instance: perhaps options, then its list of CPUs and its clock. */
static int read_instance(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	const struct instance *at, struct rwk_diag *diag)
{
	struct rwk_tracedat_layout said = {.swap = l->swap};
	struct rwk_trace_info own = {0};
	struct instances none = {0};
	const unsigned char *mark;
	bool clock_follows = false;
	struct rwk_cursor c;
	int err = rwk_tracedat_add_buffer(l, at->name);

	if (err)
		return err;
	if (at->offset >= (uint64_t)file->size) {
		l->truncated = true;
		return 0;
	}
	rwk_cursor_init_file(&c, file, (int64_t)at->offset, file->size, l->swap, diag);
	mark = rwk_cursor_take(&c, MARK_SIZE);
	if (mark && !memcmp(mark, "options  ", MARK_SIZE)) {
		/* Of things that were said of the file already. */
		err = read_options(&said, &c, &own, &none, &clock_follows);
		mark = err ? NULL : rwk_cursor_take(&c, MARK_SIZE);
	}
	if (mark && memcmp(mark, "flyrecord", MARK_SIZE))
		c.err = -EBADMSG;
	if (!err && !c.err)
		err = read_cpus(l, file, &c, diag);
	if (!err && !c.err) {
		read_clock(&c, &own);
		snprintf(l->buffer[l->nr_buffers - 1].clock, sizeof(l->buffer->clock), "%s",
			own.clock);
		c.err = 0;
	}
	/* An end in its list takes nothing from the buffers in front of it. */
	if (c.past_end)
		l->truncated = true;
	else if (c.err && !err)
		err = rwk_diag_push(diag, c.err,
			"cannot read trace.dat: file=%s buffer=%s offset=0x%llx why=no list of "
			"CPUs "
			"there",
			file->path, at->name, (unsigned long long)at->offset);
	free(none.of);
	rwk_tracedat_layout_finish(&said);
	rwk_trace_info_notes_free(&own);
	rwk_cursor_finish(&c);
	return err == -EBADMSG && l->truncated ? 0 : err;
}

/* What lies in front of the CPUs, and the list of those. */
static int read_main(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct instances *in, struct rwk_trace_info *info,
	struct rwk_diag *diag)
{
	bool clock_follows = false;
	const unsigned char *mark;
	uint32_t cpus;
	int err = 0;

	rwk_cursor_skip(c, rwk_cursor_u32(c)); /* kallsyms */
	rwk_cursor_skip(c, rwk_cursor_u32(c)); /* printk formats */
	rwk_cursor_skip(c, rwk_cursor_u64(c)); /* saved command lines */
	cpus = rwk_cursor_u32(c);
	mark = rwk_cursor_take(c, MARK_SIZE);
	if (mark && !memcmp(mark, "options  ", MARK_SIZE)) {
		err = read_options(l, c, info, in, &clock_follows);
		mark = err ? NULL : rwk_cursor_take(c, MARK_SIZE);
	}
	if (!mark)
		return err ? err : c->err;
	if (!memcmp(mark, "latency  ", MARK_SIZE))
		return rwk_diag_push(diag, -ENOTSUP,
			"cannot read trace.dat: file=%s offset=0x%llx why=it holds the text of a "
			"latency tracer",
			file->path, (unsigned long long)c->pos);
	if (memcmp(mark, "flyrecord", MARK_SIZE) || !cpus) {
		c->pos -= MARK_SIZE;
		return c->err = -EBADMSG;
	}
	if (cpus > RWK_MAX_CPUS)
		return rwk_diag_push(diag, -ERANGE,
			"cannot read trace.dat: file=%s cpus=%u why=CPU ids from %d on are not "
			"supported",
			file->path, cpus, RWK_MAX_CPUS);
	l->cpu_count = (int)cpus;
	err = rwk_tracedat_add_buffer(l, "");
	if (!err)
		err = read_cpus(l, file, c, diag);
	if (!err && clock_follows && !info->clock[0])
		read_clock(c, info);
	return err;
}

int rwk_tracedat_v6_read(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct rwk_tracedat_texts *texts, struct rwk_trace_info *info,
	struct rwk_diag *diag)
{
	struct instances in = {0};
	int err;

	info->format = "trace.dat v6";
	err = rwk_tracedat_header_info(l, c);
	if (!err)
		err = rwk_tracedat_ftrace_formats(texts, c);
	if (!err)
		err = rwk_tracedat_event_formats(texts, c);
	if (!err)
		err = read_main(l, file, c, &in, info, diag);
	if (!err)
		snprintf(l->buffer[0].clock, sizeof(l->buffer->clock), "%s", info->clock);
	for (size_t i = 0; i < in.nr && !err; i++)
		err = read_instance(l, file, &in.of[i], diag);
	free(in.of);
	return err;
}
