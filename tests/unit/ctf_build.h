/*
 * Writes small CTF traces as LTTng lays them out: a folder with metadata and one
 * stream for each CPU.  Values that a test gives are of its own making, so a
 * failure here ends the test program.
 */
#ifndef TESTS_UNIT_CTF_BUILD_H
#define TESTS_UNIT_CTF_BUILD_H

#include "event/event.h"
#include "tracedat_build.h"

struct cb_stream {
	struct tb_bytes bytes; /* whole packets */
	struct tb_bytes events; /* of the open packet */
	uint64_t first_ts, last_ts, discarded, nr_packets;
};

struct cb_trace {
	/* Set before anything else is written. */
	bool big_endian;
	const char *domain, *release, *tracer;
	int tracer_minor; /* of version 2 */
	bool packed_metadata; /* in packets, else as text */
	bool underscores; /* in front of the names of fields */
	bool tids; /* each event tells who wrote it */
	bool named_states;
	bool old_wakeups; /* with the field success */
	uint32_t first_cpu; /* of the first stream */
	uint64_t clock_offset;

	struct cb_stream stream[TB_MAX_CPUS];
};

void cb_init(struct cb_trace *t);
void cb_finish(struct cb_trace *t);

/* Numbers as they are stored; an OTHER becomes an event that nobody looks for. */
void cb_event(struct cb_trace *t, int stream, const struct rwk_event *ev);

/* Ends the open packet, by the end of which so many events were lost in all. */
void cb_packet(struct cb_trace *t, int stream, uint64_t discarded);

/* Writes it into a folder, which it makes with all above it; ends open packets. */
void cb_write(struct cb_trace *t, const char *folder);

void cb_write_file(const char *folder, const char *name, const void *data, size_t size);
/* Of any size below 1 MB; -1 there is none. */
int64_t cb_read_file(const char *folder, const char *name, void *data, size_t size);

/* A new folder in TMPDIR, and its end with all that is in it. */
void cb_folder_make(char *path, size_t size);
void cb_folder_remove(const char *path);

#endif
