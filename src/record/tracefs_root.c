/* Where tracefs is and whether what every recording needs is in it. */
#include "record/tracefs_root.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

#include "record/instance.h"

#define README_MAX (64 << 10)

/* Which right is missing, as there are several ways to get one. */
static void push_closed(const char *dir, const char *instances, struct rwk_diag *diag)
{
	struct stat st;
	char owner[96] = "";

	/* Even that may be forbidden, and then what is above keeps us out. */
	if (!stat(instances, &st) || !stat(dir, &st))
		snprintf(owner, sizeof(owner), " of=%ld:%ld mode=%04o", (long)st.st_uid,
			(long)st.st_gid, (unsigned int)st.st_mode & 07777);
	rwk_diag_push(diag, -EPERM,
		"needs root, or write permission on tracefs: dir=%s uid=%ld%s missing=%s; a group "
		"gets it by: mount -o remount,gid=GROUP,mode=0770 %s",
		instances, (long)geteuid(), owner,
		geteuid() ? "CAP_DAC_OVERRIDE or that permission"
			  : "CAP_DAC_OVERRIDE, or tracefs is of another user namespace",
		dir);
}

int rwk_tracefs_find(struct rwk_diag *diag, char **ret_dir)
{
	struct mntent entry;
	char buf[8192], *dir = NULL;
	char instances[4096];
	FILE *mounts;

	/* With debugfs alone, tracefs mounts itself when this path is touched. */
	access("/sys/kernel/debug/tracing/trace_clock", F_OK);
	mounts = setmntent("/proc/self/mounts", "r");
	while (mounts && !dir && getmntent_r(mounts, &entry, buf, sizeof(buf))) {
		if (!strcmp(entry.mnt_type, "tracefs"))
			dir = strdup(entry.mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	if (!dir) {
		if (geteuid())
			return rwk_diag_push(diag, -EPERM,
				"needs root, or write permission on tracefs: uid=%ld "
				"why=tracefs is not mounted missing=CAP_SYS_ADMIN to mount it",
				(long)geteuid());
		return rwk_diag_push(diag, -ENODEV,
			"tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	}
	snprintf(instances, sizeof(instances), "%s/instances", dir);
	if (access(instances, R_OK | W_OK | X_OK)) {
		int err = errno == ENOENT ? -ENODEV : errno == EROFS ? -EROFS : -EPERM;

		if (err == -EPERM)
			push_closed(dir, instances, diag);
		else
			rwk_diag_push(diag, err, "tracefs cannot be used: dir=%s why=%s", instances,
				strerror(errno));
		free(dir);
		return err;
	}
	*ret_dir = dir;
	return 0;
}

/* Files of tracefs tell no size: whether something can be read. */
static bool has_text(const char *path)
{
	FILE *f = fopen(path, "re");
	bool has = f && fgetc(f) != EOF;

	if (f)
		fclose(f);
	return has;
}

/* Without what a page of the buffers looks like, and tracefs' own events, no trace.dat is readable.
 */
static int check_formats(const char *dir, struct rwk_diag *diag)
{
	const struct dirent *de;
	char path[4096 + 512];
	bool found = false;
	DIR *own;

	snprintf(path, sizeof(path), "%s/events/header_page", dir);
	if (!has_text(path))
		return rwk_diag_push(diag, -ENODATA,
			"tracefs lacks files that are needed: dir=%s missing=events/header_page",
			dir);
	snprintf(path, sizeof(path), "%s/events/ftrace", dir);
	own = opendir(path);
	while (own && !found && (de = readdir(own))) {
		snprintf(path, sizeof(path), "%s/events/ftrace/%s/format", dir, de->d_name);
		found = de->d_name[0] != '.' && has_text(path);
	}
	if (own)
		closedir(own);
	if (!found)
		return rwk_diag_push(diag, -ENODATA,
			"tracefs lacks files that are needed: dir=%s "
			"missing=events/ftrace/*/format",
			dir);
	return 0;
}

int rwk_tracefs_check_events(const char *dir, struct rwk_diag *diag)
{
	char missing[256] = "";

	for (int i = 0; i < RWK_RECORD_NR_EVENTS; i++) {
		char path[4096];

		snprintf(
			path, sizeof(path), "%s/events/sched/%s/format", dir, rwk_record_events[i]);
		if (!access(path, R_OK))
			continue;
		if (missing[0])
			strcat(missing, ",");
		strcat(missing, rwk_record_events[i]); /* all five fit */
	}
	if (missing[0])
		return rwk_diag_push(diag, -ENODATA,
			"this kernel lacks events that are needed: dir=%s/events/sched missing=%s",
			dir, missing);
	return check_formats(dir, diag);
}

void rwk_tracefs_without(const char *dir, char buf[RWK_TRACEFS_WITHOUT])
{
	char path[4096];

	buf[0] = '\0';
	snprintf(path, sizeof(path), "%s/saved_cmdlines", dir);
	/* Empty it may well be, before anything was recorded. */
	if (access(path, R_OK))
		snprintf(buf, RWK_TRACEFS_WITHOUT,
			"no saved_cmdlines: trace-cmd and KernelShark do not know the names of "
			"tasks that only act");
}

bool rwk_tracefs_says(const char *dir, const char *text)
{
	char path[4096], *readme = malloc(README_MAX);
	FILE *f;
	size_t len;
	bool found;

	snprintf(path, sizeof(path), "%s/README", dir);
	f = readme ? fopen(path, "re") : NULL;
	len = f ? fread(readme, 1, README_MAX - 1, f) : 0;
	if (f)
		fclose(f);
	if (readme)
		readme[len] = '\0';
	found = readme && strstr(readme, text);
	free(readme);
	return found;
}

int rwk_tracefs_use(const char *dir, struct rwk_diag *diag)
{
	/* Says why in its own words on stderr otherwise. */
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (tracefs_set_tracing_dir((char *)(uintptr_t)dir))
		return rwk_diag_push(
			diag, -ENOMEM, "cannot use tracefs: dir=%s", dir ? dir : "none");
	return 0;
}
