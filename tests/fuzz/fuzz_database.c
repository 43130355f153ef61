/*
 * Any bytes as a database: refused for a reason, or everything that reads one gets
 * through it: reports, the machine, tasks, decisions, and the events of a replay.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "database.h"
#include "report/report.h"
#include "target.h"

#define RUN 1

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	close(fd);
}

/* A failure without a word leaves its user helpless. */
static bool failed(int err, const struct rwk_diag *diag)
{
	if (err < 0 && !diag->nr)
		abort();
	return err < 0;
}

static void read_feed(struct rwk_store *store)
{
	struct rwk_diag diag = {0};
	struct rwk_feed_item item;
	struct rwk_feed feed;
	int64_t seq = INT64_MIN;
	int err = rwk_store_feed_open(store, RUN, &diag, &feed);

	if (failed(err, &diag))
		return;
	while ((err = feed.next(feed.ctx, &item, &diag)) == 1) {
		if (item.seq < seq || item.ev.cpu < 0 || item.ev.cpu >= RWK_MAX_CPUS ||
			item.ev.kind >= RWK_EV_COUNT)
			abort();
		seq = item.seq;
	}
	failed(err, &diag);
	rwk_store_feed_close(&feed);
}

static void read_all(struct rwk_store *store)
{
	struct rwk_moment_want want = {.from_ts = RWK_NS_NONE, .tid = RWK_NONE};
	struct rwk_diag diag = {0};
	struct rwk_machine *machine;
	struct rwk_snapshot *snap;
	struct rwk_task_row *tasks;
	struct rwk_moment moment[4];
	size_t nr;

	failed(rwk_store_nr_runs(store, &diag), &diag);
	failed(rwk_store_overwritten(store, RUN, &diag), &diag);
	if (!failed(rwk_store_machine(store, RUN, &diag, &machine, &snap), &diag)) {
		rwk_machine_destroy(machine);
		rwk_snapshot_destroy(snap);
	}
	if (!failed(rwk_store_tasks(store, RUN, &diag, &tasks, &nr), &diag))
		free(tasks);
	failed(rwk_store_find_decisions(store, RUN, &want, 4, &diag, moment, &nr), &diag);
	read_feed(store);
	for (size_t i = 0; rwk_report_at(i); i++) {
		diag.nr = 0;
		failed(rwk_report_run(store, rwk_report_at(i), RWK_FORMAT_JSON, fuzz_sink(), &diag),
			&diag);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_database_path();
	struct rwk_store *store;
	struct rwk_diag diag = {0};

	write_file(path, data, size);
	if (!failed(rwk_store_open(path, false, &diag, &store), &diag)) {
		fuzz_database_limit(store);
		read_all(store);
		rwk_store_close(store);
	}
	/* Opened for writing it is upgraded first. */
	diag.nr = 0;
	if (!failed(rwk_store_open(path, true, &diag, &store), &diag))
		rwk_store_close(store);
	return 0;
}
