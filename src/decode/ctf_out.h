/* The child's end of the pipe: records, gathered into large writes. */
#ifndef SRC_DECODE_CTF_OUT_H
#define SRC_DECODE_CTF_OUT_H

#include <stddef.h>

#include "decode/ctf_wire.h"

#define RWK_CTF_OUT_RECORDS 512

struct rwk_ctf_out {
	int fd;
	bool failed; /* nobody reads */
	int nr_silent; /* calls of tick since something was written */
	size_t nr;
	struct rwk_ctf_record record[RWK_CTF_OUT_RECORDS];
};

/* The next record, zeroed, for the caller to fill before it asks for another. */
struct rwk_ctf_record *rwk_ctf_out_add(struct rwk_ctf_out *o, enum rwk_ctf_type type);
/* A record with text, cut to what fits (NULL: none is written). */
void rwk_ctf_out_text(
	struct rwk_ctf_out *o, enum rwk_ctf_type type, int64_t value, const char *text);
/* Of any length, in pieces. */
void rwk_ctf_out_cause(struct rwk_ctf_out *o, const char *text);
void rwk_ctf_out_flush(struct rwk_ctf_out *o);
/* To be called now and then while there is nothing to write. */
void rwk_ctf_out_tick(struct rwk_ctf_out *o);

#endif
