/* The explicit list of policies, and lookup by name. */
#include "policy/registry.h"

#include <string.h>

extern const struct rwk_policy rwk_policy_affine_off, rwk_policy_affine_off_smt,
	rwk_policy_affine_on, rwk_policy_core_first, rwk_policy_gorman, rwk_policy_lawall,
	rwk_policy_linux, rwk_policy_no_affine_smt, rwk_policy_no_wa_weight, rwk_policy_pack,
	rwk_policy_prev, rwk_policy_prev_idle_else_base, rwk_policy_prev_target,
	rwk_policy_recorded, rwk_policy_sis_cache, rwk_policy_sis_current, rwk_policy_sis_full,
	rwk_policy_sis_node, rwk_policy_sis_prop, rwk_policy_sis_short_v1, rwk_policy_sis_short_v6,
	rwk_policy_sis_sync, rwk_policy_sis_sync_slice, rwk_policy_sis_util, rwk_policy_spread,
	rwk_policy_sync_as_two, rwk_policy_v5_9, rwk_policy_vagin, rwk_policy_waker,
	rwk_policy_waker_idle_else_base, rwk_policy_wf_current;

/* In name order: what `rewake policies` prints. */
static const struct rwk_policy *const policies[] = {
	&rwk_policy_affine_off,
	&rwk_policy_affine_off_smt,
	&rwk_policy_affine_on,
	&rwk_policy_core_first,
	&rwk_policy_gorman,
	&rwk_policy_lawall,
	&rwk_policy_linux,
	&rwk_policy_no_affine_smt,
	&rwk_policy_no_wa_weight,
	&rwk_policy_pack,
	&rwk_policy_prev,
	&rwk_policy_prev_idle_else_base,
	&rwk_policy_prev_target,
	&rwk_policy_recorded,
	&rwk_policy_sis_cache,
	&rwk_policy_sis_current,
	&rwk_policy_sis_full,
	&rwk_policy_sis_node,
	&rwk_policy_sis_prop,
	&rwk_policy_sis_short_v1,
	&rwk_policy_sis_short_v6,
	&rwk_policy_sis_sync,
	&rwk_policy_sis_sync_slice,
	&rwk_policy_sis_util,
	&rwk_policy_spread,
	&rwk_policy_sync_as_two,
	&rwk_policy_v5_9,
	&rwk_policy_vagin,
	&rwk_policy_waker,
	&rwk_policy_waker_idle_else_base,
	&rwk_policy_wf_current,
};

const struct rwk_policy *rwk_policy_at(size_t index)
{
	return index < sizeof(policies) / sizeof(policies[0]) ? policies[index] : NULL;
}

const struct rwk_policy *rwk_policy_find(const char *name)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	}
	return NULL;
}
