/*
 * Versions are data: the rules of 5.9, then every later change with the
 * release that brought it (design §2.12), applied up to the version wanted;
 * and the rules of 2.6.32 (§2.11).
 */
#include "policy/linux/rules.h"

#include <stdio.h>

const char *const linux_reasons[] = {
	[LINUX_R_TARGET_IDLE] = "target_idle",
	[LINUX_R_PREV_IDLE] = "prev_idle",
	[LINUX_R_PCPU_KTHREAD] = "pcpu_kthread",
	[LINUX_R_RECENT] = "recent",
	[LINUX_R_SMT] = "smt",
	[LINUX_R_CORE] = "core",
	[LINUX_R_CORE_FALLBACK] = "core_fallback",
	[LINUX_R_SCAN] = "scan",
	[LINUX_R_SCAN_LIMIT] = "scan_limit",
	[LINUX_R_UTIL0] = "util0",
	[LINUX_R_NONE] = "none",
	[LINUX_R_CLUSTER_PREV] = "cluster_prev",
	[LINUX_R_CURRENT_CPU] = "current_cpu",
	[LINUX_R_SYNC_IDLE] = "sync_idle",
	[LINUX_R_SIS_SYNC] = "sis_sync",
	[LINUX_R_FALLBACK_MASK] = "fallback_mask",
	[LINUX_R_NO_LLC] = "no_llc",
	[LINUX_R_UNANSWERED] = "unanswered",
	[LINUX_R_ASYM] = "asym",
	[LINUX_R_SHORT] = "short",
	[LINUX_R_NODE] = "node",
	[LINUX_R_NODE_CORE] = "node_core",
	[LINUX_R_CACHE_HOT] = "cache_hot",
	[LINUX_R_WAKER_IDLE] = "waker_idle",
	[LINUX_R_AFFINE] = "affine",
	[LINUX_R_PREV] = "prev",
	[LINUX_R_IDLEST] = "idlest",
	[LINUX_R_SLOW] = "slow",
	NULL,
};

const char *const linux_details[] = {
	[LINUX_D_SAME] = "same",
	[LINUX_D_WIDE] = "wide",
	[LINUX_D_NOAFF] = "noaff",
	[LINUX_D_NODOMAIN] = "nodomain",
	[LINUX_D_WAI_THIS] = "wai_this",
	[LINUX_D_WAI_SYNC] = "wai_sync",
	[LINUX_D_WAI_PREV] = "wai_prev",
	[LINUX_D_WEIGHT_THIS] = "weight_this",
	[LINUX_D_WEIGHT_PREV] = "weight_prev",
	[LINUX_D_UNDECIDED_PREV] = "undecided_prev",
	[LINUX_D_WAI_SHORT] = "wai_short",
	[LINUX_D_SHORTCUT] = "shortcut",
	[LINUX_D_BALANCED_SYNC] = "balanced_sync",
	[LINUX_D_BALANCED] = "balanced",
	[LINUX_D_LOW_LOAD] = "low_load",
	[LINUX_D_IMBALANCED] = "imbalanced",
	[LINUX_D_NO_GROUP] = "no_group",
	[LINUX_D_LOCAL_GROUP] = "local_group",
	[LINUX_D_IDLEST_GROUP] = "idlest_group",
	NULL,
};

const struct rwk_param linux_params[] = {LINUX_PARAMS, LINUX_PARAMS_END};

static const struct linux_rules v2_6_32 = {
	.affine = true,
	.y2009 = {.active = true, .idle_candidate = true, .sync_less = true},
};

static const struct linux_rules v5_9 = {
	.wa_idle = true,
	.wa_weight = true,
	.wa_bias = true,
	.sis_prop = true,
	.affine = true,
	.idle_test = LINUX_IDLE_V59,
	.recent = LINUX_RECENT_WAKER,
	.smt = LINUX_SMT_TARGET,
	.asym = {.first = true},
};

static void v5_10(struct linux_rules *r)
{
	r->pcpu_in_task = true;
	r->asym.first = false;
	r->asym.uclamp_aware = true; /* backported to 5.10.y */
	r->slow.allowed_only = true;
}

static void v5_11(struct linux_rules *r)
{
	r->idle_test = LINUX_IDLE_LAWALL; /* d8fcb81f1acf */
	r->asym.uclamp_aware = false;
	r->slow.numa_stay = LINUX_STAY_QUARTER; /* 23e6082a522e */
}

static void v5_12(struct linux_rules *r)
{
	r->merged_scan = true; /* 9fe1f127b913 */
	r->smt = LINUX_SMT_NONE; /* 6cd56ef1df39 */
}

static void v5_13(struct linux_rules *r)
{
	r->smt = LINUX_SMT_PREV; /* c722f35b513f */
}

static void v5_15(struct linux_rules *r)
{
	r->recent = LINUX_RECENT_WAKEE; /* 89aafd67f28c */
	r->scan_next = true; /* 56498cfb045d */
	r->sis_util = true; /* backported to 5.15.y */
	r->sis_prop = false;
}

static void v5_16(struct linux_rules *r)
{
	r->sis_util = false; /* mainline kept SIS_PROP until 5.19 */
	r->sis_prop = true;
}

static void v5_17(struct linux_rules *r)
{
	r->slow.numa_stay = LINUX_STAY_QUARTER_NODE; /* 2cfb7a1b031b */
}

static void v5_18(struct linux_rules *r)
{
	r->slow.numa_stay = LINUX_STAY_LLCS; /* e496132ebedd */
	r->slow.narrow_numa = true; /* f5b2eeb49991 */
}

static void v6_0(struct linux_rules *r)
{
	r->slow.numa_stay = LINUX_STAY_LLCS_EVEN; /* cb29a5c19d2d */
	r->sis_util = true; /* 70fb5ccf2ebb */
	r->sis_prop = false;
	r->core_within_scan = true; /* in the 6.1.y tree, not in 5.15.y */
}

static void v6_1(struct linux_rules *r)
{
	r->asym.uclamp_aware = true;
	r->asym.ranked = true;
}

static void v6_6(struct linux_rules *r)
{
	r->current_cpu = true; /* ab83f455f04d */
}

static void v6_7(struct linux_rules *r)
{
	r->cluster = true; /* 8881e1639f1f, 22165f61d0c4 */
}

static void v6_12_1(struct linux_rules *r)
{
	r->subtract_delayed = true; /* aa3ee4f0b754 in 6.12.y, not in 6.12.0 */
}

static void v6_13(struct linux_rules *r)
{
	r->subtract_delayed = false; /* mainline has it from 6.15 */
}

static void v6_15(struct linux_rules *r)
{
	r->subtract_delayed = true;
}

static void v7_0(struct linux_rules *r)
{
	r->sched_idle_wakee = true; /* fd54d81c2c0e */
	r->asym.whole_core = true;
}

static const struct {
	struct rwk_version since;
	void (*change)(struct linux_rules *r);
} changes[] = {
	{{5, 10, 0}, v5_10},
	{{5, 11, 0}, v5_11},
	{{5, 12, 0}, v5_12},
	{{5, 13, 0}, v5_13},
	{{5, 15, 0}, v5_15},
	{{5, 16, 0}, v5_16},
	{{5, 17, 0}, v5_17},
	{{5, 18, 0}, v5_18},
	{{6, 0, 0}, v6_0},
	{{6, 1, 0}, v6_1},
	{{6, 6, 0}, v6_6},
	{{6, 7, 0}, v6_7},
	{{6, 12, 1}, v6_12_1},
	{{6, 13, 0}, v6_13},
	{{6, 15, 0}, v6_15},
	{{7, 0, 0}, v7_0},
};

static bool rules_of_version(struct linux_rules *r, struct rwk_version v)
{
	if (v.major == 2 && v.minor == 6 && v.patch == 32) {
		*r = v2_6_32;
		return true;
	}
	if (rwk_version_cmp(v, (struct rwk_version){5, 9, 0}) < 0)
		return false;
	*r = v5_9;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (rwk_version_cmp(v, changes[i].since) >= 0)
			changes[i].change(r);
	}
	return true;
}

static void apply_features(struct linux_rules *r, const struct rwk_machine *m)
{
	if (m->feature_known[RWK_FEAT_WA_IDLE])
		r->wa_idle = m->feature[RWK_FEAT_WA_IDLE];
	if (m->feature_known[RWK_FEAT_WA_WEIGHT])
		r->wa_weight = m->feature[RWK_FEAT_WA_WEIGHT];
	if (m->feature_known[RWK_FEAT_WA_BIAS])
		r->wa_bias = m->feature[RWK_FEAT_WA_BIAS];
	/* A version asked for that differs from the recorded one keeps its own kind of limit. */
	if (r->sis_util && m->feature_known[RWK_FEAT_SIS_UTIL]) {
		r->sis_util = m->feature[RWK_FEAT_SIS_UTIL];
		r->sis_prop = !r->sis_util && m->feature[RWK_FEAT_SIS_PROP];
	} else if (r->sis_prop && m->feature_known[RWK_FEAT_SIS_PROP] &&
		   !m->feature[RWK_FEAT_SIS_UTIL]) {
		r->sis_prop = m->feature[RWK_FEAT_SIS_PROP];
	}
}

/* choice: 0 keep, 1 no, 2 yes. */
static void override(bool *rule, int choice)
{
	if (choice)
		*rule = choice == 2;
}

static void apply_overrides(struct linux_rules *r, const struct linux_state *s)
{
	static const enum linux_scan_limit limits[] = {
		[1] = LINUX_SCAN_UTIL, [2] = LINUX_SCAN_PROP, [3] = LINUX_SCAN_FULL};

	override(&r->wa_idle, s->wa_idle);
	override(&r->wa_weight, s->wa_weight);
	override(&r->wa_bias, s->wa_bias);
	override(&r->sis_util, s->sis_util);
	override(&r->sis_prop, s->sis_prop);
	override(&r->scan_next, s->start);
	override(&r->subtract_delayed, s->delayed);
	override(&r->cluster, s->cluster);
	override(&r->sched_idle_wakee, s->idlepolicy);
	if (s->lawall)
		r->idle_test = s->lawall == 2 ? LINUX_IDLE_LAWALL : LINUX_IDLE_V59;
	if (s->smt)
		r->smt = s->smt == 1 ? LINUX_SMT_PREV : LINUX_SMT_TARGET;
	if (s->recent)
		r->recent = s->recent == 1 ? LINUX_RECENT_WAKEE : LINUX_RECENT_WAKER;
	r->scan = r->sis_util ? LINUX_SCAN_UTIL : r->sis_prop ? LINUX_SCAN_PROP : LINUX_SCAN_FULL;
	if (s->scan)
		r->scan = limits[s->scan];
}

/* 0.75 ms, doubled for each doubling of CPUs up to 8 and once more. */
static rwk_ns default_granularity(const struct rwk_machine *m)
{
	int cpus = rwk_cpuset_weight(&m->online);
	rwk_ns factor = 1;

	for (int n = cpus < 8 ? cpus : 8; n > 1; n /= 2)
		factor++;
	return factor * 750000;
}

static void apply_tunables(
	struct linux_rules *r, const struct linux_state *s, const struct rwk_machine *m)
{
	r->migration_cost_ns = s->migration_cost                     ? s->migration_cost
			       : m->migration_cost_ns != RWK_NS_NONE ? m->migration_cost_ns
								     : 500000;
	r->min_granularity_ns = s->min_granularity                     ? s->min_granularity
				: m->min_granularity_ns != RWK_NS_NONE ? m->min_granularity_ns
								       : default_granularity(m);
}

int linux_rules_init_any(struct linux_state *state, const struct rwk_policy_env *env)
{
	const struct rwk_machine *m = env->machine;
	struct rwk_version v = state->version;

	if (!v.major)
		v = m->kernel;
	if (!v.major) {
		snprintf(env->error, env->error_size,
			"the recorded kernel's version is unknown; say version=6.1 or another");
		return -1;
	}
	/* "6.12" without a patch level means the stable series, not its first release. */
	if (state->version.major && !state->version.patch)
		v.patch = INT32_MAX;
	if (!rules_of_version(&state->rules, v)) {
		snprintf(env->error, env->error_size,
			"kernel %d.%d is not among those whose rules are known, 2.6.32 and from "
			"5.9 on; say version=",
			v.major, v.minor);
		return -1;
	}
	apply_features(&state->rules, m);
	apply_overrides(&state->rules, state);
	apply_tunables(&state->rules, state, m);
	return 0;
}

int linux_rules_init(struct linux_state *state, const struct rwk_policy_env *env)
{
	int err = linux_rules_init_any(state, env);

	if (err)
		return err;
	if (!state->rules.y2009.active)
		return 0;
	snprintf(env->error, env->error_size,
		"2.6.32 has none of the steps that it changes; say version=6.1 or another");
	return -1;
}

void linux_rules_init_2009(struct linux_state *state, const struct rwk_policy_env *env, bool r32)
{
	state->rules = v2_6_32;
	state->rules.y2009.idle_candidate = r32;
	apply_tunables(&state->rules, state, env->machine);
}
