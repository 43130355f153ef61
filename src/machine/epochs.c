/* Which epochs there are, whether they can be, and the machine in each. */
#include "machine/epochs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "machine/build.h"
#include "machine/edit.h"
#include "machine/hotplug_read.h"
#include "machine/seen.h"
#include "machine/snapshot.h"

#define ONLINE      "sys/devices/system/cpu/online"
#define CPULIST_LEN 8192

struct rwk_epochs {
	const struct rwk_machine *m; /* as it was when the snapshot was taken */
	struct rwk_epoch base; /* as m is */
	struct rwk_epoch *of;
	size_t nr;
	const char *why;
	struct rwk_snapshot *snap; /* with all CPUs; NULL: there is but one epoch */
	struct rwk_machine *said; /* of the snapshot alone */
	struct rwk_machine *all;
	struct rwk_machine *plain; /* m by the kernel's rules alone; NULL: as snap */
	struct rwk_machine *first; /* of the first epoch, where it is not m */
	struct rwk_machine *current; /* of the epoch built last; NULL: none was */
	struct rwk_machine *before; /* and of the one before that */
	size_t index;
};

static bool same_sets(const struct rwk_epoch *a, const struct rwk_epoch *b)
{
	return rwk_cpuset_equal(&a->online, &b->online) &&
	       rwk_cpuset_equal(&a->active, &b->active) &&
	       rwk_cpuset_equal(&a->domains, &b->domains) && a->changing == b->changing;
}

static int put_online(struct rwk_snapshot *snap, const struct rwk_cpuset *cpus)
{
	char list[CPULIST_LEN];

	rwk_format_cpulist(cpus, list, sizeof(list));
	return rwk_snapshot_add_file(snap, ONLINE, list);
}

static void all_cpus(const struct rwk_epochs *e, struct rwk_cpuset *ret)
{
	rwk_cpuset_zero(ret);
	for (size_t i = 0; i < e->nr; i++) {
		for (int k = 0; k < RWK_CPUSET_WORDS; k++)
			ret->word[k] |= e->of[i].online.word[k];
	}
}

static int build(const struct rwk_epochs *e, const struct rwk_epoch *at,
	struct rwk_anomalies *anomalies, struct rwk_diag *diag, struct rwk_machine **ret)
{
	struct rwk_build_sets sets = {
		.online = at->online, .domains = at->domains, .active = at->active};

	return rwk_machine_build_of(e->snap, "", e->m->nr_cpu_ids, &sets, anomalies, diag, ret);
}

/* What the kernel said beyond its rules, for whoever is going to edit the machine. */
static int keep_words(struct rwk_epochs *e, struct rwk_diag *diag)
{
	const struct rwk_edit edit = {
		.snap = e->snap, .diag = diag, .text = "CPUs online", .m = e->said};
	struct rwk_machine *all;
	int err = rwk_edit_keep_details(&edit, e->plain, e->all);

	if (!err)
		err = rwk_machine_build(e->snap, "", e->m->nr_cpu_ids, NULL, diag, &all);
	if (err)
		return err;
	rwk_machine_destroy(e->all);
	e->all = all;
	return 0;
}

/* Whether each CPU says what it shares, as those do that were there from the beginning. */
static bool are_known(const struct rwk_epochs *e, const struct rwk_cpuset *cpus)
{
	rwk_cpuset_foreach (cpu, cpus) {
		char path[96];

		snprintf(path, sizeof(path),
			"sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		if (!rwk_cpuset_has(&e->base.online, cpu) && !rwk_snapshot_file(e->snap, path))
			return false;
	}
	return true;
}

/* All that is needed to build a machine of any epoch; e->why if that cannot be. */
static int prepare(struct rwk_epochs *e, const struct rwk_snapshot *snap, struct rwk_diag *diag)
{
	struct rwk_anomalies anomalies = {0}, before = {0};
	struct rwk_cpuset all;
	int err = rwk_seen_apply(snap, &e->snap);

	if (!err)
		err = rwk_snapshot_drop_domains(e->snap);
	if (!err)
		err = rwk_snapshot_set_kernel(e->snap, e->m->kernel);
	all_cpus(e, &all);
	if (!err)
		err = put_online(e->snap, &all);
	if (err)
		return rwk_diag_push(
			diag, err, "cannot follow CPUs that come and go: why=%s", strerror(-err));
	err = rwk_machine_build(snap, "", e->m->nr_cpu_ids, &before, diag, &e->said);
	if (!err)
		err = build(e, &e->base, NULL, diag, &e->plain);
	if (!err)
		err = rwk_machine_build(e->snap, "", e->m->nr_cpu_ids, &anomalies, diag, &e->all);
	if (err)
		return err;
	if (!are_known(e, &all))
		e->why = "nothing is known of a CPU that came later";
	else if (!rwk_edit_same_spans(e->m, e->plain))
		e->why = "its scheduling domains do not follow from its cores, caches and nodes";
	else if (anomalies.of[RWK_AN_BAD_SIDECAR].count > before.of[RWK_AN_BAD_SIDECAR].count)
		e->why = "what is known of CPUs that came later contradicts the rest";
	else if (e->all->nr_cpu_ids != e->m->nr_cpu_ids)
		e->why = "there are CPUs that the machine did not have";
	else
		err = keep_words(e, diag);
	return err;
}

static bool is_subset(const struct rwk_cpuset *inner, const struct rwk_cpuset *outer)
{
	struct rwk_cpuset rest = *inner;

	rwk_cpuset_sub(&rest, outer);
	return rwk_cpuset_empty(&rest);
}

static void present_cpus(const struct rwk_machine *m, struct rwk_cpuset *ret)
{
	rwk_cpuset_zero(ret);
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
		if (m->cpu[cpu].present)
			rwk_cpuset_add(ret, cpu);
	}
}

/* The rows of snap into epochs; with e->why only the first one is to be used. */
static int read_epochs(struct rwk_epochs *e, const struct rwk_snapshot *snap, struct rwk_diag *diag)
{
	struct rwk_cpuset present;
	int err;

	present_cpus(e->m, &present);
	err = snap ? rwk_hotplug_epochs(snap, &present, &e->of, &e->nr, &e->why) : 0;
	if (err)
		return rwk_diag_push(
			diag, err, "cannot follow CPUs that come and go: why=%s", strerror(-err));
	if (e->why || (e->nr == 1 && same_sets(&e->of[0], &e->base)))
		return 0;
	if (!e->m->topology_known) {
		e->why = "which CPUs share what is unknown";
		return 0;
	}
	return prepare(e, snap, diag);
}

static int create(const struct rwk_machine *m, struct rwk_diag *diag, struct rwk_epochs **ret)
{
	struct rwk_epochs *e = calloc(1, sizeof(*e));

	if (e)
		e->of = calloc(1, sizeof(*e->of));
	if (!e || !e->of) {
		free(e);
		return rwk_diag_push(
			diag, -ENOMEM, "cannot follow CPUs that come and go: out of memory");
	}
	e->m = m;
	e->nr = 1;
	e->base = (struct rwk_epoch){.from = RWK_NS_NONE,
		.online = m->online,
		.active = m->online,
		.domains = m->online};
	e->of[0] = e->base;
	*ret = e;
	return 0;
}

static int take(struct rwk_epochs *e, const struct rwk_epoch *of, size_t nr)
{
	struct rwk_epoch *copy = malloc(nr * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, of, nr * sizeof(*copy));
	free(e->of);
	e->of = copy;
	e->nr = nr;
	return 0;
}

/* As if nothing had happened. */
static void give_up(struct rwk_epochs *e)
{
	e->nr = 1;
	e->of[0] = e->base;
	rwk_snapshot_destroy(e->snap);
	rwk_machine_destroy(e->all);
	rwk_machine_destroy(e->plain);
	e->snap = NULL;
	e->all = e->plain = NULL;
}

int rwk_epochs_open(const struct rwk_snapshot *snap, const struct rwk_machine *m,
	struct rwk_diag *diag, struct rwk_epochs **ret)
{
	struct rwk_epochs *e;
	int err = create(m, diag, &e);

	if (err)
		return err;
	err = read_epochs(e, snap, diag);
	if (err) {
		rwk_epochs_close(e);
		return err;
	}
	if (e->why)
		give_up(e);
	*ret = e;
	return 0;
}

/* Whether they are of this machine, and in order. */
static bool are_possible(const struct rwk_epochs *e)
{
	struct rwk_cpuset present;

	present_cpus(e->m, &present);
	for (size_t i = 0; i < e->nr; i++) {
		const struct rwk_epoch *at = &e->of[i];

		if (!is_subset(&at->online, &present) || !is_subset(&at->active, &present) ||
			!is_subset(&at->domains, &present) ||
			(i ? at->from < e->of[i - 1].from || at->from == RWK_NS_NONE
			   : at->from != RWK_NS_NONE))
			return false;
	}
	return true;
}

int rwk_epochs_restore(const struct rwk_snapshot *snap, const struct rwk_machine *m,
	const struct rwk_epoch *of, size_t nr, struct rwk_diag *diag, struct rwk_epochs **ret)
{
	struct rwk_epochs *e;
	int err = create(m, diag, &e);

	if (err)
		return err;
	if (nr) {
		err = take(e, of, nr);
		if (err)
			rwk_diag_push(
				diag, err, "cannot follow CPUs that come and go: out of memory");
		else if (!snap || !m->topology_known || !are_possible(e))
			e->why = "they are not of this machine";
		if (!err && !e->why)
			err = prepare(e, snap, diag);
		if (!err && e->why)
			err = rwk_diag_push(diag, -EBADMSG,
				"cannot follow CPUs that come and go: why=%s", e->why);
	}
	if (err)
		rwk_epochs_close(e);
	else
		*ret = e;
	return err;
}

int rwk_epochs_of_variant(const struct rwk_epochs *e, const struct rwk_snapshot *snap,
	const struct rwk_machine *m, struct rwk_diag *diag, struct rwk_epochs **ret)
{
	struct rwk_epochs *v;
	int err = create(m, diag, &v);

	if (err)
		return err;
	err = take(v, e->of, e->nr);
	if (!err)
		err = rwk_snapshot_copy(snap, &v->snap);
	if (!err)
		err = rwk_snapshot_drop_domains(v->snap);
	if (err)
		rwk_diag_push(
			diag, err, "cannot follow CPUs that come and go: why=%s", strerror(-err));
	else
		err = rwk_machine_build(v->snap, "", m->nr_cpu_ids, NULL, diag, &v->plain);
	if (err)
		rwk_epochs_close(v);
	else
		*ret = v;
	return err;
}

void rwk_epochs_close(struct rwk_epochs *e)
{
	if (!e)
		return;
	rwk_snapshot_destroy(e->snap);
	rwk_machine_destroy(e->said);
	rwk_machine_destroy(e->all);
	rwk_machine_destroy(e->plain);
	rwk_machine_destroy(e->first);
	rwk_machine_destroy(e->current);
	rwk_machine_destroy(e->before);
	free(e->of);
	free(e);
}

size_t rwk_epochs_nr(const struct rwk_epochs *e)
{
	return e->nr;
}

const struct rwk_epoch *rwk_epochs_at(const struct rwk_epochs *e, size_t index)
{
	return &e->of[index];
}

int rwk_epochs_moves(const struct rwk_epochs *e)
{
	int nr = 0;

	for (size_t i = 1; i < e->nr; i++) {
		struct rwk_cpuset came = e->of[i].active, went = e->of[i - 1].active;

		rwk_cpuset_sub(&came, &e->of[i - 1].active);
		rwk_cpuset_sub(&went, &e->of[i].active);
		nr += rwk_cpuset_weight(&came) + rwk_cpuset_weight(&went);
	}
	return nr;
}

const char *rwk_epochs_why(const struct rwk_epochs *e)
{
	return e->why;
}

/* What neither the CPUs that are online nor the kernel's rules decide. */
static void take_rest(const struct rwk_epochs *e, const struct rwk_epoch *at, struct rwk_machine *m)
{
	const struct rwk_machine *all = e->all ? e->all : e->m;

	m->changing = at->changing;
	for (int cpu = 0; cpu < m->nr_cpu_ids && cpu < all->nr_cpu_ids; cpu++) {
		/* A CPU keeps its node while it is away. */
		if (m->cpu[cpu].node == RWK_NONE)
			m->cpu[cpu].node = all->cpu[cpu].node;
	}
	rwk_edit_keep_machine(m, e->m, e->plain);
	rwk_machine_take_settings(m, e->m);
}

int rwk_epochs_machine(
	struct rwk_epochs *e, size_t index, struct rwk_diag *diag, const struct rwk_machine **ret)
{
	struct rwk_machine *m;
	int err;

	if (!e->plain || same_sets(&e->of[index], &e->base)) {
		*ret = e->m;
		return 0;
	}
	if (e->first && same_sets(&e->of[index], &e->of[0])) {
		*ret = e->first;
		return 0;
	}
	if (e->current && same_sets(&e->of[index], &e->of[e->index])) {
		*ret = e->current;
		return 0;
	}
	err = build(e, &e->of[index], NULL, diag, &m);
	if (err)
		return err;
	take_rest(e, &e->of[index], m);
	*ret = m;
	if (!index) {
		e->first = m;
		return 0;
	}
	rwk_machine_destroy(e->before);
	e->before = e->current;
	e->current = m;
	e->index = index;
	return 0;
}

const struct rwk_snapshot *rwk_epochs_snapshot(const struct rwk_epochs *e)
{
	return e->snap;
}

const struct rwk_machine *rwk_epochs_all(const struct rwk_epochs *e)
{
	return e->all ? e->all : e->m;
}
