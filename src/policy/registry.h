/*
 * The policies that ship, and everything the host does with a policy: finding
 * one by name or file, setting its parameters, checking it.
 */
#ifndef SRC_POLICY_REGISTRY_H
#define SRC_POLICY_REGISTRY_H

#include <rewake/policy.h>

#include "base/diag.h"

/* The shipped policies in name order; NULL past the end. */
const struct rwk_policy *rwk_policy_at(size_t index);
const struct rwk_policy *rwk_policy_find(const char *name);

/* A policy ready to be asked. */
struct rwk_policy_instance {
	const struct rwk_policy *policy;
	void *state;
	void *library; /* shared object that holds it, or NULL */
	char params[256]; /* as given, "" none */
};

/*
 * spec: NAME or ./FILE.so, then ",param=value" any number of times.  -ENOENT
 * unknown name (the cause lists the known ones), -EINVAL bad parameter,
 * -EBADMSG a shared object that is no policy of this API, -ENODATA init
 * refused (the cause says why).
 */
int rwk_policy_open(const char *spec, const struct rwk_policy_env *env, struct rwk_diag *diag,
	struct rwk_policy_instance *ret);
void rwk_policy_close(struct rwk_policy_instance *p);

/* 0, or -EBADMSG with the member that is missing or wrong. */
int rwk_policy_check(const struct rwk_policy *policy, struct rwk_diag *diag);

#endif
