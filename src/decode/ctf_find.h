/* Where below a folder the CTF trace is that is meant, and what is in it. */
#ifndef SRC_DECODE_CTF_FIND_H
#define SRC_DECODE_CTF_FIND_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * Looks for folders with CTF metadata in path and below it, and takes the one,
 * or of several the only one of a kernel.  1 with *ret_folder, which is the
 * caller's to free; 0 there is none, or path is no folder that can be read;
 * -ENOTSUP with a cause when it is not clear which one is meant, or -ENOMEM.
 */
int rwk_ctf_find(const char *path, struct rwk_diag *diag, char **ret_folder);

/*
 * Whether its metadata are whole, as far as their packets tell: libbabeltrace2
 * (2.0.4) never ends on some that are cut.  0, or -EBADMSG with a cause.
 */
int rwk_ctf_metadata_check(const char *folder, struct rwk_diag *diag);

/* Bytes and number of the files in the folder itself, which are its streams. */
void rwk_ctf_measure(const char *folder, int64_t *ret_bytes, size_t *ret_files);

#endif
