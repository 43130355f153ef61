/*
 * What trace.dat files of one session say of each other (trace-cmd.dat.v7(5), options TRACEID,
 * TIME_SHIFT and GUEST): a guest's file, how its clock is put on its host's; a host's, which of its
 * tasks are the guest's CPUs.
 */
#ifndef SRC_DECODE_TRACEDAT_SESSION_H
#define SRC_DECODE_TRACEDAT_SESSION_H

#include "decode/decoder.h"

/* From time on, a time of the guest's CPU is (time * scaling >> fraction) + offset of the host. */
struct rwk_tracedat_shift {
	uint64_t time; /* of the guest's clock */
	int64_t offset;
	uint64_t scaling;
	uint32_t fraction;
};

struct rwk_tracedat_vcpu {
	struct rwk_tracedat_shift *shift; /* by time, each once */
	size_t nr; /* 0: nothing is known of it */
};

struct rwk_tracedat_session {
	uint64_t id, host_id; /* 0: not said */
	bool interpolates; /* between the offsets, by time */
	struct rwk_tracedat_vcpu *vcpu;
	int nr_vcpus;
};

/*
 * An option of those three; a guest becomes a note of info, and what is damaged a bad record
 * there.  Of several TIME_SHIFT the last good one counts.  0 or -ENOMEM.
 */
int rwk_tracedat_session_option(struct rwk_tracedat_session *s, int id, const unsigned char *data,
	size_t size, bool swap, struct rwk_trace_info *info);
void rwk_tracedat_session_finish(struct rwk_tracedat_session *s);

/* Whether times of that CPU can be put on the host's clock. */
bool rwk_tracedat_session_shifts(const struct rwk_tracedat_session *s, int cpu);

/* A time of such a CPU there; above INT64_MAX: none. */
uint64_t rwk_tracedat_session_time(const struct rwk_tracedat_session *s, int cpu, uint64_t ts);

/* The session as a note of info, if it has others in it.  0 or -ENOMEM. */
int rwk_tracedat_session_note(const struct rwk_tracedat_session *s, struct rwk_trace_info *info);

#endif
