/* From a policy's spec text to an instance that can be asked. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "policy/registry.h"

int rwk_policy_check(const struct rwk_policy *p, struct rwk_diag *diag)
{
	const char *why = p->api != RWK_POLICY_API                ? "another API version"
			  : p->size != sizeof(*p)                 ? "another struct size"
			  : !p->name || !p->name[0]               ? "no name"
			  : !p->summary || !p->origin || !p->base ? "no summary, origin or base"
			  : !p->reasons || !p->reasons[0]         ? "no reasons"
			  : !p->select_cpu                        ? "no select_cpu"
			  : p->params && p->params[0].name && !p->state_size
				  ? "parameters without state"
				  : NULL;

	if (why)
		return rwk_diag_push(diag, -EBADMSG, "not a usable policy: %s", why);
	return 0;
}

static int list_known(struct rwk_diag *diag, const char *name)
{
	char known[RWK_DIAG_TEXT] = "";
	size_t used = 0;

	for (size_t i = 0; rwk_policy_at(i) && used < sizeof(known); i++)
		used += (size_t)snprintf(
			known + used, sizeof(known) - used, " %s", rwk_policy_at(i)->name);
	return rwk_diag_push(diag, -ENOENT, "no policy named %s; there are:%s", name, known);
}

static int load(const char *path, struct rwk_diag *diag, struct rwk_policy_instance *ret)
{
	int err;

	ret->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!ret->library)
		return rwk_diag_push(diag, -ENOENT, "cannot load policy: %s", dlerror());
	ret->policy = dlsym(ret->library, RWK_POLICY_SYMBOL);
	if (!ret->policy)
		return rwk_diag_push(diag, -EBADMSG, "cannot load policy: file=%s has no symbol %s",
			path, RWK_POLICY_SYMBOL);
	err = rwk_policy_check(ret->policy, diag);
	if (err)
		return rwk_diag_push(diag, err, "cannot load policy: file=%s", path);
	return 0;
}

/* Index of value among the space-separated words, or -EINVAL. */
static int choice_index(const char *words, const char *value, int *ret)
{
	size_t len = strlen(value);

	for (int i = 0; *words; i++) {
		size_t n = strcspn(words, " ");

		if (n == len && len && !memcmp(words, value, n)) {
			*ret = i;
			return 0;
		}
		words += n + (words[n] == ' ');
	}
	return -EINVAL;
}

static int param_set(void *state, const struct rwk_param *p, const char *value)
{
	void *at = (char *)state + p->offset;
	rwk_ns ns;
	int err;

	switch (p->type) {
	case RWK_PARAM_BOOL:
		return rwk_parse_bool(value, at);
	case RWK_PARAM_INT:
		return rwk_parse_i64(value, p->min, p->max, at);
	case RWK_PARAM_NS:
		err = rwk_parse_ns(value, &ns);
		if (err)
			return err;
		if (ns < p->min || ns > p->max)
			return -ERANGE;
		*(rwk_ns *)at = ns;
		return 0;
	case RWK_PARAM_CHOICE:
		return choice_index(p->choices, value, at);
	case RWK_PARAM_VERSION:
		return rwk_parse_version(value, at);
	}
	return -EINVAL;
}

static int params_init(struct rwk_policy_instance *p, struct rwk_diag *diag)
{
	for (const struct rwk_param *d = p->policy->params; d && d->name; d++) {
		if (d->initial && param_set(p->state, d, d->initial))
			return rwk_diag_push(diag, -EBADMSG,
				"policy %s: its parameter %s refuses its own default %s",
				p->policy->name, d->name, d->initial);
	}
	return 0;
}

static int params_set(struct rwk_policy_instance *p, char *text, struct rwk_diag *diag)
{
	char *save = NULL;

	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *value = strchr(word, '=');
		const struct rwk_param *d = p->policy->params;
		int err;

		if (!value)
			return rwk_diag_push(diag, -EINVAL, "policy %s: %s is not param=value",
				p->policy->name, word);
		*value++ = '\0';
		while (d && d->name && strcmp(d->name, word))
			d++;
		if (!d || !d->name)
			return rwk_diag_push(diag, -EINVAL, "policy %s has no parameter %s",
				p->policy->name, word);
		err = param_set(p->state, d, value);
		if (err)
			return rwk_diag_push(diag, -EINVAL, "policy %s: %s=%s is %s%s%s",
				p->policy->name, word, value,
				err == -ERANGE ? "out of range" : "not understood",
				d->choices ? "; one of: " : "", d->choices ? d->choices : "");
	}
	return 0;
}

int rwk_policy_open(const char *spec, const struct rwk_policy_env *env, struct rwk_diag *diag,
	struct rwk_policy_instance *ret)
{
	struct rwk_policy_instance p = {0};
	char error[256] = "";
	struct rwk_policy_env with_error = *env;
	size_t name_len = strcspn(spec, ",");
	char *name = strndup(spec, name_len);
	char *params = NULL;
	int err = -ENOMEM;

	if (!name)
		goto out;
	if (spec[name_len]) {
		params = strdup(spec + name_len + 1);
		if (!params)
			goto out;
		if (strlen(params) >= sizeof(p.params)) {
			err = rwk_diag_push(
				diag, -EINVAL, "policy %s: parameters are too long", name);
			goto out;
		}
		strcpy(p.params, params);
	}
	if (strchr(name, '/')) {
		err = load(name, diag, &p);
		if (err)
			goto out;
	} else {
		p.policy = rwk_policy_find(name);
		if (!p.policy) {
			err = list_known(diag, name);
			goto out;
		}
	}
	p.state = calloc(1, p.policy->state_size + 1);
	if (!p.state) {
		err = -ENOMEM;
		goto out;
	}
	err = params_init(&p, diag);
	if (!err && params)
		err = params_set(&p, params, diag);
	if (err)
		goto out;
	with_error.error = error;
	with_error.error_size = sizeof(error);
	if (p.policy->init && p.policy->init(p.state, &with_error)) {
		err = rwk_diag_push(diag, -ENODATA, "policy %s: %s", p.policy->name,
			error[0] ? error : "refused");
		goto out;
	}
	*ret = p;
	p = (struct rwk_policy_instance){0};
out:
	free(name);
	free(params);
	if (err) {
		free(p.state);
		if (p.library)
			dlclose(p.library);
	}
	return err;
}

void rwk_policy_close(struct rwk_policy_instance *p)
{
	if (p->policy && p->policy->finish)
		p->policy->finish(p->state);
	free(p->state);
	if (p->library)
		dlclose(p->library);
	*p = (struct rwk_policy_instance){0};
}
