/*
 * The wire format of protocol buffers, read in place: nothing is copied or
 * allocated, whatever a message claims to hold.  Only what Perfetto's traces
 * need; the meaning of fields is perfetto_*.c's.
 */
#ifndef SRC_DECODE_PROTOBUF_H
#define SRC_DECODE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message, or a packed array, or what is left of one. */
struct rwk_pb {
	const unsigned char *p, *end;
	bool bad; /* it ends inside of a field, or is no such message */
};

enum rwk_pb_type {
	RWK_PB_VARINT = 0,
	RWK_PB_FIXED64 = 1,
	RWK_PB_BYTES = 2,
	RWK_PB_FIXED32 = 5,
};

struct rwk_pb_field {
	uint32_t nr;
	enum rwk_pb_type type;
	uint64_t value; /* of a number */
	struct rwk_pb body; /* of bytes: a string, message or packed array */
};

static inline struct rwk_pb rwk_pb_of(const void *data, size_t size)
{
	const unsigned char *p = data;

	return (struct rwk_pb){p, p + size, false};
}

/* The next field; false at the end, or when it is bad. */
bool rwk_pb_next(struct rwk_pb *m, struct rwk_pb_field *ret);

/* The next number of a packed array; false at the end, or when it is bad. */
bool rwk_pb_varint(struct rwk_pb *m, uint64_t *ret);

#endif
