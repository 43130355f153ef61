/* Events through libtracefs where it can, else through the kernel's list itself. */
#include "record/dynevent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tracefs.h>

#define LIST             "dynamic_events"
#define MAX_WHY          256
#define DESTROY_TRIES    50
#define DESTROY_PAUSE_NS 20000000

/*
 * The kernel's own words about a definition in group, on one line; "" without
 * any.  The log is everybody's: what is in it may be about something else, and
 * it is not ours to clear.
 */
static void kernel_error(const char *group, char *buf, size_t size)
{
	char *text = tracefs_error_last(NULL);
	const char *p = text && strstr(text, group) ? strstr(text, "error: ") : NULL;

	snprintf(buf, size, "%.*s", p ? (int)strcspn(p, "\n") : 0, p ? p : "");
	free(text);
}

char *rwk_dynevent_format(const struct rwk_dynevent_text *text, const char *group)
{
	static const char letter[] = {[RWK_DYNEVENT_KPROBE] = 'p',
		[RWK_DYNEVENT_KRETPROBE] = 'r',
		[RWK_DYNEVENT_FPROBE] = 'f',
		[RWK_DYNEVENT_FRETPROBE] = 'f',
		[RWK_DYNEVENT_TPROBE] = 't'};
	char *ret;

	if (asprintf(&ret, "%c:%s/%s %s%s %s", letter[text->type], group, text->name, text->place,
		    text->type == RWK_DYNEVENT_FRETPROBE ? "%return" : "", text->fetch) < 0)
		return NULL;
	return ret;
}

static int append(const char *line)
{
	char *text = NULL;
	int err;

	if (asprintf(&text, "%s\n", line) < 0)
		return -ENOMEM;
	errno = 0;
	err = tracefs_instance_file_append(NULL, LIST, text) < 0 ? (errno ? -errno : -EIO) : 0;
	free(text);
	return err;
}

static int make_by_text(const struct rwk_dynevent_text *text, const char *group)
{
	char *line = rwk_dynevent_format(text, group);
	int err = line ? append(line) : -ENOMEM;

	free(line);
	return err;
}

static int make_by_library(
	const struct rwk_dynevent_text *text, const char *group, struct tracefs_dynevent **ret)
{
	struct tracefs_dynevent *event;
	int err;

	errno = 0;
	event = text->type == RWK_DYNEVENT_KRETPROBE
			? tracefs_kretprobe_alloc(group, text->name, text->place, text->fetch, 0)
			: tracefs_kprobe_alloc(group, text->name, text->place, text->fetch);
	if (!event)
		return errno ? -errno : -ENOMEM;
	errno = 0;
	if (tracefs_dynevent_create(event)) {
		err = errno ? -errno : -EIO;
		tracefs_dynevent_free(event);
		return err;
	}
	*ret = event;
	return 0;
}

int rwk_dynevent_create(const struct rwk_dynevent_text *text, const char *group,
	struct rwk_dynevent *ret, struct rwk_diag *diag)
{
	bool by_library = text->type == RWK_DYNEVENT_KPROBE || text->type == RWK_DYNEVENT_KRETPROBE;
	struct rwk_dynevent event = {.made = true};
	char why[MAX_WHY];
	int err = by_library ? make_by_library(text, group, &event.handle)
			     : make_by_text(text, group);

	if (err) {
		kernel_error(group, why, sizeof(why));
		return rwk_diag_push(diag, err,
			"the kernel refuses a probe: event=%s/%s place=%s why=%s%s%s%s", group,
			text->name, text->place, strerror(-err), why[0] ? " (" : "", why,
			why[0] ? ")" : "");
	}
	snprintf(event.group, sizeof(event.group), "%s", group);
	snprintf(event.name, sizeof(event.name), "%s", text->name);
	*ret = event;
	return 0;
}

struct switch_off {
	const char *group, *name;
};

static int switch_off_in(const char *instance, void *ctx)
{
	const struct switch_off *s = ctx;
	struct tracefs_instance *inst = tracefs_instance_alloc(NULL, instance);

	/* One that went meanwhile has it on no longer. */
	if (!inst)
		return 0;
	tracefs_event_disable(inst, s->group, s->name);
	tracefs_instance_free(inst);
	return 0;
}

int rwk_dynevent_remove(const char *group, const char *name)
{
	struct switch_off s = {group, name};
	char *line = NULL;
	int err;

	tracefs_event_disable(NULL, group, name);
	tracefs_instances_walk(switch_off_in, &s);
	if (asprintf(&line, "-:%s/%s", group, name) < 0)
		return -ENOMEM;
	err = append(line);
	free(line);
	return err;
}

static int destroy_once(const struct rwk_dynevent *event)
{
	int err;

	if (!event->handle) {
		err = rwk_dynevent_remove(event->group, event->name);
		return err == -ENOENT ? 0 : err;
	}
	errno = 0;
	/* Forced: off wherever anybody has switched it on meanwhile. */
	if (!tracefs_dynevent_destroy(event->handle, true))
		return 0;
	return errno ? -errno : -EIO;
}

/* Busy for a moment after it was switched off, or its user killed. */
static int destroy_patiently(const struct rwk_dynevent *event)
{
	const struct timespec pause = {.tv_nsec = DESTROY_PAUSE_NS};
	int err = 0;

	for (int i = 0; i < DESTROY_TRIES; i++) {
		err = destroy_once(event);
		if (err != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return err;
}

int rwk_dynevent_destroy_handle(struct tracefs_dynevent *handle)
{
	return destroy_patiently(&(struct rwk_dynevent){.handle = handle});
}

int rwk_dynevent_destroy(struct rwk_dynevent *event)
{
	int err;

	if (!event->made)
		return 0;
	err = destroy_patiently(event);
	if (event->handle)
		tracefs_dynevent_free(event->handle);
	event->handle = NULL;
	event->made = false;
	return err;
}

bool rwk_dynevent_parse(const char *line, char group[96], char name[24])
{
	size_t digits;

	if (line[0] != 'f' && line[0] != 't')
		return false;
	digits = strspn(line + 1, "0123456789");
	return sscanf(line + 1 + digits, ":%95[^/ \n]/%23[^ \n]", group, name) == 2;
}
