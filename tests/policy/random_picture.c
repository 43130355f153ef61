/* Pictures drawn at random. */
#include "random_picture.h"

/* xorshift64*: small, and the same everywhere. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 33) % below;
}

static void random_task(uint64_t *s, struct rwk_task_view *t, int nr_cpus, bool known)
{
	t->wakee_flips = draw(s, 40);
	t->recent_cpu = (int)draw(s, (uint32_t)nr_cpus);
	t->load_avg = t->h_load = draw(s, 1025);
	t->avg_run_ns = draw(s, 4000);
	t->avg_overlap_ns = draw(s, 2) ? draw(s, 1000000) : 0;
	t->run_total_ns = draw(s, 50000000);
	t->nr_sleeps = draw(s, 20);
	t->util_avg = draw(s, 1025);
	t->util_est = draw(s, 1025);
	t->runnable_avg = draw(s, 1025);
	t->short_slice = draw(s, 2);
	if (known)
		return;
	t->flips_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->recent_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->last_wakee_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->load_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->avg_run_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->avg_overlap_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->run_total_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->short_slice_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->uclamp_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
}

static void random_queue(uint64_t *s, struct picture *pic, struct rwk_queue_view *q,
	struct rwk_queued_view *task, bool known)
{
	int64_t newest = pic->w.ts / RWK_WAKE_MIX_NS;
	struct rwk_wake_mix_bucket *b = &pic->mix.bucket[newest % RWK_WAKE_MIX_BUCKETS];

	pic->mix.newest = newest;
	*b = (struct rwk_wake_mix_bucket){.all = (uint16_t)(1 + draw(s, 9))};
	b->sync = (uint16_t)draw(s, b->all + 1u);
	/* T and P may be one CPU, with one queue then. */
	if (q == &pic->w.prev_queue && pic->w.this_cpu == pic->w.prev_cpu) {
		*q = pic->w.this_queue;
		return;
	}
	q->nr = (int)draw(s, PIC_QUEUED);
	for (int i = 0; i < q->nr; i++)
		task[i] = (struct rwk_queued_view){.utid = 300 + i,
			.h_load = draw(s, 1025),
			.load_source = RWK_PROBED,
			.mix = draw(s, 2) ? &pic->mix : NULL};
	if (known)
		return;
	b->unknown = (uint16_t)draw(s, 2);
	q->source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
}

void random_picture(struct picture *pic, uint64_t seed, const char *kernel, bool known)
{
	static const int shapes[][3] = {
		{16, 16, 1}, {16, 8, 2}, {16, 4, 1}, {8, 4, 2}, {8, 8, 2}, {4, 2, 1}, {2, 2, 1}};
	uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	const int *shape = shapes[draw(&s, sizeof(shapes) / sizeof(shapes[0]))];
	int nr_cpus = shape[0];
	uint32_t busy = draw(&s, 5);

	picture_init(pic, nr_cpus, shape[1], shape[2], kernel);
	pic->w.this_cpu = (int)draw(&s, (uint32_t)nr_cpus);
	pic->w.prev_cpu = (int)draw(&s, (uint32_t)nr_cpus);
	pic->w.context = (enum rwk_context)draw(&s, RWK_CTX_HARDIRQ + 1);
	pic->w.sync = draw(&s, 2);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		struct rwk_cpu_view *c = &pic->cpu[cpu];

		/* In task context the waker's CPU is not idle. */
		if (draw(&s, 4) >= busy &&
			(cpu != pic->w.this_cpu || pic->w.context != RWK_CTX_TASK))
			picture_idle(pic, cpu);
		else
			c->nr_running = (uint16_t)(1 + draw(&s, 3));
		c->load_avg = draw(&s, 3000);
		c->util_avg = draw(&s, 1025);
		c->util_est = draw(&s, 1025);
		c->runnable_avg = draw(&s, 3000);
		c->idle_since_ns = pic->w.ts - draw(&s, 5);
		c->nr_fair = c->nr_running;
		c->load_weight = c->nr_fair * (uint64_t)(15 + draw(&s, 3000));
		c->curr_run_total_ns = draw(&s, 50000000);
		c->curr_nr_sleeps = draw(&s, 20);
		c->hot_until_ns = draw(&s, 2) ? pic->w.ts + draw(&s, 1000) : RWK_NS_NONE;
		if (!known && !draw(&s, 4)) {
			c->source = RWK_UNKNOWN;
			c->load_source = RWK_UNKNOWN;
			c->queue_source = RWK_UNKNOWN;
			c->hot_source = RWK_UNKNOWN;
			c->idle_since_source = RWK_UNKNOWN;
			c->curr_run_total_source = RWK_UNKNOWN;
			c->idle = false;
		}
		if (!draw(&s, 8) && rwk_cpuset_weight(&pic->w.allowed) > 1)
			rwk_cpuset_del(&pic->w.allowed, cpu);
	}
	for (int llc = 0; llc < pic->machine.nr_llc; llc++) {
		pic->llc[llc].has_idle_cores = pic->machine.smt_active && draw(&s, 2);
		pic->llc[llc].nr_idle_scan = (int)draw(&s, (uint32_t)shape[1] + 1);
		if (!known)
			pic->llc[llc].nr_idle_scan_source = (uint8_t)draw(&s, RWK_SOURCE_COUNT);
	}
	random_queue(&s, pic, &pic->w.this_queue, pic->queued[0], known);
	random_queue(&s, pic, &pic->w.prev_queue, pic->queued[1], known);
	random_task(&s, &pic->w.waker, nr_cpus, known);
	random_task(&s, &pic->w.wakee, nr_cpus, known);
	pic->w.waker.last_wakee = pic->w.wakee.utid;
	pic->w.wakee.last_wakee = draw(&s, 2) ? pic->w.waker.utid : 77;
	pic->w.waker.is_pcpu_kthread = !draw(&s, 6);
	pic->w.waker.is_exiting = !draw(&s, 10);
	if (!known) {
		pic->w.sync_source = (uint8_t)draw(&s, RWK_SOURCE_COUNT);
		pic->w.allowed_source = (uint8_t)draw(&s, RWK_SOURCE_COUNT);
		pic->w.recorded_source = (uint8_t)draw(&s, RWK_SOURCE_COUNT);
	}
	pic->w.recorded_cpu = rwk_cpuset_next(&pic->w.allowed, 0);
}

void random_oddities(struct picture *pic, uint64_t seed)
{
	uint64_t s = seed * UINT64_C(0xd6e8feb86659fd93) + 1;
	struct rwk_machine *m = &pic->machine;
	int alone = (int)draw(&s, (uint32_t)m->nr_cpu_ids);

	if (draw(&s, 2))
		picture_nodes(pic, 1 + (int)draw(&s, (uint32_t)m->nr_llc));
	if (draw(&s, 2))
		picture_asym(pic, (int)draw(&s, (uint32_t)m->nr_cpu_ids));
	if (draw(&s, 2))
		picture_clusters(pic, 1 + (int)draw(&s, 4));
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++)
		pic->cpu[cpu].sched_idle = !pic->cpu[cpu].idle && !draw(&s, 4);
	pic->w.wakee.is_sched_idle = draw(&s, 2);
	pic->w.wakee.uclamp_min = (uint16_t)draw(&s, 1025);
	pic->w.wakee.uclamp_max = (uint16_t)draw(&s, 1025);
	pic->w.current_cpu = !draw(&s, 4);
	/* A CPU outside every domain, as isolcpus makes them. */
	if (draw(&s, 2)) {
		m->cpu[alone].nr_domains = 0;
		for (int i = 0; i < m->nr_llc; i++) {
			if (!rwk_cpuset_has(&m->llc[i].cpus, alone) || m->llc[i].size == 1)
				continue;
			rwk_cpuset_del(&m->llc[i].cpus, alone);
			m->llc[i].size--;
			m->llc[i].first_cpu = rwk_cpuset_next(&m->llc[i].cpus, 0);
			m->cpu[alone].llc = RWK_NONE;
		}
	}
}
