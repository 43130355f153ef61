/*
 * Habits of tasks that proposed policies look at: how long they run before they
 * sleep, how long after waking somebody, how often in their life, how soon they
 * come back, whom they wake in sync (design §2.11, §5.2, §5.4, §5.5).
 */
#ifndef SRC_MODEL_HABITS_H
#define SRC_MODEL_HABITS_H

#include "model/state.h"

/* t begins its life: everything about it is known from now on. */
void rwk_habit_birth(struct rwk_task *t);
/* t becomes cpu's current task at m->now; seen: by a switch, not found there later. */
void rwk_habit_run_begin(struct rwk_model *m, struct rwk_task *t, int cpu, bool seen);
/* t, current until m->now, leaves its CPU; sleeps: and does not stay queued. */
void rwk_habit_run_end(struct rwk_model *m, struct rwk_task *t, bool sleeps);
/* How long t, current on a CPU, still ran there was lost. */
void rwk_habit_lost(struct rwk_task *t);
/* t, dequeued for a sleep, left cpu. */
void rwk_habit_sleeps(struct rwk_model *m, struct rwk_task *t, int cpu);
/* t is queued again after a sleep. */
void rwk_habit_returns(struct rwk_model *m, struct rwk_task *t);
/* cpu's current task, outside interrupts, wakes somebody. */
void rwk_habit_wakes(struct rwk_model *m, int cpu);
/* t woke somebody for whom a CPU was chosen.  0 or -ENOMEM. */
int rwk_habit_decides(struct rwk_model *m, struct rwk_task *t, bool sync, bool known);

#endif
