/*
 * The running kernel's own description of its types (BTF): where members lie
 * and how functions are called.  Offsets change with every release and
 * configuration, so they are read here and never come from a table.
 */
#ifndef SRC_RECORD_BTF_H
#define SRC_RECORD_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RWK_BTF_PATH "/sys/kernel/btf/vmlinux"

struct btf;

struct rwk_btf_member {
	int64_t offset; /* bytes from the beginning of the outer struct */
	int size; /* bytes: 1, 2, 4 or 8; 0: not known */
	bool is_signed, is_pointer;
};

/* -ENOENT without such a file, -EBADMSG when it is none.  Closed with rwk_btf_close(). */
int rwk_btf_open(const char *path, struct btf **ret);
void rwk_btf_close(struct btf *btf); /* NULL is fine */

/*
 * path: "wakee_flips", or "se.avg.load_avg" through structs that lie inside;
 * members of unnamed structs and unions are found.  A number or a pointer.
 * -ENOENT no such struct or member, -ENOTSUP a bit field, an array, a struct
 * or of a size that no probe can fetch, -EBADMSG contradictory.
 */
int rwk_btf_find_member(
	const struct btf *btf, const char *type, const char *path, struct rwk_btf_member *ret);

/* Place of a parameter, from 1.  -ENOENT no such function or parameter, -EBADMSG. */
int rwk_btf_find_parameter(
	const struct btf *btf, const char *function, const char *name, int *ret_place);

/* Bytes of a pointer. */
int rwk_btf_pointer_size(const struct btf *btf);

#endif
