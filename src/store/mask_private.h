/* Inside of a mask, for the two files that make it up. */
#ifndef SRC_STORE_MASK_PRIVATE_H
#define SRC_STORE_MASK_PRIVATE_H

#include <stdio.h>

#include "store/mask.h"

/* Texts that are numbered apart from others. */
enum rwk_mask_space_name {
	RWK_MASK_NAME,
	RWK_MASK_CLASS, /* names without their numbers */
	RWK_MASK_GROUP, /* folders of control groups */
	RWK_MASK_TRACE,
	RWK_MASK_MACHINE,
	RWK_MASK_POLICY,
	RWK_MASK_SPACES
};

struct rwk_mask_space {
	void *root; /* of tsearch() */
	int64_t nr;
};

struct rwk_mask {
	struct rwk_mask_space space[RWK_MASK_SPACES];
	int64_t *tid; /* sorted: the place of one is what is shown */
	size_t nr_tids, cap_tids;
	bool shift_time;
};

/* From 1 in the order of first calls; 0: out of memory. */
int64_t rwk_mask_number(
	struct rwk_mask *mask, enum rwk_mask_space_name space, const char *text, size_t size);
/* A path of control groups, to out.  0 or -ENOMEM. */
int rwk_mask_folders(struct rwk_mask *mask, const char *text, size_t size, FILE *out);

#endif
