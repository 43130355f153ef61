/*
 * What stands in front of an event's fields:
 *   comm-tid  (tgid) [cpu] flags seconds.fraction: event: fields      the kernel, trace-cmd
 *   comm  pid/tid [cpu]  seconds.fraction:  period  system:event: fields      perf script
 * Names may hold blanks, dashes and brackets, so a place is only taken for the
 * end of one when all the rest follows.
 */
#include "decode/text_line.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Digits at p; NULL: none, or more than any number here has. */
static const char *parse_digits(const char *p, int64_t *ret)
{
	int64_t v = 0;
	int n = 0;

	for (; is_digit(*p); p++, n++) {
		if (n == 18)
			return NULL;
		v = v * 10 + (*p - '0');
	}
	*ret = v;
	return n ? p : NULL;
}

/* "us" and a mark of long delays, in the latency format of the kernel: since the first event. */
static const char *parse_microseconds(const char *p, int64_t us, struct rwk_text_line *ret)
{
	p += 2;
	if (*p && *p != ':')
		p++;
	if (*p != ':' || us > INT64_MAX / 1000 - 1)
		return NULL;
	ret->ts = us * 1000;
	ret->coarse = true;
	return p + 1;
}

/* "12345.678901:", or a bare count of a clock without seconds; ns. */
static const char *parse_time(const char *p, struct rwk_text_line *ret)
{
	int64_t seconds, frac = 0;
	int digits = 0;

	p = parse_digits(p, &seconds);
	if (!p)
		return NULL;
	if (*p == ':') {
		ret->ts = seconds;
		return p + 1;
	}
	if (p[0] == 'u' && p[1] == 's')
		return parse_microseconds(p, seconds, ret);
	if (*p++ != '.' || seconds > INT64_MAX / 1000000000 - 1)
		return NULL;
	for (; is_digit(*p) && digits < 9; p++, digits++)
		frac = frac * 10 + (*p - '0');
	if (!digits || *p != ':')
		return NULL;
	ret->coarse = digits < 9;
	for (; digits < 9; digits++)
		frac *= 10;
	ret->ts = seconds * 1000000000 + frac;
	return p + 1;
}

/* Columns irqs-off, need-resched, context, preemption depth, …; later ones may be missing. */
static uint8_t parse_flags(const char *p, size_t size)
{
	if (size < 3)
		return 0;
	switch (p[2]) {
	case 'Z':
		return RWK_FLAG_NMI | RWK_FLAG_HARDIRQ;
	case 'z':
		return RWK_FLAG_NMI;
	case 'H':
		return RWK_FLAG_HARDIRQ | RWK_FLAG_SOFTIRQ;
	case 'h':
		return RWK_FLAG_HARDIRQ;
	case 's':
		return RWK_FLAG_SOFTIRQ;
	default:
		return 0;
	}
}

/* "[003] d..2. 1.000000:", or "3d..2. 1.000000:" of the latency format. */
static const char *parse_cpu_and_time(const char *p, struct rwk_text_line *ret)
{
	bool latency = is_digit(*p);
	const char *flags, *after;

	if (!latency && *p++ != '[')
		return NULL;
	p = parse_digits(p, &ret->cpu);
	if (!p || (!latency && *p++ != ']'))
		return NULL;
	if (!latency) {
		p = skip_blanks(p);
		after = parse_time(p, ret);
		if (after)
			return after;
	}
	flags = p;
	p += strcspn(p, " \t");
	ret->flags = parse_flags(flags, (size_t)(p - flags));
	return p > flags ? parse_time(skip_blanks(p), ret) : NULL;
}

/* "  123)" or "-----)" */
static int32_t parse_tgid(const char *p)
{
	int64_t v;

	p = parse_digits(skip_blanks(p), &v);
	return p && *p == ')' && v <= INT32_MAX ? (int32_t)v : RWK_NONE;
}

/* All that follows the dash behind a name; NULL: this dash is part of the name. */
static const char *parse_rest(const char *p, struct rwk_text_line *ret)
{
	int64_t tid;

	p = parse_digits(p, &tid);
	if (!p || tid > INT32_MAX)
		return NULL;
	ret->tid = (int32_t)tid;
	ret->tgid = RWK_NONE;
	p = skip_blanks(p);
	if (*p == '(') {
		ret->tgid = parse_tgid(p + 1);
		p = strchr(p, ')');
		if (!p)
			return NULL;
		p = skip_blanks(p + 1);
	}
	return parse_cpu_and_time(p, ret);
}

static bool starts(const char *p, const char *word)
{
	return !strncmp(p, word, strlen(word));
}

/* "CPU:7 [LOST 207 EVENTS]", "CPU:7 [207 EVENTS DROPPED]", "CPU:7 [EVENTS DROPPED]" */
static bool parse_lost(const char *p, struct rwk_text_line *ret)
{
	if (!starts(p, "CPU:"))
		return false;
	p = parse_digits(skip_blanks(p + 4), &ret->cpu);
	if (!p)
		return false;
	p = skip_blanks(p);
	if (*p++ != '[' || !strstr(p, "EVENTS"))
		return false;
	if (starts(p, "LOST "))
		p += 5;
	if (!parse_digits(p, &ret->lost))
		ret->lost = RWK_NONE;
	ret->kind = RWK_TEXT_LOST;
	return true;
}

/* A frame of a call chain: an address, and where that is. */
static bool is_frame(const char *p)
{
	size_t n = strspn(p, "0123456789abcdef");

	return n >= 5 && n <= 16 && strcspn(p, "0123456789") < n && (p[n] == ' ' || !p[n]);
}

static bool is_comment(const char *line, const char *p)
{
	static const char *const headings[] = {"#", "cpus=", "version = ", "CPU ", "=>",
		"trace-cmd: ", "capturing trace...", "TRACE:"};

	if (!*p || (p > line && is_frame(p)))
		return true;
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		if (starts(p, headings[i]))
			return true;
	}
	return false;
}

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* "(+119)" since the event before, of trace-cmd; a number alone, perf's period. */
static const char *skip_extra(const char *p)
{
	int64_t v;
	const char *end;

	if (p[0] == '(' && p[1] == '+') {
		end = parse_digits(p + 2, &v);
		return end && *end == ')' ? skip_blanks(end + 1) : p;
	}
	end = parse_digits(p, &v);
	return end && *end == ' ' ? skip_blanks(end) : p;
}

/* "sched_switch: …", "sched:sched_switch: …"; other things have no name, and are of no interest. */
static void parse_name(const char *p, struct rwk_text_line *ret)
{
	size_t n;

	p = skip_extra(skip_blanks(p));
	n = strspn(p, WORD);
	if (n && p[n] == ':' && strspn(p + n + 1, WORD)) {
		ret->perf = true;
		p += n + 1;
		n = strspn(p, WORD);
	}
	ret->name = p;
	ret->name_len = p[n] == ':' ? n : 0;
	ret->fields = skip_blanks(ret->name_len ? p + n + 1 : p);
}

/* What perf tells of besides samples: "PERF_RECORD_LOST lost 12"; their time may be that of none.
 */
static bool parse_perf_record(struct rwk_text_line *ret)
{
	const char *p = ret->name;

	if (!starts(p, "PERF_RECORD_"))
		return false;
	ret->kind = RWK_TEXT_COMMENT;
	if (!starts(p, "PERF_RECORD_LOST"))
		return true;
	ret->kind = RWK_TEXT_LOST;
	p += strcspn(p, "0123456789");
	if (!parse_digits(p, &ret->lost))
		ret->lost = RWK_NONE;
	return true;
}

/* The number that ends in front of end, of a perf line; RWK_NONE: none there, or below 0. */
static int32_t number_before(const char *line, const char *end)
{
	const char *p;
	int64_t v;

	while (end > line && end[-1] == ' ')
		end--;
	for (p = end; p > line && is_digit(p[-1]); p--)
		;
	if (p == end || (p > line && p[-1] != ' ' && p[-1] != '/' && p[-1] != '\t'))
		return RWK_NONE;
	p = parse_digits(p, &v);
	return p && v <= INT32_MAX ? (int32_t)v : RWK_NONE;
}

/* A line of perf script that begins before limit. */
static bool parse_perf(const char *line, const char *limit, struct rwk_text_line *ret)
{
	for (const char *at = strchr(line, '['); at && at < limit; at = strchr(at + 1, '[')) {
		const char *p = parse_digits(at + 1, &ret->cpu);

		if (!p || *p != ']')
			continue;
		p = parse_time(skip_blanks(p + 1), ret);
		if (!p)
			continue;
		ret->tid = number_before(line, at);
		/* Not even a blank stands there when perf was asked for no thread. */
		if (ret->tid == RWK_NONE && at > line && at[-1] != ' ')
			continue;
		ret->kind = RWK_TEXT_EVENT;
		parse_name(p, ret);
		ret->perf = true;
		parse_perf_record(ret);
		return true;
	}
	return false;
}

/* The same without a CPU: an event, but of no use. */
static bool lacks_cpu(const char *line, struct rwk_text_line *ret)
{
	for (const char *at = strchr(line, '.'); at; at = strchr(at + 1, '.')) {
		const char *p = at;

		while (p > line && is_digit(p[-1]))
			p--;
		if (p == at || p == line || number_before(line, p) == RWK_NONE)
			continue;
		p = parse_time(p, ret);
		if (!p)
			continue;
		parse_name(p, ret);
		return ret->perf && ret->name_len;
	}
	return false;
}

/* The kernel's form: the end of the name, NULL if there is none. */
static const char *parse_kernel(const char *line, struct rwk_text_line *ret)
{
	for (const char *dash = strchr(line, '-'); dash; dash = strchr(dash + 1, '-')) {
		const char *rest;

		ret->flags = 0;
		rest = parse_rest(dash + 1, ret);
		if (!rest)
			continue;
		ret->kind = RWK_TEXT_EVENT;
		parse_name(rest, ret);
		/* A sign, not a dash: perf's thread of a task that is already gone. */
		if (ret->perf && (dash == line || dash[-1] == ' '))
			ret->tid = RWK_NONE;
		return dash;
	}
	return NULL;
}

void rwk_text_line_parse(const char *line, struct rwk_text_line *ret)
{
	static const struct rwk_text_line nothing = {
		.kind = RWK_TEXT_BAD, .tid = RWK_NONE, .tgid = RWK_NONE, .lost = RWK_NONE};
	const char *p = skip_blanks(line), *dash;
	struct rwk_text_line perf = nothing;

	*ret = nothing;
	if (parse_lost(p, ret))
		return;
	dash = parse_kernel(p, ret);
	if (parse_perf(p, dash ? dash : p + strlen(p), &perf)) {
		*ret = perf;
		return;
	}
	if (dash) {
		parse_perf_record(ret);
		return;
	}
	if (is_comment(line, p))
		ret->kind = RWK_TEXT_COMMENT;
	else
		ret->kind = lacks_cpu(p, ret) ? RWK_TEXT_NO_CPU : RWK_TEXT_BAD;
}
