/* What the kernel has counted of a recording. */
#include <errno.h>
#include <stdlib.h>

#include "record/flight.h"
#include "record/recorder.h"

void rwk_recorder_find_window(struct rwk_recorder *r)
{
	struct rwk_record_cpu *cpu =
		calloc((size_t)rwk_cpuset_weight(&r->instance.setup.cpus), sizeof(*cpu));
	struct rwk_flight_window window;
	int nr = 0;

	rwk_cpuset_foreach (c, &r->instance.setup.cpus) {
		if (!cpu)
			break;
		cpu[nr].oldest_ns = cpu[nr].now_ns = RWK_NS_NONE;
		rwk_instance_read_stats(&r->instance, c, &cpu[nr], NULL);
		nr++;
	}
	window = rwk_flight_find_window(cpu, nr);
	free(cpu);
	r->result.flight_from = window.from;
	r->result.flight_ns =
		window.from == RWK_NS_NONE ? r->result.elapsed_ns : window.to - window.from;
}

int rwk_recorder_read_stats(struct rwk_recorder *r)
{
	struct rwk_record_result *result = &r->result;
	int i = 0;

	result->cpu =
		calloc((size_t)rwk_cpuset_weight(&r->instance.setup.cpus), sizeof(*result->cpu));
	if (!result->cpu)
		return rwk_diag_push(r->diag, -ENOMEM, "cannot read statistics: why=no memory");
	rwk_cpuset_foreach (cpu, &r->instance.setup.cpus) {
		struct rwk_record_cpu *c = &result->cpu[result->nr_cpus++];
		int err;

		c->cpu = cpu;
		c->oldest_ns = c->now_ns = RWK_NS_NONE;
		c->bytes = rwk_drain_bytes(r->drain, cpu);
		err = rwk_instance_read_stats(&r->instance, cpu, c, r->diag);
		if (err)
			return err;
		result->nr_events += c->read_events;
		result->lost += c->commit_overrun + c->dropped;
		/* That is how a flight recorder works. */
		if (!r->opt->flight.on)
			result->lost += c->overrun;
		result->unread += c->entries;
		rwk_loss_note(&r->loss, i++, c);
		c->losses = rwk_loss_text(&r->loss, cpu, &err);
		if (err)
			return rwk_diag_push(
				r->diag, err, "cannot keep what was lost: why=no memory");
	}
	return 0;
}

void rwk_recorder_read_profile(struct rwk_recorder *r, const struct rwk_record_probe *before)
{
	struct rwk_record_probe *p = &r->result.probe;

	rwk_probe_read_profile(&r->probe, r->tracing_dir, &p->hits, &p->missed);
	if (p->hits < 0 || before->hits < 0) {
		p->hits = p->missed = -1;
		return;
	}
	p->hits -= before->hits;
	p->missed -= before->missed;
}
