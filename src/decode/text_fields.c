/*
 * Fields of the events of interest, in the two shapes that they are printed in:
 *   comm=x pid=1 prio=120 target_cpu=000                   the kernel's own
 *   x:1 [120] CPU:000,  a:1 [120] S ==> b:2 [120]          trace-cmd's sched plugin
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/text_line.h"

static bool parse_int(const char *p, int64_t *ret)
{
	bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	char *end;

	/* Not base 0: a CPU printed as 010 is ten. */
	*ret = strtoll(p, &end, hex ? 16 : 10);
	return end > p && *p != ' ';
}

/* What follows "key=" at the start of a word; NULL: no such key. */
static const char *find_key(const char *p, const char *key)
{
	size_t n = strlen(key);

	for (const char *at = strstr(p, key); at; at = strstr(at + 1, key)) {
		if (at[n] == '=' && (at == p || at[-1] == ' '))
			return at + n + 1;
	}
	return NULL;
}

/* The last place of text in [p, end), since names may hold anything. */
static const char *find_last(const char *p, const char *end, const char *text)
{
	size_t n = strlen(text);
	const char *found = NULL;

	for (const char *at = strstr(p, text); at && at + n <= end; at = strstr(at + 1, text))
		found = at;
	return found;
}

static bool get_int(const char *p, const char *key, int64_t *ret)
{
	const char *value = find_key(p, key);

	return value && parse_int(value, ret);
}

static int32_t get_prio(const char *p, const char *key)
{
	int64_t v;

	return get_int(p, key, &v) && v >= INT32_MIN && v <= INT32_MAX ? (int32_t)v
								       : RWK_PRIO_UNKNOWN;
}

static void set_comm(char *dst, const char *from, const char *end)
{
	size_t n = (size_t)(end - from);

	memset(dst, 0, RWK_COMM_LEN);
	memcpy(dst, from, n < RWK_COMM_LEN ? n : RWK_COMM_LEN);
}

/* "name:tid [prio]"; what follows, or NULL. */
static const char *parse_task_ref(const char *p, char *comm, int32_t *ret_tid, int32_t *ret_prio)
{
	for (const char *colon = strchr(p, ':'); colon; colon = strchr(colon + 1, ':')) {
		char *end;
		long tid = strtol(colon + 1, &end, 10), prio;

		if (end == colon + 1 || colon[1] == ' ' || end[0] != ' ' || end[1] != '[' ||
			tid < 0 || tid > INT32_MAX)
			continue;
		prio = strtol(end + 2, &end, 10);
		if (*end != ']' || prio < INT32_MIN || prio > INT32_MAX)
			continue;
		set_comm(comm, p, colon);
		*ret_tid = (int32_t)tid;
		*ret_prio = (int32_t)prio;
		return end + 1;
	}
	return NULL;
}

static bool cpu_possible(int64_t cpu)
{
	return cpu >= 0 && cpu < RWK_MAX_CPUS;
}

/* A CPU that may be missing, but not be impossible. */
static enum rwk_text_result set_cpu(const char *p, const char *key, bool required, int32_t *ret)
{
	int64_t v;

	*ret = RWK_NONE;
	if (!get_int(p, key, &v))
		return required ? RWK_TEXT_MALFORMED : RWK_TEXT_FILLED;
	if (!cpu_possible(v))
		return RWK_TEXT_CPU_OUT_OF_RANGE;
	*ret = (int32_t)v;
	return RWK_TEXT_FILLED;
}

/* comm=… pid=… prio=…; what stands from pid on, or NULL. */
static const char *parse_head(const char *p, char *comm, int32_t *ret_tid, int32_t *ret_prio)
{
	const char *end;
	int64_t tid;

	if (strncmp(p, "comm=", 5))
		return NULL;
	end = find_last(p, p + strlen(p), " pid=");
	if (!end || !get_int(end + 1, "pid", &tid) || tid < 0 || tid > INT32_MAX)
		return NULL;
	set_comm(comm, p + 5, end);
	*ret_tid = (int32_t)tid;
	*ret_prio = get_prio(end, "prio");
	return end;
}

static enum rwk_text_result parse_task(const char *p, struct rwk_ev_task *t)
{
	const char *rest = parse_head(p, t->comm, &t->tid, &t->prio);
	enum rwk_text_result result;
	int64_t v;

	if (rest) {
		result = set_cpu(rest, "target_cpu", false, &t->target_cpu);
	} else {
		rest = parse_task_ref(p, t->comm, &t->tid, &t->prio);
		if (!rest)
			return RWK_TEXT_MALFORMED;
		p = strstr(rest, "CPU:");
		t->target_cpu = RWK_NONE;
		result = RWK_TEXT_FILLED;
		if (p && parse_int(p + 4, &v)) {
			if (!cpu_possible(v))
				return RWK_TEXT_CPU_OUT_OF_RANGE;
			t->target_cpu = (int32_t)v;
		}
	}
	/* Up to 2.6.38 a wakeup that changed nothing was printed too. */
	if (result == RWK_TEXT_FILLED && get_int(rest, "success", &v) && !v)
		return RWK_TEXT_OTHER;
	return result;
}

static enum rwk_text_result parse_migrate(const char *p, struct rwk_ev_migrate *m)
{
	enum rwk_text_result result;

	p = parse_head(p, m->comm, &m->tid, &m->prio);
	if (!p)
		return RWK_TEXT_MALFORMED;
	result = set_cpu(p, "orig_cpu", true, &m->orig_cpu);
	return result == RWK_TEXT_FILLED ? set_cpu(p, "dest_cpu", true, &m->dest_cpu) : result;
}

/* A number or letters; plugin: which names the letters have. */
static void set_state(
	struct rwk_ev_switch *s, struct rwk_prev_state *states, const char *p, bool plugin)
{
	int64_t raw;

	s->prev_state_raw = RWK_NONE;
	if (*p >= '0' && *p <= '9' && parse_int(p, &raw)) {
		s->prev_state_raw = raw;
		s->prev_state = rwk_prev_state_decode(states, s->prev_tid, raw);
		return;
	}
	s->prev_state =
		rwk_prev_state_letters(states, s->prev_tid, p, strcspn(p, " \t\r\\"), plugin);
}

static enum rwk_text_result parse_switch(
	const char *p, struct rwk_prev_state *states, struct rwk_ev_switch *s)
{
	const char *prev_end, *next, *next_end, *state, *rest;
	int64_t prev, tid;

	if (strncmp(p, "prev_comm=", 10)) {
		rest = parse_task_ref(p, s->prev_comm, &s->prev_tid, &s->prev_prio);
		state = rest ? rest + strspn(rest, " ") : NULL;
		next = rest ? strstr(rest, "==> ") : NULL;
		if (!next || !parse_task_ref(next + 4, s->next_comm, &s->next_tid, &s->next_prio))
			return RWK_TEXT_MALFORMED;
		set_state(s, states, state, true);
		return RWK_TEXT_FILLED;
	}
	rest = p + strlen(p);
	next_end = find_last(p, rest, " next_pid=");
	next = next_end ? find_last(p, next_end, " next_comm=") : NULL;
	prev_end = next ? find_last(p, next, " prev_pid=") : NULL;
	if (!prev_end || !get_int(prev_end, "prev_pid", &prev) ||
		!get_int(next_end, "next_pid", &tid) || prev < 0 || prev > INT32_MAX || tid < 0 ||
		tid > INT32_MAX)
		return RWK_TEXT_MALFORMED;
	set_comm(s->prev_comm, p + 10, prev_end);
	set_comm(s->next_comm, next + strlen(" next_comm="), next_end);
	s->prev_tid = (int32_t)prev;
	s->next_tid = (int32_t)tid;
	s->prev_prio = get_prio(prev_end, "prev_prio");
	s->next_prio = get_prio(next_end, "next_prio");
	state = find_key(prev_end, "prev_state");
	set_state(s, states, state ? state : "", false);
	return RWK_TEXT_FILLED;
}

/* scanN=… and coreN=… for any N, into ascending order. */
static void parse_pairs(const char *p, struct rwk_ev_probe *probe)
{
	probe->nr_llc = probe->nr_cpus = 0;
	for (p = strstr(p, " scan"); p; p = strstr(p + 1, " scan")) {
		char *end, key[16] = "core";
		long n = strtol(p + 5, &end, 10);
		int64_t scan, core;
		int at;

		if (end == p + 5 || *end != '=' || n < 0 || n >= RWK_MAX_CPUS ||
			probe->nr_llc == RWK_PROBE_MAX_LLC)
			continue;
		memcpy(key + 4, p + 5, (size_t)(end - (p + 5)) < 8 ? (size_t)(end - (p + 5)) : 8);
		if (!parse_int(end + 1, &scan) || !get_int(p, key, &core))
			continue;
		for (at = probe->nr_llc++; at && probe->llc[at - 1].first_cpu > n; at--)
			probe->llc[at] = probe->llc[at - 1];
		probe->llc[at].first_cpu = (int32_t)n;
		probe->llc[at].nr_idle_scan = (int32_t)scan;
		probe->llc[at].has_idle_cores = (int32_t)core;
	}
}

static enum rwk_text_result parse_probe(const char *p, struct rwk_ev_probe *probe)
{
	enum rwk_text_result result = set_cpu(p, "prev", true, &probe->prev_cpu);
	int64_t flags, flips, recent, allowed, last;

	if (result != RWK_TEXT_FILLED)
		return result;
	if (!get_int(p, "wf", &flags))
		return RWK_TEXT_MALFORMED;
	probe->wake_flags = (uint32_t)flags;
	probe->has_hidden = get_int(p, "flips", &flips) && get_int(p, "recent", &recent) &&
			    get_int(p, "nca", &allowed) && get_int(p, "lastw", &last);
	probe->flips = probe->has_hidden ? (int32_t)flips : RWK_NONE;
	probe->recent_cpu = probe->has_hidden ? (int32_t)recent : RWK_NONE;
	probe->nr_cpus_allowed = probe->has_hidden ? (int32_t)allowed : RWK_NONE;
	probe->last_wakee_tid = probe->has_hidden ? (int32_t)last : RWK_NONE;
	parse_pairs(p, probe);
	return RWK_TEXT_FILLED;
}

/* A count or a thread id of CPU number, which stands behind key in the text at digits. */
static int64_t get_of_cpu(const char *p, const char *key, const char *digits, size_t len)
{
	char name[16];
	int64_t v;

	snprintf(name, sizeof(name), "%s%.*s", key, (int)(len < 8 ? len : 8), digits);
	return get_int(p, name, &v) && v >= 0 ? v : RWK_NONE;
}

static int32_t fit32(int64_t v)
{
	return v <= INT32_MAX ? (int32_t)v : RWK_NONE;
}

/* nrN=… and what else there is of each N, into ascending order; without nr and curr nothing. */
static enum rwk_text_result parse_states(const char *p, struct rwk_ev_probe *probe)
{
	probe->nr_llc = probe->nr_cpus = 0;
	for (const char *at = strstr(p, "nr"); at; at = strstr(at + 1, "nr")) {
		const char *digits = at + 2;
		char *end;
		long n = strtol(digits, &end, 10);
		size_t len = (size_t)(end - digits);
		struct rwk_probe_cpu c;
		int i;

		if ((at > p && at[-1] != ' ') || *digits < '0' || *digits > '9' || *end != '=' ||
			n >= RWK_MAX_CPUS || probe->nr_cpus == RWK_PROBE_MAX_CPUS)
			continue;
		c = (struct rwk_probe_cpu){.cpu = (int32_t)n,
			.nr_running = fit32(get_of_cpu(p, "nr", digits, len)),
			.pending = fit32(get_of_cpu(p, "pend", digits, len)),
			.curr_tid = fit32(get_of_cpu(p, "curr", digits, len)),
			.load = get_of_cpu(p, "load", digits, len)};
		for (i = probe->nr_cpus; i && probe->cpu[i - 1].cpu > n; i--)
			probe->cpu[i] = probe->cpu[i - 1];
		probe->cpu[i] = c;
		probe->nr_cpus++;
	}
	return RWK_TEXT_FILLED;
}

static enum rwk_text_result parse_nr(const char *p, struct rwk_ev_nr *n)
{
	enum rwk_text_result result = set_cpu(p, "cpu", true, &n->cpu);
	int64_t nr, change;

	if (result != RWK_TEXT_FILLED)
		return result;
	if (!get_int(p, "nr", &nr) || !get_int(p, "change", &change) || nr < 0 || nr > INT32_MAX ||
		change < INT32_MIN || change > INT32_MAX)
		return RWK_TEXT_MALFORMED;
	n->nr = (int32_t)nr;
	n->change = (int32_t)change;
	return RWK_TEXT_FILLED;
}

/* "sel_state" and a number. */
static bool is_state(const struct rwk_text_line *line)
{
	const size_t n = strlen("sel_state");

	if (line->name_len <= n || memcmp(line->name, "sel_state", n))
		return false;
	for (size_t i = n; i < line->name_len; i++) {
		if (line->name[i] < '0' || line->name[i] > '9')
			return false;
	}
	return true;
}

enum rwk_text_result rwk_text_fields_parse(const struct rwk_text_line *line,
	struct rwk_prev_state *states, struct rwk_event *ret, struct rwk_ev_probe *probe)
{
	static const struct {
		const char *name;
		enum rwk_event_kind kind;
	} names[] = {
		{"sched_waking", RWK_EV_WAKING},
		{"sched_wakeup", RWK_EV_WAKEUP},
		{"sched_wakeup_new", RWK_EV_WAKEUP_NEW},
		{"sched_migrate_task", RWK_EV_MIGRATE},
		{"sched_switch", RWK_EV_SWITCH},
		{"sel", RWK_EV_SEL},
		{"sel_ret", RWK_EV_SEL_RET},
		{"nr", RWK_EV_NR},
	};

	ret->kind = RWK_EV_OTHER;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == line->name_len &&
			!memcmp(names[i].name, line->name, line->name_len))
			ret->kind = (uint8_t)names[i].kind;
	}
	if (is_state(line))
		ret->kind = RWK_EV_SEL_STATE;
	switch ((enum rwk_event_kind)ret->kind) {
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		return parse_task(line->fields, &ret->task);
	case RWK_EV_MIGRATE:
		return parse_migrate(line->fields, &ret->migrate);
	case RWK_EV_SWITCH:
		return parse_switch(line->fields, states, &ret->sw);
	case RWK_EV_SEL:
		ret->probe = probe;
		return parse_probe(line->fields, probe);
	case RWK_EV_SEL_STATE:
		ret->probe = probe;
		return parse_states(line->fields, probe);
	case RWK_EV_SEL_RET:
		return set_cpu(line->fields, "cpu", true, &ret->sel_ret.cpu);
	case RWK_EV_NR:
		return parse_nr(line->fields, &ret->nr);
	default:
		return RWK_TEXT_OTHER;
	}
}
