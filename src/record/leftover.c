/* Finding and removing leftovers. */
#include "record/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tracefs.h>

#include "record/dynevent.h"
#include "record/hotplug.h"
#include "record/instance.h"
#include "record/probe.h"
#include "record/trail.h"
#include "record/trigger.h"
#include "record/trigger_kernel.h"
#include "record/workdir.h"

#define REMOVE_TRIES    50
#define REMOVE_PAUSE_NS 20000000

struct sweep {
	const struct rwk_owner *self;
	void (*tell)(const char *text);
	int nr_removed;
};

static void __attribute__((format(printf, 2, 3))) tell(const struct sweep *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!s->tell)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->tell(text);
}

/* Whether it is to go; says so, or why it stays. */
static bool is_left(
	const struct sweep *s, const struct rwk_owner *owner, const char *what, const char *name)
{
	switch (rwk_owner_state(owner, s->self)) {
	case RWK_OWNER_DEAD:
		tell(s, "removing what a killed recorder (pid %" PRId64 ") left: %s %s", owner->pid,
			what, name);
		return true;
	case RWK_OWNER_UNKNOWN:
		tell(s,
			"left alone: %s %s, of a recorder (pid %" PRId64
			") on another machine, boot or PID namespace; remove it if that is gone",
			what, name, owner->pid);
		return false;
	case RWK_OWNER_ALIVE:
	default:
		return false;
	}
}

static void book(struct sweep *s, int err, const char *what, const char *name)
{
	/* Another recorder may be cleaning up as well. */
	if (!err || err == -ENOENT)
		s->nr_removed++;
	else
		tell(s, "cannot remove the %s %s: %s", what, name,
			err == -EPERM ? "not safely ours" : strerror(-err));
}

/* Busy for a moment while a killed process is taken apart. */
static bool try_again(int tries, int err)
{
	const struct timespec pause = {.tv_nsec = REMOVE_PAUSE_NS};

	if (err != -EBUSY || tries >= REMOVE_TRIES)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

static int remove_instance(int dir_fd, const char *path, const char *name)
{
	char instance[4096 + 256];

	/* What a trigger left on events there keeps it. */
	snprintf(instance, sizeof(instance), "%s/%s", path, name);
	rwk_trigger_kernel_clear(instance);
	for (int tries = 0;; tries++) {
		int err = unlinkat(dir_fd, name, AT_REMOVEDIR) ? -errno : 0;

		if (!try_again(tries, err))
			return err;
	}
}

static void sweep_instances(struct sweep *s, const char *tracing_dir)
{
	static const char what[] = "trace instance";
	char path[4096];
	const struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", tracing_dir);
	dir = opendir(path);
	while (dir && (de = readdir(dir))) {
		const size_t len = sizeof(RWK_INSTANCE_PREFIX) - 1;
		struct rwk_owner owner;
		const char *rest;

		if (strncmp(de->d_name, RWK_INSTANCE_PREFIX, len) ||
			rwk_owner_parse(de->d_name + len, '-', &owner, &rest) ||
			(*rest && strcmp(rest, RWK_TRIGGER_ROLE) &&
				strcmp(rest, RWK_HOTPLUG_ROLE)) ||
			!is_left(s, &owner, what, de->d_name))
			continue;
		book(s, remove_instance(dirfd(dir), path, de->d_name), what, de->d_name);
	}
	if (dir)
		closedir(dir);
}

/* Whose it is: a probe's by its group, a trigger's by its name.  NULL: not a recorder's. */
static const char *whose_event(const char *system, const char *name, struct rwk_owner *ret)
{
	static const char group[] = RWK_PROBE_GROUP "_";
	const char *rest;

	if (!strncmp(system, group, sizeof(group) - 1) &&
		!rwk_owner_parse(system + sizeof(group) - 1, '_', ret, &rest) && !*rest)
		return "probe event";
	if (!strcmp(system, RWK_TRIGGER_SYSTEM) &&
		!strncmp(name, RWK_TRIGGER_EVENT, sizeof(RWK_TRIGGER_EVENT) - 1) &&
		!rwk_owner_parse(name + sizeof(RWK_TRIGGER_EVENT) - 1, '_', ret, &rest) && !*rest)
		return "synthetic event";
	return NULL;
}

static void sweep_event(struct sweep *s, struct tracefs_dynevent *event)
{
	char *system = NULL, *name = NULL, label[256];
	const char *what = NULL;
	struct rwk_owner owner;

	if (tracefs_dynevent_info(event, &system, &name, NULL, NULL, NULL) !=
			TRACEFS_DYNEVENT_UNKNOWN &&
		system && name)
		what = whose_event(system, name, &owner);
	if (what) {
		snprintf(label, sizeof(label), "%s/%s", system, name);
		if (is_left(s, &owner, what, label))
			book(s, rwk_dynevent_destroy_handle(event), what, label);
	}
	free(system);
	free(name);
}

/* Those that libtracefs does not know. */
static void sweep_line(struct sweep *s, const char *line)
{
	static const char what[] = "probe event";
	const size_t len = sizeof(RWK_PROBE_GROUP "_") - 1;
	char group[96], name[24], label[128];
	struct rwk_owner owner;
	const char *rest;
	int err;

	if (!rwk_dynevent_parse(line, group, name) || strncmp(group, RWK_PROBE_GROUP "_", len) ||
		rwk_owner_parse(group + len, '_', &owner, &rest) || *rest)
		return;
	snprintf(label, sizeof(label), "%s/%s", group, name);
	if (!is_left(s, &owner, what, label))
		return;
	for (int tries = 0;; tries++) {
		err = rwk_dynevent_remove(group, name);
		if (!try_again(tries, err))
			break;
	}
	book(s, err, what, label);
}

static void sweep_lines(struct sweep *s)
{
	char *text = tracefs_instance_file_read(NULL, "dynamic_events", NULL), *rest = text;

	for (char *line; text && (line = strsep(&rest, "\n"));)
		sweep_line(s, line);
	free(text);
}

static void sweep_events(struct sweep *s)
{
	/* Of any type: nobody else has a reason to use such a group. */
	struct tracefs_dynevent **all = tracefs_dynevent_get_all(0, NULL);

	for (int i = 0; all && all[i]; i++)
		sweep_event(s, all[i]);
	tracefs_dynevent_list_free(all);
	sweep_lines(s);
}

/* Work directories in parent: everybody's, or with only those of one owner. */
static void sweep_folders(struct sweep *s, const char *parent, const struct rwk_owner *only)
{
	static const char what[] = "work directory";
	DIR *dir = opendir(parent);
	const struct dirent *de;

	while (dir && (de = readdir(dir))) {
		struct rwk_owner owner;
		char label[512];

		if (rwk_workdir_parse(de->d_name, &owner) ||
			(only && !rwk_owner_equal(only, &owner)))
			continue;
		snprintf(label, sizeof(label), "%.200s/%s", parent, de->d_name);
		if (is_left(s, &owner, what, label))
			book(s, rwk_workdir_remove_at(dirfd(dir), de->d_name), what, label);
	}
	if (dir)
		closedir(dir);
}

static void follow_trail(void *ctx, const struct rwk_owner *owner, const char *parent)
{
	struct sweep *s = ctx;

	if (rwk_owner_state(owner, s->self) != RWK_OWNER_DEAD)
		return;
	sweep_folders(s, parent, owner);
	rwk_trail_clear(RWK_TRAIL_DIR, owner);
}

void rwk_leftovers_remove_folders(const char *output, const struct rwk_owner *self)
{
	struct sweep s = {.self = self};
	char *parent = rwk_workdir_parent(output);

	if (parent)
		sweep_folders(&s, parent, NULL);
	free(parent);
}

int rwk_leftovers_remove(const char *tracing_dir, const char *output, const struct rwk_owner *self,
	void (*tell_user)(const char *text))
{
	struct sweep s = {.self = self, .tell = tell_user};
	char *parent = output ? rwk_workdir_parent(output) : NULL;

	/* An event that an instance still has on cannot be removed. */
	sweep_instances(&s, tracing_dir);
	sweep_events(&s);
	if (parent)
		sweep_folders(&s, parent, NULL);
	rwk_trail_walk(RWK_TRAIL_DIR, follow_trail, &s);
	free(parent);
	return s.nr_removed;
}
