/* Rows of loss, few enough to be kept however long a recording takes. */
#include "record/loss.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int rwk_loss_init(struct rwk_loss *ret, const struct rwk_cpuset *cpus, bool counts_overrun)
{
	int nr = rwk_cpuset_weight(cpus);
	struct rwk_loss loss = {.counts_overrun = counts_overrun,
		.cpus = *cpus,
		.cpu = calloc((size_t)nr, sizeof(*loss.cpu))};

	if (!loss.cpu)
		return -ENOMEM;
	for (int i = 0; i < nr; i++)
		loss.cpu[i].seen = RWK_NS_NONE;
	*ret = loss;
	return 0;
}

void rwk_loss_finish(struct rwk_loss *loss)
{
	free(loss->cpu);
	loss->cpu = NULL;
}

/* Two neighbours become one of both times: still true, only less exact. */
static void halve(struct rwk_loss_cpu *c)
{
	int nr = 0;

	for (int i = 0; i < c->nr; i += 2) {
		struct rwk_loss_row row = c->row[i];

		if (i + 1 < c->nr) {
			row.to = c->row[i + 1].to;
			row.overrun += c->row[i + 1].overrun;
			row.commit_overrun += c->row[i + 1].commit_overrun;
			row.dropped += c->row[i + 1].dropped;
		}
		c->row[nr++] = row;
	}
	c->nr = nr;
}

void rwk_loss_note(struct rwk_loss *loss, int nth, const struct rwk_record_cpu *now)
{
	struct rwk_loss_cpu *c = &loss->cpu[nth];
	struct rwk_loss_row row = {c->seen, now->now_ns,
		loss->counts_overrun ? now->overrun - c->overrun : 0,
		now->commit_overrun - c->commit_overrun, now->dropped - c->dropped};

	/* Without a time nothing can be said of when; the counters are kept for the next look. */
	if (now->now_ns == RWK_NS_NONE)
		return;
	if (c->seen != RWK_NS_NONE && (row.overrun || row.commit_overrun || row.dropped)) {
		if (c->nr == RWK_LOSS_MAX)
			halve(c);
		c->row[c->nr++] = row;
	}
	c->seen = now->now_ns;
	c->overrun = now->overrun;
	c->commit_overrun = now->commit_overrun;
	c->dropped = now->dropped;
}

void rwk_loss_sample(struct rwk_loss *loss, struct rwk_instance *inst)
{
	int i = 0;

	rwk_cpuset_foreach (cpu, &loss->cpus) {
		struct rwk_record_cpu now = {.cpu = cpu, .now_ns = RWK_NS_NONE};

		if (!rwk_instance_read_stats(inst, cpu, &now, NULL))
			rwk_loss_note(loss, i, &now);
		i++;
	}
}

char *rwk_loss_text(const struct rwk_loss *loss, int cpu, int *ret_err)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	int i = 0;

	*ret_err = 0;
	rwk_cpuset_foreach (c, &loss->cpus) {
		if (c == cpu)
			break;
		i++;
	}
	if (i == rwk_cpuset_weight(&loss->cpus) || !loss->cpu[i].nr)
		return NULL;
	out = open_memstream(&text, &size);
	if (!out) {
		*ret_err = -ENOMEM;
		return NULL;
	}
	for (int k = 0; k < loss->cpu[i].nr; k++) {
		const struct rwk_loss_row *row = &loss->cpu[i].row[k];

		fprintf(out, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
			row->from, row->to, row->overrun, row->commit_overrun, row->dropped);
	}
	if (fclose(out)) {
		free(text);
		*ret_err = -ENOMEM;
		return NULL;
	}
	return text;
}
