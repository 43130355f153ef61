/*
 * What versions 6 and 7 of a trace.dat have in common: the first bytes, the
 * options, the event formats, the list of CPUs.
 */
#include "decode/tracedat_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "decode/bytes.h"
#include "decode/ops.h"

static const unsigned char magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

#define MAX_PAGE (16 << 20)
#define MIN_PAGE 64

bool rwk_tracedat_page_size_possible(int page_size)
{
	return page_size >= MIN_PAGE && page_size <= MAX_PAGE && page_size % 8 == 0;
}

/* First number after "key:" in the statistics of a CPU. */
static int64_t stat_number(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	long long v = p ? strtoll(p + strlen(key), NULL, 10) : -1;

	return v < 0 ? RWK_NONE : v;
}

static int64_t add_known(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return __builtin_add_overflow(a, b, &sum) ? RWK_NONE : sum;
}

/* The name of the instance whose statistics follow: "\nBuffer: NAME\n\n" */
static bool begin_stats(struct rwk_tracedat_layout *l, const char *text)
{
	const char *p = text + strspn(text, "\n");

	if (strncmp(p, "Buffer: ", 8))
		return false;
	p += 8;
	snprintf(l->stat_buffer, sizeof(l->stat_buffer), "%.*s", (int)strcspn(p, "\n"), p);
	return true;
}

static int add_stat(struct rwk_tracedat_layout *l, const char *text)
{
	struct rwk_tracedat_stat *s;
	int64_t cpu = stat_number(text, "CPU:");
	int err;

	if (begin_stats(l, text))
		return 0;
	if (l->nr_stats >= RWK_MAX_CPUS || cpu >= RWK_MAX_CPUS)
		return 0;
	err = rwk_vec_grow(&l->stat, &l->cap_stats, l->nr_stats + 1, sizeof(*l->stat));
	if (err)
		return err;
	s = &l->stat[l->nr_stats++];
	*s = (struct rwk_tracedat_stat){
		.cpu = cpu < 0 ? (int32_t)l->nr_stats - 1 : (int32_t)cpu,
		/* With the line's start, since "commit overrun:" ends like "overrun:". */
		.entries = stat_number(text, "\nread events:"),
		.overrun = stat_number(text, "\noverrun:"),
		.dropped = add_known(stat_number(text, "\ndropped events:"),
			stat_number(text, "\ncommit overrun:")),
	};
	memcpy(s->buffer, l->stat_buffer, sizeof(s->buffer));
	/* What was still in the buffer when the statistics were taken was read afterwards. */
	s->entries = add_known(s->entries, stat_number(text, "\nentries:"));
	return 0;
}

/* "Linux HOST RELEASE MACHINE" */
static void set_release(const char *text, struct rwk_trace_info *info)
{
	char release[sizeof(info->release)];

	if (sscanf(text, "%*s %*s %127s", release) == 1)
		snprintf(info->release, sizeof(info->release), "%s", release);
}

void rwk_tracedat_clock(const char *text, size_t size, struct rwk_trace_info *info)
{
	const char *open = memchr(text, '[', size);
	const char *end = text + size;

	if (open)
		text = open + 1;
	size = 0;
	while (text + size < end && text[size] && !strchr("] \n", text[size]))
		size++;
	if (size && size < sizeof(info->clock)) {
		memcpy(info->clock, text, size);
		info->clock[size] = '\0';
	}
}

int rwk_tracedat_option(struct rwk_tracedat_layout *l, int id, const unsigned char *data,
	size_t size, struct rwk_trace_info *info)
{
	char text[1024];
	size_t n = size < sizeof(text) ? size : sizeof(text) - 1;

	memcpy(text, data, n);
	text[n] = '\0';
	switch (id) {
	case RWK_TRACEDAT_CPUSTAT:
		return add_stat(l, text);
	case RWK_TRACEDAT_TRACECLOCK:
		rwk_tracedat_clock(text, n, info);
		break;
	case RWK_TRACEDAT_UNAME:
		set_release(text, info);
		break;
	case RWK_TRACEDAT_OFFSET:
		if (__builtin_add_overflow(l->ts_offset, strtoll(text, NULL, 0), &l->ts_offset))
			l->ts_offset = 0;
		break;
	case RWK_TRACEDAT_TSC2NSEC:
		if (size >= 8) {
			l->ts_mult = rwk_bytes_u32(data, l->swap);
			l->ts_shift = rwk_bytes_u32(data + 4, l->swap);
		}
		break;
	case RWK_TRACEDAT_CPUCOUNT:
		if (size >= 4 && rwk_bytes_u32(data, l->swap) <= RWK_MAX_CPUS)
			l->cpu_count = (int)rwk_bytes_u32(data, l->swap);
		break;
	case RWK_TRACEDAT_TRACEID:
	case RWK_TRACEDAT_TIME_SHIFT:
	case RWK_TRACEDAT_GUEST:
		return rwk_tracedat_session_option(&l->session, id, data, size, l->swap, info);
	}
	return 0;
}

/* The number after "key" in the line of header_page that describes a field. */
static int page_field(const char *text, const char *field, const char *key, int *ret)
{
	const char *line = strstr(text, field), *p;
	long v;

	if (!line)
		return -EBADMSG;
	p = strstr(line, key);
	if (!p || p > strchrnul(line, '\n'))
		return -EBADMSG;
	v = strtol(p + strlen(key), NULL, 10);
	if (v < 0 || v > MAX_PAGE)
		return -EBADMSG;
	*ret = (int)v;
	return 0;
}

int rwk_tracedat_header_info(struct rwk_tracedat_layout *l, struct rwk_cursor *c)
{
	const unsigned char *p;
	char text[2048];
	uint64_t size;
	int data_size;

	rwk_cursor_expect(c, "header_page", 12);
	size = rwk_cursor_u64(c);
	if (!c->err && (size >= sizeof(text) || !size))
		c->err = -EBADMSG; /* no header_page: a kernel before 2.6.31 */
	p = rwk_cursor_take(c, (int64_t)size);
	if (!p)
		return c->err;
	memcpy(text, p, size);
	text[size] = '\0';
	if (page_field(text, " commit;", "size:", &l->commit_size) ||
		page_field(text, " data;", "offset:", &l->data_offset) ||
		(l->commit_size != 4 && l->commit_size != 8) ||
		l->data_offset != 8 + l->commit_size)
		c->err = -EBADMSG;
	/* Since 6.8 a page of the buffer may be several of the machine. */
	else if (!page_field(text, " data;", "size:", &data_size) &&
		 l->data_offset + data_size > l->page_size &&
		 rwk_tracedat_page_size_possible(l->data_offset + data_size))
		l->page_size = l->data_offset + data_size;
	rwk_cursor_expect(c, "header_event", 13);
	rwk_cursor_skip(c, rwk_cursor_u64(c));
	return c->err;
}

static int one_format(struct rwk_tracedat_texts *texts, struct rwk_cursor *c, const char *system)
{
	uint64_t size = rwk_cursor_u64(c);
	const unsigned char *p;
	int err;

	if (size > RWK_CURSOR_MAX_TAKE)
		rwk_cursor_skip(c, UINT64_MAX); /* no format is that long: damaged */
	p = rwk_cursor_take(c, (int64_t)size);
	if (!p)
		return c->err;
	err = rwk_tracedat_texts_add(texts, system, (const char *)p, size);
	if (err)
		c->err = err;
	return err;
}

int rwk_tracedat_ftrace_formats(struct rwk_tracedat_texts *texts, struct rwk_cursor *c)
{
	uint32_t n = rwk_cursor_u32(c);

	for (uint32_t i = 0; i < n && !c->err; i++)
		one_format(texts, c, "ftrace");
	return c->err;
}

int rwk_tracedat_event_formats(struct rwk_tracedat_texts *texts, struct rwk_cursor *c)
{
	uint32_t nr_systems = rwk_cursor_u32(c);

	for (uint32_t i = 0; i < nr_systems && !c->err; i++) {
		char system[256];
		uint32_t nr_events;

		rwk_cursor_string(c, system, sizeof(system));
		nr_events = rwk_cursor_u32(c);
		for (uint32_t k = 0; k < nr_events && !c->err; k++)
			one_format(texts, c, system);
	}
	return c->err;
}

int rwk_tracedat_add_buffer(struct rwk_tracedat_layout *l, const char *name)
{
	struct rwk_tracedat_buffer *b;
	int err = rwk_vec_grow(&l->buffer, &l->cap_buffers, l->nr_buffers + 1, sizeof(*b));

	if (err)
		return err;
	b = &l->buffer[l->nr_buffers++];
	*b = (struct rwk_tracedat_buffer){.page_size = l->page_size};
	snprintf(b->name, sizeof(b->name), "%s", name);
	return 0;
}

int rwk_tracedat_add_cpu(struct rwk_tracedat_layout *l, const struct rwk_file *file, uint32_t cpu,
	uint64_t offset, uint64_t size, struct rwk_diag *diag)
{
	struct rwk_tracedat_cpu entry = {.cpu = (int32_t)cpu, .buffer = l->nr_buffers - 1};
	int err;

	if (cpu >= RWK_MAX_CPUS)
		return rwk_diag_push(diag, -ERANGE,
			"cannot read trace.dat: file=%s cpu=%u why=CPU ids from %d on are not "
			"supported",
			file->path, cpu, RWK_MAX_CPUS);
	for (size_t i = 0; i < l->nr_cpus; i++) {
		if (l->cpu[i].cpu == entry.cpu && l->cpu[i].buffer == entry.buffer)
			return rwk_diag_push(diag, -EBADMSG,
				"cannot read trace.dat: file=%s cpu=%u why=listed twice",
				file->path, cpu);
	}
	if (offset > INT64_MAX || size > INT64_MAX - offset)
		return rwk_diag_push(diag, -EBADMSG,
			"cannot read trace.dat: file=%s cpu=%u offset=0x%" PRIx64 " size=0x%" PRIx64
			" why=impossible place",
			file->path, cpu, offset, size);
	entry.offset = (int64_t)offset;
	entry.size = (int64_t)size;
	if (size && entry.offset + entry.size > file->size) {
		entry.cut = l->truncated = true;
		entry.size = entry.offset < file->size ? file->size - entry.offset : 0;
	}
	err = rwk_vec_grow(&l->cpu, &l->cap_cpus, l->nr_cpus + 1, sizeof(*l->cpu));
	if (!err)
		l->cpu[l->nr_cpus++] = entry;
	return err;
}

/* The list of CPUs, and what the recorder counted on them. */
static int fill_cpus(const struct rwk_tracedat_layout *l, struct rwk_trace_info *info)
{
	int nr = l->cpu_count;

	for (size_t i = 0; i < l->nr_cpus; i++)
		nr = l->cpu[i].cpu >= nr ? l->cpu[i].cpu + 1 : nr;
	if (rwk_trace_info_cpus(info, nr))
		return -ENOMEM;
	info->nr_cpus = nr;
	for (size_t i = 0; i < l->nr_cpus; i++)
		info->cpu[l->cpu[i].cpu].present = true;
	return 0;
}

static bool is_read(const struct rwk_tracedat_layout *l, const char *name)
{
	for (size_t i = 0; i < l->nr_buffers; i++) {
		if (!strcmp(l->buffer[i].name, name))
			return l->buffer[i].kinds;
	}
	return false;
}

void rwk_tracedat_layout_chosen(const struct rwk_tracedat_layout *l, struct rwk_trace_info *info)
{
	for (size_t i = 0; i < l->nr_stats; i++) {
		const struct rwk_tracedat_stat *s = &l->stat[i];
		struct rwk_trace_cpu *cpu = &info->cpu[s->cpu < info->nr_cpus ? s->cpu : 0];

		if (s->cpu >= info->nr_cpus || !is_read(l, s->buffer))
			continue;
		cpu->entries = add_known(cpu->entries, s->entries);
		cpu->overrun = add_known(cpu->overrun, s->overrun);
		cpu->dropped = add_known(cpu->dropped, s->dropped);
	}
	for (size_t i = 0; i < l->nr_buffers; i++) {
		if (!l->buffer[i].kinds)
			info->nr_other_buffers++;
	}
	for (size_t i = l->nr_buffers; i--;) {
		if (l->buffer[i].kinds && l->buffer[i].clock[0])
			snprintf(info->clock, sizeof(info->clock), "%s", l->buffer[i].clock);
	}
}

uint64_t rwk_tracedat_time(const struct rwk_tracedat_layout *l, int cpu, uint64_t ts)
{
	__extension__ __int128 t;

	if (l->host_clock)
		ts = rwk_tracedat_session_time(&l->session, cpu, ts);
	if (ts == UINT64_MAX)
		return ts;
	t = ts;
	if (l->ts_mult)
		t = l->ts_shift < 64 ? t * l->ts_mult >> l->ts_shift : 0;
	t += l->ts_offset;
	return t < 0 || t > INT64_MAX ? UINT64_MAX : (uint64_t)t;
}

/* Version, byte order, sizes: up to where the versions part. */
static int read_start(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct rwk_diag *diag)
{
	const unsigned char *p;
	char version[16];
	uint32_t page_size;

	rwk_cursor_expect(c, magic, sizeof(magic));
	rwk_cursor_string(c, version, sizeof(version));
	if (!c->err && strcmp(version, "6") && strcmp(version, "7"))
		return rwk_diag_push(diag, -ENOTSUP,
			"cannot read trace.dat: file=%s version=%s why=only versions 6 and 7 are "
			"supported",
			file->path, version);
	l->version = version[0] - '0';
	/* Byte order of the numbers, and the recording program's long, which nothing here needs. */
	p = rwk_cursor_take(c, 2);
	if (!p)
		return c->err;
	if (p[0] > 1)
		return c->err = -EBADMSG;
	l->big_endian = p[0];
	l->swap = c->swap = rwk_bytes_swap(l->big_endian);
	page_size = rwk_cursor_u32(c);
	l->page_size = page_size <= MAX_PAGE ? (int)page_size : 0;
	return c->err;
}

int rwk_tracedat_layout_read(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_tracedat_texts *texts, struct rwk_trace_info *info, struct rwk_diag *diag)
{
	struct rwk_cursor c;
	int nr_causes = diag ? diag->nr : 0;
	int err;

	rwk_cursor_init_file(&c, file, 0, file->size, false, diag);
	err = read_start(l, file, &c, diag);
	if (!err)
		err = l->version == 6 ? rwk_tracedat_v6_read(l, file, &c, texts, info, diag)
				      : rwk_tracedat_v7_read(l, file, &c, texts, info, diag);
	for (size_t i = 0; i <= l->nr_buffers && !err; i++) {
		int size = i < l->nr_buffers ? l->buffer[i].page_size : l->page_size;

		if (!rwk_tracedat_page_size_possible(size))
			err = rwk_diag_push(diag, -EBADMSG,
				"cannot read trace.dat: file=%s page_size=%d why=impossible",
				file->path, size);
	}
	/* A cursor that failed has no words for it. */
	if (err == -EBADMSG && diag && diag->nr == nr_causes)
		rwk_diag_push(diag, err,
			"cannot read trace.dat: file=%s offset=0x%llx size=0x%llx why=%s",
			file->path, (unsigned long long)c.pos, (unsigned long long)file->size,
			c.past_end ? "the file ends inside its headers" : "damaged headers");
	rwk_cursor_finish(&c);
	return err;
}

int rwk_tracedat_layout_cpus(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	const struct rwk_tracedat_formats *formats, struct rwk_trace_info *info,
	struct rwk_diag *diag)
{
	int err = l->list_lost ? rwk_tracedat_salvage(l, file, formats, diag) : 0;

	return err ? err : fill_cpus(l, info);
}

void rwk_tracedat_layout_finish(struct rwk_tracedat_layout *l)
{
	rwk_inflate_destroy(l->inflate);
	rwk_tracedat_session_finish(&l->session);
	free(l->buffer);
	free(l->cpu);
	free(l->stat);
	*l = (struct rwk_tracedat_layout){0};
}
