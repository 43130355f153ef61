/* Fields and numbers of the wire format, with every length checked. */
#include "decode/protobuf.h"

#include "decode/bytes.h"

static bool fail(struct rwk_pb *m)
{
	m->bad = true;
	m->p = m->end;
	return false;
}

bool rwk_pb_varint(struct rwk_pb *m, uint64_t *ret)
{
	uint64_t value = 0;

	if (m->p == m->end)
		return false;
	/* Ten bytes hold 64 bits; what the tenth has beyond them is dropped, as protoc's readers
	 * do. */
	for (int shift = 0; shift < 70; shift += 7) {
		unsigned char byte;

		if (m->p == m->end)
			return fail(m);
		byte = *m->p++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return fail(m);
}

static bool take(struct rwk_pb *m, uint64_t size, struct rwk_pb *ret)
{
	if (size > (uint64_t)(m->end - m->p))
		return fail(m);
	*ret = rwk_pb_of(m->p, (size_t)size);
	m->p += size;
	return true;
}

bool rwk_pb_next(struct rwk_pb *m, struct rwk_pb_field *ret)
{
	bool swap = rwk_bytes_swap(false);
	uint64_t tag, size;

	if (!rwk_pb_varint(m, &tag))
		return false;
	if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
		return fail(m);
	ret->nr = (uint32_t)(tag >> 3);
	ret->type = (enum rwk_pb_type)(tag & 7);
	ret->value = 0;
	switch (ret->type) {
	case RWK_PB_VARINT:
		return rwk_pb_varint(m, &ret->value) || fail(m);
	case RWK_PB_BYTES:
		return rwk_pb_varint(m, &size) ? take(m, size, &ret->body) : fail(m);
	case RWK_PB_FIXED64:
		if (!take(m, 8, &ret->body))
			return false;
		ret->value = rwk_bytes_u64(ret->body.p, swap);
		return true;
	case RWK_PB_FIXED32:
		if (!take(m, 4, &ret->body))
			return false;
		ret->value = rwk_bytes_u32(ret->body.p, swap);
		return true;
	default:
		return fail(m); /* groups, which nobody writes any more */
	}
}
