/*
 * The recorder's own directory beside the output: raw pages of each CPU and
 * what becomes the trace.  On the same file system, so that the finished file
 * only has to be renamed; one directory, so that nothing is left by removing it.
 */
#ifndef SRC_RECORD_WORKDIR_H
#define SRC_RECORD_WORKDIR_H

#include "base/diag.h"

struct rwk_workdir {
	char *path; /* NULL: none */
	int fd; /* -1: none */
};

#define RWK_WORKDIR_NONE ((struct rwk_workdir){.fd = -1})

/* Creates it in output's directory.  0 or a negative errno with a cause. */
int rwk_workdir_create(struct rwk_workdir *ret, const char *output, struct rwk_diag *diag);
/* Removes it with all that is in it. */
void rwk_workdir_remove(struct rwk_workdir *dir);

#endif
