/*
 * The last line of a text that does not end in a newline: it may be the beginning of a longer
 * one, unless what stands last in it cannot go on.
 */
#include <string.h>

#include "decode/text_line.h"

/* What stands behind " key=" if that is the last word. */
static const char *last_value(const char *fields, const char *key)
{
	const char *word = strrchr(fields, ' ');
	size_t n = strlen(key);

	return word && !strncmp(word + 1, key, n) && word[n + 1] == '=' ? word + n + 2 : NULL;
}

static bool all_digits(const char *p)
{
	return *p && strspn(p, "0123456789") == strlen(p);
}

/* Kernels print CPUs in three digits: a fourth is never behind a zero in front. */
static bool is_whole_cpu(const char *p)
{
	return all_digits(p) && strlen(p) == 3 && *p == '0';
}

/* Priorities go up to 140, the one of old kernels' idle tasks. */
static bool is_whole_prio(const char *p)
{
	return all_digits(p) &&
	       (!strcmp(p, "0") || strlen(p) == 3 || (strlen(p) == 2 && strcmp(p, "14") > 0));
}

static bool is_named(const struct rwk_text_line *line, const char *name)
{
	return strlen(name) == line->name_len && !memcmp(name, line->name, line->name_len);
}

/*
 * In the kernel's own form only: in that of trace-cmd a name of 15 bytes can look like
 * all that stands behind it.
 */
bool rwk_text_line_is_whole(const struct rwk_text_line *line)
{
	const char *value;

	if (line->kind != RWK_TEXT_EVENT)
		return false;
	if (is_named(line, "sched_switch")) {
		value = last_value(line->fields, "next_prio");
		return value && is_whole_prio(value);
	}
	if (!is_named(line, "sched_waking") && !is_named(line, "sched_wakeup") &&
		!is_named(line, "sched_wakeup_new"))
		return false;
	value = last_value(line->fields, "target_cpu");
	return value && is_whole_cpu(value);
}
