/* A file that people asked for: written beside, and there only when it is whole. */
#ifndef SRC_CLI_OUTPUT_FILE_H
#define SRC_CLI_OUTPUT_FILE_H

#include <stdio.h>

#include "base/diag.h"

struct rwk_output {
	FILE *file;
	char *path; /* final name; NULL: stdout */
	char *temporary; /* NULL: file is path itself, a pipe or device */
};

/*
 * "-" is stdout.  What is there and no regular file (/dev/stderr, a pipe) is
 * written to as it is; a regular one is replaced at the end.
 */
int rwk_output_open(struct rwk_output *o, const char *path, struct rwk_diag *diag);
/* Gives it its name.  After a failure as little is left as after rwk_output_abort(). */
int rwk_output_finish(struct rwk_output *o, struct rwk_diag *diag);
/* Removes what was written.  Fine for one that is finished or zeroed. */
void rwk_output_abort(struct rwk_output *o);

#endif
