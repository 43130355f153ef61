/*
 * Load of task groups: queues, entities and weights (groups.h).
 */
#include "model/groups.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/picture.h"

#define MIN_WEIGHT    2
#define CONTRIB_MS_NS ((rwk_ns)1000000)

int rwk_group_tree_create(const struct rwk_group_facts *facts, struct rwk_version kernel,
	int nr_cpus, struct rwk_group_tree **ret)
{
	struct rwk_group_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	tree->facts = facts;
	tree->nr_cpus = nr_cpus;
	tree->rate_limited = rwk_version_cmp(kernel, (struct rwk_version){6, 7, 0}) >= 0;
	tree->keeps_weight = rwk_version_cmp(kernel, (struct rwk_version){6, 12, 0}) >= 0;
	tree->load = calloc(facts->nr + 1, sizeof(*tree->load));
	tree->cpu = calloc((size_t)nr_cpus + 1, sizeof(*tree->cpu));
	if (!tree->load || !tree->cpu) {
		rwk_group_tree_destroy(tree);
		return -ENOMEM;
	}
	*ret = tree;
	return 0;
}

void rwk_group_tree_destroy(struct rwk_group_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->nr; i++)
		free(tree->queue[i]);
	free(tree->queue);
	free(tree->load);
	free(tree->cpu);
	rwk_map_finish(&tree->by_place);
	free(tree);
}

static struct rwk_pelt *around(const struct rwk_model *m, const struct rwk_group_queue *q)
{
	return q->parent ? &q->parent->cfs : &m->cpu[q->cpu].cfs;
}

/* The weights queued around q lose one and gain another. */
static void add_weight(
	struct rwk_model *m, const struct rwk_group_queue *q, uint32_t loses, uint32_t gains)
{
	uint64_t *sum = q->parent ? &q->parent->load_weight : &m->cpu[q->cpu].load_weight;

	*sum = (*sum > loses ? *sum - loses : 0) + gains;
}

static int queue_add(struct rwk_model *m, int32_t group, int cpu, struct rwk_group_queue **ret)
{
	struct rwk_group_tree *tree = m->groups;
	const struct rwk_task_group *g = &tree->facts->group[group];
	const struct rwk_pelt *root = &m->cpu[cpu].cfs;
	struct rwk_group_queue *q;
	struct rwk_group_queue *parent = rwk_group_queue_get(m, g->parent, cpu);

	if (g->parent >= 0 && !parent)
		return -ENOMEM;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->parent = parent;
	q->group = group;
	q->cpu = cpu;
	q->weight = g->shares;
	q->contrib_ts = RWK_NS_NONE;
	q->cfs.last = q->entity.last = root->last;
	q->cfs.period_contrib = q->entity.period_contrib = root->period_contrib;
	if (rwk_vec_grow(&tree->queue, &tree->cap, tree->nr + 1, sizeof(*tree->queue)) ||
		rwk_map_set(&tree->by_place,
			(uint64_t)group * (uint64_t)tree->nr_cpus + (uint64_t)cpu,
			(int32_t)tree->nr))
		goto nomem;
	tree->queue[tree->nr++] = q;
	q->next = tree->cpu[cpu].first;
	tree->cpu[cpu].first = q;
	*ret = q;
	return 0;
nomem:
	free(q);
	return -ENOMEM;
}

struct rwk_group_queue *rwk_group_queue_get(struct rwk_model *m, int32_t group, int cpu)
{
	struct rwk_group_tree *tree = m->groups;
	struct rwk_group_queue *q = NULL;
	const int32_t *at;

	if (!tree || group < 0)
		return NULL;
	at = rwk_map_find(
		&tree->by_place, (uint64_t)group * (uint64_t)tree->nr_cpus + (uint64_t)cpu);
	if (at)
		return tree->queue[*at];
	if (queue_add(m, group, cpu, &q))
		tree->failed = true;
	return q;
}

/* Whoever runs on the CPU is of the group or of one in it. */
static bool runs_below(const struct rwk_model *m, const struct rwk_group_queue *q)
{
	int32_t curr = m->cpu[q->cpu].curr;
	const struct rwk_task *t;

	if (curr == RWK_NONE)
		return false;
	t = rwk_tasks_at(&m->tasks, curr);
	if (!rwk_task_weight(t))
		return false;
	for (int32_t g = t->group; g >= 0; g = m->groups->facts->group[g].parent) {
		if (g == q->group)
			return true;
	}
	return false;
}

static void advance_one(const struct rwk_model *m, struct rwk_group_queue *q, rwk_ns now)
{
	struct rwk_pelt_input queue = {
		.load = q->load_weight, .runnable = (uint64_t)q->nr, .running = runs_below(m, q)};
	struct rwk_pelt_input entity = {.load = q->on_rq};

	if (now < q->cfs.last)
		return;
	if (rwk_pelt_update(&q->cfs, now, &queue))
		rwk_pelt_refresh(&q->cfs, 1);
	if (rwk_pelt_update(&q->entity, now, &entity))
		rwk_pelt_refresh(&q->entity, q->weight);
}

void rwk_group_advance(const struct rwk_model *m, struct rwk_group_queue *q, rwk_ns now)
{
	for (; q; q = q->parent)
		advance_one(m, q, now);
}

static void sub_positive(uint32_t *value, uint32_t part)
{
	*value = *value > part ? *value - part : 0;
}

static void sub_use(struct rwk_pelt *p, uint32_t util, uint32_t runnable)
{
	uint64_t divider = rwk_pelt_divider(p);

	sub_positive(&p->util_avg, util);
	sub_positive(&p->runnable_avg, runnable);
	p->util_sum = (uint32_t)(p->util_avg * divider);
	p->runnable_sum = p->runnable_avg * divider;
}

/* What left while the queue was not being updated goes now; *came falls by its load sum. */
static void take_removed(struct rwk_group_queue *q, int64_t *came)
{
	uint64_t divider = rwk_pelt_divider(&q->cfs);

	if (!q->removed_load && !q->removed_util && !q->removed_runnable)
		return;
	sub_positive(&q->cfs.load_avg, q->removed_load);
	q->cfs.load_sum = q->cfs.load_avg * divider;
	for (struct rwk_group_queue *p = q; p; p = p->parent)
		sub_use(&p->cfs, q->removed_util, q->removed_runnable);
	/* How long it was runnable stands in for how long it counted. */
	*came -= (int64_t)(q->removed_runnable * divider >> 10);
	q->removed_load = q->removed_util = q->removed_runnable = 0;
}

static void contribute(struct rwk_model *m, struct rwk_group_queue *q)
{
	struct rwk_group_tree *tree = m->groups;
	int64_t delta = (int64_t)q->cfs.load_avg - q->contrib;

	if (llabs(delta) <= q->contrib / 64)
		return;
	if (tree->rate_limited && q->contrib_ts != RWK_NS_NONE &&
		q->cfs.last - q->contrib_ts < CONTRIB_MS_NS)
		return;
	tree->load[q->group] += delta;
	q->contrib = q->cfs.load_avg;
	q->contrib_ts = q->cfs.last;
}

/* The entity counted for sum and weighs weight: what it adds around changes with it. */
static void entity_set(
	struct rwk_model *m, struct rwk_group_queue *q, uint64_t sum, uint32_t weight)
{
	struct rwk_pelt *e = &q->entity, *up = around(m, q);
	uint64_t part = q->weight * e->load_sum;

	sub_positive(&up->load_avg, e->load_avg);
	up->load_sum = up->load_sum > part ? up->load_sum - part : 0;
	if (q->on_rq)
		add_weight(m, q, q->weight, weight);
	q->weight = weight;
	e->load_sum = sum;
	e->load_avg = (uint32_t)(weight * sum / rwk_pelt_divider(up));
	up->load_avg += e->load_avg;
	up->load_sum += weight * sum;
}

/* Load that came or went without time passing is the entity's as well. */
static void propagate(struct rwk_model *m, struct rwk_group_queue *q, int64_t came)
{
	uint64_t most = rwk_pelt_divider(around(m, q)), sum = q->entity.load_sum;
	uint64_t ran = q->cfs.util_sum >> 10;

	if (came >= 0) {
		sum += (uint64_t)came;
		if (sum > most)
			sum = most;
	} else {
		/* Who stays is taken to have been queued as long as the average of the queue. */
		uint64_t rest = q->load_weight ? q->cfs.load_sum / q->load_weight : 0;

		if (sum > rest)
			sum = rest;
	}
	entity_set(m, q, sum > ran ? sum : ran, q->weight);
}

/* Its part of the group's shares: by its load now, and by what is known of the other CPUs'. */
static uint32_t weight_of(const struct rwk_group_tree *tree, const struct rwk_group_queue *q)
{
	uint64_t shares = tree->facts->group[q->group].shares;
	uint64_t load = q->load_weight > q->cfs.load_avg ? q->load_weight : q->cfs.load_avg;
	int64_t total = tree->load[q->group] - q->contrib + (int64_t)load;
	uint64_t weight = shares * load;

	if (total > 0)
		weight /= (uint64_t)total;
	if (weight > shares)
		weight = shares;
	return (uint32_t)(weight < MIN_WEIGHT ? MIN_WEIGHT : weight);
}

static void reweight(struct rwk_model *m, struct rwk_group_queue *q)
{
	uint32_t weight;

	if (m->groups->keeps_weight && !q->load_weight)
		return;
	weight = weight_of(m->groups, q);
	if (weight != q->weight)
		entity_set(m, q, q->entity.load_sum, weight);
}

static void join(struct rwk_model *m, struct rwk_group_queue *q)
{
	q->on_rq = true;
	add_weight(m, q, 0, q->weight);
	m->groups->cpu[q->cpu].nr_on_rq++;
}

static void leave(struct rwk_model *m, struct rwk_group_queue *q)
{
	q->on_rq = false;
	add_weight(m, q, q->weight, 0);
	m->groups->cpu[q->cpu].nr_on_rq--;
}

/* From the inside outwards, as each level's weight depends on what is queued in it. */
static void settle(struct rwk_model *m, struct rwk_group_queue *q, uint64_t load_sum, bool weights)
{
	int64_t came = (int64_t)load_sum;

	for (; q; q = q->parent) {
		take_removed(q, &came);
		contribute(m, q);
		if (came)
			propagate(m, q, came);
		if (!q->nr && q->on_rq)
			leave(m, q);
		if (weights)
			reweight(m, q);
		if (q->nr && !q->on_rq)
			join(m, q);
	}
}

void rwk_group_refresh(struct rwk_model *m, struct rwk_group_queue *q, bool weights)
{
	settle(m, q, 0, weights);
}

void rwk_group_enqueue(
	struct rwk_model *m, struct rwk_group_queue *q, uint32_t weight, uint64_t load_sum)
{
	q->load_weight += weight;
	for (struct rwk_group_queue *p = q; p; p = p->parent)
		p->nr++;
	settle(m, q, load_sum, true);
}

void rwk_group_dequeue(struct rwk_model *m, struct rwk_group_queue *q, uint32_t weight)
{
	q->load_weight = q->load_weight > weight ? q->load_weight - weight : 0;
	for (struct rwk_group_queue *p = q; p; p = p->parent)
		p->nr -= p->nr > 0;
	settle(m, q, 0, true);
}

void rwk_group_attach(struct rwk_group_queue *q, const struct rwk_pelt *p, uint32_t weight)
{
	q->cfs.load_avg += p->load_avg;
	q->cfs.load_sum += p->load_sum * weight;
	for (; q; q = q->parent) {
		q->cfs.util_avg += p->util_avg;
		q->cfs.util_sum += p->util_sum;
		q->cfs.runnable_avg += p->runnable_avg;
		q->cfs.runnable_sum += p->runnable_sum;
	}
}

void rwk_group_detach(struct rwk_group_queue *q, const struct rwk_pelt *p)
{
	q->removed_load += p->load_avg;
	q->removed_util += p->util_avg;
	q->removed_runnable += p->runnable_avg;
}

void rwk_group_empty(struct rwk_model *m, int cpu, rwk_ns now)
{
	struct rwk_group_cpu *c = &m->groups->cpu[cpu];

	if (!c->nr_on_rq)
		return;
	for (struct rwk_group_queue *q = c->first; q; q = q->next) {
		advance_one(m, q, now);
		q->load_weight = 0;
		q->nr = 0;
		q->on_rq = false;
	}
	c->nr_on_rq = 0;
}

void rwk_group_decay(struct rwk_model *m, int cpu, rwk_ns now)
{
	struct rwk_group_queue *first = m->groups->cpu[cpu].first;

	for (struct rwk_group_queue *q = first; q; q = q->next)
		advance_one(m, q, now);
	for (struct rwk_group_queue *q = first; q; q = q->next)
		settle(m, q, 0, false);
}

uint64_t rwk_group_h_load(const struct rwk_model *m, int cpu, const struct rwk_group_queue *q)
{
	uint64_t outer;

	if (!q)
		return m->cpu[cpu].cfs.load_avg;
	outer = rwk_group_h_load(m, cpu, q->parent);
	return outer * q->entity.load_avg / ((uint64_t)around(m, q)->load_avg + 1);
}
