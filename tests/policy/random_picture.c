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
	if (known)
		return;
	t->flips_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->recent_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->last_wakee_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->load_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
	t->avg_run_source = (uint8_t)draw(s, RWK_SOURCE_COUNT);
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
		if (!known && !draw(&s, 4)) {
			c->source = RWK_UNKNOWN;
			c->load_source = RWK_UNKNOWN;
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
