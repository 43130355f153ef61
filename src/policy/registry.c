/* The explicit list of policies, and lookup by name. */
#include "policy/registry.h"

#include <string.h>

extern const struct rwk_policy rwk_policy_affine_off, rwk_policy_gorman, rwk_policy_lawall,
	rwk_policy_linux, rwk_policy_prev, rwk_policy_recorded, rwk_policy_sis_sync,
	rwk_policy_v5_9, rwk_policy_vagin, rwk_policy_waker;

/* In name order: what `rewake policies` prints. */
static const struct rwk_policy *const policies[] = {
	&rwk_policy_affine_off,
	&rwk_policy_gorman,
	&rwk_policy_lawall,
	&rwk_policy_linux,
	&rwk_policy_prev,
	&rwk_policy_recorded,
	&rwk_policy_sis_sync,
	&rwk_policy_v5_9,
	&rwk_policy_vagin,
	&rwk_policy_waker,
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
