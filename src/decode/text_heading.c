/* Headings of the kernel, trace-cmd and perf, and the CPUs that events name. */
#include "decode/text_heading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/text_line.h"

bool rwk_text_probe(const unsigned char *head, size_t size)
{
	char line[512];

	if (memchr(head, '\0', size))
		return false;
	if (rwk_text_reader_is_page(head, size))
		return true;
	if (size >= 3 && !memcmp(head, "\xef\xbb\xbf", 3)) {
		head += 3;
		size -= 3;
	}
	while (size) {
		const unsigned char *eol = memchr(head, '\n', size);
		size_t n = eol ? (size_t)(eol - head) : size;
		struct rwk_text_line parsed;

		snprintf(line, sizeof(line), "%.*s", (int)n, (const char *)head);
		rwk_text_line_parse(line, &parsed);
		if (parsed.kind == RWK_TEXT_EVENT || parsed.kind == RWK_TEXT_LOST ||
			parsed.kind == RWK_TEXT_NO_CPU || !strncmp(line, "# tracer:", 9) ||
			!strncmp(line, "# rewake:", 9) || !strncmp(line, "cpus=", 5))
			return true;
		n += eol != NULL;
		head += n;
		size -= n;
	}
	return false;
}

/* "key=value" of a heading into buf. */
static void heading_value(const char *line, const char *key, char *buf, size_t size)
{
	const char *p = strstr(line, key);
	size_t n;

	if (!p)
		return;
	p += strlen(key);
	n = strcspn(p, " \t\r\n");
	if (n && n < size)
		snprintf(buf, size, "%.*s", (int)n, p);
}

static void raise_cpus(const char *digits, struct rwk_trace_info *info)
{
	long n = strtol(digits, NULL, 10);

	if (n > info->nr_cpus && n <= RWK_MAX_CPUS)
		info->nr_cpus = (int)n;
}

/* "# entries-in-buffer/entries-written: 88819/134210   #P:4" */
static void read_entries(const char *line, struct rwk_trace_info *info)
{
	const char *cpus = strstr(line, "#P:");
	long long kept, written;

	if (sscanf(line, "# entries-in-buffer/entries-written: %lld/%lld", &kept, &written) == 2 &&
		kept >= 0 && written > kept && written < (1LL << 48))
		info->nr_overwritten += written - kept;
	if (cpus)
		raise_cpus(cpus + 3, info);
}

void rwk_text_heading_read(const char *line, struct rwk_trace_info *info)
{
	if (!strncmp(line, "# rewake:", 9)) {
		heading_value(line, "release=", info->release, sizeof(info->release));
		heading_value(line, "clock=", info->clock, sizeof(info->clock));
	} else if (!strncmp(line, "# os release : ", 15)) {
		heading_value(line, "release : ", info->release, sizeof(info->release));
	} else if (!strncmp(line, "# entries-in-buffer", 19)) {
		read_entries(line, info);
	} else if (!strncmp(line, "cpus=", 5)) {
		raise_cpus(line + 5, info);
	}
}

/* Whether a number behind key is that of a CPU that is not counted yet. */
static bool names_more(const char *line, const char *key, int nr_cpus)
{
	for (const char *p = strstr(line, key); p; p = strstr(p + 1, key)) {
		if (strtol(p + strlen(key), NULL, 10) >= nr_cpus)
			return true;
	}
	return false;
}

/* Whether the line names a CPU that is not counted yet, or might in a form without brackets. */
static bool worth_parsing(const char *line, int nr_cpus)
{
	bool any = false;

	if (names_more(line, "_cpu=", nr_cpus) || names_more(line, "CPU:", nr_cpus))
		return true;

	for (const char *p = strchr(line, '['); p; p = strchr(p + 1, '[')) {
		char *end;
		long cpu = strtol(p + 1, &end, 10);

		if (end == p + 1 || *end != ']')
			continue;
		if (cpu >= nr_cpus)
			return true;
		any = true;
	}
	return !any && strchr(line, ':');
}

static void raise_to(int64_t cpu, int *nr_cpus)
{
	if (cpu >= *nr_cpus && cpu < RWK_MAX_CPUS)
		*nr_cpus = (int)cpu + 1;
}

/* The CPUs of an event: its own, and those that it is about. */
static void scan_event(const struct rwk_text_line *line, int *nr_cpus)
{
	struct rwk_prev_state states = {0};
	struct rwk_ev_probe probe;
	struct rwk_event ev = {0};

	raise_to(line->cpu, nr_cpus);
	if (rwk_text_fields_parse(line, &states, &ev, &probe) != RWK_TEXT_FILLED)
		return;
	if (ev.kind == RWK_EV_WAKING || ev.kind == RWK_EV_WAKEUP || ev.kind == RWK_EV_WAKEUP_NEW) {
		raise_to(ev.task.target_cpu, nr_cpus);
	} else if (ev.kind == RWK_EV_MIGRATE) {
		raise_to(ev.migrate.orig_cpu, nr_cpus);
		raise_to(ev.migrate.dest_cpu, nr_cpus);
	}
}

int rwk_text_cpus_scan(
	const struct rwk_file *file, bool html, int64_t limit, int *nr_cpus, struct rwk_diag *diag)
{
	struct rwk_text_reader r;
	char *line;
	int got = rwk_text_reader_init(&r, file, html);

	while (!got && rwk_text_reader_consumed(&r) < limit) {
		struct rwk_text_line parsed;

		got = rwk_text_reader_next(&r, &line, diag);
		if (got <= 0)
			break;
		got = 0;
		if (!line || !worth_parsing(line, *nr_cpus))
			continue;
		rwk_text_line_parse(line, &parsed);
		if (parsed.kind == RWK_TEXT_EVENT)
			scan_event(&parsed, nr_cpus);
		else if (parsed.kind == RWK_TEXT_LOST)
			raise_to(parsed.cpu, nr_cpus);
	}
	rwk_text_reader_finish(&r);
	return got;
}
