/*
 * When events were lost: the kernel only counts, so its counters are looked at
 * about every second, and what changed between two looks is kept.
 */
#ifndef SRC_RECORD_LOSS_H
#define SRC_RECORD_LOSS_H

#include "record/instance.h"

#define RWK_LOSS_MAX 512 /* kept per CPU; beyond it neighbours become one */

struct rwk_loss_row {
	rwk_ns from, to; /* by the clock of the trace: lost in between */
	int64_t overrun, commit_overrun, dropped; /* in that time */
};

struct rwk_loss_cpu {
	rwk_ns seen; /* the last look; RWK_NS_NONE: none yet */
	int64_t overrun, commit_overrun, dropped; /* then */
	int nr;
	struct rwk_loss_row row[RWK_LOSS_MAX];
};

struct rwk_loss {
	bool counts_overrun; /* else what is overwritten is not lost */
	struct rwk_cpuset cpus;
	struct rwk_loss_cpu *cpu; /* as many as cpus has, in order */
};

/* -ENOMEM; destroyed with rwk_loss_finish(). */
int rwk_loss_init(struct rwk_loss *ret, const struct rwk_cpuset *cpus, bool counts_overrun);
void rwk_loss_finish(struct rwk_loss *loss);

/* Looks at every CPU.  One that cannot be read is left out until the next time. */
void rwk_loss_sample(struct rwk_loss *loss, struct rwk_instance *inst);

/* What a look at the nth CPU has shown. */
void rwk_loss_note(struct rwk_loss *loss, int nth, const struct rwk_record_cpu *now);

/*
 * Lines "FROM TO OVERRUN COMMIT_OVERRUN DROPPED", times in ns, to be freed; NULL
 * with *ret_err 0 when nothing was lost, -ENOMEM otherwise.
 */
char *rwk_loss_text(const struct rwk_loss *loss, int cpu, int *ret_err);

#endif
