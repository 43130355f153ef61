/*
 * What every registered policy owes, over random pictures: an allowed answer,
 * the same one twice, no write to its state or to the picture, a reason of its
 * own list, a word about every unknown input it used, and the same answer
 * whether or not the sets of free and unknown CPUs are there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "policy/registry.h"
#include "random_picture.h"

static const char *const kernels[] = {
	"5.9.1", "5.10.223", "5.15.85", "6.1.192", "6.6.57", "6.12.117", "6.18.2", "7.3.4"};

#define NR_SEEDS 24000

static size_t count(const char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	return n;
}

static struct rwk_verdict ask(const struct rwk_policy_instance *p, const struct rwk_wakeup *w)
{
	struct rwk_verdict v = {.cpu = RWK_NONE, .target = RWK_NONE};

	p->policy->select_cpu(p->state, w, &v);
	return v;
}

static bool holds(const struct rwk_step *s)
{
	static const char *const relations[] = {">=", ">", "<=", "<", "=="};
	const bool is[] = {s->value >= s->limit, s->value > s->limit, s->value <= s->limit,
		s->value < s->limit, s->value == s->limit};

	if (!s->relation)
		return s->value;
	for (int i = 0; i < 5; i++) {
		if (!strcmp(s->relation, relations[i]))
			return is[i];
	}
	fail_msg("relation %s", s->relation);
	return false;
}

/* What is told is what was compared. */
static void check_step(void *ctx, const struct rwk_step *s)
{
	const struct rwk_machine *m = ctx;

	assert_non_null(s->step);
	assert_non_null(s->what);
	assert_int_equal(s->yes, holds(s));
	assert_true(s->cpu >= RWK_NONE && s->cpu < m->nr_cpu_ids);
}

/* As ask, with somebody who listens. */
static struct rwk_verdict ask_aloud(const struct rwk_policy_instance *p, const struct rwk_wakeup *w)
{
	const struct rwk_trace trace = {.step = check_step, .ctx = (void *)(uintptr_t)w->machine};
	struct rwk_verdict v = {.cpu = RWK_NONE, .target = RWK_NONE, .trace = &trace};

	p->policy->select_cpu(p->state, w, &v);
	return v;
}

/* Member by member: the bytes between them mean nothing. */
static void assert_same_verdict(const struct rwk_verdict *a, const struct rwk_verdict *b)
{
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->reason, b->reason);
	assert_int_equal(a->detail, b->detail);
	assert_int_equal(a->unknown, b->unknown);
	assert_int_equal(a->effects, b->effects);
	assert_int_equal(a->target, b->target);
	assert_int_equal(a->more_no_idle_cores, b->more_no_idle_cores);
}

/* Asks policy about pic, of which copy is a copy; known: no input of it is unknown. */
static void check_one(const struct rwk_policy *policy, const struct picture *pic,
	const struct picture *copy, bool known)
{
	struct rwk_policy_env env = {.machine = &pic->machine};
	size_t nr_reasons = count(policy->reasons), nr_details = count(policy->details);
	unsigned char state[4096];
	struct rwk_policy_instance p;
	struct rwk_diag diag = {0};
	struct rwk_wakeup with_sets = pic->w;
	struct rwk_cpuset free_cpus, unknown_cpus;
	struct rwk_verdict v, again;

	assert_in_range(policy->state_size, 0, sizeof(state));
	assert_int_equal(rwk_policy_open(policy->name, &env, &diag, &p), 0);
	memcpy(state, p.state, policy->state_size);
	v = ask(&p, &pic->w);
	again = ask_aloud(&p, &pic->w);
	assert_same_verdict(&v, &again);
	picture_sets(&with_sets, &free_cpus, &unknown_cpus);
	again = ask(&p, &with_sets);
	assert_same_verdict(&v, &again);
	assert_int_equal(memcmp(copy, pic, sizeof(*pic)), 0);
	assert_int_equal(memcmp(state, p.state, policy->state_size), 0);
	assert_true(v.reason < nr_reasons);
	assert_true(!nr_details || v.detail < nr_details);
	assert_true(v.unknown < 1u << RWK_IN_COUNT);
	if (v.cpu != RWK_NONE)
		assert_true(rwk_cpuset_has(&pic->w.allowed, v.cpu));
	else
		assert_int_not_equal(v.unknown, 0);
	if (known)
		assert_int_equal(v.unknown & ~(1u << RWK_IN_AVG_IDLE), 0);
	rwk_policy_close(&p);
}

static void every_policy(void **state)
{
	struct picture *pic = malloc(sizeof(*pic)), *copy = malloc(sizeof(*copy));

	(void)state;
	assert_non_null(pic);
	assert_non_null(copy);
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		const char *kernel = kernels[seed / 2 % (sizeof(kernels) / sizeof(kernels[0]))];
		bool known = seed % 3;

		random_picture(pic, seed, kernel, known);
		if (seed % 2)
			random_oddities(pic, seed);
		pic->w.type = (enum rwk_wake_type)(seed / 3 % RWK_WAKE_TYPE_COUNT);
		memcpy(copy, pic, sizeof(*pic));
		for (size_t i = 0; rwk_policy_at(i); i++)
			check_one(rwk_policy_at(i), pic, copy, known);
	}
	free(pic);
	free(copy);
}

static void registry_is_sorted_and_sound(void **state)
{
	const struct rwk_policy *p;
	struct rwk_diag diag = {0};

	(void)state;
	for (size_t i = 0; (p = rwk_policy_at(i)); i++) {
		assert_int_equal(rwk_policy_check(p, &diag), 0);
		assert_ptr_equal(rwk_policy_find(p->name), p);
		if (i)
			assert_true(strcmp(rwk_policy_at(i - 1)->name, p->name) < 0);
		for (const struct rwk_param *d = p->params; d && d->name; d++) {
			assert_non_null(d->help);
			assert_true(d->offset < p->state_size);
		}
	}
	assert_null(rwk_policy_find("no-such-policy"));
}

/* `recorded` is the identity. */
static void recorded_agrees(void **state)
{
	struct picture pic;

	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct rwk_verdict v;

		random_picture(&pic, seed, "6.1.192", true);
		v = picture_ask(&pic, "recorded");
		assert_int_equal(v.cpu, pic.w.recorded_cpu);
	}
}

static void bad_parameters(void **state)
{
	static const char *const specs[] = {"linux,versio=6.1", "linux,version", "linux,version=x",
		"linux,scan=none", "linux,lawall=2", "sis-sync,migration_cost=-1",
		"sis-sync,migration_cost=1h", "sis-sync,zero_is_short=maybe", "prev,x=1",
		"linux,zero_is_short=1", "sync-as-two,share=101", "sync-as-two,window=1s",
		"affine-on,base=r4", "affine-on,lawall=1"};
	struct picture pic;
	struct rwk_policy_env env = {.machine = &pic.machine};
	struct rwk_policy_instance p;

	(void)state;
	picture_init(&pic, 4, 4, 1, "6.1.192");
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct rwk_diag diag = {0};

		assert_int_equal(rwk_policy_open(specs[i], &env, &diag, &p), -22);
		assert_int_equal(diag.nr, 1);
	}
	struct rwk_diag diag = {0};
	assert_int_equal(rwk_policy_open("linus", &env, &diag, &p), -2);
	assert_non_null(strstr(diag.cause[0], "linux"));
	/* a kernel that is not known, and one that is too old */
	memset(&pic.machine.kernel, 0, sizeof(pic.machine.kernel));
	assert_int_equal(rwk_policy_open("linux", &env, &diag, &p), -61);
	assert_int_equal(rwk_policy_open("linux,version=4.4", &env, &diag, &p), -61);
	assert_int_equal(rwk_policy_open("linux,version=2.6.33", &env, &diag, &p), -61);
	/* 2.6.32 is a kernel, but has nothing that the later policies change */
	assert_int_equal(rwk_policy_open("vagin,version=2.6.32", &env, &diag, &p), -61);
	assert_int_equal(rwk_policy_open("linux,version=2.6.32", &env, &diag, &p), 0);
	rwk_policy_close(&p);
	assert_int_equal(rwk_policy_open("linux,version=6.1", &env, &diag, &p), 0);
	rwk_policy_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_policy),
		cmocka_unit_test(registry_is_sorted_and_sound),
		cmocka_unit_test(recorded_agrees),
		cmocka_unit_test(bad_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
