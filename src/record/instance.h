/*
 * The recorder's own tracefs instance: created, set up, switched and removed
 * here.  Nothing outside of it is ever written, so that
 * other users of tracing notice nothing.
 */
#ifndef SRC_RECORD_INSTANCE_H
#define SRC_RECORD_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <rewake/types.h>

#include "base/diag.h"
#include "record/owner.h"
#include "record/record.h"
#include "record/setup.h"

#define RWK_INSTANCE_PREFIX "rewake-"

#define RWK_INSTANCE_WITHOUT 512

struct tracefs_instance;

#define RWK_RECORD_NR_EVENTS 5
extern const char *const rwk_record_events[RWK_RECORD_NR_EVENTS]; /* of system sched */

struct rwk_instance {
	struct tracefs_instance *handle; /* NULL: none */
	const char *dir; /* of tracefs, borrowed */
	struct rwk_setup setup;
	size_t page_size; /* of the ring buffer's pages */
	char without[RWK_INSTANCE_WITHOUT]; /* files that this kernel lacks, and what that means */
};

/*
 * Creates and sets up the owner's instance, "rewake-OWNER" and role, still switched off and
 * without events.
 * buffer_kb 0: default.  only: CPUs that get buffers of that size, the others the
 * least possible; NULL: all.  dir is the tracefs in use, and borrowed.
 */
int rwk_instance_create(struct rwk_instance *ret, const char *dir, const struct rwk_owner *owner,
	const char *role, int64_t buffer_kb, const struct rwk_cpuset *only, struct rwk_diag *diag);

/*
 * The second half of that, for an instance of which only the handle is set.  What can be done
 * without is in without then; -ENODATA: a file is missing that cannot.
 */
int rwk_instance_set_up(struct rwk_instance *inst, int64_t buffer_kb, const struct rwk_cpuset *only,
	struct rwk_diag *diag);

/* Its files: whether there is one, and writing in the place of what is in it or behind that. */
bool rwk_instance_has(const struct rwk_instance *inst, const char *name);
int rwk_instance_set(
	struct rwk_instance *inst, const char *name, const char *value, struct rwk_diag *diag);
int rwk_instance_append(
	struct rwk_instance *inst, const char *name, const char *value, struct rwk_diag *diag);

/* Records all of rwk_record_events. */
int rwk_instance_enable_sched(struct rwk_instance *inst, struct rwk_diag *diag);

/* Records one event. */
int rwk_instance_enable(
	struct rwk_instance *inst, const char *system, const char *event, struct rwk_diag *diag);
void rwk_instance_disable(struct rwk_instance *inst, const char *system, const char *event);

int rwk_instance_switch(struct rwk_instance *inst, bool on, struct rwk_diag *diag);

/* A non-blocking fd of cpu's raw pages, or a negative errno. */
int rwk_instance_open_cpu(struct rwk_instance *inst, int cpu, struct rwk_diag *diag);

/* Counters of cpu since the beginning. */
int rwk_instance_read_stats(
	struct rwk_instance *inst, int cpu, struct rwk_record_cpu *ret, struct rwk_diag *diag);

/* Removes it from the kernel.  Its CPU files must be closed.  Nothing to do without one. */
int rwk_instance_destroy(struct rwk_instance *inst, struct rwk_diag *diag);

#endif
