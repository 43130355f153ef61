/*
 * Whatever a child process with libbabeltrace2 may tell of a CTF trace, with the trace's folder:
 * our part of reading it, in this process.  What is in isolate.c is made up here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctf_folder.h"
#include "decode/ctf_wire.h"
#include "decode/isolate.h"
#include "decode_all.h"
#include "target.h"

/* What is left of the bytes of a record, or of anything; zeros behind their end. */
struct bytes {
	const uint8_t *at;
	size_t left;
};

struct rwk_isolate_stream {
	uint8_t *data; /* records, perhaps not whole */
	size_t size, at, piece;
	bool dies;
};

static const uint8_t *input;
static size_t input_size;

static uint64_t number(struct bytes *b, int size)
{
	uint64_t v = 0;

	for (int i = 0; i < size; i++) {
		if (!b->left)
			break;
		v |= (uint64_t)*b->at++ << (8 * i);
		b->left--;
	}
	return v;
}

/* Signed numbers of two bytes reach all that can be told apart, and the ends. */
static int64_t some(struct bytes *b)
{
	int64_t v = (int16_t)number(b, 2);

	return v == INT16_MIN ? INT64_MIN : v == INT16_MAX ? INT64_MAX : v;
}

static void text(struct bytes *b, char *dst, size_t size)
{
	size_t n = (size_t)number(b, 1);

	for (size_t i = 0; i < n && i < size; i++)
		dst[i] = (char)number(b, 1);
}

static void fill_event(struct bytes *b, struct rwk_event *ev)
{
	ev->ts = (rwk_ns)number(b, 4) * (number(b, 1) & 1 ? 1 : 1000000);
	ev->kind = (uint8_t)number(b, 1);
	ev->cpu = (int32_t)some(b);
	ev->tid = (int32_t)some(b);
	switch (ev->kind) {
	case RWK_EV_SWITCH:
		ev->sw = (struct rwk_ev_switch){.prev_tid = (int32_t)some(b),
			.prev_prio = (int32_t)some(b),
			.next_tid = (int32_t)some(b),
			.next_prio = (int32_t)some(b),
			.prev_state_raw = some(b)};
		text(b, ev->sw.next_comm, sizeof(ev->sw.next_comm));
		break;
	case RWK_EV_MIGRATE:
		ev->migrate = (struct rwk_ev_migrate){.tid = (int32_t)some(b),
			.prio = (int32_t)some(b),
			.orig_cpu = (int32_t)some(b),
			.dest_cpu = (int32_t)some(b)};
		break;
	case RWK_EV_LOST:
		ev->lost = (struct rwk_ev_lost){some(b), some(b)};
		break;
	default:
		ev->task = (struct rwk_ev_task){.tid = (int32_t)some(b),
			.prio = (int32_t)some(b),
			.target_cpu = (int32_t)some(b)};
		text(b, ev->task.comm, sizeof(ev->task.comm));
		break;
	}
}

/* A record by the numbers that make it one, or as it lies there. */
static void fill_record(struct bytes *b, struct rwk_ctf_record *r)
{
	int type = (int)number(b, 1);

	memset(r, 0, sizeof(*r));
	if (type > 128) {
		for (size_t i = 0; i < sizeof(*r); i++)
			((uint8_t *)r)[i] = (uint8_t)number(b, 1);
		r->type = type - 129;
		return;
	}
	r->type = type;
	r->cpu = (int32_t)some(b);
	r->value = some(b);
	if (type == RWK_CTF_EVENT || type == RWK_CTF_BAD || type == RWK_CTF_COUNT)
		fill_event(b, &r->event);
	else
		text(b, r->text, sizeof(r->text));
}

static void fill_stream(struct rwk_isolate_stream *s)
{
	enum fuzz_ctf_part which;
	const uint8_t *part;
	size_t at = 0, n;

	while ((part = fuzz_ctf_part(input, input_size, &at, &which, &n))) {
		struct bytes b = {part, n};

		if (which != FUZZ_CTF_TOLD)
			continue;
		s->piece = (size_t)number(&b, 2);
		s->dies = s->piece & 1;
		while (b.left) {
			s->data = realloc(s->data, s->size + sizeof(struct rwk_ctf_record));
			if (!s->data)
				abort();
			fill_record(&b, (struct rwk_ctf_record *)(void *)(s->data + s->size));
			s->size += sizeof(struct rwk_ctf_record);
		}
	}
	/* It may have died while it wrote. */
	if (s->dies && s->size)
		s->size -= s->piece % sizeof(struct rwk_ctf_record);
}

/* In place of isolate.c and of the library's side. */

const bool rwk_ctf_built = true;

int rwk_ctf_read(const char *folder, int fd)
{
	(void)folder;
	(void)fd;
	return -1;
}

int rwk_isolate_run(const struct rwk_isolate_limits *limits, int (*run)(void *ctx, void *result),
	void *ctx, void *result, size_t size, char why[RWK_ISOLATE_WHY])
{
	(void)limits;
	(void)run;
	(void)ctx;
	(void)result;
	(void)size;
	strcpy(why, "is not here");
	return -ENOTSUP;
}

int rwk_isolate_start(const struct rwk_isolate_limits *limits, int (*run)(void *ctx, int fd),
	void *ctx, char why[RWK_ISOLATE_WHY], struct rwk_isolate_stream **ret)
{
	(void)limits;
	(void)run;
	(void)ctx;
	why[0] = '\0';
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		abort();
	fill_stream(*ret);
	return 0;
}

int64_t rwk_isolate_read(struct rwk_isolate_stream *s, void *buf, size_t size)
{
	size_t n = s->size - s->at;

	if (n > size)
		n = size;
	if (s->piece && n > s->piece)
		n = s->piece;
	if (n)
		memcpy(buf, s->data + s->at, n);
	s->at += n;
	return (int64_t)n;
}

int rwk_isolate_end(struct rwk_isolate_stream *s, char why[RWK_ISOLATE_WHY])
{
	bool died = s && s->dies;

	if (s)
		free(s->data);
	free(s);
	if (died)
		strcpy(why, "died (signal 6)");
	return died ? -EBADMSG : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];

	input = data;
	input_size = size;
	fuzz_ctf_folder(data, size, path);
	fuzz_decode_all(path);
	fuzz_ctf_folder_remove(path);
	return 0;
}
