/*
 * Bytes as the folder of a CTF trace: parts, each of a byte that says which, two that say
 * how long (little-endian), and that many.  Parts of the same file follow each other in it.
 */
#ifndef TESTS_FUZZ_CTF_FOLDER_H
#define TESTS_FUZZ_CTF_FOLDER_H

#include <stddef.h>
#include <stdint.h>

enum fuzz_ctf_part {
	FUZZ_CTF_METADATA,
	FUZZ_CTF_STREAM, /* three of them */
	FUZZ_CTF_INDEX = FUZZ_CTF_STREAM + 3, /* of the first, in a folder of its own */
	FUZZ_CTF_OTHER, /* metadata of another trace in a folder below */
	FUZZ_CTF_FILES,
	FUZZ_CTF_TOLD = FUZZ_CTF_FILES, /* no file: what a child process tells */
	FUZZ_CTF_PARTS
};

/* The next part at or behind *at, which is moved behind it.  NULL: there is none. */
const uint8_t *fuzz_ctf_part(const uint8_t *data, size_t size, size_t *at,
	enum fuzz_ctf_part *ret_which, size_t *ret_size);

/* Makes it in TMPDIR, with all files that there are parts of; then removes it. */
void fuzz_ctf_folder(const uint8_t *data, size_t size, char path[64]);
void fuzz_ctf_folder_remove(const char *path);

#endif
