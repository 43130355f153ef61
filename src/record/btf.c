/*
 * The only file that knows libbpf.  What the kernel says of itself is believed,
 * but nothing in it can make this run forever or read outside of it.
 */
#include "record/btf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define MAX_DEPTH   32 /* of unnamed structs in each other, and of names for one type */
#define MAX_MEMBERS 65536 /* looked at for one name */
#define MAX_NAME    128

int rwk_btf_open(const char *path, struct btf **ret)
{
	struct btf *btf;

	libbpf_set_print(NULL); /* says why in its own words on stderr otherwise */
	errno = 0;
	btf = btf__parse_raw(path);
	if (!btf) {
		int err = errno ? -errno : -EBADMSG;

		return err == -ENOENT || err == -EACCES || err == -EPERM || err == -ENOMEM
			       ? err
			       : -EBADMSG;
	}
	*ret = btf;
	return 0;
}

void rwk_btf_close(struct btf *btf)
{
	btf__free(btf);
}

int rwk_btf_pointer_size(const struct btf *btf)
{
	size_t size = btf__pointer_size(btf);

	return size == 4 || size == 8 ? (int)size : (int)sizeof(void *);
}

/* The type itself behind typedefs and qualifiers; NULL when there is none. */
static const struct btf_type *skip_names(const struct btf *btf, uint32_t id)
{
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (!t)
			return NULL;
		switch (btf_kind(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return t;
		}
	}
	return NULL;
}

static bool is_composite(const struct btf_type *t)
{
	return btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION;
}

struct search {
	const struct btf *btf;
	const char *name;
	int nr_members; /* looked at so far */
	uint64_t bits; /* where the found one begins */
	uint32_t bitfield; /* its bits; 0: it is no bit field */
	const struct btf_type *type;
};

/* Finds the name in t, which begins at bits; unnamed structs and unions are looked through. */
static int find_in(struct search *s, const struct btf_type *t, uint64_t bits, int depth)
{
	const struct btf_member *m = btf_members(t);

	if (depth == MAX_DEPTH)
		return -EBADMSG;
	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		const struct btf_type *of = skip_names(s->btf, m[i].type);
		const char *text = btf__name_by_offset(s->btf, m[i].name_off);
		uint64_t at = bits + btf_member_bit_offset(t, i);
		int err;

		if (++s->nr_members > MAX_MEMBERS)
			return -EBADMSG;
		if (text && !strcmp(text, s->name)) {
			s->bits = at;
			s->bitfield = btf_member_bitfield_size(t, i);
			s->type = of;
			return of ? 0 : -EBADMSG;
		}
		if ((text && *text) || !of || !is_composite(of))
			continue;
		err = find_in(s, of, at, depth + 1);
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

static int describe(
	const struct btf *btf, const struct btf_type *t, uint64_t bits, struct rwk_btf_member *ret)
{
	struct rwk_btf_member m = {.offset = (int64_t)(bits / 8)};

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		/* Before a flag told of bit fields, they were integers of a few bits. */
		if (btf_int_bits(t) != t->size * 8 || btf_int_offset(t))
			return -ENOTSUP;
		m.size = (int)t->size;
		m.is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		m.size = (int)t->size;
		m.is_signed = btf_kflag(t);
		break;
	case BTF_KIND_PTR:
		m.size = rwk_btf_pointer_size(btf);
		m.is_pointer = true;
		break;
	default:
		return -ENOTSUP;
	}
	if (m.size != 1 && m.size != 2 && m.size != 4 && m.size != 8)
		return -ENOTSUP;
	*ret = m;
	return 0;
}

int rwk_btf_find_member(
	const struct btf *btf, const char *type, const char *path, struct rwk_btf_member *ret)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT), err;
	const struct btf_type *outer = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	struct search s = {.btf = btf, .type = outer};
	struct rwk_btf_member m;

	for (;;) {
		char name[MAX_NAME];
		size_t len = strcspn(path, ".");

		if (!s.type || !is_composite(s.type) || !len || len >= sizeof(name))
			return -ENOENT;
		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		s.name = name;
		err = find_in(&s, s.type, s.bits, 0);
		if (err)
			return err;
		if (!path[len])
			break;
		path += len + 1;
	}
	if (s.bitfield || s.bits % 8)
		return -ENOTSUP;
	err = describe(btf, s.type, s.bits, &m);
	if (err)
		return err;
	if (m.offset + m.size > (int64_t)outer->size)
		return -EBADMSG;
	*ret = m;
	return 0;
}

int rwk_btf_find_parameter(
	const struct btf *btf, const char *function, const char *name, int *ret_place)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *f = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	const struct btf_type *proto = f ? btf__type_by_id(btf, f->type) : NULL;
	const struct btf_param *p;

	if (!f)
		return -ENOENT;
	if (!proto || btf_kind(proto) != BTF_KIND_FUNC_PROTO)
		return -EBADMSG;
	p = btf_params(proto);
	for (uint32_t i = 0; i < btf_vlen(proto); i++) {
		const char *text = btf__name_by_offset(btf, p[i].name_off);

		if (text && !strcmp(text, name)) {
			*ret_place = (int)i + 1;
			return 0;
		}
	}
	return -ENOENT;
}
