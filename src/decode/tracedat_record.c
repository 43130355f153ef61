/*
 * Records to events: the hot path.  Where fields lie was settled when the file
 * was opened; one comparison with the format's need bounds all plain fields.
 */
#include "decode/tracedat_record.h"

#include <string.h>

#include "decode/bytes.h"

static inline int64_t load(
	const struct rwk_record_reader *r, const unsigned char *data, struct rwk_field f)
{
	const unsigned char *p = data + f.offset;

	switch (f.size) {
	case 4: {
		uint32_t v = rwk_bytes_u32(p, r->swap);
		return f.is_signed ? (int64_t)(int32_t)v : (int64_t)v;
	}
	case 8:
		return (int64_t)rwk_bytes_u64(p, r->swap);
	case 2: {
		uint16_t v = rwk_bytes_u16(p, r->swap);
		return f.is_signed ? (int64_t)(int16_t)v : (int64_t)v;
	}
	case 1:
		return f.is_signed ? (int64_t)(int8_t)*p : (int64_t)*p;
	default:
		return RWK_NONE;
	}
}

/* A number that has to fit 32 bits; RWK_NONE when the kernel has no such field. */
static inline int32_t load32(
	const struct rwk_record_reader *r, const unsigned char *data, struct rwk_field f)
{
	return (int32_t)load(r, data, f);
}

static inline int32_t load_prio(
	const struct rwk_record_reader *r, const unsigned char *data, struct rwk_field f)
{
	return f.size ? load32(r, data, f) : RWK_PRIO_UNKNOWN;
}

/* Thread ids and counts are not negative; a value outside is told by RWK_NONE. */
static inline int32_t load_count(
	const struct rwk_record_reader *r, const unsigned char *data, struct rwk_field f)
{
	int64_t v = load(r, data, f);

	return v >= 0 && v <= INT32_MAX ? (int32_t)v : RWK_NONE;
}

/* Bytes up to the first NUL; the rest of dst is zeroed, since kernels leave rubbish there. */
static inline void copy_comm(char *dst, const unsigned char *src, size_t size)
{
	size_t n = strnlen((const char *)src, size < RWK_COMM_LEN ? size : RWK_COMM_LEN);

	memset(dst, 0, RWK_COMM_LEN);
	memcpy(dst, src, n);
}

/* false: a dynamic string lies outside its record. */
static bool load_comm(const struct rwk_record_reader *r, const unsigned char *data, uint32_t size,
	const struct rwk_string_field *f, char *dst)
{
	uint32_t loc, at, len;

	switch (f->kind) {
	case RWK_STRING_FIXED:
		copy_comm(dst, data + f->offset, f->size);
		return true;
	case RWK_STRING_DATA_LOC:
	case RWK_STRING_REL_LOC:
		loc = rwk_bytes_u32(data + f->offset, r->swap);
		at = loc & 0xffff;
		len = loc >> 16;
		if (f->kind == RWK_STRING_REL_LOC)
			at += f->offset + 4u;
		if (at > size || len > size - at)
			return false;
		copy_comm(dst, data + at, len);
		return true;
	default:
		memset(dst, 0, RWK_COMM_LEN);
		return true;
	}
}

static inline bool cpu_possible(int32_t cpu)
{
	return cpu >= 0 && cpu < RWK_MAX_CPUS;
}

static enum rwk_record_result decode_task(const struct rwk_record_reader *r,
	const struct rwk_format *fmt, const unsigned char *data, uint32_t size,
	struct rwk_event *ret)
{
	struct rwk_ev_task *t = &ret->task;

	t->tid = load_count(r, data, fmt->field[RWK_FIELD_TID]);
	t->prio = load_prio(r, data, fmt->field[RWK_FIELD_PRIO]);
	t->target_cpu = load32(r, data, fmt->field[RWK_FIELD_CPU]);
	if (t->tid < 0 || !load_comm(r, data, size, &fmt->comm, t->comm))
		return RWK_RECORD_BAD;
	if (fmt->field[RWK_FIELD_CPU].size && !cpu_possible(t->target_cpu))
		return RWK_RECORD_CPU_OUT_OF_RANGE;
	/* Up to 2.6.38 a wakeup that changed nothing was recorded too. */
	if (fmt->field[RWK_FIELD_SUCCESS].size && !load(r, data, fmt->field[RWK_FIELD_SUCCESS]))
		return RWK_RECORD_OTHER;
	return RWK_RECORD_EVENT;
}

static enum rwk_record_result decode_migrate(const struct rwk_record_reader *r,
	const struct rwk_format *fmt, const unsigned char *data, uint32_t size,
	struct rwk_event *ret)
{
	struct rwk_ev_migrate *m = &ret->migrate;

	m->tid = load_count(r, data, fmt->field[RWK_FIELD_TID]);
	m->prio = load_prio(r, data, fmt->field[RWK_FIELD_PRIO]);
	m->orig_cpu = load32(r, data, fmt->field[RWK_FIELD_CPU]);
	m->dest_cpu = load32(r, data, fmt->field[RWK_FIELD_DEST_CPU]);
	if (m->tid < 0 || !load_comm(r, data, size, &fmt->comm, m->comm))
		return RWK_RECORD_BAD;
	return cpu_possible(m->orig_cpu) && cpu_possible(m->dest_cpu) ? RWK_RECORD_EVENT
								      : RWK_RECORD_CPU_OUT_OF_RANGE;
}

static enum rwk_record_result decode_switch(struct rwk_record_reader *r,
	const struct rwk_format *fmt, const unsigned char *data, uint32_t size,
	struct rwk_event *ret)
{
	struct rwk_ev_switch *s = &ret->sw;

	s->prev_tid = load_count(r, data, fmt->field[RWK_FIELD_TID]);
	s->prev_prio = load_prio(r, data, fmt->field[RWK_FIELD_PRIO]);
	s->next_tid = load_count(r, data, fmt->field[RWK_FIELD_NEXT_TID]);
	s->next_prio = load_prio(r, data, fmt->field[RWK_FIELD_NEXT_PRIO]);
	if (s->prev_tid < 0 || s->next_tid < 0 ||
		!load_comm(r, data, size, &fmt->comm, s->prev_comm) ||
		!load_comm(r, data, size, &fmt->next_comm, s->next_comm))
		return RWK_RECORD_BAD;
	s->prev_state_raw = load(r, data, fmt->field[RWK_FIELD_STATE]);
	s->prev_state =
		fmt->field[RWK_FIELD_STATE].size || !s->prev_tid
			? rwk_prev_state_decode(&r->prev_state, s->prev_tid, s->prev_state_raw)
			: RWK_END_UNKNOWN;
	return RWK_RECORD_EVENT;
}

static enum rwk_record_result decode_probe(const struct rwk_record_reader *r,
	const struct rwk_format *fmt, const unsigned char *data, struct rwk_event *ret,
	struct rwk_ev_probe *p)
{
	const struct rwk_field *f = fmt->field;

	p->prev_cpu = load32(r, data, f[RWK_FIELD_CPU]);
	p->wake_flags = (uint32_t)load(r, data, f[RWK_FIELD_WAKE_FLAGS]);
	p->has_hidden = f[RWK_FIELD_FLIPS].size && f[RWK_FIELD_RECENT].size &&
			f[RWK_FIELD_ALLOWED].size && f[RWK_FIELD_LAST_WAKEE].size;
	p->flips = load32(r, data, f[RWK_FIELD_FLIPS]);
	p->recent_cpu = load32(r, data, f[RWK_FIELD_RECENT]);
	p->nr_cpus_allowed = load32(r, data, f[RWK_FIELD_ALLOWED]);
	p->last_wakee_tid = load32(r, data, f[RWK_FIELD_LAST_WAKEE]);
	p->nr_cpus = 0;
	p->nr_llc = fmt->pairs ? fmt->pairs->nr : 0;
	for (int i = 0; i < p->nr_llc; i++) {
		const struct rwk_probe_pair *pair = &fmt->pairs->pair[i];

		p->llc[i].first_cpu = pair->first_cpu;
		p->llc[i].nr_idle_scan = load32(r, data, pair->scan);
		p->llc[i].has_idle_cores = load32(r, data, pair->core);
	}
	ret->probe = p;
	return cpu_possible(p->prev_cpu) ? RWK_RECORD_EVENT : RWK_RECORD_CPU_OUT_OF_RANGE;
}

static enum rwk_record_result decode_states(const struct rwk_record_reader *r,
	const struct rwk_format *fmt, const unsigned char *data, struct rwk_event *ret,
	struct rwk_ev_probe *p)
{
	p->nr_llc = 0;
	p->nr_cpus = fmt->state->nr;
	for (int i = 0; i < p->nr_cpus; i++) {
		const struct rwk_probe_state_field *f = &fmt->state->of[i];
		int64_t load_avg = load(r, data, f->load);

		p->cpu[i] = (struct rwk_probe_cpu){
			.cpu = f->cpu,
			.nr_running = load_count(r, data, f->nr),
			.pending = load_count(r, data, f->pend),
			.curr_tid = load_count(r, data, f->curr),
			.load = load_avg >= 0 ? load_avg : RWK_NONE,
		};
	}
	ret->probe = p;
	return RWK_RECORD_EVENT;
}

static enum rwk_record_result decode_nr(const struct rwk_record_reader *r,
	const struct rwk_format *fmt, const unsigned char *data, struct rwk_event *ret)
{
	struct rwk_ev_nr *n = &ret->nr;
	int64_t change = load(r, data, fmt->field[RWK_FIELD_CHANGE]);

	n->cpu = load32(r, data, fmt->field[RWK_FIELD_CPU]);
	n->nr = load_count(r, data, fmt->field[RWK_FIELD_NR]);
	n->change = (int32_t)change;
	if (!cpu_possible(n->cpu))
		return RWK_RECORD_CPU_OUT_OF_RANGE;
	return n->nr >= 0 && n->change == change ? RWK_RECORD_EVENT : RWK_RECORD_BAD;
}

enum rwk_record_result rwk_record_decode(struct rwk_record_reader *r, const unsigned char *data,
	uint32_t size, struct rwk_event *ret, struct rwk_ev_probe *probe, int *ret_id)
{
	const struct rwk_field type = r->formats->type;
	const struct rwk_format *fmt;
	int64_t id;

	*ret_id = -1;
	ret->tid = RWK_NONE;
	ret->flags = 0;
	if (!type.size || size < (uint32_t)type.offset + type.size)
		return RWK_RECORD_BAD;
	id = load(r, data, type);
	*ret_id = id >= 0 && id <= UINT16_MAX ? (int)id : -1;
	fmt = rwk_tracedat_format_find(r->formats, (uint64_t)id);
	if (!fmt)
		return RWK_RECORD_UNKNOWN_ID;
	if (size < fmt->need || fmt->broken)
		return RWK_RECORD_BAD;
	ret->kind = fmt->kind;
	ret->tid = load_count(r, data, fmt->common_tid);
	if (fmt->common_flags.size)
		ret->flags = (uint8_t)load(r, data, fmt->common_flags) &
			     (RWK_FLAG_HARDIRQ | RWK_FLAG_SOFTIRQ | RWK_FLAG_NMI);
	switch ((enum rwk_event_kind)fmt->kind) {
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		return decode_task(r, fmt, data, size, ret);
	case RWK_EV_MIGRATE:
		return decode_migrate(r, fmt, data, size, ret);
	case RWK_EV_SWITCH:
		return decode_switch(r, fmt, data, size, ret);
	case RWK_EV_SEL:
		return decode_probe(r, fmt, data, ret, probe);
	case RWK_EV_SEL_STATE:
		return decode_states(r, fmt, data, ret, probe);
	case RWK_EV_SEL_RET:
		ret->sel_ret.cpu = load32(r, data, fmt->field[RWK_FIELD_CPU]);
		return cpu_possible(ret->sel_ret.cpu) ? RWK_RECORD_EVENT
						      : RWK_RECORD_CPU_OUT_OF_RANGE;
	case RWK_EV_NR:
		return decode_nr(r, fmt, data, ret);
	default:
		return RWK_RECORD_OTHER;
	}
}
