/* Records and ring-buffer pages of the small trace.dat files that tests write. */
#include "tracedat_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tb_check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "tracedat_build: %s\n", what);
	abort();
}

void tb_put(struct tb_bytes *b, const void *data, size_t size)
{
	if (b->len + size > b->cap) {
		b->cap = (b->len + size) * 2;
		b->data = realloc(b->data, b->cap);
		tb_check(b->data != NULL, "no memory");
	}
	if (size)
		memcpy(b->data + b->len, data, size);
	b->len += size;
}

void tb_store(unsigned char *p, uint64_t v, int size, bool big_endian)
{
	for (int i = 0; i < size; i++)
		p[big_endian ? size - 1 - i : i] = (unsigned char)(v >> (8 * i));
}

static void put_number(struct tb_bytes *b, uint64_t v, int size)
{
	unsigned char p[8];

	tb_store(p, v, size, b->big_endian);
	tb_put(b, p, (size_t)size);
}

void tb_u16(struct tb_bytes *b, uint16_t v)
{
	put_number(b, v, 2);
}

void tb_u32(struct tb_bytes *b, uint32_t v)
{
	put_number(b, v, 4);
}

void tb_u64(struct tb_bytes *b, uint64_t v)
{
	put_number(b, v, 8);
}

void tb_string(struct tb_bytes *b, const char *text)
{
	tb_put(b, text, strlen(text) + 1);
}

void tb_zeros(struct tb_bytes *b, size_t n)
{
	static const unsigned char zeros[64];

	for (; n > sizeof(zeros); n -= sizeof(zeros))
		tb_put(b, zeros, sizeof(zeros));
	tb_put(b, zeros, n);
}

/* clang-format off */
#define COMMON                                                                                     \
	{"unsigned short common_type", 0, 2, 0},                                                   \
	{"unsigned char common_flags", 2, 1, 0},                                                   \
	{"unsigned char common_preempt_count", 3, 1, 0},                                           \
	{"int common_pid", 4, 4, 1},                                                               \
	{"unsigned char common_preempt_lazy_count", 8, 1, 0}

const struct tb_format tb_switch = {
	"sched", "sched_switch", 301,
	{
		COMMON,
		{"u64 padding", 16, 8, 0},
		{"char next_comm[16]", 24, 16, 0},
		{"pid_t next_pid", 40, 4, 1},
		{"int next_prio", 44, 4, 1},
		{"char prev_comm[16]", 48, 16, 0},
		{"pid_t prev_pid", 64, 4, 1},
		{"int prev_prio", 68, 4, 1},
		{"long prev_state", 72, 8, 1},
	},
	"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "
	"next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | "
	"0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x0000 "
	"| 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1), \"|\", "
	"{ 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, { 0x0010, "
	"\"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\", "
	"REC->prev_state & (((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | "
	"0x0040) + 1) << 1) ? \"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio",
};

#define TASK_FIELDS                                                                                \
	{                                                                                          \
		COMMON,                                                                            \
		{"int target_cpu", 12, 4, 1},                                                      \
		{"pid_t pid", 16, 4, 1},                                                           \
		{"int prio", 20, 4, 1},                                                            \
		{"char comm[16]", 24, 16, 0},                                                      \
	}

#define TASK_PRINT                                                                                 \
	"\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"

const struct tb_format tb_waking = {"sched", "sched_waking", 302, TASK_FIELDS, TASK_PRINT};
const struct tb_format tb_wakeup = {"sched", "sched_wakeup", 303, TASK_FIELDS, TASK_PRINT};
const struct tb_format tb_wakeup_new = {"sched", "sched_wakeup_new", 304, TASK_FIELDS, TASK_PRINT};

/* As in 7.x: the name is a dynamic string. */
const struct tb_format tb_migrate = {
	"sched", "sched_migrate_task", 305,
	{
		COMMON,
		{"__data_loc char[] comm", 12, 4, 0},
		{"pid_t pid", 16, 4, 1},
		{"int prio", 20, 4, 1},
		{"int orig_cpu", 24, 4, 1},
		{"int dest_cpu", 28, 4, 1},
	},
	"\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", __get_str(comm), REC->pid, REC->prio, "
	"REC->orig_cpu, REC->dest_cpu",
};

/* The pairs are out of order, and one is half, on purpose. */
const struct tb_format tb_sel = {
	"rewake", "sel", 306,
	{
		COMMON,
		{"unsigned long __probe_ip", 16, 8, 0},
		{"s32 prev", 24, 4, 1},
		{"u32 wf", 28, 4, 0},
		{"u32 flips", 32, 4, 0},
		{"s32 recent", 36, 4, 1},
		{"s32 nca", 40, 4, 1},
		{"s32 lastw", 44, 4, 1},
		{"s32 scan12", 48, 4, 1},
		{"s32 core12", 52, 4, 1},
		{"s32 scan4", 56, 4, 1},
		{"s32 core4", 60, 4, 1},
		{"s32 scan0", 64, 4, 1},
		{"s32 core0", 68, 4, 1},
		{"s32 scan99", 72, 4, 1},
	},
	"\"\"",
};

const struct tb_format tb_sel_ret = {
	"rewake", "sel_ret", 307, {COMMON, {"s32 cpu", 12, 4, 1}}, "\"\""};

/* Fields out of order and of several sizes; CPU 3 has only what it must, CPU 9 less. */
const struct tb_format tb_sel_state0 = {
	"rewake", "sel_state0", 308,
	{
		COMMON,
		{"u32 nr3", 12, 4, 0},
		{"s32 curr3", 16, 4, 1},
		{"u64 load1", 20, 8, 0},
		{"s32 curr1", 28, 4, 1},
		{"u8 pend1", 32, 1, 0},
		{"u32 nr1", 36, 4, 0},
		{"u32 nr9", 40, 4, 0},
		{"u64 load9", 44, 8, 0},
	},
	"\"\"",
};

const struct tb_format tb_sel_state12 = {
	"rewake", "sel_state12", 309,
	{
		COMMON,
		{"u32 nr5", 12, 4, 0},
		{"u32 pend5", 16, 4, 0},
		{"s32 curr5", 20, 4, 1},
		{"u64 load5", 24, 8, 0},
	},
	"\"\"",
};

const struct tb_format tb_nr = {
	"rewake", "nr", 311,
	{
		COMMON,
		{"s32 change", 24, 4, 1},
		{"u32 nr", 12, 4, 0},
		{"s32 cpu", 20, 4, 1},
	},
	"\"\"",
};

const struct tb_format tb_other = {
	"irq", "irq_handler_entry", 310, {COMMON, {"int irq", 12, 4, 1}}, "\"\""};
/* clang-format on */

void tb_init(struct tb_trace *t)
{
	static const struct tb_format *const usual[] = {&tb_switch, &tb_waking, &tb_wakeup,
		&tb_wakeup_new, &tb_migrate, &tb_sel, &tb_sel_ret, &tb_other};

	*t = (struct tb_trace){
		.version = 7,
		.long_size = 8,
		.page_size = 4096,
		.chunk_pages = 2,
		.uname = "Linux host 6.1.0-13-amd64 x86_64",
		.clock = "local",
	};
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		tb_add_format(t, usual[i]);
	for (int i = 0; i < TB_MAX_CPUS; i++)
		t->cpu[i].id = i;
}

void tb_finish(struct tb_trace *t)
{
	for (int i = 0; i < TB_MAX_CPUS; i++)
		free(t->cpu[i].pages.data);
	for (int i = 0; i < t->nr_options; i++)
		free(t->option[i].bytes.data);
}

struct tb_bytes *tb_option(struct tb_trace *t, int id)
{
	struct tb_option *o = &t->option[t->nr_options++];

	tb_check(t->nr_options <= (int)(sizeof(t->option) / sizeof(t->option[0])), "options");
	*o = (struct tb_option){.id = id, .bytes.big_endian = t->big_endian};
	return &o->bytes;
}

void tb_add_format(struct tb_trace *t, const struct tb_format *fmt)
{
	for (int i = 0; i < t->nr_formats; i++) {
		if (t->format[i]->id == fmt->id) {
			t->format[i] = fmt;
			return;
		}
	}
	tb_check(t->nr_formats < TB_MAX_FORMATS, "too many formats");
	t->format[t->nr_formats++] = fmt;
}

/* The field called name: the word of its declaration before any bracket. */
static const struct tb_field *find_field(const struct tb_format *fmt, const char *name)
{
	size_t n = strlen(name);

	for (const struct tb_field *f = fmt->field; f->decl; f++) {
		const char *at = strrchr(f->decl, ' ');

		if (at && !strncmp(at + 1, name, n) && (at[1 + n] == '\0' || at[1 + n] == '['))
			return f;
	}
	return NULL;
}

void tb_record(struct tb_record *r, const struct tb_trace *t, const struct tb_format *fmt)
{
	*r = (struct tb_record){.trace = t, .fmt = fmt};
	for (const struct tb_field *f = fmt->field; f->decl; f++) {
		if ((size_t)(f->offset + f->size) > r->len)
			r->len = (size_t)(f->offset + f->size);
	}
	tb_set(r, "common_type", fmt->id);
}

void tb_set(struct tb_record *r, const char *name, int64_t value)
{
	const struct tb_field *f = find_field(r->fmt, name);

	tb_check(f != NULL, name);
	tb_store(r->data + f->offset, (uint64_t)value, f->size, r->trace->big_endian);
}

void tb_set_text(struct tb_record *r, const char *name, const char *text)
{
	const struct tb_field *f = find_field(r->fmt, name);
	size_t n = strlen(text) + 1, at = r->len;

	tb_check(f != NULL, name);
	if (strncmp(f->decl, "__", 2)) {
		memcpy(r->data + f->offset, text, n < (size_t)f->size ? n : (size_t)f->size);
		return;
	}
	memcpy(r->data + at, text, n);
	r->len += n;
	if (!strncmp(f->decl, "__rel_loc", 9))
		at -= (size_t)f->offset + 4;
	tb_store(r->data + f->offset, at | n << 16, 4, r->trace->big_endian);
}

uint32_t tb_data_size(const struct tb_trace *t)
{
	return t->page_size - 8 - (uint32_t)t->long_size;
}

static unsigned char *page_at(struct tb_trace *t, int cpu)
{
	return t->cpu[cpu].pages.data + t->cpu[cpu].page;
}

static void set_commit(struct tb_trace *t, int cpu, uint64_t flags)
{
	tb_store(page_at(t, cpu) + 8, t->cpu[cpu].used | flags, t->long_size, t->big_endian);
}

void tb_page(struct tb_trace *t, int cpu, uint64_t ts)
{
	struct tb_cpu *c = &t->cpu[cpu];

	if (cpu >= t->nr_cpus)
		t->nr_cpus = cpu + 1;
	c->page = c->pages.len;
	tb_zeros(&c->pages, t->page_size);
	tb_store(page_at(t, cpu), ts, 8, t->big_endian);
	c->open = true;
	c->used = 0;
	c->ts = ts;
}

static unsigned char *grow(struct tb_trace *t, int cpu, uint32_t size)
{
	struct tb_cpu *c = &t->cpu[cpu];
	unsigned char *p = page_at(t, cpu) + 8 + t->long_size + c->used;

	tb_check(c->open && c->used + size <= tb_data_size(t), "page is full");
	c->used += size;
	set_commit(t, cpu, 0);
	return p;
}

/* type and time in front of a record. */
static void put_head(struct tb_trace *t, unsigned char *p, uint32_t type, uint64_t delta)
{
	uint32_t time = (uint32_t)delta & ((1u << 27) - 1);

	tb_store(p, t->big_endian ? type << 27 | time : type | time << 5, 4, t->big_endian);
}

void tb_extend(struct tb_trace *t, int cpu, uint64_t delta)
{
	unsigned char *p = grow(t, cpu, 8);

	put_head(t, p, 30, delta);
	tb_store(p + 4, delta >> 27, 4, t->big_endian);
	t->cpu[cpu].ts += delta;
}

void tb_stamp(struct tb_trace *t, int cpu, uint64_t ts)
{
	unsigned char *p = grow(t, cpu, 8);

	put_head(t, p, 31, ts);
	tb_store(p + 4, ts >> 27 & UINT32_MAX, 4, t->big_endian);
	t->cpu[cpu].ts = ts;
}

void tb_padding(struct tb_trace *t, int cpu, uint32_t size)
{
	unsigned char *p = grow(t, cpu, size);

	put_head(t, p, 29, 0);
	tb_store(p + 4, size - 4, 4, t->big_endian);
}

void tb_missed(struct tb_trace *t, int cpu, int64_t count)
{
	struct tb_cpu *c = &t->cpu[cpu];

	if (count >= 0)
		tb_store(page_at(t, cpu) + 8 + t->long_size + c->used, (uint64_t)count,
			t->long_size, t->big_endian);
	set_commit(t, cpu, UINT64_C(1) << 31 | (count >= 0 ? UINT64_C(1) << 30 : 0));
}

void tb_write(struct tb_trace *t, int cpu, uint64_t ts, const void *data, size_t size)
{
	uint64_t delta = ts - t->cpu[cpu].ts;
	uint32_t padded = (uint32_t)(size + 3) & ~3u;
	unsigned char *p;

	tb_check(ts >= t->cpu[cpu].ts, "time steps back inside a page");
	if (delta >= 1u << 27) {
		tb_extend(t, cpu, delta);
		delta = 0;
	}
	if (padded <= 28 * 4) {
		p = grow(t, cpu, 4 + padded);
		put_head(t, p, padded / 4, delta);
		p += 4;
	} else {
		p = grow(t, cpu, 8 + padded);
		put_head(t, p, 0, delta);
		tb_store(p + 4, 4 + size, 4, t->big_endian);
		p += 8;
	}
	memcpy(p, data, size);
	t->cpu[cpu].ts = ts;
	t->nr_records[cpu]++;
}

void tb_put_record(struct tb_trace *t, int cpu, uint64_t ts, const struct tb_record *r)
{
	struct tb_cpu *c = &t->cpu[cpu];

	if (!c->open || c->used + r->len + 24 > tb_data_size(t) || ts < c->ts)
		tb_page(t, cpu, ts);
	tb_write(t, cpu, ts, r->data, r->len);
}

static void name_of(char *buf, size_t size, int tid, int cpu)
{
	snprintf(buf, size, tid ? "task-%d" : "swapper/%d", tid ? tid : cpu);
}

void tb_fill_switch(
	struct tb_record *r, const struct tb_trace *t, int cpu, int prev, int64_t state, int next)
{
	char name[32];

	tb_record(r, t, &tb_switch);
	tb_set(r, "common_pid", prev);
	tb_set(r, "prev_pid", prev);
	tb_set(r, "prev_prio", 120);
	tb_set(r, "prev_state", state);
	name_of(name, sizeof(name), prev, cpu);
	tb_set_text(r, "prev_comm", name);
	tb_set(r, "next_pid", next);
	tb_set(r, "next_prio", next ? 110 : 120);
	name_of(name, sizeof(name), next, cpu);
	tb_set_text(r, "next_comm", name);
}

void tb_fill_task(struct tb_record *r, const struct tb_trace *t, const struct tb_format *fmt,
	int who, int tid, int target)
{
	char name[32];

	tb_record(r, t, fmt);
	tb_set(r, "common_pid", who);
	tb_set(r, "pid", tid);
	tb_set(r, "prio", 120);
	tb_set(r, "target_cpu", target);
	name_of(name, sizeof(name), tid, 0);
	tb_set_text(r, "comm", name);
}

void tb_fill_migrate(struct tb_record *r, const struct tb_trace *t, int tid, int from, int to)
{
	char name[32];

	tb_record(r, t, &tb_migrate);
	tb_set(r, "pid", tid);
	tb_set(r, "prio", 120);
	tb_set(r, "orig_cpu", from);
	tb_set(r, "dest_cpu", to);
	name_of(name, sizeof(name), tid, 0);
	tb_set_text(r, "comm", name);
}

void tb_put_switch(struct tb_trace *t, int cpu, uint64_t ts, int prev, int64_t state, int next)
{
	struct tb_record r;

	tb_fill_switch(&r, t, t->cpu[cpu].id, prev, state, next);
	tb_put_record(t, cpu, ts, &r);
}

void tb_put_task(struct tb_trace *t, int cpu, uint64_t ts, const struct tb_format *fmt, int who,
	int tid, int target)
{
	struct tb_record r;

	tb_fill_task(&r, t, fmt, who, tid, target);
	tb_put_record(t, cpu, ts, &r);
}

void tb_put_migrate(struct tb_trace *t, int cpu, uint64_t ts, int tid, int from, int to)
{
	struct tb_record r;

	tb_fill_migrate(&r, t, tid, from, to);
	tb_put_record(t, cpu, ts, &r);
}
