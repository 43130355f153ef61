/* Unaligned loads from outside bytes in either byte order; callers check bounds. */
#ifndef SRC_DECODE_BYTES_H
#define SRC_DECODE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether numbers of such a file have to be swapped on this machine. */
static inline bool rwk_bytes_swap(bool big_endian)
{
	return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline uint16_t rwk_bytes_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t rwk_bytes_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t rwk_bytes_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

#endif
