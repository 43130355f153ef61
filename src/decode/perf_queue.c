/*
 * A queue is a few runs, each a list of blocks of events in order.  An event
 * joins the first run that it can join: at its end, or, since an interrupt's
 * event may be written in front of one with an earlier time, inside its last
 * block.  Usually there is one run; buffers of single threads, which take turns
 * on a CPU, make more, and a buffer that was written backwards many short ones.
 *
 * Why the first: the last time of a run and that of the blocks before its last
 * only grow, so of two events of one time the later never joins an earlier run.
 * The order of runs then tells the order of the file.
 */
#include "decode/perf_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "decode/file.h"

#define BLOCK_EVENTS 256
#define BLOCK_BYTES  (BLOCK_EVENTS * sizeof(struct rwk_event))
#define MAX_RUNS     256 /* of one CPU */
#define MAX_ALL_RUNS 2048 /* beyond the first of each: each holds a block in memory */

struct block {
	struct block *next;
	struct rwk_event *event; /* NULL: in the temporary file */
	int64_t slot; /* there, in blocks */
	int nr;
};

struct run {
	struct block *head, *tail; /* NULL: empty */
	int at; /* next of head */
	rwk_ns last_ts; /* of all it ever had */
	rwk_ns floor; /* of all it ever had but those in tail */
};

struct queue {
	struct run *run;
	size_t nr_runs, cap_runs;
	rwk_ns next_ts; /* INT64_MAX: empty */
	size_t next_run;
};

struct rwk_perf_queues {
	struct queue *queue;
	int nr_cpus;
	size_t nr_extra_runs;
	size_t max_blocks, nr_blocks; /* in memory */
	struct rwk_event **spare; /* memory of blocks that are used up */
	size_t nr_spare, cap_spare;
	int fd; /* of the temporary file; -1: not needed yet */
	struct rwk_event room; /* for one that cannot be built in its queue */
	bool any_probe; /* some event had values of its own */
	int64_t nr_slots; /* it has */
	int64_t *free_slot;
	size_t nr_free, cap_free;
};

int rwk_perf_queues_create(int nr_cpus, size_t memory, struct rwk_perf_queues **ret)
{
	struct rwk_perf_queues *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->queue = calloc((size_t)nr_cpus + 1, sizeof(*q->queue));
	if (!q->queue) {
		free(q);
		return -ENOMEM;
	}
	q->fd = -1;
	q->nr_cpus = nr_cpus;
	q->max_blocks = memory / BLOCK_BYTES;
	for (int i = 0; i < nr_cpus; i++)
		q->queue[i].next_ts = INT64_MAX;
	*ret = q;
	return 0;
}

static void free_probe(const struct rwk_event *ev)
{
	if (rwk_event_has_probe(ev))
		free((void *)(uintptr_t)ev->probe);
}

static int read_block(struct rwk_perf_queues *q, struct block *b, struct rwk_diag *diag);

/* The values of sel events in the file are in memory all the same. */
static void free_run(struct rwk_perf_queues *q, struct run *run)
{
	int from = run->at;

	while (run->head) {
		struct block *b = run->head;

		if (!b->event && (!q->any_probe || read_block(q, b, NULL)))
			b->nr = 0;
		for (int i = from; i < b->nr; i++)
			free_probe(&b->event[i]);
		from = 0;
		run->head = b->next;
		free(b->event);
		free(b);
	}
}

void rwk_perf_queues_destroy(struct rwk_perf_queues *q)
{
	if (!q)
		return;
	for (int cpu = 0; cpu < q->nr_cpus; cpu++) {
		for (size_t i = 0; i < q->queue[cpu].nr_runs; i++)
			free_run(q, &q->queue[cpu].run[i]);
		free(q->queue[cpu].run);
	}
	for (size_t i = 0; i < q->nr_spare; i++)
		free(q->spare[i]);
	if (q->fd >= 0)
		close(q->fd);
	free(q->spare);
	free(q->free_slot);
	free(q->queue);
	free(q);
}

static int file_failed(struct rwk_diag *diag, const char *what)
{
	int err = errno ? -errno : -EIO;

	return rwk_diag_push(
		diag, err, "cannot %s the temporary file of events: %s", what, strerror(-err));
}

static int transfer(struct rwk_perf_queues *q, struct block *b, bool out)
{
	char *p = (char *)b->event;
	size_t left = (size_t)b->nr * sizeof(*b->event);
	off_t at = (off_t)b->slot * (off_t)BLOCK_BYTES;

	while (left) {
		ssize_t n = out ? pwrite(q->fd, p, left, at) : pread(q->fd, p, left, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		at += n;
		left -= (size_t)n;
	}
	return 0;
}

static struct rwk_event *get_memory(struct rwk_perf_queues *q)
{
	struct rwk_event *event = q->nr_spare ? q->spare[--q->nr_spare] : calloc(1, BLOCK_BYTES);

	if (event)
		q->nr_blocks++;
	return event;
}

static void put_memory(struct rwk_perf_queues *q, struct rwk_event *event)
{
	q->nr_blocks--;
	if (rwk_vec_grow(&q->spare, &q->cap_spare, q->nr_spare + 1, sizeof(*q->spare)))
		free(event);
	else
		q->spare[q->nr_spare++] = event;
}

static int write_block(struct rwk_perf_queues *q, struct block *b, struct rwk_diag *diag)
{
	int err = q->fd >= 0 ? 0 : rwk_file_temporary("events", diag, &q->fd);

	if (err)
		return err;
	b->slot = q->nr_free ? q->free_slot[--q->nr_free] : q->nr_slots++;
	errno = 0;
	if (transfer(q, b, true))
		return file_failed(diag, "write");
	put_memory(q, b->event);
	b->event = NULL;
	return 0;
}

static int read_block(struct rwk_perf_queues *q, struct block *b, struct rwk_diag *diag)
{
	int err = rwk_vec_grow(&q->free_slot, &q->cap_free, q->nr_free + 1, sizeof(*q->free_slot));

	if (err)
		return err;
	b->event = get_memory(q);
	if (!b->event)
		return -ENOMEM;
	errno = 0;
	if (transfer(q, b, false)) {
		b->nr = 0; /* nothing in it is to be looked at any more */
		return file_failed(diag, "read");
	}
	q->free_slot[q->nr_free++] = b->slot;
	return 0;
}

static struct run *add_run(struct rwk_perf_queues *q, struct queue *queue)
{
	struct run *run;

	if (rwk_vec_grow(&queue->run, &queue->cap_runs, queue->nr_runs + 1, sizeof(*queue->run)))
		return NULL;
	q->nr_extra_runs += queue->nr_runs ? 1 : 0;
	run = &queue->run[queue->nr_runs++];
	*run = (struct run){.last_ts = INT64_MIN, .floor = INT64_MIN};
	return run;
}

/* Whether ts can be put into the run's last block. */
static bool fits_inside(const struct run *run, rwk_ns ts)
{
	return run->tail && run->tail->nr < BLOCK_EVENTS && ts >= run->floor;
}

static struct run *choose_run(struct rwk_perf_queues *q, struct queue *queue, rwk_ns ts)
{
	struct run *run;

	for (size_t i = 0; i < queue->nr_runs; i++) {
		if (ts >= queue->run[i].last_ts || fits_inside(&queue->run[i], ts))
			return &queue->run[i];
	}
	if (queue->nr_runs && (queue->nr_runs == MAX_RUNS || q->nr_extra_runs == MAX_ALL_RUNS))
		return &queue->run[0];
	run = add_run(q, queue);
	return run;
}

static int add_block(struct rwk_perf_queues *q, struct run *run, struct rwk_diag *diag)
{
	struct block *b = calloc(1, sizeof(*b));
	int err = 0;

	if (!b)
		return -ENOMEM;
	if (run->tail && run->tail != run->head && q->nr_blocks >= q->max_blocks)
		err = write_block(q, run->tail, diag);
	if (!err) {
		b->event = get_memory(q);
		err = b->event ? 0 : -ENOMEM;
	}
	if (err) {
		free(b);
		return err;
	}
	if (run->tail)
		run->tail->next = b;
	else
		run->head = b;
	if (!run->tail)
		run->at = 0;
	run->tail = b;
	run->floor = run->last_ts;
	return 0;
}

/* Behind all that are not later, of those that wait.  Where it is now. */
static struct rwk_event *put(struct run *run, const struct rwk_event *ev)
{
	struct block *b = run->tail;
	int first = b == run->head ? run->at : 0;
	int at = b->nr;
	rwk_ns ts = ev->ts;

	if (ts >= run->floor) {
		while (at > first && b->event[at - 1].ts > ts)
			at--;
	}
	if (at < b->nr) {
		struct rwk_event moved = *ev; /* it may be where the others go */

		memmove(&b->event[at + 1], &b->event[at], (size_t)(b->nr - at) * sizeof(*b->event));
		b->event[at] = moved;
	} else if (ev != &b->event[at]) {
		b->event[at] = *ev;
	}
	b->nr++;
	if (ts > run->last_ts)
		run->last_ts = ts;
	return &b->event[at];
}

/* Which run has the earliest head. */
static void find_next(struct queue *queue)
{
	queue->next_ts = INT64_MAX;
	for (size_t i = 0; i < queue->nr_runs; i++) {
		const struct run *run = &queue->run[i];

		if (run->head && run->head->event[run->at].ts < queue->next_ts) {
			queue->next_ts = run->head->event[run->at].ts;
			queue->next_run = i;
		}
	}
}

/* A copy of a sel's values, as many as it has. */
/* Of the array only what is in use; a kind has entries of one sort alone. */
static size_t probe_size(const struct rwk_ev_probe *probe)
{
	return offsetof(struct rwk_ev_probe, llc) + (size_t)probe->nr_llc * sizeof(probe->llc[0]) +
	       (size_t)probe->nr_cpus * sizeof(probe->cpu[0]);
}

static struct rwk_ev_probe *copy_probe(const struct rwk_ev_probe *probe)
{
	size_t size = probe_size(probe);
	void *copy = malloc(size);

	return copy ? memcpy(copy, probe, size) : NULL;
}

struct rwk_event *rwk_perf_queues_room(struct rwk_perf_queues *q, int cpu)
{
	const struct queue *queue = &q->queue[cpu];
	const struct block *tail = queue->nr_runs ? queue->run[0].tail : NULL;

	return tail && tail->nr < BLOCK_EVENTS ? &tail->event[tail->nr] : &q->room;
}

int rwk_perf_queues_push(
	struct rwk_perf_queues *q, const struct rwk_event *ev, struct rwk_diag *diag)
{
	struct queue *queue = &q->queue[ev->cpu];
	struct run *run = choose_run(q, queue, ev->ts);
	struct rwk_ev_probe *probe = NULL;
	struct rwk_event *in;
	int err = run ? 0 : -ENOMEM;

	if (!err && (!run->tail || run->tail->nr == BLOCK_EVENTS))
		err = add_block(q, run, diag);
	if (err)
		return err;
	if (rwk_event_has_probe(ev)) {
		probe = copy_probe(ev->probe);
		if (!probe)
			return -ENOMEM;
		q->any_probe = true;
	}
	in = put(run, ev);
	if (probe)
		in->probe = probe;
	if (queue->nr_runs > 1 || ev->ts < queue->next_ts)
		find_next(queue);
	return 0;
}

rwk_ns rwk_perf_queues_next_ts(const struct rwk_perf_queues *q, int cpu)
{
	return q->queue[cpu].next_ts;
}

/* Past the event at the head of a run, whose next block comes back to memory. */
static int advance(struct rwk_perf_queues *q, struct run *run, struct rwk_diag *diag)
{
	struct block *b = run->head;

	if (++run->at < b->nr)
		return 0;
	run->head = b->next;
	run->at = 0;
	if (!run->head) {
		run->tail = NULL;
		run->floor = run->last_ts;
	}
	put_memory(q, b->event);
	free(b);
	return run->head && !run->head->event ? read_block(q, run->head, diag) : 0;
}

int rwk_perf_queues_pop(struct rwk_perf_queues *q, int cpu, struct rwk_event *ret,
	struct rwk_ev_probe *probe, struct rwk_diag *diag)
{
	struct queue *queue = &q->queue[cpu];
	struct run *run;
	int err;

	if (queue->next_ts == INT64_MAX)
		return 0;
	run = &queue->run[queue->next_run];
	*ret = run->head->event[run->at];
	if (rwk_event_has_probe(ret)) {
		memcpy(probe, ret->probe, probe_size(ret->probe));
		free_probe(ret);
		ret->probe = probe;
	}
	err = advance(q, run, diag);
	if (err) {
		/* The rest of the run is out of reach. */
		queue->next_ts = INT64_MAX;
		return err;
	}
	if (queue->nr_runs == 1)
		queue->next_ts = run->head ? run->head->event[run->at].ts : INT64_MAX;
	else
		find_next(queue);
	return 1;
}

int64_t rwk_perf_queues_spilled(const struct rwk_perf_queues *q)
{
	return q->nr_slots * (int64_t)BLOCK_BYTES;
}
