/* The estimate behind rwk_rate. */
#include "record/rate.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"

#define STAT_FILE  "/proc/stat"
#define MAX_STAT   (1 << 20)
#define MAX_FORMAT (1 << 16)

/* Of the ring buffer: 4 bytes before each event, 16 of each page of 4096. */
#define EVENT_HEADER 4
#define PAGE_SHARE   (4096.0 / (4096 - 16))

/* What the kernel puts before the fields of a probe: common fields and one or two addresses. */
#define PROBE_HEAD  16
#define RETURN_HEAD 24

/*
 * A CPU that goes to sleep and is woken again switches twice for one wakeup.
 * Under load there are fewer wakeups per switch, so this errs on the high side.
 */
#define WAKEUPS_PER_SWITCH 0.5
/* Few wakeups move more often than every second time. */
#define MIGRATIONS_PER_WAKEUP 0.5

int rwk_event_bytes(const char *format, int *ret)
{
	int end = 0;

	for (const char *p = strstr(format, "offset:"); p; p = strstr(p + 1, "offset:")) {
		int offset, size;

		if (sscanf(p, "offset:%d; size:%d;", &offset, &size) != 2 || offset < 0 ||
			size < 0 || offset > MAX_FORMAT || size > MAX_FORMAT)
			return -EBADMSG;
		if (offset + size > end)
			end = offset + size;
	}
	if (!end)
		return -EBADMSG;
	*ret = EVENT_HEADER + (end + 3) / 4 * 4;
	return 0;
}

int rwk_decision_bytes(const char *definitions)
{
	int sum = 0;

	for (const char *line = definitions; line && *line;) {
		size_t len = strcspn(line, "\n");
		int bits = 0;

		/* Every field ends in its type: ":s32", ":x64". */
		for (size_t i = 0; i + 2 < len; i++) {
			if (line[i] == ':' && strchr("sux", line[i + 1]) &&
				isdigit((unsigned char)line[i + 2]))
				bits += atoi(line + i + 2);
		}
		if (*line != 't')
			sum += EVENT_HEADER + (*line == 'r' ? RETURN_HEAD : PROBE_HEAD) +
			       (bits / 8 + 3) / 4 * 4;
		line += len;
		line += *line == '\n';
	}
	return sum;
}

int rwk_count_bytes(const char *definitions)
{
	for (const char *line = definitions; line && *line;) {
		size_t len = strcspn(line, "\n");
		int fields = 0;

		/* Types are the kernel's own there: plain integers. */
		for (size_t i = 0; i < len; i++)
			fields += line[i] == '=';
		if (*line == 't')
			return EVENT_HEADER + PROBE_HEAD + 4 * fields;
		line += len;
		line += *line == '\n';
	}
	return 0;
}

static int find_count(const char *text, const char *name, int64_t *ret)
{
	const char *p = strstr(text, name);
	char number[24];

	if (!p || sscanf(p + strlen(name), "%23[0-9]", number) != 1 ||
		rwk_parse_i64(number, 0, INT64_MAX, ret))
		return -EBADMSG;
	return 0;
}

int rwk_stat_counts(const char *text, int64_t *ret_switches, int64_t *ret_forks)
{
	int64_t switches = 0, forks = 0;
	int err = find_count(text, "\nctxt ", &switches);

	if (!err)
		err = find_count(text, "\nprocesses ", &forks);
	if (err)
		return err;
	*ret_switches = switches;
	*ret_forks = forks;
	return 0;
}

void rwk_rate_estimate(struct rwk_rate *rate, const struct rwk_event_sizes *sizes)
{
	double wakeups = rate->switches * WAKEUPS_PER_SWITCH;
	double migrations = wakeups * MIGRATIONS_PER_WAKEUP;
	double decisions = wakeups + rate->forks;
	double bytes = rate->switches * sizes->switch_bytes + wakeups * sizes->waking_bytes +
		       (wakeups + rate->forks) * sizes->wakeup_bytes +
		       migrations * sizes->migrate_bytes + decisions * sizes->decision_bytes +
		       2 * decisions * sizes->count_bytes;

	rate->events = rate->switches + 2 * wakeups + rate->forks + migrations;
	if (sizes->decision_bytes)
		rate->events += 2 * decisions;
	/* A task that is put on a queue leaves it again. */
	if (sizes->count_bytes)
		rate->events += 2 * decisions;
	rate->bytes = bytes * PAGE_SHARE;
}

/* To be freed; NULL with errno. */
static char *read_text(const char *path, size_t max)
{
	char *buf = malloc(max);
	FILE *f = buf ? fopen(path, "re") : NULL;
	size_t len;

	if (!f) {
		free(buf);
		return NULL;
	}
	len = fread(buf, 1, max - 1, f);
	buf[len] = '\0';
	fclose(f);
	return buf;
}

int rwk_stat_read(int64_t *ret_switches, int64_t *ret_forks, struct rwk_diag *diag)
{
	char *text = read_text(STAT_FILE, MAX_STAT);
	int err;

	if (!text)
		return rwk_diag_push(diag, -errno, "cannot read the counters: file=%s why=%s",
			STAT_FILE, strerror(errno));
	err = rwk_stat_counts(text, ret_switches, ret_forks);
	free(text);
	if (err)
		rwk_diag_push(
			diag, err, "cannot read the counters: file=%s why=none in it", STAT_FILE);
	return err;
}

static int read_size(const char *tracing_dir, const char *event, int *ret, struct rwk_diag *diag)
{
	char path[4096], *text;
	int err;

	snprintf(path, sizeof(path), "%s/events/sched/%s/format", tracing_dir, event);
	text = read_text(path, MAX_FORMAT);
	err = text ? rwk_event_bytes(text, ret) : -errno;
	free(text);
	if (err)
		rwk_diag_push(diag, -ENODATA, "cannot estimate the rate: file=%s why=%s", path,
			err == -EBADMSG ? "no fields in it" : strerror(-err));
	return err ? -ENODATA : 0;
}

int rwk_rate_sample(const char *tracing_dir, const char *probe_definitions, rwk_ns window_ns,
	struct rwk_rate *ret, struct rwk_diag *diag)
{
	struct timespec pause = {window_ns / 1000000000, window_ns % 1000000000}, from, to;
	struct rwk_event_sizes sizes = {.decision_bytes = rwk_decision_bytes(probe_definitions),
		.count_bytes = rwk_count_bytes(probe_definitions)};
	int64_t switches[2], forks[2];
	struct rwk_rate rate;
	int err = read_size(tracing_dir, "sched_switch", &sizes.switch_bytes, diag);

	if (!err)
		err = read_size(tracing_dir, "sched_waking", &sizes.waking_bytes, diag);
	if (!err)
		err = read_size(tracing_dir, "sched_wakeup", &sizes.wakeup_bytes, diag);
	if (!err)
		err = read_size(tracing_dir, "sched_migrate_task", &sizes.migrate_bytes, diag);
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (!err)
		err = rwk_stat_read(&switches[0], &forks[0], diag);
	if (err)
		return err;
	nanosleep(&pause, NULL); /* a signal ends it early: then the window was shorter */
	err = rwk_stat_read(&switches[1], &forks[1], diag);
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (err)
		return err;
	rate.window_ns = (rwk_ns)(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
	if (rate.window_ns <= 0)
		rate.window_ns = 1;
	rate.switches = (double)(switches[1] - switches[0]) * 1e9 / (double)rate.window_ns;
	rate.forks = (double)(forks[1] - forks[0]) * 1e9 / (double)rate.window_ns;
	rwk_rate_estimate(&rate, &sizes);
	*ret = rate;
	return 0;
}
