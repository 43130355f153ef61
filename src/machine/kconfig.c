/*
 * The kernel's build configuration, reduced to what placement depends on and
 * kept as entries of their own: the whole is 10000 lines.
 */
#include "machine/take.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

/* More lines than any configuration has: a hostile gzip file ends here. */
#define MAX_LINES 200000

static const char *const options[] = {
	"CONFIG_CFS_BANDWIDTH",
	"CONFIG_FAIR_GROUP_SCHED",
	"CONFIG_HZ",
	"CONFIG_IRQ_TIME_ACCOUNTING",
	"CONFIG_NO_HZ_FULL",
	"CONFIG_NUMA",
	"CONFIG_NUMA_BALANCING",
	"CONFIG_PARAVIRT",
	"CONFIG_PARAVIRT_TIME_ACCOUNTING",
	"CONFIG_PREEMPT_DYNAMIC",
	"CONFIG_PREEMPT_RT",
	"CONFIG_SCHEDSTATS",
	"CONFIG_SCHED_AUTOGROUP",
	"CONFIG_SCHED_CLASS_EXT",
	"CONFIG_SCHED_CLUSTER",
	"CONFIG_SCHED_CORE",
	"CONFIG_SCHED_DEBUG",
	"CONFIG_SCHED_MC",
	"CONFIG_SCHED_SMT",
	"CONFIG_UCLAMP_TASK",
	"CONFIG_UCLAMP_TASK_GROUP",
};

#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

/* What a whole file does not mention is off, as much as "# CONFIG_X is not set". */
struct values {
	char text[NR_OPTIONS][64];
	size_t nr_lines; /* CONFIG_ lines seen: a file without any is no configuration */
};

static void parse_line(struct values *v, char *line)
{
	char *value = strchr(line, '=');

	if (strncmp(line, "CONFIG_", 7) || !value)
		return;
	v->nr_lines++;
	*value++ = '\0';
	value[strcspn(value, "\r\n")] = '\0';
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		if (!strcmp(line, options[i]) && strlen(value) < sizeof(v->text[i]))
			strcpy(v->text[i], value);
	}
}

/* false when there is no such file or it is no configuration. */
static bool read_values(const struct rwk_tree *tree, const char *path, struct values *v)
{
	char line[1024];
	gzFile gz;
	int fd = rwk_tree_open_at(tree, tree->fd, path, O_RDONLY);

	if (fd < 0)
		return false;
	gz = gzdopen(fd, "rb");
	if (!gz) {
		close(fd);
		return false;
	}
	for (int i = 0; i < MAX_LINES && gzgets(gz, line, sizeof(line)); i++)
		parse_line(v, line);
	gzclose(gz);
	return v->nr_lines > 0;
}

int rwk_take_kconfig(const struct rwk_tree *tree, struct rwk_snapshot *snap)
{
	struct values v = {.nr_lines = 0};
	char path[256];
	int err = 0;
	bool known = read_values(tree, "proc/config.gz", &v);

	snprintf(path, sizeof(path), "boot/config-%s", rwk_snapshot_release(snap));
	/* A release out of a copied tree must not name a file elsewhere. */
	if (!known && !strchr(rwk_snapshot_release(snap), '/'))
		known = read_values(tree, path, &v);
	for (size_t i = 0; i < NR_OPTIONS && !err; i++) {
		char text[sizeof(v.text[i]) + 1];

		snprintf(path, sizeof(path), "config/%s", options[i]);
		snprintf(text, sizeof(text), "%s\n", v.text[i][0] ? v.text[i] : "n");
		err = rwk_snapshot_append_file(snap, path, known ? text : NULL);
	}
	return err;
}
