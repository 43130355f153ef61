/* Packets of a Perfetto trace, one after the other, with the names that they refer to. */
#ifndef SRC_EXPORT_PERFETTO_OUT_H
#define SRC_EXPORT_PERFETTO_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"
#include "export/perfetto.pb-c.h"

/* What a name is of; each kind is numbered by itself. */
enum rwk_pf_kind {
	RWK_PF_CATEGORY,
	RWK_PF_EVENT, /* of an event */
	RWK_PF_KEY, /* of an annotation */
	RWK_PF_VALUE, /* its text */
	RWK_PF_KIND_COUNT
};

struct rwk_pf_names {
	char **text; /* its number is the index + 1 */
	size_t nr, cap;
	size_t nr_told; /* those that the file has */
	struct rwk_map index; /* hash → place, the next free hash where two are equal */
};

struct rwk_pf_out {
	FILE *file;
	struct rwk_pf_names names[RWK_PF_KIND_COUNT];
	bool begun;
	uint8_t *buf;
	size_t cap;
	/* Of the packet's new names. */
	RwkPb__InternedName *name;
	RwkPb__InternedName **name_at;
	size_t cap_name, cap_name_at;
};

void rwk_pf_init(struct rwk_pf_out *o, FILE *file);
void rwk_pf_finish(struct rwk_pf_out *o);

/* The number of a name, told to the file with the next packet.  0 or -ENOMEM. */
int rwk_pf_name(struct rwk_pf_out *o, enum rwk_pf_kind kind, const char *text, uint64_t *ret);

/* Writes the packet; events of tracks refer to names, those of the kernel do not. */
int rwk_pf_put(struct rwk_pf_out *o, RwkPb__TracePacket *packet);
/* A packet of one event of the kernel. */
int rwk_pf_put_kernel(struct rwk_pf_out *o, uint32_t cpu, RwkPb__FtraceEvent *event);

#endif
