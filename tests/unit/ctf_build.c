/* Metadata as text, packets as bytes. */
#include "ctf_build.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PACKET_HEADER  (4 + 16 + 4)
#define PACKET_CONTEXT (6 * 8 + 4)
#define PAGE           256 /* packets are filled up to a multiple of it */

static const unsigned char uuid[16] = {0x2a, 0x64, 0x22, 0xd0, 0x6c, 0xee, 0x11, 0xe0, 0x8c, 0x08,
	0xcb, 0x07, 0xd7, 0xb3, 0xa5, 0x64};
static const char uuid_text[] = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564";

enum { ID_SWITCH, ID_WAKING, ID_WAKEUP, ID_WAKEUP_NEW, ID_MIGRATE, ID_OTHER };

void cb_init(struct cb_trace *t)
{
	*t = (struct cb_trace){
		.domain = "kernel",
		.release = "4.15.0-65-generic",
		.tracer = "lttng-modules",
		.tracer_minor = 10,
		.underscores = true,
	};
}

void cb_finish(struct cb_trace *t)
{
	for (int i = 0; i < TB_MAX_CPUS; i++) {
		free(t->stream[i].bytes.data);
		free(t->stream[i].events.data);
	}
	memset(t, 0, sizeof(*t));
}

static void put_comm(struct tb_bytes *b, const char *comm)
{
	tb_put(b, comm, RWK_COMM_LEN);
}

static void put_fields(struct cb_trace *t, struct tb_bytes *b, const struct rwk_event *ev)
{
	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_SWITCH:
		put_comm(b, ev->sw.prev_comm);
		tb_u32(b, (uint32_t)ev->sw.prev_tid);
		tb_u32(b, (uint32_t)ev->sw.prev_prio);
		tb_u64(b, (uint64_t)ev->sw.prev_state_raw);
		put_comm(b, ev->sw.next_comm);
		tb_u32(b, (uint32_t)ev->sw.next_tid);
		tb_u32(b, (uint32_t)ev->sw.next_prio);
		break;
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		put_comm(b, ev->task.comm);
		tb_u32(b, (uint32_t)ev->task.tid);
		tb_u32(b, (uint32_t)ev->task.prio);
		if (t->old_wakeups)
			tb_u32(b, 1);
		tb_u32(b, (uint32_t)ev->task.target_cpu);
		break;
	case RWK_EV_MIGRATE:
		put_comm(b, ev->migrate.comm);
		tb_u32(b, (uint32_t)ev->migrate.tid);
		tb_u32(b, (uint32_t)ev->migrate.prio);
		tb_u32(b, (uint32_t)ev->migrate.orig_cpu);
		tb_u32(b, (uint32_t)ev->migrate.dest_cpu);
		break;
	default:
		tb_u64(b, 0x1234);
	}
}

void cb_event(struct cb_trace *t, int stream, const struct rwk_event *ev)
{
	static const uint16_t ids[RWK_EV_COUNT] = {[RWK_EV_WAKING] = ID_WAKING,
		[RWK_EV_WAKEUP] = ID_WAKEUP,
		[RWK_EV_WAKEUP_NEW] = ID_WAKEUP_NEW,
		[RWK_EV_MIGRATE] = ID_MIGRATE,
		[RWK_EV_OTHER] = ID_OTHER};
	struct cb_stream *s = &t->stream[stream];

	s->bytes.big_endian = s->events.big_endian = t->big_endian;
	if (!s->events.len)
		s->first_ts = (uint64_t)ev->ts;
	s->last_ts = (uint64_t)ev->ts;
	tb_u16(&s->events, ids[ev->kind]);
	tb_u64(&s->events, (uint64_t)ev->ts);
	if (t->tids)
		tb_u32(&s->events, (uint32_t)ev->tid);
	put_fields(t, &s->events, ev);
}

void cb_packet(struct cb_trace *t, int stream, uint64_t discarded)
{
	struct cb_stream *s = &t->stream[stream];
	size_t content = PACKET_HEADER + PACKET_CONTEXT + s->events.len;
	size_t size = (content + PAGE - 1) / PAGE * PAGE;

	tb_u32(&s->bytes, 0xc1fc1fc1);
	tb_put(&s->bytes, uuid, sizeof(uuid));
	tb_u32(&s->bytes, 0);
	tb_u64(&s->bytes, s->first_ts);
	tb_u64(&s->bytes, s->last_ts);
	tb_u64(&s->bytes, content * 8);
	tb_u64(&s->bytes, size * 8);
	tb_u64(&s->bytes, s->nr_packets++);
	tb_u64(&s->bytes, discarded);
	tb_u32(&s->bytes, t->first_cpu + (uint32_t)stream);
	tb_put(&s->bytes, s->events.data, s->events.len);
	tb_zeros(&s->bytes, size - content);
	s->events.len = 0;
	s->discarded = discarded;
}

static void __attribute__((format(printf, 2, 3))) say(struct tb_bytes *b, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tb_check(n >= 0 && n < (int)sizeof(text), "metadata");
	tb_put(b, text, (size_t)n);
}

static void say_field(struct tb_bytes *b, const struct cb_trace *t, const char *type,
	const char *name, const char *array)
{
	say(b, "\t\t%s %s%s%s;\n", type, t->underscores ? "_" : "", name, array);
}

static void say_comm(struct tb_bytes *b, const struct cb_trace *t, const char *name)
{
	say_field(b, t,
		"integer { size = 8; align = 8; signed = false; encoding = UTF8; base = 10; }",
		name, "[16]");
}

static void say_states(struct tb_bytes *b)
{
	say(b, "\t\tenum : int64_t { \"TASK_RUNNING\" = 0, \"TASK_INTERRUPTIBLE\" = 1, "
	       "\"TASK_UNINTERRUPTIBLE\" = 2, \"TASK_STOPPED\" = 4, \"TASK_TRACED\" = 8, "
	       "\"EXIT_DEAD\" = 16, \"EXIT_ZOMBIE\" = 32, \"TASK_PARKED\" = 64, \"TASK_DEAD\" = "
	       "128, "
	       "\"TASK_WAKEKILL\" = 256, \"TASK_WAKING\" = 512, \"TASK_NOLOAD\" = 1024, "
	       "\"TASK_NEW\" = 2048, \"TASK_STATE_MAX\" = 4096 } _prev_state;\n");
}

static void say_event(struct tb_bytes *b, const struct cb_trace *t, int id, const char *name)
{
	say(b, "event {\n\tname = \"%s\";\n\tid = %d;\n\tstream_id = 0;\n\tfields := struct {\n",
		name, id);
	if (id == ID_SWITCH) {
		say_comm(b, t, "prev_comm");
		say_field(b, t, "int32_t", "prev_tid", "");
		say_field(b, t, "int32_t", "prev_prio", "");
		if (t->named_states)
			say_states(b);
		else
			say_field(b, t, "int64_t", "prev_state", "");
		say_comm(b, t, "next_comm");
		say_field(b, t, "int32_t", "next_tid", "");
		say_field(b, t, "int32_t", "next_prio", "");
	} else if (id == ID_OTHER) {
		say_field(b, t, "uint64_t", "timer", "");
	} else {
		say_comm(b, t, "comm");
		say_field(b, t, "int32_t", "tid", "");
		say_field(b, t, "int32_t", "prio", "");
		if (id == ID_MIGRATE) {
			say_field(b, t, "int32_t", "orig_cpu", "");
			say_field(b, t, "int32_t", "dest_cpu", "");
		} else {
			if (t->old_wakeups)
				say_field(b, t, "int32_t", "success", "");
			say_field(b, t, "int32_t", "target_cpu", "");
		}
	}
	say(b, "\t};\n};\n\n");
}

static void say_all(struct tb_bytes *b, const struct cb_trace *t)
{
	say(b, "/* CTF 1.8 */\n\n");
	for (int bits = 8; bits <= 64; bits *= 2) {
		say(b, "typealias integer { size = %d; align = 8; signed = false; } := uint%d_t;\n",
			bits, bits);
		say(b, "typealias integer { size = %d; align = 8; signed = true; } := int%d_t;\n",
			bits, bits);
	}
	say(b,
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = %s;\n"
		"\tpacket.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; "
		"};\n};\n\n",
		uuid_text, t->big_endian ? "be" : "le");
	say(b,
		"env {\n\thostname = \"box\";\n\tdomain = \"%s\";\n\tkernel_release = \"%s\";\n"
		"\ttracer_name = \"%s\";\n\ttracer_major = 2;\n\ttracer_minor = %d;\n};\n\n",
		t->domain, t->release, t->tracer, t->tracer_minor);
	say(b,
		"clock {\n\tname = monotonic;\n\tfreq = 1000000000;\n\toffset = %llu;\n};\n\n"
		"typealias integer { size = 64; align = 8; signed = false; map = "
		"clock.monotonic.value; } := ts_t;\n\n",
		(unsigned long long)t->clock_offset);
	say(b, "stream {\n\tid = 0;\n\tevent.header := struct { uint16_t id; ts_t timestamp; };\n"
	       "\tpacket.context := struct { ts_t timestamp_begin; ts_t timestamp_end; "
	       "uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num; "
	       "uint64_t events_discarded; uint32_t cpu_id; };\n");
	if (t->tids)
		say(b, "\tevent.context := struct { int32_t _tid; };\n");
	say(b, "};\n\n");
	say_event(b, t, ID_SWITCH, "sched_switch");
	say_event(b, t, ID_WAKING, "sched_waking");
	say_event(b, t, ID_WAKEUP, "sched_wakeup");
	say_event(b, t, ID_WAKEUP_NEW, "sched_wakeup_new");
	say_event(b, t, ID_MIGRATE, "sched_migrate_task");
	say_event(b, t, ID_OTHER, "timer_start");
}

/* In packets of a few hundred bytes. */
static void pack(struct tb_bytes *b, const struct cb_trace *t, const struct tb_bytes *text)
{
	const size_t header = 37, piece = 700;

	b->big_endian = t->big_endian;
	for (size_t at = 0, n; at < text->len; at += n) {
		n = text->len - at < piece ? text->len - at : piece;
		tb_u32(b, 0x75d11d57);
		tb_put(b, uuid, sizeof(uuid));
		tb_u32(b, 0); /* checksum */
		tb_u32(b, (uint32_t)(header + n) * 8);
		tb_u32(b, (uint32_t)(header + piece) * 8);
		tb_put(b, "\0\0\0\1\10", 5); /* nothing packed, secret or summed; version 1.8 */
		tb_put(b, text->data + at, n);
		tb_zeros(b, piece - n);
	}
}

void cb_write(struct cb_trace *t, const char *folder)
{
	struct tb_bytes text = {0}, packed = {0};
	char path[512];

	snprintf(path, sizeof(path), "%s", folder);
	for (char *p = strchr(path + 1, '/');; p = strchr(p + 1, '/')) {
		if (p)
			*p = '\0';
		tb_check(!mkdir(path, 0700) || errno == EEXIST, path);
		if (!p)
			break;
		*p = '/';
	}
	say_all(&text, t);
	if (t->packed_metadata)
		pack(&packed, t, &text);
	cb_write_file(folder, "metadata", packed.len ? packed.data : text.data,
		packed.len ? packed.len : text.len);
	free(text.data);
	free(packed.data);
	for (int i = 0; i < TB_MAX_CPUS; i++) {
		struct cb_stream *s = &t->stream[i];
		char name[32];

		if (s->events.len)
			cb_packet(t, i, s->discarded);
		snprintf(name, sizeof(name), "channel0_%d", i);
		if (s->bytes.len)
			cb_write_file(folder, name, s->bytes.data, s->bytes.len);
	}
}

void cb_write_file(const char *folder, const char *name, const void *data, size_t size)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	tb_check(f && fwrite(data, 1, size, f) == size && !fclose(f), path);
}

int64_t cb_read_file(const char *folder, const char *name, void *data, size_t size)
{
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	n = fread(data, 1, size, f);
	fclose(f);
	return (int64_t)n;
}

void cb_folder_make(char *path, size_t size)
{
	const char *dir = getenv("TMPDIR");

	snprintf(path, size, "%s/rewake-test-XXXXXX", dir && *dir ? dir : "/tmp");
	tb_check(mkdtemp(path) != NULL, path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void cb_folder_remove(const char *path)
{
	tb_check(!nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), path);
}
