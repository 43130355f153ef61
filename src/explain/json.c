/* A decision as JSON. */
#include "explain/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/json_value.h"
#include "explain/words.h"

struct rwk_explain_json *rwk_explain_json_create(void)
{
	struct rwk_explain_json *j = calloc(1, sizeof(*j));

	if (j)
		j->root = json_object();
	return j;
}

void rwk_explain_json_destroy(struct rwk_explain_json *j)
{
	if (!j)
		return;
	json_decref(j->root);
	free(j);
}

int rwk_explain_json_print(const struct rwk_explain_json *j, FILE *out)
{
	if (j->failed || !j->root)
		return -ENOMEM;
	if (json_dumpf(j->root, out, JSON_INDENT(1)))
		return -EIO;
	fputc('\n', out);
	return 0;
}

/* ---- the wakeup ---- */

static json_t *task_view(
	struct rwk_explain_json *j, const struct rwk_explained *x, const struct rwk_task_view *t)
{
	json_t *o = json_task(j, x, t->utid);

	/* A task without identity may have a history all the same. */
	if (!json_is_object(o)) {
		json_decref(o);
		o = json_object();
		json_member(j, o, "utid", json_null());
	}
	json_known(j, o, "wakee_flips", t->flips_source, json_integer(t->wakee_flips));
	json_known(j, o, "last_wakee", t->last_wakee_source, json_task(j, x, t->last_wakee));
	json_known(j, o, "recent_cpu", t->recent_source, json_integer(t->recent_cpu));
	json_known(j, o, "load", t->load_source, json_integer(t->h_load));
	return o;
}

void rwk_explain_json_wakeup(struct rwk_explain_json *j, const struct rwk_explained *x)
{
	static const char *const types[RWK_WAKE_TYPE_COUNT] = {"wakeup", "fork", "exec"};
	static const char *const contexts[RWK_CTX_COUNT] = {
		"task", "idle", "softirq", "hardirq", "nmi", NULL};
	const struct rwk_wakeup *w = x->w;
	json_t *o = json_object();

	json_id(j, o, "id", w->id);
	json_ns(j, o, "ts", w->ts);
	json_ns(j, o, "since_begin_ns", w->ts - x->begin_ts);
	json_text(j, o, "type", types[w->type]);
	json_id(j, o, "cpu", w->this_cpu);
	json_member(j, o, "context",
		contexts[w->context] ? json_string(contexts[w->context]) : json_null());
	json_id(j, o, "prev_cpu", w->prev_cpu);
	/* While it is unknown, every CPU that is online: policies took it so. */
	json_member(j, o, "allowed", json_cpus(&w->allowed));
	json_member(j, o, "active", json_cpus(&w->machine->active));
	json_member(j, o, "changing", json_boolean(w->machine->changing));
	json_text(j, o, "allowed_source", explain_source(w->allowed_source));
	json_known(j, o, "sync", w->sync_source, json_boolean(w->sync));
	json_member(j, o, "waker_exiting", json_boolean(w->waker.is_exiting));
	json_member(j, o, "waker", task_view(j, x, &w->waker));
	json_member(j, o, "wakee", task_view(j, x, &w->wakee));
	json_member(j, j->root, "wakeup", o);
}

/* ---- CPUs ---- */

static const char *state_of(const struct rwk_explained *x, const struct rwk_cpu_view *c)
{
	if (c->source == RWK_UNKNOWN)
		return NULL;
	if (c->idle || (c->pending && !c->nr_running))
		return "idle";
	return explain_is_idle_task(x, c->curr) ? "leaves_idle" : "runs";
}

static json_t *roles_of(struct rwk_explain_json *j, const struct rwk_wakeup *w, int cpu)
{
	json_t *a = json_array();
	const struct {
		bool is;
		const char *what;
	} roles[] = {{cpu == w->this_cpu, "waker"}, {cpu == w->prev_cpu, "previous"},
		{w->wakee.recent_source != RWK_UNKNOWN && cpu == w->wakee.recent_cpu, "recent"},
		{cpu == w->recorded_cpu, "kernel"}};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (roles[i].is)
			json_element(j, a, json_string(roles[i].what));
	}
	return a;
}

static json_t *cpu_row(struct rwk_explain_json *j, const struct rwk_explained *x, int cpu)
{
	const struct rwk_machine *m = x->w->machine;
	const struct rwk_machine_cpu *mc = &m->cpu[cpu];
	const struct rwk_cpu_view *c = &x->w->cpu[cpu];
	const char *state = state_of(x, c);
	bool known = state, idle = known && !strcmp(state, "idle");
	bool since_known = idle && c->idle_since_source != RWK_UNKNOWN;
	json_t *o = json_object();

	json_id(j, o, "cpu", cpu);
	json_id(j, o, "core", m->topology_known ? mc->core : RWK_NONE);
	json_id(j, o, "llc",
		m->topology_known && mc->llc != RWK_NONE ? m->llc[mc->llc].first_cpu : RWK_NONE);
	json_id(j, o, "node", m->topology_known ? mc->node : RWK_NONE);
	json_known(j, o, "state", c->source, json_string(known ? state : ""));
	json_member(j, o, "tasks", known ? json_integer(c->nr_running) : json_null());
	json_member(j, o, "delayed", known ? json_integer(c->nr_delayed) : json_null());
	json_member(j, o, "running", known && !idle ? json_task(j, x, c->curr) : json_null());
	json_ns(j, o, "idle_ns", since_known ? x->w->ts - c->idle_since_ns : RWK_NS_NONE);
	json_member(j, o, "idle_ns_source",
		idle ? json_string(explain_source(c->idle_since_source)) : json_null());
	json_member(j, o, "pending", known ? json_boolean(c->pending) : json_null());
	json_member(j, o, "sched_idle", known ? json_boolean(c->sched_idle) : json_null());
	json_known(j, o, "load", c->load_source, json_integer(c->load_avg));
	json_known(j, o, "util", c->load_source, json_integer(c->util_avg));
	json_member(j, o, "allowed", json_boolean(rwk_cpuset_has(&x->w->allowed, cpu)));
	json_member(j, o, "roles", roles_of(j, x->w, cpu));
	return o;
}

static json_t *llc_row(struct rwk_explain_json *j, const struct rwk_wakeup *w, int llc)
{
	const struct rwk_machine *m = w->machine;
	json_t *o = json_object();

	json_id(j, o, "first_cpu", m->llc[llc].first_cpu);
	json_known(j, o, "nr_idle_scan", w->llc[llc].nr_idle_scan_source,
		json_integer(w->llc[llc].nr_idle_scan));
	if (m->smt_active)
		json_known(j, o, "has_idle_cores", w->llc[llc].has_idle_cores_source,
			json_boolean(w->llc[llc].has_idle_cores));
	return o;
}

void rwk_explain_json_cpus(
	struct rwk_explain_json *j, const struct rwk_explained *x, const struct rwk_cpuset *cpu)
{
	const struct rwk_machine *m = x->w->machine;
	json_t *cpus = json_array(), *llcs = json_array(), *elsewhere = json_object();
	struct rwk_cpuset shown;
	int nr_idle, nr_others;

	explain_shown_cpus(x->w, cpu, &shown, &nr_idle, &nr_others);
	for (int c = 0; c < m->nr_cpu_ids; c++) {
		if (rwk_cpuset_has(&shown, c))
			json_element(j, cpus, cpu_row(j, x, c));
	}
	for (int i = 0; m->topology_known && i < m->nr_llc; i++) {
		if (rwk_cpuset_has(&shown, m->llc[i].first_cpu))
			json_element(j, llcs, llc_row(j, x->w, i));
	}
	json_id(j, elsewhere, "idle", nr_idle);
	json_id(j, elsewhere, "others", nr_others);
	json_member(j, j->root, "cpus", cpus);
	json_member(j, j->root, "elsewhere", elsewhere);
	json_member(j, j->root, "llcs", llcs);
}

/* ---- policies ---- */

struct told {
	struct rwk_explain_json *j;
	json_t *steps;
};

static void add_step(void *ctx, const struct rwk_step *s)
{
	struct told *told = ctx;
	json_t *o = json_object();

	json_text(told->j, o, "step", s->step);
	json_text(told->j, o, "question", s->what);
	json_id(told->j, o, "cpu", s->cpu);
	if (s->relation) {
		json_member(told->j, o, "value", json_integer(s->value));
		json_text(told->j, o, "relation", s->relation);
		json_member(told->j, o, "limit", json_integer(s->limit));
	}
	json_member(told->j, o, "answer", json_boolean(s->yes));
	json_element(told->j, told->steps, o);
}

void rwk_explain_json_policy(struct rwk_explain_json *j, const struct rwk_explained *x,
	const struct rwk_policy_instance *p, struct rwk_verdict *ret)
{
	struct told told = {.j = j, .steps = json_array()};
	const struct rwk_trace trace = {.step = add_step, .ctx = &told};
	json_t *policies = json_object_get(j->root, "policies");
	json_t *o = json_object(), *unknown = json_array();
	bool comparable;

	*ret = (struct rwk_verdict){.cpu = RWK_NONE, .target = RWK_NONE, .trace = &trace};
	p->policy->select_cpu(p->state, x->w, ret);
	ret->trace = NULL;
	comparable = x->w->recorded_source != RWK_UNKNOWN && ret->cpu != RWK_NONE;
	json_text(j, o, "policy", p->policy->name);
	json_text(j, o, "params", p->params);
	json_member(j, o, "steps", told.steps);
	json_id(j, o, "cpu", ret->cpu);
	json_text(j, o, "reason", explain_name_at(p->policy->reasons, ret->reason));
	json_id(j, o, "target", ret->target);
	if (p->policy->details)
		json_text(j, o, "detail", explain_name_at(p->policy->details, ret->detail));
	else
		json_member(j, o, "detail", json_null());
	json_member(j, o, "agrees",
		comparable ? json_boolean(ret->cpu == x->w->recorded_cpu) : json_null());
	for (int i = 0; i < RWK_IN_COUNT; i++) {
		if (ret->unknown >> i & 1)
			json_element(j, unknown, json_string(explain_input_key((enum rwk_input)i)));
	}
	json_member(j, o, "unknown", unknown);
	if (!policies) {
		policies = json_array();
		json_member(j, j->root, "policies", policies);
	}
	json_element(j, policies, o);
}

/* ---- what came of it, and its neighbours ---- */

void rwk_explain_json_after(struct rwk_explain_json *j, const struct rwk_explained *x,
	const struct rwk_explained_after *a)
{
	json_t *kernel = json_object(), *after = json_object(), *ran = json_array();

	json_known(j, kernel, "cpu", a->kernel_source, json_integer(a->kernel_cpu));
	json_member(j, j->root, "kernel", kernel);
	json_ns(j, after, "wakeup_dur_ns", a->wakeup_dur);
	json_id(j, after, "wakeup_cpu", a->wakeup_dur == RWK_NS_NONE ? RWK_NONE : a->wakeup_cpu);
	json_ns(j, after, "run_dur_ns", a->run_dur);
	json_id(j, after, "run_cpu", a->run_dur == RWK_NS_NONE ? RWK_NONE : a->run_cpu);
	for (size_t i = 0; i < a->nr_ran; i++) {
		json_t *o = json_object();

		json_member(j, o, "task", json_task(j, x, a->ran[i].utid));
		json_ns(j, o, "dur_ns", a->ran[i].dur);
		json_element(j, ran, o);
	}
	json_member(j, after, "meanwhile", ran);
	json_member(j, j->root, "after", after);
}

void rwk_explain_json_around(struct rwk_explain_json *j, const struct rwk_explained *x,
	const struct rwk_explained_decision *d, size_t nr, size_t here)
{
	json_t *around = json_array();

	for (size_t i = 0; i < nr; i++) {
		json_t *o = json_object();

		json_id(j, o, "id", d[i].wakeup_id);
		json_member(j, o, "here", json_boolean(i == here));
		json_ns(j, o, "ts", d[i].ts);
		json_ns(j, o, "since_begin_ns", d[i].ts - x->begin_ts);
		json_id(j, o, "cpu", d[i].cpu);
		json_member(j, o, "waker", json_task(j, x, d[i].waker_utid));
		json_member(j, o, "wakee", json_task(j, x, d[i].wakee_utid));
		json_id(j, o, "prev_cpu", d[i].prev_cpu);
		json_id(j, o, "target_cpu", d[i].target_cpu);
		json_element(j, around, o);
	}
	json_member(j, j->root, "around", around);
}
