/*
 * The recorder's own directory beside the output: raw pages of each CPU and
 * what becomes the trace.  On the same file system, so that the finished file
 * only has to be renamed; one directory, so that nothing is left by removing it.
 * ".OUTPUT.rewake-OWNER-RANDOM" says whose it is.
 */
#ifndef SRC_RECORD_WORKDIR_H
#define SRC_RECORD_WORKDIR_H

#include "base/diag.h"
#include "record/owner.h"

struct rwk_workdir {
	char *path; /* NULL: none */
	int fd; /* -1: none */
};

#define RWK_WORKDIR_NONE ((struct rwk_workdir){.fd = -1})

/* Creates it in output's directory.  0 or a negative errno with a cause. */
int rwk_workdir_create(struct rwk_workdir *ret, const char *output, const struct rwk_owner *owner,
	struct rwk_diag *diag);
/* Removes it with all that is in it. */
void rwk_workdir_remove(struct rwk_workdir *dir);

/* Whether a file of that name may be such a directory, and whose.  -EINVAL: it is none. */
int rwk_workdir_parse(const char *name, struct rwk_owner *ret);

/* Directory part of output, to be freed; "." without one.  NULL: no memory. */
char *rwk_workdir_parent(const char *output);

/*
 * Removes the directory name in parent_fd with all that is in it, following no
 * link.  -EPERM when it is not a directory that only we can write to: then
 * somebody else may have made it.
 */
int rwk_workdir_remove_at(int parent_fd, const char *name);

#endif
