/* Version 6 of a trace.dat: one thing after the other, the list of CPUs last. */
#include <errno.h>
#include <string.h>

#include "decode/tracedat_layout.h"

#define MARK_SIZE 10 /* "options  ", "flyrecord", "latency  " with their ends */

/*
 * id and size before each, until id 0.  A TRACECLOCK without text announces
 * that the clock stands behind the list of CPUs.
 */
static int read_options(struct rwk_tracedat_layout *l, struct rwk_cursor *c,
	struct rwk_trace_info *info, bool *ret_clock_follows)
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
		if (id == RWK_TRACEDAT_BUFFER)
			info->nr_other_buffers++;
		err = rwk_tracedat_option(l, id, data, size, info);
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

int rwk_tracedat_v6_read(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct rwk_tracedat_texts *texts, struct rwk_trace_info *info,
	struct rwk_diag *diag)
{
	bool clock_follows = false;
	const unsigned char *mark;
	uint32_t cpus;
	int err;

	info->format = "trace.dat v6";
	err = rwk_tracedat_header_info(l, c);
	if (!err)
		err = rwk_tracedat_ftrace_formats(texts, c);
	if (!err)
		err = rwk_tracedat_event_formats(texts, c);
	if (err)
		return err;
	rwk_cursor_skip(c, rwk_cursor_u32(c)); /* kallsyms */
	rwk_cursor_skip(c, rwk_cursor_u32(c)); /* printk formats */
	rwk_cursor_skip(c, rwk_cursor_u64(c)); /* saved command lines */
	cpus = rwk_cursor_u32(c);
	mark = rwk_cursor_take(c, MARK_SIZE);
	if (mark && !memcmp(mark, "options  ", MARK_SIZE)) {
		err = read_options(l, c, info, &clock_follows);
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
	err = read_cpus(l, file, c, diag);
	if (!err && clock_follows && !info->clock[0])
		read_clock(c, info);
	return err;
}
