/*
 * Any text as SQL of an ad-hoc query: whatever it is, it is answered or refused, and
 * the file stays as it was.  The first byte chooses the format.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database.h"
#include "report/report.h"
#include "target.h"

/* A run of two tasks and one wakeup. */
static void make_database(const char *path)
{
	static struct rwk_task_row task[] = {
		{.utid = 1, .tid = 0, .comm = "swapper/0", .comm_known = true, .prio = 120},
		{.utid = 2,
			.tid = 7,
			.idle_cpu = RWK_NONE,
			.comm = "a\"\xff\n",
			.comm_known = true,
			.prio = 120,
			.policy = RWK_NONE}};
	static const struct rwk_slice_row slice = {
		.id = 1, .seq = 2, .ts = 200, .dur = 300, .utid = 2, .prio = 120};
	static const struct rwk_wakeup_row wakeup = {.id = 1,
		.seq = 1,
		.ts = 100,
		.waker_utid = 1,
		.wakee_utid = 2,
		.prio = 120,
		.kind = RWK_KIND_DECISION,
		.wakeup_dur = RWK_NS_NONE,
		.wakeup_cpu = RWK_NONE,
		.run_dur = 100};
	static const struct rwk_run_cpu_row cpu = {.observed = true, .skew_low_ns = RWK_NS_NONE};
	static struct rwk_anomalies anomalies;
	struct rwk_store_run run = {.run = {.file = "x.dat", .nr_cpus = 1},
		.cpu = &cpu,
		.nr_cpu = 1,
		.task = task,
		.nr_task = 2,
		.machine_file = "",
		.anomalies = &anomalies};
	struct rwk_store_writer *w;
	struct rwk_row_sink sink;
	struct rwk_machine *machine;
	struct rwk_diag diag = {0};

	if (rwk_machine_build(NULL, "6.1.0", 1, &anomalies, &diag, &machine) ||
		rwk_store_writer_open(path, true, &diag, &w))
		abort();
	sink = rwk_store_writer_sink(w);
	run.machine = machine;
	if (sink.slice(sink.ctx, &slice) || sink.wakeup(sink.ctx, &wakeup) ||
		rwk_store_writer_finish(w, &run, &diag))
		abort();
	rwk_store_writer_close(w);
	rwk_machine_destroy(machine);
}

/* What shows any change of the file. */
static struct stat look(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		abort();
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *path;
	static struct stat before;
	struct rwk_diag diag = {0};
	struct rwk_store *store;
	struct stat after;
	char *sql;

	if (!path) {
		path = fuzz_database_path();
		make_database(path);
		before = look(path);
	}
	if (!size)
		return 0;
	sql = strndup((const char *)data + 1, size - 1);
	if (!sql || rwk_store_open(path, false, &diag, &store))
		abort();
	fuzz_database_limit(store);
	if (rwk_report_query(store, sql, (enum rwk_format)(data[0] % 3), fuzz_sink(), &diag) &&
		!diag.nr)
		abort();
	rwk_store_close(store);
	free(sql);
	after = look(path);
	if (after.st_ino != before.st_ino || after.st_size != before.st_size ||
		after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)
		abort();
	return 0;
}
