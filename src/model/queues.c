/* Lists of queued tasks. */
#include "model/queues.h"

#include "base/vec.h"
#include "model/load.h"

void rwk_queue_add(struct rwk_model *m, struct rwk_task *t)
{
	struct rwk_cpu_state *c = &m->cpu[t->queue_cpu];

	t->queue_prev = NULL;
	t->queue_next = c->queue;
	if (c->queue)
		c->queue->queue_prev = t;
	c->queue = t;
}

void rwk_queue_del(struct rwk_model *m, struct rwk_task *t)
{
	if (t->queue_prev)
		t->queue_prev->queue_next = t->queue_next;
	else
		m->cpu[t->queue_cpu].queue = t->queue_next;
	if (t->queue_next)
		t->queue_next->queue_prev = t->queue_prev;
	t->queue_next = t->queue_prev = NULL;
}

void rwk_queue_empty(struct rwk_model *m, int cpu)
{
	m->cpu[cpu].queue = NULL;
}

static int view_of(
	struct rwk_model *m, int cpu, struct rwk_queued_list *list, struct rwk_queue_view *ret)
{
	size_t nr = 0;

	for (const struct rwk_task *t = m->cpu[cpu].queue; t; t = t->queue_next) {
		int err;

		if (!t->pelt.on_rq)
			continue;
		err = rwk_vec_grow(&list->of, &list->cap, nr + 1, sizeof(*list->of));
		if (err)
			return err;
		list->of[nr++] = (struct rwk_queued_view){.utid = t->utid,
			.h_load = rwk_load_h(m, t),
			.load_source = rwk_load_source(m, t),
			.mix = t->habit.mix};
	}
	*ret = (struct rwk_queue_view){
		.task = list->of, .nr = (int)nr, .source = rwk_model_queue_source(m, cpu)};
	return 0;
}

int rwk_queue_views(struct rwk_model *m, struct rwk_wakeup *ret)
{
	int err = 0;

	if (rwk_model_cpu_ok(m, ret->this_cpu))
		err = view_of(m, ret->this_cpu, &m->queued[0], &ret->this_queue);
	if (!err && rwk_model_cpu_ok(m, ret->prev_cpu))
		err = view_of(m, ret->prev_cpu, &m->queued[1], &ret->prev_queue);
	return err;
}
