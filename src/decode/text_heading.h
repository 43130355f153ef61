/* What a text says of itself besides its events. */
#ifndef SRC_DECODE_TEXT_HEADING_H
#define SRC_DECODE_TEXT_HEADING_H

#include "decode/decoder.h"
#include "decode/text_reader.h"

/* Whether one line of a file's first bytes is of such a text, or they begin a page that may hold
 * one. */
bool rwk_text_probe(const unsigned char *head, size_t size);

/*
 * Takes what a heading tells into info.  Number of CPUs: those that were online,
 * so that there are at least as many ids.
 */
void rwk_text_heading_read(const char *line, struct rwk_trace_info *info);

/*
 * Looks through the file, up to limit, for the CPUs that events are on or about:
 * who reads on has to know how many there are.  Raises *nr_cpus.
 */
int rwk_text_cpus_scan(
	const struct rwk_file *file, bool html, int64_t limit, int *nr_cpus, struct rwk_diag *diag);

#endif
