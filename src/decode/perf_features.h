/*
 * The parts of a perf.data's headers that describe the machine and the
 * recording, which stand behind the data or, in a stream, in records in front of it.
 */
#ifndef SRC_DECODE_PERF_FEATURES_H
#define SRC_DECODE_PERF_FEATURES_H

#include "decode/cursor.h"
#include "decode/decoder.h"

/* By the numbers that they have in the format. */
enum rwk_perf_feature {
	RWK_PERF_FEATURE_TRACING_DATA = 1,
	RWK_PERF_FEATURE_HOSTNAME = 3,
	RWK_PERF_FEATURE_OSRELEASE = 4,
	RWK_PERF_FEATURE_NRCPUS = 7,
	RWK_PERF_FEATURE_CPU_TOPOLOGY = 13,
	RWK_PERF_FEATURE_NUMA_TOPOLOGY = 14,
	RWK_PERF_FEATURE_CACHE = 20,
	RWK_PERF_FEATURE_DIR_FORMAT = 24,
	RWK_PERF_FEATURE_COMPRESSED = 27,
	RWK_PERF_FEATURE_LAST = 31, /* all up to here have a meaning that is known */
	RWK_PERF_FEATURE_COUNT = 256
};

struct rwk_perf_features {
	struct rwk_trace_info *info;
	size_t cap_facts;
	int nr_cpus; /* highest CPU id that any part tells of, + 1; 0 unknown */
	int nr_available; /* CPUs by their count */
	bool online_known; /* their ids, that is */
	bool compressed, directory;
	struct rwk_cpuset online;
	struct rwk_cpuset has_core, has_package; /* CPUs whose lists are among the facts */
	unsigned char nr_caches[RWK_MAX_CPUS];
	uint64_t seen[RWK_PERF_FEATURE_COUNT / 64]; /* a second one of a kind is not read */
};

/*
 * Reads one feature from c, which ends where it does.  A damaged one is left
 * out from there on and counted as a bad record; 0, -ENOMEM, or -ERANGE for a
 * machine with more CPUs than we can hold.
 */
int rwk_perf_feature_read(
	struct rwk_perf_features *f, uint64_t feature, struct rwk_cursor *c, struct rwk_diag *diag);

/* After the last one: the facts that follow from several.  0 or -ENOMEM. */
int rwk_perf_features_end(struct rwk_perf_features *f);

#endif
