/* The packets of a Perfetto trace: which hold bundles, and what else they tell. */
#include "decode/perfetto_index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/vec.h"
#include "decode/inflate.h"
#include "decode/unpack.h"
#include "decode/protobuf.h"

/* Fields, by the names of Perfetto's own .proto files. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_SEQUENCE_ID = 10,
	PACKET_FTRACE_STATS = 34,
	PACKET_SYSTEM_INFO = 45,
	PACKET_COMPRESSED = 50, /* zlib */
	PACKET_COMPRESSED_ZSTD = 133,
};
enum { BUNDLE_CPU = 1 };
enum { TREE_PROCESS = 1, TREE_THREAD = 2 };
enum { PROCESS_PID = 1 };
enum { THREAD_TID = 1, THREAD_TGID = 3 };
enum { SYSTEM_INFO_UTSNAME = 1 };
enum { UTSNAME_RELEASE = 3 };
enum { STATS_PHASE = 1, STATS_CPU = 2, PHASE_END = 2 };
enum { CPU_STATS_CPU = 1, CPU_STATS_OVERRUN = 3, CPU_STATS_DROPPED = 8, CPU_STATS_READ = 9 };

struct reading {
	struct rwk_perfetto_index *x;
	const struct rwk_file *file;
	struct rwk_trace_info *info;
	struct rwk_diag *diag;
	struct rwk_inflate *zlib, *zstd;
	unsigned char *packet, *plain;
	size_t cap_packet, cap_plain;
	int64_t place; /* of the packet at hand */
	int64_t spool_end; /* of the temporary file */
	struct rwk_map sequence; /* its id to its number */
	int64_t *sequence_bytes; /* [number] of its bundles */
	size_t nr_sequences, cap_sequences;
};

static void anomaly(struct reading *r, enum rwk_anomaly_kind kind, int cpu)
{
	rwk_anomaly_add(&r->info->anomalies, kind, RWK_NS_NONE, cpu, r->place);
}

static void read_release(struct reading *r, struct rwk_pb system)
{
	struct rwk_pb_field f, g;

	while (rwk_pb_next(&system, &f)) {
		if (f.nr != SYSTEM_INFO_UTSNAME || f.type != RWK_PB_BYTES)
			continue;
		while (rwk_pb_next(&f.body, &g)) {
			size_t size = (size_t)(g.body.end - g.body.p);

			if (g.nr != UTSNAME_RELEASE || g.type != RWK_PB_BYTES ||
				size >= sizeof(r->info->release) || memchr(g.body.p, '\0', size))
				continue;
			memcpy(r->info->release, g.body.p, size);
			r->info->release[size] = '\0';
		}
	}
}

/* Two numbers of a message, 0: not there. */
static void read_two(struct rwk_pb m, uint32_t nr_a, uint32_t nr_b, int64_t *ret_a, int64_t *ret_b)
{
	struct rwk_pb_field f;

	*ret_a = *ret_b = 0;
	while (rwk_pb_next(&m, &f)) {
		if (f.type != RWK_PB_VARINT || f.value > INT32_MAX)
			continue;
		if (f.nr == nr_a)
			*ret_a = (int64_t)f.value;
		if (f.nr == nr_b)
			*ret_b = (int64_t)f.value;
	}
}

/* Processes, each the first of its threads, and further threads. */
static int read_tree(struct reading *r, struct rwk_pb tree)
{
	struct rwk_pb_field f;
	int err = 0;

	while (!err && rwk_pb_next(&tree, &f)) {
		int64_t tid = 0, tgid = 0;

		if (f.type != RWK_PB_BYTES)
			continue;
		if (f.nr == TREE_PROCESS)
			read_two(f.body, PROCESS_PID, PROCESS_PID, &tid, &tgid);
		else if (f.nr == TREE_THREAD)
			read_two(f.body, THREAD_TID, THREAD_TGID, &tid, &tgid);
		err = rwk_processes_add(&r->info->processes, tid, tgid);
	}
	return err;
}

static void read_cpu_stats(struct reading *r, struct rwk_pb stats)
{
	uint64_t value[CPU_STATS_READ + 1] = {UINT64_MAX};
	struct rwk_trace_cpu *cpu;
	struct rwk_pb_field f;

	for (int i = 0; i <= CPU_STATS_READ; i++)
		value[i] = UINT64_MAX;
	while (rwk_pb_next(&stats, &f)) {
		if (f.nr <= CPU_STATS_READ && f.type == RWK_PB_VARINT)
			value[f.nr] = f.value;
	}
	if (value[CPU_STATS_CPU] >= RWK_MAX_CPUS)
		return;
	cpu = &r->info->cpu[value[CPU_STATS_CPU]];
	if (value[CPU_STATS_OVERRUN] <= INT64_MAX)
		cpu->overrun = (int64_t)value[CPU_STATS_OVERRUN];
	if (value[CPU_STATS_DROPPED] <= INT64_MAX)
		cpu->dropped = (int64_t)value[CPU_STATS_DROPPED];
	if (value[CPU_STATS_READ] <= INT64_MAX)
		cpu->entries = (int64_t)value[CPU_STATS_READ];
}

/* Those at the end count: those at the start speak of what was before. */
static void read_stats(struct reading *r, struct rwk_pb stats)
{
	struct rwk_pb again = stats;
	struct rwk_pb_field f;
	uint64_t phase = 0;

	while (rwk_pb_next(&stats, &f)) {
		if (f.nr == STATS_PHASE && f.type == RWK_PB_VARINT)
			phase = f.value;
	}
	while (phase == PHASE_END && rwk_pb_next(&again, &f)) {
		if (f.nr == STATS_CPU && f.type == RWK_PB_BYTES)
			read_cpu_stats(r, f.body);
	}
}

static int number_of_sequence(struct reading *r, uint64_t id, int32_t *ret)
{
	const int32_t *known = rwk_map_find(&r->sequence, id);
	int err;

	if (known) {
		*ret = *known;
		return 0;
	}
	if (r->nr_sequences >= INT32_MAX)
		return -ENOMEM;
	err = rwk_vec_grow(&r->sequence_bytes, &r->cap_sequences, r->nr_sequences + 1,
		sizeof(*r->sequence_bytes));
	if (!err)
		err = rwk_map_set(&r->sequence, id, (int32_t)r->nr_sequences);
	if (!err)
		*ret = (int32_t)r->nr_sequences++;
	return err;
}

/* at: offset of the bundle in its file. */
static int add_bundle(
	struct reading *r, struct rwk_pb bundle, int64_t at, bool spooled, uint64_t sequence_id)
{
	size_t size = (size_t)(bundle.end - bundle.p);
	struct rwk_perfetto_ref ref = {
		.offset = at, .place = r->place, .size = (uint32_t)size, .spooled = spooled};
	struct rwk_pb fields = bundle;
	struct rwk_pb_field f;
	uint64_t cpu = UINT64_MAX;
	int err;

	while (cpu == UINT64_MAX && rwk_pb_next(&fields, &f)) {
		if (f.nr == BUNDLE_CPU && f.type == RWK_PB_VARINT)
			cpu = f.value;
	}
	if (cpu >= RWK_MAX_CPUS) {
		anomaly(r, cpu == UINT64_MAX ? RWK_AN_BAD_RECORD : RWK_AN_CPU_OUT_OF_RANGE,
			RWK_NONE);
		return 0;
	}
	ref.cpu = (int32_t)cpu;
	err = number_of_sequence(r, sequence_id, &ref.sequence);
	if (!err)
		err = rwk_vec_grow(
			&r->x->ref, &r->x->cap_refs, r->x->nr_refs + 1, sizeof(*r->x->ref));
	if (err)
		return err;
	r->x->ref[r->x->nr_refs++] = ref;
	r->sequence_bytes[ref.sequence] += (int64_t)size;
	return 0;
}

static int read_packet(
	struct reading *r, const unsigned char *data, size_t size, int64_t at, bool spooled);

/* Packets in a packet: to the temporary file, since they have no place in the trace. */
static int read_packed(struct reading *r, struct rwk_pb packed, bool zstd)
{
	struct rwk_inflate **z = zstd ? &r->zstd : &r->zlib;
	struct rwk_pb trace;
	struct rwk_pb_field f;
	size_t size = 0;
	int err = *z ? 0 : rwk_inflate_create(zstd ? "zstd" : "zlib", z);

	if (!err)
		err = rwk_inflate_whole(*z, packed.p, (size_t)(packed.end - packed.p), &r->plain,
			&r->cap_plain, RWK_PERFETTO_MAX_PACKET, &size);
	if (err == -EBADMSG || err == -ERANGE) {
		anomaly(r, RWK_AN_BAD_RECORD, RWK_NONE);
		return 0;
	}
	if (!err && rwk_unpack_bursts(r->file->size, r->spool_end + (int64_t)size))
		return rwk_diag_push(r->diag, -EFBIG,
			"cannot unpack: file=%s offset=0x%" PRIx64
			" why=packets hold far more than a trace of its size can",
			r->file->path, r->place);
	if (!err && r->x->fd < 0)
		err = rwk_file_temporary("unpacked packets", r->diag, &r->x->fd);
	if (err)
		return err;
	err = rwk_file_write(r->x->fd, r->spool_end, r->plain, size);
	if (err)
		return rwk_diag_push(
			r->diag, err, "cannot write unpacked packets: %s", strerror(-err));
	trace = rwk_pb_of(r->plain, size);
	while (!err && rwk_pb_next(&trace, &f)) {
		if (f.nr == TRACE_PACKET && f.type == RWK_PB_BYTES)
			err = read_packet(r, f.body.p, (size_t)(f.body.end - f.body.p),
				r->spool_end + (f.body.p - r->plain), true);
	}
	if (trace.bad)
		anomaly(r, RWK_AN_BAD_RECORD, RWK_NONE);
	r->spool_end += (int64_t)size;
	return err;
}

static int read_packet(
	struct reading *r, const unsigned char *data, size_t size, int64_t at, bool spooled)
{
	struct rwk_pb packet = rwk_pb_of(data, size), bundle = {0};
	struct rwk_pb_field f;
	uint64_t sequence = 0;
	int err = 0;

	while (!err && rwk_pb_next(&packet, &f)) {
		if (f.nr == PACKET_SEQUENCE_ID && f.type == RWK_PB_VARINT)
			sequence = f.value;
		if (f.type != RWK_PB_BYTES)
			continue;
		if (f.nr == PACKET_FTRACE_EVENTS)
			bundle = f.body;
		else if (f.nr == PACKET_PROCESS_TREE)
			err = read_tree(r, f.body);
		else if (f.nr == PACKET_SYSTEM_INFO)
			read_release(r, f.body);
		else if (f.nr == PACKET_FTRACE_STATS)
			read_stats(r, f.body);
		else if (!spooled && (f.nr == PACKET_COMPRESSED || f.nr == PACKET_COMPRESSED_ZSTD))
			err = read_packed(r, f.body, f.nr == PACKET_COMPRESSED_ZSTD);
	}
	if (packet.bad)
		anomaly(r, RWK_AN_BAD_RECORD, RWK_NONE);
	if (!err && bundle.p)
		err = add_bundle(r, bundle, at + (bundle.p - data), spooled, sequence);
	return err;
}

static void note_truncated(struct reading *r)
{
	r->info->truncated = true;
	r->info->truncated_at = r->place;
	anomaly(r, RWK_AN_TRUNCATED, RWK_NONE);
}

/* Tag and length of the field at r->place: its header's size, 0 at the end or when it is cut. */
static int read_head(struct reading *r, struct rwk_pb_field *ret, int *ret_size)
{
	unsigned char head[20];
	struct rwk_pb pb;
	uint64_t tag, size = 0;
	int64_t n = rwk_file_read(r->file, r->place, head, sizeof(head), r->diag);

	*ret_size = 0;
	if (n <= 0)
		return (int)n;
	pb = rwk_pb_of(head, (size_t)n);
	if (!rwk_pb_varint(&pb, &tag) || !rwk_pb_varint(&pb, &size)) {
		note_truncated(r);
		return 0;
	}
	ret->nr = (uint32_t)(tag >> 3 > UINT32_MAX ? 0 : tag >> 3);
	ret->type = (enum rwk_pb_type)(tag & 7);
	ret->value = size;
	*ret_size = (int)(pb.p - head);
	return 0;
}

static int read_body(struct reading *r, int64_t at, uint64_t size)
{
	int64_t n;

	if (size > r->cap_packet) {
		unsigned char *more = realloc(r->packet, size);

		if (!more)
			return -ENOMEM;
		r->packet = more;
		r->cap_packet = size;
	}
	n = rwk_file_read(r->file, at, r->packet, size, r->diag);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n < size) {
		note_truncated(r);
		return 0;
	}
	return read_packet(r, r->packet, size, at, false);
}

static int read_trace(struct reading *r)
{
	while (!r->info->truncated) {
		struct rwk_pb_field f;
		int head, err = read_head(r, &f, &head);
		int64_t at = r->place + head;

		if (err || !head)
			return err;
		if (f.type == RWK_PB_VARINT) {
			r->place = at;
			continue;
		}
		/* Groups and fixed numbers do not occur here: what follows cannot be found. */
		if (f.type != RWK_PB_BYTES || !f.nr) {
			note_truncated(r);
			return 0;
		}
		if (f.value > (uint64_t)(r->file->size - at) || at > r->file->size) {
			note_truncated(r);
			return 0;
		}
		if (f.nr == TRACE_PACKET && f.value > RWK_PERFETTO_MAX_PACKET)
			anomaly(r, RWK_AN_BAD_RECORD, RWK_NONE);
		else if (f.nr == TRACE_PACKET)
			err = read_body(r, at, f.value);
		if (err)
			return err;
		r->place = at + (int64_t)f.value;
	}
	return 0;
}

static int by_cpu(const void *a, const void *b)
{
	const struct rwk_perfetto_ref *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Those of the sequence with most data, by CPU. */
static void choose_sequence(struct reading *r)
{
	struct rwk_perfetto_index *x = r->x;
	size_t best = 0, nr = 0;

	for (size_t i = 1; i < r->nr_sequences; i++) {
		if (r->sequence_bytes[i] > r->sequence_bytes[best])
			best = i;
	}
	if (r->nr_sequences > 1)
		r->info->nr_other_buffers = (int)(r->nr_sequences - 1);
	for (size_t i = 0; i < x->nr_refs; i++) {
		if ((size_t)x->ref[i].sequence == best)
			x->ref[nr++] = x->ref[i];
	}
	x->nr_refs = nr;
	x->bytes = r->nr_sequences ? r->sequence_bytes[best] : 0;
	if (nr)
		qsort(x->ref, nr, sizeof(*x->ref), by_cpu);
}

int rwk_perfetto_index_read(struct rwk_perfetto_index *x, const struct rwk_file *file,
	struct rwk_trace_info *info, struct rwk_diag *diag)
{
	struct reading r = {.x = x, .file = file, .info = info, .diag = diag};
	int err;

	*x = (struct rwk_perfetto_index){.fd = -1};
	err = read_trace(&r);
	if (!err)
		choose_sequence(&r);
	rwk_inflate_destroy(r.zlib);
	rwk_inflate_destroy(r.zstd);
	rwk_map_finish(&r.sequence);
	free(r.sequence_bytes);
	free(r.packet);
	free(r.plain);
	return err;
}

void rwk_perfetto_index_finish(struct rwk_perfetto_index *x)
{
	if (x->fd >= 0)
		close(x->fd);
	free(x->ref);
}

int rwk_perfetto_index_load(const struct rwk_perfetto_index *x, const struct rwk_file *file,
	const struct rwk_perfetto_ref *ref, void *buf, struct rwk_diag *diag)
{
	struct rwk_file spool = {.path = file->path, .fd = x->fd, .folder = -1};
	int64_t n = rwk_file_read(ref->spooled ? &spool : file, ref->offset, buf, ref->size, diag);

	if (n < 0)
		return (int)n;
	return n == ref->size ? 0 : -EBADMSG;
}
