/*
 * Events as the child process tells them: made to mean what other formats' do,
 * and checked, since all of it may be made up.
 */
#ifndef SRC_DECODE_CTF_CHECK_H
#define SRC_DECODE_CTF_CHECK_H

#include "decode/ctf_prio.h"
#include "decode/prev_state.h"

struct rwk_ctf_codings {
	bool lttng; /* false: of an unknown tracer, whose numbers may mean anything */
	struct rwk_prev_state states;
	struct rwk_ctf_prio prio;
};

enum rwk_ctf_verdict { RWK_CTF_GOOD, RWK_CTF_IMPOSSIBLE, RWK_CTF_CPU_OUT_OF_RANGE };

/* version: major * 1000 + minor; release: of the kernel, may be empty. */
void rwk_ctf_codings_init(
	struct rwk_ctf_codings *c, const char *tracer, int version, const char *release);

/* What the trace calls that value of prev_state. */
void rwk_ctf_codings_state(struct rwk_ctf_codings *c, uint64_t value, const char *name);

/* Completes ev; above all, kinds that have a pointer are refused.  Its cpu is not looked at. */
enum rwk_ctf_verdict rwk_ctf_check(struct rwk_ctf_codings *c, struct rwk_event *ev);

#endif
