/* Snapshots of machines, file by file. */
#ifndef TESTS_UNIT_SNAPSHOT_BUILD_H
#define TESTS_UNIT_SNAPSHOT_BUILD_H

#include "machine/snapshot.h"

/* A file at the path that fmt makes, below the root. */
void put(struct rwk_snapshot *snap, const char *content, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
