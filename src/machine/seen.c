/* Lists of CPUs grow together; of all else the first word counts. */
#include "machine/seen.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "machine/snapshot.h"

#define CPULIST_LEN 8192 /* of the longest list of RWK_MAX_CPUS CPUs */

static bool matches(const char *path, const char *const *patterns)
{
	for (; *patterns; patterns++) {
		if (!fnmatch(*patterns, path, FNM_PATHNAME))
			return true;
	}
	return false;
}

static bool is_list(const char *path)
{
	static const char *const patterns[] = {"sys/devices/system/cpu/cpu[0-9]*/topology/*_list",
		"sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/shared_cpu_list",
		"sys/devices/system/node/node[0-9]*/cpulist", NULL};

	return matches(path, patterns);
}

/* What comes and goes with a CPU. */
static bool is_of_cpu(const char *path)
{
	static const char *const patterns[] = {"sys/devices/system/cpu/cpu[0-9]*/topology/*",
		"sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/*",
		"sys/devices/system/cpu/cpu[0-9]*/cpu_capacity",
		"sys/devices/system/node/node[0-9]*/distance", NULL};

	return is_list(path) || matches(path, patterns);
}

static void join(struct rwk_cpuset *set, const char *list)
{
	struct rwk_cpuset more;

	if (!list || rwk_parse_cpulist(list, &more))
		return;
	for (int i = 0; i < RWK_CPUSET_WORDS; i++)
		set->word[i] |= more.word[i];
}

/* All that is in a and b; false if that is nothing that a has not. */
static bool join_lists(const char *a, const char *b, char buf[CPULIST_LEN + 2])
{
	struct rwk_cpuset had, all;
	int len;

	rwk_cpuset_zero(&had);
	join(&had, a);
	all = had;
	join(&all, b);
	if (rwk_cpuset_equal(&had, &all))
		return false;
	len = rwk_format_cpulist(&all, buf, CPULIST_LEN);
	buf[len] = '\n';
	buf[len + 1] = '\0';
	return true;
}

int rwk_seen_add(struct rwk_snapshot *snap, const struct rwk_snapshot *later)
{
	const char *path, *content;
	int err = 0;

	for (size_t i = 0; !err && rwk_snapshot_file_at(later, i, &path, &content); i++) {
		char seen[RWK_SNAPSHOT_MAX_PATH + 1], list[CPULIST_LEN + 2];
		const char *had = rwk_snapshot_file(snap, path), *known;

		if (!content || !is_of_cpu(path) ||
			snprintf(seen, sizeof(seen), RWK_SEEN "%s", path) >= (int)sizeof(seen))
			continue;
		known = rwk_snapshot_file(snap, seen);
		if (is_list(path) ? join_lists(known ? known : had, content, list) : !known && !had)
			err = rwk_snapshot_add_file(snap, seen, is_list(path) ? list : content);
	}
	return err;
}

int rwk_seen_apply(const struct rwk_snapshot *snap, struct rwk_snapshot **ret)
{
	const char *path, *content;
	struct rwk_snapshot *all;
	int err = rwk_snapshot_copy(snap, &all);

	if (err)
		return err;
	for (size_t i = 0; !err && rwk_snapshot_file_at(snap, i, &path, &content); i++) {
		const char *of = path + strlen(RWK_SEEN), *had;
		char list[CPULIST_LEN + 2];

		if (!content || strncmp(path, RWK_SEEN, strlen(RWK_SEEN)) || !is_of_cpu(of))
			continue;
		had = rwk_snapshot_file(snap, of);
		if (is_list(of) ? join_lists(had, content, list) : !had)
			err = rwk_snapshot_add_file(all, of, is_list(of) ? list : content);
	}
	if (err)
		rwk_snapshot_destroy(all);
	else
		*ret = all;
	return err;
}
