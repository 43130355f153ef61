/*
 * The tables of the kernel's histogram triggers: an entry per task that ever came by, of
 * a size that is fixed beforehand.
 */
#ifndef SRC_RECORD_TRIGGER_TABLE_H
#define SRC_RECORD_TRIGGER_TABLE_H

#include <stdint.h>

#include "base/diag.h"

struct tracefs_instance;

/* How many entries they need with so many tasks; 0: more than the kernel allows. */
int rwk_trigger_table_size(int64_t nr_tasks);

/* Tasks that there are, and how many there ever were. */
int rwk_trigger_count_tasks(int64_t *ret_tasks, int64_t *ret_forks, struct rwk_diag *diag);

/* "Dropped: N" of the table by key in the text of a "hist" file; -1: not there. */
int64_t rwk_trigger_dropped_parse(const char *text, const char *key);

/* Events that the tables by "pid" and "next_pid" had no room for; -1: not known. */
int64_t rwk_trigger_read_dropped(struct tracefs_instance *instance);

#endif
