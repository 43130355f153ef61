/* A policy from a shared object: the shipped skeleton, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "policy/registry.h"

static const char *skeleton;

static void loads_the_skeleton(void **state)
{
	struct rwk_machine machine = {0};
	struct rwk_policy_env env = {.machine = &machine};
	struct rwk_policy_instance p;
	struct rwk_diag diag = {0};
	char spec[4096];

	(void)state;
	assert_int_equal(rwk_policy_open(skeleton, &env, &diag, &p), 0);
	assert_string_equal(p.policy->name, "skeleton");
	rwk_policy_close(&p);
	snprintf(spec, sizeof(spec), "%s,prefer=waker", skeleton);
	assert_int_equal(rwk_policy_open(spec, &env, &diag, &p), 0);
	assert_string_equal(p.params, "prefer=waker");
	rwk_policy_close(&p);
	snprintf(spec, sizeof(spec), "%s,prefer=neither", skeleton);
	assert_int_equal(rwk_policy_open(spec, &env, &diag, &p), -22);
}

static void refuses_what_is_none(void **state)
{
	struct rwk_machine machine = {0};
	struct rwk_policy_env env = {.machine = &machine};
	struct rwk_policy_instance p;
	struct rwk_diag diag = {0};
	struct rwk_policy other = {.api = RWK_POLICY_API + 1, .size = sizeof(other)};

	(void)state;
	assert_int_equal(rwk_policy_open("./no-such-file.so", &env, &diag, &p), -2);
	assert_int_equal(rwk_policy_check(&other, &diag), -74);
	other.api = RWK_POLICY_API;
	other.size--;
	assert_int_equal(rwk_policy_check(&other, &diag), -74);
	other.size++;
	other.name = "x";
	assert_int_equal(rwk_policy_check(&other, &diag), -74);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_the_skeleton),
		cmocka_unit_test(refuses_what_is_none),
	};

	if (argc < 2)
		return 77;
	skeleton = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
