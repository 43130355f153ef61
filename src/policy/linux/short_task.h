/*
 * What the series of 2022 to 2024 called a short task, in its successive
 * definitions (design §5.4).
 */
#ifndef SRC_POLICY_LINUX_SHORT_TASK_H
#define SRC_POLICY_LINUX_SHORT_TASK_H

#include "policy/linux/walk.h"

/* Average run below an eighth of limit, and known to the kernel at all. */
bool linux_short_by_average(struct walk *k, const struct rwk_task_view *t, rwk_ns limit);
/* The same for a task that nobody else wakes or is woken by: no wakee_flips. */
bool linux_short_and_steady(struct walk *k, const struct rwk_task_view *t, rwk_ns limit);
/* Average run short against the size of target's LLC; a run of zero is short if the policy says. */
bool linux_short_for_llc(
	struct walk *k, const struct rwk_task_view *t, int target, bool zero_is_short);
/* Waker and wakee woke each other last. */
bool linux_wake_each_other(struct walk *k);

#endif
