/*
 * Where things lie in a perf.data, as perf.data-file-format.txt of the kernel's
 * tools/perf/Documentation has it: a file with sections, or the stream that
 * perf writes to a pipe, whose headers are records.
 */
#ifndef SRC_DECODE_PERF_LAYOUT_H
#define SRC_DECODE_PERF_LAYOUT_H

#include "decode/decoder.h"
#include "decode/file.h"
#include "decode/perf_attr.h"
#include "decode/perf_stream.h"
#include "decode/tracedat_texts.h"

struct rwk_perf_layout {
	bool big_endian, swap;
	bool pipe;
	bool directory; /* its records go on in data.0, data.1, … beside it */
	bool compressed; /* its headers say so */
	bool cut; /* the file ends before all of its sections do */
	bool has_texts; /* event formats were found, all of them or the first ones … */
	bool texts_cut; /* … of which the last are missing, … */
	int64_t texts_at; /* … from this offset on */
	int64_t data, data_end; /* of the records; the end as the file says, maybe behind its own */
	int64_t headers_end; /* records in front of this are read already */
	int long_size; /* of the recorded kernel; 0 unknown */
	int nr_cpus; /* highest CPU id + 1; 0: the headers do not tell */
	struct rwk_perf_attrs attrs;
};

/*
 * Reads all headers: attributes, event formats, and what the file says of its
 * machine, which goes to info.  -EBADMSG when they are cut or damaged, with the
 * offset; -ENOTSUP for what is known but not supported; -ERANGE for too many CPUs.
 */
int rwk_perf_layout_read(struct rwk_perf_layout *l, const struct rwk_file *file,
	struct rwk_tracedat_texts *texts, struct rwk_trace_info *info, struct rwk_diag *diag);

/* Safe on a zeroed or half-read one. */
void rwk_perf_layout_finish(struct rwk_perf_layout *l);

/*
 * A record that is part of the headers of a stream, or that names ids: takes
 * what it says.  0; -EBADMSG when it is damaged; -ENOMEM.
 */
int rwk_perf_layout_take_attr(struct rwk_perf_layout *l, const struct rwk_perf_record *rec);
/* *ret_of_tasks: how many of them follow a task, on whatever CPU that is, instead of a CPU. */
int rwk_perf_layout_take_id_index(
	struct rwk_perf_layout *l, const struct rwk_perf_record *rec, int *ret_of_tasks);

#endif
