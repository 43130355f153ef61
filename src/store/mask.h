/*
 * What a database shows of names, ids and files when it is to be shared (docs/anonymize.md).
 * Pseudonyms are numbered in the order in which originals are first asked for:
 * the same input gives the same output, and a number tells nothing.
 */
#ifndef SRC_STORE_MASK_H
#define SRC_STORE_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rwk_mask;

/* shift_time: times are taken as from the beginning of each run. */
int rwk_mask_create(bool shift_time, struct rwk_mask **ret);
void rwk_mask_destroy(struct rwk_mask *mask);
bool rwk_mask_shifts_time(const struct rwk_mask *mask);

/*
 * Thread ids keep their order, on which what a replay finds may depend: all
 * must be known before the first is asked for.  0 or -ENOMEM.
 */
int rwk_mask_add_tid(struct rwk_mask *mask, int64_t tid);
/* Those in an entry of a machine's snapshot. */
int rwk_mask_add_tids_of(struct rwk_mask *mask, const char *path, const char *content);
void rwk_mask_sort_tids(struct rwk_mask *mask);
int64_t rwk_mask_tid(const struct rwk_mask *mask, int64_t tid);

/*
 * Each *ret is to be freed; 0 or -ENOMEM.  what: "name" of a task, "cgroup",
 * "trace" file, "machine" file, kernel "release", "kernel" policy spec.
 */
int rwk_mask_text(
	struct rwk_mask *mask, const char *what, const char *text, size_t size, char **ret);
/* Path of an entry of a machine's snapshot; *ret NULL: the entry is left out.  content may be NULL.
 */
int rwk_mask_path(struct rwk_mask *mask, const char *path, const char *content, char **ret);
/* What such an entry holds. */
int rwk_mask_content(struct rwk_mask *mask, const char *path, const char *content, char **ret);

struct rwk_mask_counts {
	int64_t nr_names, nr_tids, nr_groups;
};
struct rwk_mask_counts rwk_mask_count(const struct rwk_mask *mask);

#endif
