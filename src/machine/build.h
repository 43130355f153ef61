/*
 * A machine under construction: build.c runs the steps in this order, each
 * fills its part of struct rwk_machine from the snapshot's files.
 */
#ifndef SRC_MACHINE_BUILD_H
#define SRC_MACHINE_BUILD_H

#include "machine/machine.h"

/* Facts of one CPU that only the construction needs. */
struct rwk_build_cpu {
	struct rwk_cpuset cluster; /* empty: unknown */
	struct rwk_cpuset cache; /* CPUs sharing its last-level cache; empty: unknown */
	struct rwk_cpuset package; /* empty: unknown */
	struct rwk_cpuset llc; /* its LLC domain; empty: it is in none */
	const char *schedstat; /* its line in proc/schedstat, NULL if it has none */
};

/* CPUs in the place of those that the snapshot was taken with. */
struct rwk_build_sets {
	struct rwk_cpuset online; /* hardware threads of their cores */
	struct rwk_cpuset domains; /* that domains were built of, which may be offline already */
	struct rwk_cpuset active;
};

struct rwk_build {
	const struct rwk_snapshot *snap; /* NULL: nothing known */
	const struct rwk_build_sets *sets; /* NULL: as it was when the snapshot was taken */
	struct rwk_anomalies *anomalies; /* may be NULL */
	struct rwk_diag *diag;
	struct rwk_machine *m;
	struct rwk_build_cpu *cpu; /* [nr_cpu_ids] */
	struct rwk_cpuset present; /* by the snapshot */
	struct rwk_cpuset active; /* online and not isolated: the CPUs that have domains */
	struct rwk_cpuset *node; /* [m->nr_nodes], online CPUs of each */
	int *distance; /* [nr_nodes * nr_nodes]; 0 unknown; NULL without nodes */
	bool distance_occurs[256]; /* between any two nodes */
	struct rwk_cpuset nodes; /* ids of online nodes */
};

/* The file's content, NULL if absent.  path is printf-like. */
const char *rwk_build_file(const struct rwk_build *b, const char *path, ...)
	__attribute__((format(printf, 2, 3)));

/* The file's content as an integer of min … max; -ENOENT, -EINVAL, -ERANGE. */
int rwk_build_int(const struct rwk_build *b, int64_t min, int64_t max, int64_t *ret,
	const char *path, ...) __attribute__((format(printf, 5, 6)));

/* Facts contradict each other somewhere about cpu (RWK_NONE: none in particular). */
void rwk_build_contradiction(struct rwk_build *b, int cpu);

/* Highest CPU id + 1, present and online CPUs.  0 or -ERANGE. */
int rwk_build_ids(struct rwk_build *b, int min_cpus, struct rwk_cpuset *ret_online, int *ret_nr);
/* Cores, clusters, caches, packages, capacities; sets topology_known.  0 or -ENOMEM. */
int rwk_build_topology(struct rwk_build *b);
/* Nodes and distances.  0 or -ENOMEM. */
int rwk_build_nodes(struct rwk_build *b);
/* Domains by the kernel's rules (design §2.3), then by what it said itself. */
void rwk_build_domains(struct rwk_build *b);
/* Finds each CPU's line in proc/schedstat, for the function below. */
void rwk_build_index_schedstat(struct rwk_build *b);
/* What the kernel said of cpu's domains: spans, names, flags; checks and corrects domain[]. */
void rwk_build_recorded_domains(struct rwk_build *b, int cpu);
/* LLCs out of the domains.  0 or -ENOMEM. */
int rwk_build_llcs(struct rwk_build *b);
/* Kernel version, features and tunables. */
void rwk_build_settings(struct rwk_build *b, const char *release);

/*
 * The machine with other CPUs online: by the kernel's rules alone, since what it said of its
 * domains it said of others.  As rwk_machine_build().
 */
int rwk_machine_build_of(const struct rwk_snapshot *snap, const char *release, int min_cpus,
	const struct rwk_build_sets *sets, struct rwk_anomalies *anomalies, struct rwk_diag *diag,
	struct rwk_machine **ret);

#endif
