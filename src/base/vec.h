/* Growable array of fixed-size elements: rwk_vec_grow() is the only allocation. */
#ifndef SRC_BASE_VEC_H
#define SRC_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes *data (elements of size bytes, *cap of them) hold at least need
 * elements; new ones are zeroed.  0 or -ENOMEM, then nothing changed.
 */
static inline int rwk_vec_grow(void *data, size_t *cap, size_t need, size_t size)
{
	void **array = data;
	size_t want = *cap ? *cap : 16;
	void *p;

	if (need <= *cap)
		return 0;
	while (want < need)
		want *= 2;
	p = reallocarray(*array, want, size);
	if (!p)
		return -ENOMEM;
	memset((char *)p + *cap * size, 0, (want - *cap) * size);
	*array = p;
	*cap = want;
	return 0;
}

#endif
