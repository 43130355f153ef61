/*
 * Kernel version, scheduler features and tunables.
 */
#include "machine/build.h"

#include <string.h>

#include "base/parse.h"

/*
 * Features in the order of enum rwk_feature, and since when a kernel has each
 * switched on if nobody turned it (design §2.7, §6.5): what stands in for an
 * unknown value.
 */
static const struct {
	const char *name;
	struct rwk_version on_from, off_from; /* off_from 0: never again */
} features[RWK_FEAT_COUNT] = {
	[RWK_FEAT_WA_IDLE] = {"WA_IDLE", {4, 14, 0}, {0, 0, 0}},
	[RWK_FEAT_WA_WEIGHT] = {"WA_WEIGHT", {4, 14, 0}, {0, 0, 0}},
	[RWK_FEAT_WA_BIAS] = {"WA_BIAS", {4, 14, 0}, {0, 0, 0}},
	[RWK_FEAT_SIS_UTIL] = {"SIS_UTIL", {5, 15, 0}, {0, 0, 0}},
	[RWK_FEAT_SIS_PROP] = {"SIS_PROP", {4, 13, 0}, {5, 15, 0}},
	[RWK_FEAT_TTWU_QUEUE] = {"TTWU_QUEUE", {3, 0, 0}, {0, 0, 0}},
	[RWK_FEAT_DELAY_DEQUEUE] = {"DELAY_DEQUEUE", {6, 12, 0}, {0, 0, 0}},
};

const char *rwk_feature_name(enum rwk_feature feature)
{
	return features[feature].name;
}

static void default_features(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;
	const char *rt = rwk_build_file(b, "config/CONFIG_PREEMPT_RT");
	/* An unknown version is taken for a recent one. */
	struct rwk_version v = m->kernel.major ? m->kernel : (struct rwk_version){999, 0, 0};

	for (int i = 0; i < RWK_FEAT_COUNT; i++)
		m->feature[i] = rwk_version_cmp(v, features[i].on_from) >= 0 &&
				(!features[i].off_from.major ||
					rwk_version_cmp(v, features[i].off_from) < 0);
	if (rt && rt[0] == 'y')
		m->feature[RWK_FEAT_TTWU_QUEUE] = false;
}

/* "WA_IDLE NO_SIS_PROP …": a name that is not there is a feature this kernel does not have. */
static void read_features(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;
	const char *text = rwk_build_file(b, "sys/kernel/debug/sched/features");

	if (!text)
		text = rwk_build_file(b, "sys/kernel/debug/sched_features");
	if (!text || !text[strspn(text, " \t\n")])
		return;
	for (int i = 0; i < RWK_FEAT_COUNT; i++) {
		size_t len = strlen(features[i].name);

		m->feature_known[i] = true;
		m->feature[i] = false;
		for (const char *p = text; *p; p += strcspn(p, " \t\n")) {
			p += strspn(p, " \t\n");
			if (strcspn(p, " \t\n") == len && !strncmp(p, features[i].name, len))
				m->feature[i] = true;
		}
	}
}

void rwk_build_settings(struct rwk_build *b, const char *release)
{
	struct rwk_machine *m = b->m;
	const char *own = b->snap ? rwk_snapshot_release(b->snap) : "";
	const char *state = rwk_build_file(b, "sys/kernel/sched_ext/state");
	int64_t v;

	/* The trace's release wins; a snapshot of another kernel is likely another machine's. */
	if (release[0] && own[0] && strcmp(release, own))
		rwk_build_contradiction(b, RWK_NONE);
	if (!release[0])
		release = own;
	if (release[0] && rwk_parse_version(release, &m->kernel))
		rwk_build_contradiction(b, RWK_NONE);

	default_features(b);
	read_features(b);
	if (!rwk_build_int(b, 1, 100000, &v, "config/CONFIG_HZ"))
		m->hz = (int)v;
	m->migration_cost_ns = RWK_NS_NONE;
	/* Up to 5.12 it is a sysctl; -1 stands for "always hot" and is kept. */
	if (!rwk_build_int(b, -1, INT64_MAX, &v, "sys/kernel/debug/sched/migration_cost_ns") ||
		!rwk_build_int(b, -1, INT64_MAX, &v, "proc/sys/kernel/sched_migration_cost_ns"))
		m->migration_cost_ns = v;
	m->min_granularity_ns = RWK_NS_NONE;
	if (!rwk_build_int(b, 1, INT64_MAX, &v, "sys/kernel/debug/sched/base_slice_ns") ||
		!rwk_build_int(b, 1, INT64_MAX, &v, "sys/kernel/debug/sched/min_granularity_ns") ||
		!rwk_build_int(b, 1, INT64_MAX, &v, "proc/sys/kernel/sched_min_granularity_ns"))
		m->min_granularity_ns = v;
	/* While it is being enabled or disabled, some wakeups are its own already. */
	m->sched_ext_enabled = state && strncmp(state, "disabled", 8);
}
