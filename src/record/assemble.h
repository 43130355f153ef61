/*
 * From raw pages to a trace.dat: trace-cmd writes the file, out of a directory
 * that shows it only the formats of what was recorded.
 */
#ifndef SRC_RECORD_ASSEMBLE_H
#define SRC_RECORD_ASSEMBLE_H

#include "base/diag.h"
#include "record/record.h"

/* The format of an event that tracefs need not have any more. */
struct rwk_format_text {
	const char *system;
	char name[24];
	char *text;
};

struct rwk_view_sink;

/* -ENOENT when there is no trace-cmd; *ret is its path, to be freed. */
int rwk_assemble_find_tool(struct rwk_diag *diag, char **ret);

/* Into the work directory of that descriptor, which is borrowed: what tracefs knows (view.h). */
struct rwk_view_sink rwk_assemble_view(int *dir_fd);

/*
 * Makes "out.dat" in work (dir_fd) from its files cpuN and what came through
 * the sink.  cpu[]: what was recorded, in order, to check the result against.
 * -ENOSPC disk full, -EIO when the tool fails or what it wrote is not the whole
 * recording.
 */
int rwk_assemble(const char *tool, const char *work, int dir_fd, const char *clock,
	const struct rwk_record_cpu *cpu, int nr_cpus, struct rwk_diag *diag);

/*
 * Packs out.dat in dir_fd, in the place of the pages that it was made of.  After
 * a failure out.dat is what it was, and diag says why; -ENOSPC also then.
 */
int rwk_assemble_pack(int dir_fd, int level, const struct rwk_record_cpu *cpu, int nr_cpus,
	struct rwk_diag *diag);

#endif
