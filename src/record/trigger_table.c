/* Numbers out of /proc and of the tables' own text. */
#include "record/trigger_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracefs.h>

#include "base/parse.h"
#include "record/rate.h"

#define MIN_TABLE (1 << 14) /* 5 MB */
#define MAX_TABLE (1 << 17) /* the kernel's own limit */

int rwk_trigger_table_size(int64_t nr_tasks)
{
	int size = MIN_TABLE;

	/* As many again can come before it is full. */
	while (size < MAX_TABLE && size < 2 * nr_tasks)
		size *= 2;
	return size < 2 * nr_tasks ? 0 : size;
}

int64_t rwk_trigger_dropped_parse(const char *text, const char *key)
{
	char head[64], number[24];
	const char *block, *p;
	int64_t ret;

	snprintf(head, sizeof(head), "hist:keys=%s:", key);
	block = strstr(text, head);
	p = block ? strstr(block, "Dropped: ") : NULL;
	if (!p || sscanf(p, "Dropped: %23[0-9]", number) != 1 ||
		rwk_parse_i64(number, 0, INT64_MAX, &ret))
		return -1;
	return ret;
}

int rwk_trigger_count_tasks(int64_t *ret_tasks, int64_t *ret_forks, struct rwk_diag *diag)
{
	static const char path[] = "/proc/loadavg";
	FILE *f = fopen(path, "re");
	int64_t switches;
	int tasks = 0;

	if (!f)
		return rwk_diag_push(
			diag, -errno, "cannot count tasks: file=%s why=%s", path, strerror(errno));
	if (fscanf(f, "%*f %*f %*f %*d/%d", &tasks) != 1)
		tasks = 0;
	fclose(f);
	if (tasks <= 0)
		return rwk_diag_push(
			diag, -EBADMSG, "cannot count tasks: file=%s why=none in it", path);
	*ret_tasks = tasks;
	return rwk_stat_read(&switches, ret_forks, diag);
}

int64_t rwk_trigger_read_dropped(struct tracefs_instance *instance)
{
	static const char *const table[][2] = {
		{"sched_waking", "pid"}, {"sched_switch", "next_pid"}};
	int64_t sum = 0;

	for (size_t i = 0; i < 2; i++) {
		char *text = tracefs_event_file_read(instance, "sched", table[i][0], "hist", NULL);
		int64_t n = text ? rwk_trigger_dropped_parse(text, table[i][1]) : -1;

		free(text);
		if (n < 0)
			return -1;
		sum += n;
	}
	return sum;
}
