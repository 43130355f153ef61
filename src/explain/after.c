/* What came of a decision, and its neighbours. */
#include <inttypes.h>

#include "explain/explain.h"
#include "explain/words.h"

void rwk_explain_after(
	FILE *out, const struct rwk_explained *x, const struct rwk_explained_after *a)
{
	char text[32];

	fputs("\nthe kernel: ", out);
	if (a->kernel_source == RWK_UNKNOWN)
		fputs("its choice is not known\n", out);
	else
		fprintf(out, "CPU %" PRId32 " (%s)\n", a->kernel_cpu,
			explain_source(a->kernel_source));
	if (a->wakeup_dur != RWK_NS_NONE) {
		explain_time(a->wakeup_dur, text, sizeof(text));
		fprintf(out, "  woken %s after the waking, by CPU %" PRId32 "\n", text,
			a->wakeup_cpu);
	}
	if (a->run_dur == RWK_NS_NONE) {
		fputs("  when it ran is not known: the recording ends, or events are lost\n", out);
		return;
	}
	explain_time(a->run_dur, text, sizeof(text));
	fprintf(out, "  ran %s after the waking, on CPU %" PRId32 "\n", text, a->run_cpu);
	for (size_t i = 0; i < a->nr_ran; i++) {
		explain_time(a->ran[i].dur, text, sizeof(text));
		fputs("    meanwhile there: ", out);
		rwk_explain_task(out, x, a->ran[i].utid);
		fprintf(out, " for %s\n", text);
	}
}

static void put_cpu(FILE *out, const char *before, int32_t cpu)
{
	if (cpu == RWK_NONE)
		fprintf(out, "%s?", before);
	else
		fprintf(out, "%s%" PRId32, before, cpu);
}

void rwk_explain_around(FILE *out, const struct rwk_explained *x,
	const struct rwk_explained_decision *d, size_t nr, size_t here)
{
	fputs("\ndecisions around it\n", out);
	for (size_t i = 0; i < nr; i++) {
		fprintf(out, "%c %8" PRId64 "  %.6f  CPU %4" PRId32 " ", i == here ? '>' : ' ',
			d[i].wakeup_id, (double)(d[i].ts - x->begin_ts) / 1e9, d[i].cpu);
		rwk_explain_task(out, x, d[i].waker_utid);
		fputs(" wakes ", out);
		rwk_explain_task(out, x, d[i].wakee_utid);
		put_cpu(out, ": CPU ", d[i].prev_cpu);
		put_cpu(out, " -> ", d[i].target_cpu);
		fputc('\n', out);
	}
}
