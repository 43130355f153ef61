/*
 * An edit of a snapshot under way (variant.h), for the files that do its parts:
 * edit.c reads what is asked for and owns the order, edit_caches.c changes cores and
 * caches, edit_domains.c takes care of what the kernel said of its domains.
 */
#ifndef SRC_MACHINE_EDIT_H
#define SRC_MACHINE_EDIT_H

#include "machine/variant.h"

#define RWK_EDIT_CPU_DIR    "sys/devices/system/cpu"
#define RWK_EDIT_DOMAIN_DIR "sys/kernel/debug/sched/domains/"

struct rwk_edit {
	struct rwk_snapshot *snap;
	struct rwk_diag *diag;
	const char *text;
	bool numa_off, smt_off;
	int llc_size; /* 0: not asked for */
	char *llc_sets; /* NULL: not asked for */
	struct rwk_machine *m; /* as it was */
	struct rwk_cpuset *llc; /* [nr_cpu_ids]: the cache of each CPU to be */
};

/* Pushes "cannot edit the machine: edit=… why=…" and returns err. */
int rwk_edit_fail(const struct rwk_edit *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the file of a printf-like path; content NULL: absent from now on.  0 or negative errno. */
int rwk_edit_put(const struct rwk_edit *e, const char *content, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with a list: "0-3,8\n". */
int rwk_edit_put_cpus(const struct rwk_edit *e, const struct rwk_cpuset *cpus, const char *path);
/* false if there is no such file, or it is no list. */
bool rwk_edit_read_cpus(const struct rwk_edit *e, const char *path, struct rwk_cpuset *ret);
/* All files for which is_meant(path) holds become absent.  0 or -ENOMEM. */
int rwk_edit_drop_files(struct rwk_snapshot *snap, bool (*is_meant)(const char *path));

/* Each CPU becomes a core. */
int rwk_edit_smt_off(const struct rwk_edit *e);
/* The last-level caches become those asked for. */
int rwk_edit_llcs(struct rwk_edit *e);

/* Whether all CPUs have domains of the same levels and spans. */
bool rwk_edit_same_spans(const struct rwk_machine *a, const struct rwk_machine *b);
/*
 * What the kernel said of a level beyond its rules, say that it does not pull
 * wakeups over that distance, holds for that level of the edited machine too.
 * plain: as it was by rules alone; edited: as it is to be, by rules alone.
 */
int rwk_edit_keep_details(const struct rwk_edit *e, const struct rwk_machine *plain,
	const struct rwk_machine *edited);
/* The same for m itself, by rules alone and of as many CPU ids; said: what the kernel said. */
void rwk_edit_keep_machine(
	struct rwk_machine *m, const struct rwk_machine *said, const struct rwk_machine *plain);

#endif
