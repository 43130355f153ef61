/* What the two targets of the database share: a place for the file, and an end to what would take
 * for ever. */
#ifndef TESTS_FUZZ_DATABASE_H
#define TESTS_FUZZ_DATABASE_H

#include <stdio.h>

#include "store/store.h"

/* Path of a file of this process, which is removed when it ends. */
const char *fuzz_database_path(void);
/* Statements are interrupted after some millions of steps, memory ends at 256 MB. */
void fuzz_database_limit(struct rwk_store *store);
/* Takes all output; for one run of a target at a time. */
FILE *fuzz_sink(void);

#endif
