/*
 * A CTF trace with streams that are cut, without what is behind their last whole
 * packets: libbabeltrace2 reads all of a trace or nothing.
 */
#ifndef SRC_DECODE_CTF_SALVAGE_H
#define SRC_DECODE_CTF_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct rwk_ctf_salvage {
	char *folder; /* in TMPDIR, of links; NULL: nothing was made */
	int *fd; /* of nameless copies that some of them lead to */
	size_t nr_fds, cap_fds;
	int nr_cut;
	char first_cut[64]; /* file name */
	int64_t first_at; /* where its last whole packet ends */
};

/*
 * For packets that begin as LTTng's do.  1, and *ret is to be finished; 0: no
 * stream is cut, or it cannot be told; negative errno with a cause.
 */
int rwk_ctf_salvage(const char *folder, struct rwk_diag *diag, struct rwk_ctf_salvage *ret);

/* Removes it; safe when zeroed. */
void rwk_ctf_salvage_finish(struct rwk_ctf_salvage *s);

#endif
