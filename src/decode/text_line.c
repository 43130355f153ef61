/*
 * What stands in front of an event's fields:
 *   comm-tid  (tgid) [cpu] flags seconds.fraction: event: fields
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

/* "12345.678901:", or a bare count of a clock without seconds; ns. */
static const char *parse_time(const char *p, rwk_ns *ret)
{
	int64_t seconds, frac = 0;
	int digits = 0;

	p = parse_digits(p, &seconds);
	if (!p)
		return NULL;
	if (*p == ':') {
		*ret = seconds;
		return p + 1;
	}
	if (*p++ != '.' || seconds > INT64_MAX / 1000000000 - 1)
		return NULL;
	for (; is_digit(*p) && digits < 9; p++, digits++)
		frac = frac * 10 + (*p - '0');
	if (!digits || *p != ':')
		return NULL;
	for (; digits < 9; digits++)
		frac *= 10;
	*ret = seconds * 1000000000 + frac;
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
		after = parse_time(p, &ret->ts);
		if (after)
			return after;
	}
	flags = p;
	p += strcspn(p, " \t");
	ret->flags = parse_flags(flags, (size_t)(p - flags));
	return p > flags ? parse_time(skip_blanks(p), &ret->ts) : NULL;
}

/* All that follows the dash behind a name; NULL: this dash is part of the name. */
static const char *parse_rest(const char *p, struct rwk_text_line *ret)
{
	int64_t tid;

	p = parse_digits(p, &tid);
	if (!p || tid > INT32_MAX)
		return NULL;
	ret->tid = (int32_t)tid;
	p = skip_blanks(p);
	if (*p == '(') {
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

static bool is_comment(const char *p)
{
	static const char *const headings[] = {
		"#", "cpus=", "version = ", "CPU ", "=>", "trace-cmd: "};

	if (!*p)
		return true;
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		if (starts(p, headings[i]))
			return true;
	}
	return false;
}

/* "sched_switch: …"; other things have no name, and are of no interest. */
static void parse_name(const char *p, struct rwk_text_line *ret)
{
	size_t n;

	p = skip_blanks(p);
	if (starts(p, "sched:"))
		p += 6;
	n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	ret->name = p;
	ret->name_len = p[n] == ':' ? n : 0;
	ret->fields = skip_blanks(ret->name_len ? p + n + 1 : p);
}

void rwk_text_line_parse(const char *line, struct rwk_text_line *ret)
{
	const char *p = skip_blanks(line);

	*ret = (struct rwk_text_line){.kind = RWK_TEXT_BAD, .tid = RWK_NONE, .lost = RWK_NONE};
	if (parse_lost(p, ret))
		return;
	for (const char *dash = strchr(p, '-'); dash; dash = strchr(dash + 1, '-')) {
		const char *rest;

		ret->flags = 0;
		rest = parse_rest(dash + 1, ret);
		if (rest) {
			ret->kind = RWK_TEXT_EVENT;
			parse_name(rest, ret);
			return;
		}
	}
	if (is_comment(p))
		ret->kind = RWK_TEXT_COMMENT;
}
