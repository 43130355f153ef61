/*
 * One dynamic event of the kernel: made, and removed whoever has it on.  kprobes go
 * through libtracefs; it cannot describe fprobes (events on functions by ftrace, 6.5) and
 * tprobes (events of bare tracepoints, 6.5), which go through the same list of the kernel's.
 */
#ifndef SRC_RECORD_DYNEVENT_H
#define SRC_RECORD_DYNEVENT_H

#include <stdbool.h>

#include "base/diag.h"

enum rwk_dynevent_type {
	RWK_DYNEVENT_KPROBE,
	RWK_DYNEVENT_KRETPROBE,
	RWK_DYNEVENT_FPROBE,
	RWK_DYNEVENT_FRETPROBE,
	RWK_DYNEVENT_TPROBE,
};

struct rwk_dynevent_text {
	enum rwk_dynevent_type type;
	const char *name;
	const char *place; /* function or tracepoint */
	const char *fetch; /* "prev=$arg2:s32 wf=$arg3:x32" */
};

struct tracefs_dynevent;

struct rwk_dynevent {
	char group[96], name[24];
	struct tracefs_dynevent *handle; /* NULL: not of libtracefs */
	bool made;
};

/* "p:GROUP/NAME PLACE FETCH" as the kernel takes it; to be freed, NULL: no memory. */
char *rwk_dynevent_format(const struct rwk_dynevent_text *text, const char *group);

/* Makes it in the tracefs in use.  What the kernel refused with, in its own words. */
int rwk_dynevent_create(const struct rwk_dynevent_text *text, const char *group,
	struct rwk_dynevent *ret, struct rwk_diag *diag);

/*
 * Switches it off wherever anybody has it on and removes it; waits while it is busy.
 * What is not there any more, or never was made, is gone.  May be repeated.
 */
int rwk_dynevent_destroy(struct rwk_dynevent *event);

/* The same of any that libtracefs tells of, also synthetic and others' ones; it is not freed. */
int rwk_dynevent_destroy_handle(struct tracefs_dynevent *handle);

/* The same of one that libtracefs cannot tell of, made by whomever.  -EBUSY is not waited for. */
int rwk_dynevent_remove(const char *group, const char *name);

/*
 * Whether libtracefs leaves that line of the kernel's list, "t:GROUP/NAME …", to us:
 * then its group and name.
 */
bool rwk_dynevent_parse(const char *line, char group[96], char name[24]);

#endif
