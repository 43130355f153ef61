/*
 * What the kernel's hot-plug steps mean for the scheduler, as rows of text:
 *
 *   FROM TO WHAT [CPU]     times in ns by the clock of the trace
 *
 *   active, inactive       tasks may, may not be placed on the CPU any more
 *   online, offline        it is, is not a hardware thread of its core any more
 *   domains                the scheduling domains of all CPUs were taken down and
 *                          built anew, of the CPUs that were active then
 *
 * Each became so between FROM and TO; TO is "end" where that was not over when
 * the recording was.
 */
#ifndef SRC_RECORD_HOTPLUG_ROWS_H
#define SRC_RECORD_HOTPLUG_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <rewake/types.h>

#define RWK_HOTPLUG_STATES "/sys/devices/system/cpu/hotplug/states"

/* Numbers of steps, which differ by kernel; -1: it has no such step. */
struct rwk_hotplug_states {
	int active; /* "sched:active" */
	int bringup; /* "cpu:bringup" */
	int teardown; /* "cpu:teardown" */
};

/* From the text of RWK_HOTPLUG_STATES: "235: sched:active\n…". */
struct rwk_hotplug_states rwk_hotplug_states_parse(const char *text);

enum rwk_hotplug_kind {
	RWK_HOTPLUG_ENTER, /* a step of cpu begins */
	RWK_HOTPLUG_EXIT,
	RWK_HOTPLUG_REBUILD, /* domains begin to be built */
	RWK_HOTPLUG_REBUILT,
};

struct rwk_hotplug_event {
	rwk_ns ts;
	enum rwk_hotplug_kind kind;
	int cpu;
	int step;
	int state; /* at ENTER the target, at EXIT what was reached: below step when it goes */
	int result; /* of EXIT; not 0: it failed, and was undone */
};

/*
 * Sorts events by time.  with_domains: domains are built within the step
 * sched:active, and there are no events of that.  Text to be freed, "" without
 * rows; NULL: no memory.
 */
char *rwk_hotplug_rows(struct rwk_hotplug_event *events, size_t nr,
	const struct rwk_hotplug_states *states, bool with_domains);

#endif
