/* Shared by the files of the room only. */
#ifndef SRC_TIMELINE_PRIVATE_H
#define SRC_TIMELINE_PRIVATE_H

#include "timeline/timeline.h"
#include "timeline/window.h"

#define MAX_OPEN 4 /* wakeups of one task that may wait at once */

/* A wakeup row with what only its classification needs. */
struct open_wakeup {
	struct rwk_wakeup_row row;
	uint8_t wakee_was; /* enum rwk_task_state at the waking */
	bool certain; /* that state was */
	bool classified;
	bool held; /* a CPU's held_sync: not to leave before that slice ends */
	bool done; /* would have left */
	rwk_ns slept_ts; /* wakee's last switch-out into a sleep */
	/*
	 * The waker's CPU wrote another event while the wakee was still on its own:
	 * it did not wait for it, so that it cannot have chosen.
	 */
	bool waker_went_on;
	bool delayed; /* blocked, but by the model still queued (6.12+) */
	bool taken_for_delayed; /* and that decided the kind */
	bool counted; /* the kernel told whether the wakee was put on a queue, which is next */
	bool enqueued;
	rwk_ns waits_until; /* then it is not switched in before, unless the waker blocks */
};

struct tl_cpu {
	int64_t slice; /* open slice, 0 none */
	int64_t held_sync; /* last sync wakeup by the task on it, 0 none */
	int64_t waking; /* wakeup whose probe entry may follow on this CPU, 0 none */
	bool probe_open; /* entry seen, return not */
	bool probe_ready; /* returned, waiting for its sched_wakeup_new */
	struct rwk_probe_row probe;
	struct rwk_cpuset probed; /* whose state came with that entry */
	rwk_ns first_ts, last_ts;
	int32_t counted_up; /* CPU whose queue grew by the last rewake:nr, if nothing else came
			       since */
	bool count_lost; /* events were lost since there was anything else */
};

struct tl_task {
	struct rwk_task_row row;
	int64_t open[MAX_OPEN]; /* wakeup ids, oldest first */
	int nr_open;
	bool pinned;
};

struct rwk_timeline {
	struct rwk_timeline_options opt;
	struct rwk_model *model;
	struct rwk_window slices, wakeups;
	struct tl_cpu *cpu; /* [model->nr_cpus] */
	struct tl_task *task; /* [utid - 1] */
	size_t task_cap;
	struct rwk_task_row *task_rows; /* after finish */
	int64_t seq, nr_migrations;
	bool seen_switch; /* without one, no state of a task is certain */
	/* Fastest remote wakeup after a choice so far: no choice takes less. */
	rwk_ns fastest_choice_ns;
	bool seen_count; /* rewake:nr is recorded, so that a missing one tells something */
	bool old_flags; /* wake flags of kernels up to 5.10 */
};

/* The timeline's part of a task, made on first sight.  NULL: out of memory. */
struct tl_task *tl_task(struct rwk_timeline *tl, const struct rwk_task *t);

/* wakeups.c */
/* Another event on cpu after its last sched_waking, which is still noted there. */
void tl_waker_goes_on(struct rwk_timeline *tl, int cpu);
int tl_on_waking(struct rwk_timeline *tl, const struct rwk_event *ev);
int tl_on_wakeup(struct rwk_timeline *tl, const struct rwk_event *ev);
/* The model has ev, a wakeup, too. */
void tl_after_wakeup(struct rwk_timeline *tl, const struct rwk_event *ev);
int tl_on_wakeup_new(struct rwk_timeline *tl, const struct rwk_event *ev, struct rwk_task *child);
int tl_on_migrate(struct rwk_timeline *tl, const struct rwk_event *ev);
/* t is switched in on ev->cpu: its wakeups are over. */
int tl_wakeups_run(struct rwk_timeline *tl, struct rwk_task *t, const struct rwk_event *ev);
/* The sync wakeup made by the task on cpu is the last of its slice, which ended; dead: for good. */
int tl_wakeups_slice_end(struct rwk_timeline *tl, int cpu, bool dead);
/* w was sync, by the task on cpu: how its slice ends will tell whether it was exiting. */
int tl_wakeups_hold(struct rwk_timeline *tl, int cpu, struct open_wakeup *w);
/* Every open wakeup of t ends without a run. */
int tl_wakeups_censor(struct rwk_timeline *tl, struct tl_task *tt, enum rwk_censor why);

/* probes.c */
int tl_on_sel(struct rwk_timeline *tl, const struct rwk_event *ev);
/* State of CPUs, which belongs to the entry before it on the same CPU. */
int tl_on_sel_state(struct rwk_timeline *tl, const struct rwk_event *ev);
int tl_on_sel_ret(struct rwk_timeline *tl, const struct rwk_event *ev);
/* Whatever came on ev->cpu: a returned probe that waited for a new task is not that. */
int tl_probe_flush(struct rwk_timeline *tl, const struct rwk_event *ev);

#endif
