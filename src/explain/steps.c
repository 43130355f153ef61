/* The way of a policy to its answer. */
#include <inttypes.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/words.h"

struct told {
	FILE *out;
	const char *last; /* step: named once */
	int nr;
};

static void put_step(void *ctx, const struct rwk_step *s)
{
	struct told *told = ctx;
	bool again = told->last && !strcmp(told->last, s->step);

	fprintf(told->out, "  %-20s %s", again ? "" : s->step, s->what);
	if (s->cpu != RWK_NONE)
		fprintf(told->out, " (CPU %" PRId32 ")", s->cpu);
	if (s->relation)
		fprintf(told->out, ": %" PRId64 " %s %" PRId64, s->value, s->relation, s->limit);
	fprintf(told->out, "? %s\n", s->yes ? "yes" : "no");
	told->last = s->step;
	told->nr++;
}

static void put_unknown(FILE *out, uint32_t unknown)
{
	const char *sep = "  not known, though read: ";

	for (int i = 0; i < RWK_IN_COUNT; i++) {
		if (!(unknown >> i & 1))
			continue;
		fprintf(out, "%s%s", sep, explain_input((enum rwk_input)i));
		sep = ", ";
	}
	if (unknown)
		fputc('\n', out);
}

const char *explain_name_at(const char *const *names, int index)
{
	for (int i = 0; names && names[i]; i++) {
		if (i == index)
			return names[i];
	}
	return "?";
}

void rwk_explain_policy(FILE *out, const struct rwk_explained *x,
	const struct rwk_policy_instance *p, struct rwk_verdict *ret)
{
	struct told told = {.out = out};
	const struct rwk_trace trace = {.step = put_step, .ctx = &told};

	fprintf(out, "%s%s%s\n", p->policy->name, *p->params ? "," : "", p->params);
	*ret = (struct rwk_verdict){.cpu = RWK_NONE, .target = RWK_NONE, .trace = &trace};
	p->policy->select_cpu(p->state, x->w, ret);
	ret->trace = NULL;
	if (!told.nr)
		fputs("  (this policy tells no steps)\n", out);
	if (ret->cpu == RWK_NONE)
		fputs("  -> no answer", out);
	else
		fprintf(out, "  -> CPU %" PRId32, ret->cpu);
	fprintf(out, ": %s", explain_name_at(p->policy->reasons, ret->reason));
	if (p->policy->details)
		fprintf(out, ", target %" PRId32 " by %s", ret->target,
			explain_name_at(p->policy->details, ret->detail));
	if (x->w->recorded_source != RWK_UNKNOWN && ret->cpu != RWK_NONE)
		fputs(ret->cpu == x->w->recorded_cpu ? "; as the kernel" : "; the kernel: another",
			out);
	fputc('\n', out);
	put_unknown(out, ret->unknown);
}
