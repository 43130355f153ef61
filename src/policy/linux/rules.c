/*
 * Versions are data: the rules of 5.9, then every later change with the
 * release that brought it (design §2.12), applied up to the version wanted.
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
	NULL,
};

#define STATE(member) offsetof(struct linux_state, member)
#define KEEP_01       "keep 0 1"

const struct rwk_param linux_params[] = {
	{"version", RWK_PARAM_VERSION, STATE(version), NULL, 0, 0, NULL,
		"kernel whose rules are the base; default: the recorded one"},
	{"lawall", RWK_PARAM_CHOICE, STATE(lawall), "keep", 0, 0, KEEP_01,
		"previous-CPU-idle test in wake_affine_idle (5.11+)"},
	{"scan", RWK_PARAM_CHOICE, STATE(scan), "keep", 0, 0, "keep util prop full",
		"limit of the idle CPU scan"},
	{"smt", RWK_PARAM_CHOICE, STATE(smt), "keep", 0, 0, "keep prev target",
		"whose hardware siblings are tried"},
	{"recent", RWK_PARAM_CHOICE, STATE(recent), "keep", 0, 0, "keep wakee waker",
		"who remembers recent_used_cpu"},
	{"start", RWK_PARAM_CHOICE, STATE(start), "keep", 0, 0, KEEP_01,
		"scan starts at target+0 or target+1"},
	{"delayed", RWK_PARAM_CHOICE, STATE(delayed), "keep", 0, 0, "keep raw adjusted",
		"sync test counts tasks in delayed dequeue, or not"},
	{"cluster", RWK_PARAM_CHOICE, STATE(cluster), "keep", 0, 0, KEEP_01,
		"cluster steps (6.7+)"},
	{"wa_idle", RWK_PARAM_CHOICE, STATE(wa_idle), "keep", 0, 0, KEEP_01,
		"feature WA_IDLE; default: as recorded"},
	{"wa_weight", RWK_PARAM_CHOICE, STATE(wa_weight), "keep", 0, 0, KEEP_01,
		"feature WA_WEIGHT; default: as recorded"},
	{"wa_bias", RWK_PARAM_CHOICE, STATE(wa_bias), "keep", 0, 0, KEEP_01,
		"feature WA_BIAS; default: as recorded"},
	{"migration_cost", RWK_PARAM_NS, STATE(migration_cost), "0", 0, INT64_MAX, NULL,
		"sis-sync: length scale of a short task; 0: as recorded, else 0.5ms"},
	{"zero_is_short", RWK_PARAM_BOOL, STATE(zero_is_short), "1", 0, 1, NULL,
		"sis-sync: a task that has not slept yet counts as short, as posted"},
	{NULL, 0, 0, NULL, 0, 0, NULL, NULL},
};

static void v5_10(struct linux_rules *r)
{
	r->pcpu_in_task = true;
}

static void v5_11(struct linux_rules *r)
{
	r->idle_test = LINUX_IDLE_LAWALL; /* d8fcb81f1acf */
}

static void v5_12(struct linux_rules *r)
{
	r->merged_scan = true; /* 9fe1f127b913 */
}

static void v5_13(struct linux_rules *r)
{
	r->smt = LINUX_SMT_PREV; /* c722f35b513f */
}

static void v5_15(struct linux_rules *r)
{
	r->recent = LINUX_RECENT_WAKEE; /* 89aafd67f28c */
	r->scan_next = true; /* 56498cfb045d */
	r->scan = LINUX_SCAN_UTIL; /* backported to 5.15.y */
}

static void v5_16(struct linux_rules *r)
{
	r->scan = LINUX_SCAN_PROP; /* mainline kept SIS_PROP until 5.19 */
}

static void v6_0(struct linux_rules *r)
{
	r->scan = LINUX_SCAN_UTIL; /* 70fb5ccf2ebb */
	r->core_within_scan = true; /* in the 6.1.y tree, not in 5.15.y */
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
	{{6, 0, 0}, v6_0},
	{{6, 6, 0}, v6_6},
	{{6, 7, 0}, v6_7},
	{{6, 12, 1}, v6_12_1},
	{{6, 13, 0}, v6_13},
	{{6, 15, 0}, v6_15},
	{{7, 0, 0}, v7_0},
};

static const struct linux_rules v5_9 = {
	.wa_idle = true,
	.wa_weight = true,
	.wa_bias = true,
	.affine = true,
	.idle_test = LINUX_IDLE_V59,
	.recent = LINUX_RECENT_WAKER,
	.smt = LINUX_SMT_TARGET,
	.scan = LINUX_SCAN_PROP,
};

static void apply_features(struct linux_rules *r, const struct rwk_machine *m)
{
	if (m->feature_known[RWK_FEAT_WA_IDLE])
		r->wa_idle = m->feature[RWK_FEAT_WA_IDLE];
	if (m->feature_known[RWK_FEAT_WA_WEIGHT])
		r->wa_weight = m->feature[RWK_FEAT_WA_WEIGHT];
	if (m->feature_known[RWK_FEAT_WA_BIAS])
		r->wa_bias = m->feature[RWK_FEAT_WA_BIAS];
	/* A version asked for that differs from the recorded one keeps its own kind of limit. */
	if (r->scan == LINUX_SCAN_UTIL && m->feature_known[RWK_FEAT_SIS_UTIL] &&
		!m->feature[RWK_FEAT_SIS_UTIL])
		r->scan = m->feature[RWK_FEAT_SIS_PROP] ? LINUX_SCAN_PROP : LINUX_SCAN_FULL;
	else if (r->scan == LINUX_SCAN_PROP && m->feature_known[RWK_FEAT_SIS_PROP] &&
		 !m->feature[RWK_FEAT_SIS_PROP] && !m->feature[RWK_FEAT_SIS_UTIL])
		r->scan = LINUX_SCAN_FULL;
}

static void apply_overrides(struct linux_rules *r, const struct linux_state *s)
{
	if (s->lawall)
		r->idle_test = s->lawall == 2 ? LINUX_IDLE_LAWALL : LINUX_IDLE_V59;
	if (s->scan)
		r->scan = s->scan == 1   ? LINUX_SCAN_UTIL
			  : s->scan == 2 ? LINUX_SCAN_PROP
					 : LINUX_SCAN_FULL;
	if (s->smt)
		r->smt = s->smt == 1 ? LINUX_SMT_PREV : LINUX_SMT_TARGET;
	if (s->recent)
		r->recent = s->recent == 1 ? LINUX_RECENT_WAKEE : LINUX_RECENT_WAKER;
	if (s->start)
		r->scan_next = s->start == 2;
	if (s->delayed)
		r->subtract_delayed = s->delayed == 2;
	if (s->cluster)
		r->cluster = s->cluster == 2;
	if (s->wa_idle)
		r->wa_idle = s->wa_idle == 2;
	if (s->wa_weight)
		r->wa_weight = s->wa_weight == 2;
	if (s->wa_bias)
		r->wa_bias = s->wa_bias == 2;
}

int linux_rules_init(struct linux_state *state, const struct rwk_policy_env *env)
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
	if (rwk_version_cmp(v, (struct rwk_version){5, 9, 0}) < 0) {
		snprintf(env->error, env->error_size,
			"kernel %d.%d is older than 5.9, the first whose rules are known; say "
			"version=",
			v.major, v.minor);
		return -1;
	}
	/* "6.12" without a patch level means the stable series, not its first release. */
	if (state->version.major && !state->version.patch)
		v.patch = INT32_MAX;
	state->rules = v5_9;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (rwk_version_cmp(v, changes[i].since) >= 0)
			changes[i].change(&state->rules);
	}
	apply_features(&state->rules, m);
	apply_overrides(&state->rules, state);
	state->rules.zero_is_short = state->zero_is_short;
	state->rules.migration_cost_ns = state->migration_cost ? state->migration_cost
					 : m->migration_cost_ns != RWK_NS_NONE
						 ? m->migration_cost_ns
						 : 500000;
	return 0;
}
