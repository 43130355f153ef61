/*
 * Watching over a recording that runs: what ends it, and what has to be looked
 * at now and then meanwhile.
 */
#ifndef SRC_RECORD_WATCH_H
#define SRC_RECORD_WATCH_H

#include "record/command.h"
#include "record/drain.h"
#include "record/instance.h"
#include "record/loss.h"
#include "record/record.h"
#include "record/trigger.h"

struct rwk_watch {
	const struct rwk_record_options *opt;
	struct rwk_command *command; /* without a pid: none */
	struct rwk_drain *drain;
	struct rwk_instance *instance;
	struct rwk_loss *loss;
	struct rwk_trigger_watch *trigger; /* NULL: none */
	struct rwk_record_trigger fired; /* set here */
	char online[RWK_WATCH_ONLINE]; /* CPUs at the last look; "" none yet; set here */
	int work_fd; /* directory that is written to */
	rwk_ns start; /* by rwk_watch_now() */
};

/* The kernel's list of online CPUs with its newline; "" if it cannot be read or does not fit. */
void rwk_watch_online(char buf[RWK_WATCH_ONLINE]);

/* CLOCK_MONOTONIC. */
rwk_ns rwk_watch_now(void);

/*
 * From so many bytes on a recording must end to stay below max_bytes, with all
 * that the buffers may hold at that moment.
 */
int64_t rwk_watch_near_bytes(int64_t max_bytes, int64_t buffers_bytes);

/*
 * Whether a disk with room bytes left is too full to go on: the trace takes
 * what has been written once more, and some of it is on its way.
 * burst: the most that was written within a tick.
 */
bool rwk_watch_disk_is_full(int64_t room, int64_t written, int64_t burst);

/*
 * The most that may be written where room bytes are free, so that the trace still
 * fits beside it, however late a full disk is noticed; 0: room is too little to tell,
 * or unknown.
 */
int64_t rwk_watch_most_bytes(int64_t room);

/* Bytes that are free on the file system of an open file; very many if that is unknown. */
int64_t rwk_watch_room(int fd);

/* Returns when the recording must end, and why. */
enum rwk_record_end rwk_watch_until_end(struct rwk_watch *w);

#endif
