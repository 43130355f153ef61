/* Addresses of the running kernel's symbols. */
#ifndef SRC_RECORD_KALLSYMS_H
#define SRC_RECORD_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#define RWK_KALLSYMS_PATH "/proc/kallsyms"

struct rwk_symbol {
	const char *name;
	bool found; /* in the kernel itself, not in a module */
	bool is_hidden; /* found, but no address is told */
	uint64_t address; /* of per-CPU variables: what each CPU's offset is added to */
};

/*
 * Fills in symbol[nr] in one go.  The first of several equal names counts.
 * 0, or what kept the file from being read; then none is found.
 */
int rwk_kallsyms_find(const char *path, struct rwk_symbol *symbol, int nr);

#endif
