/* The file that output is written to before it has its final name; see temporary.c. */
#ifndef SRC_STORE_TEMPORARY_H
#define SRC_STORE_TEMPORARY_H

#include <stdbool.h>

#include "base/diag.h"

/* Name of the temporary for path by this process; to be freed.  NULL: out of memory. */
char *rwk_temporary_name(const char *path);
/* Removes temporaries of path, and what lies beside them ("….PID.part"), whose process is gone. */
void rwk_temporary_sweep(const char *path);
/* Removes a file, or a folder of files.  What cannot be removed stays. */
void rwk_temporary_remove(const char *path);
/* Makes what was written last, then gives it its final name.  -EEXIST unless replace. */
int rwk_temporary_publish(
	const char *temporary, const char *path, bool replace, struct rwk_diag *diag);

#endif
