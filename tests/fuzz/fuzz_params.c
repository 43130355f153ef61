/* Any text as a policy with parameters. */
#include <stdlib.h>
#include <string.h>

#include "policy/registry.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rwk_machine machine = {.kernel = {6, 1, 192}, .migration_cost_ns = RWK_NS_NONE};
	struct rwk_policy_env env = {.machine = &machine};
	struct rwk_policy_instance p;
	struct rwk_diag diag = {0};
	char *spec = malloc(size + 1);

	if (!spec)
		abort();
	memcpy(spec, data, size);
	spec[size] = '\0';
	/* A slash would load whatever shared object the fuzzer names. */
	if (!strchr(spec, '/')) {
		if (!rwk_policy_open(spec, &env, &diag, &p))
			rwk_policy_close(&p);
		else if (!diag.nr)
			abort();
	}
	free(spec);
	return 0;
}
