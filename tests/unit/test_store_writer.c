/*
 * A run appears under its name when it is complete and not before, whatever
 * goes wrong; its rows are those that were put, in any order; the same rows
 * give the same bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/groups.h"
#include "store_build.h"

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void appears_when_finished(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	char name[64];

	assert_false(exists(box->path));
	snprintf(name, sizeof(name), "run.db.tmp.%ld", (long)getpid());
	assert_false(store_box_has_other_files(box, name, NULL));
	store_box_finish(box, w);
	assert_true(exists(box->path));
	assert_false(store_box_has_other_files(box, "run.db", NULL));
}

static void leaves_nothing_unfinished(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_slice_row row = slice_row(1, 1, 1, 0, 9);

	assert_int_equal(sink.slice(sink.ctx, &row), 0);
	rwk_store_writer_close(w);
	assert_false(store_box_has_other_files(box, "", NULL));
	rwk_store_writer_close(NULL);
}

static void does_not_overwrite(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink), *late = NULL;
	struct rwk_store *store;

	assert_int_equal(rwk_store_writer_open(box->path, false, &box->diag, &late), -EEXIST);
	/* The temporary is in use by this process. */
	rwk_store_writer_close(w);

	w = store_box_writer(box, &sink);
	store_box_finish(box, w);
	assert_int_equal(rwk_store_writer_open(box->path, false, &box->diag, &late), -EEXIST);
	assert_null(late);

	box->run.run.file = "second.dat";
	assert_int_equal(rwk_store_writer_open(box->path, true, &box->diag, &w), 0);
	store_box_finish(box, w);
	store = store_box_open(box, false);
	assert_int_equal(
		store_box_int(box, store, "SELECT COUNT(*) FROM run WHERE file = 'second.dat'"), 1);
	rwk_store_close(store);
}

/* The name was free when the import began. */
static void does_not_overwrite_what_came_since(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	int fd = open(box->path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "mine", 4), 4);
	close(fd);
	assert_int_equal(rwk_store_writer_finish(w, &box->run, &box->diag), -EEXIST);
	rwk_store_writer_close(w);
	fd = open(box->path, O_RDONLY);
	assert_int_equal(lseek(fd, 0, SEEK_END), 4);
	close(fd);
	assert_false(store_box_has_other_files(box, "run.db", NULL));
}

static void needs_a_folder(void **state)
{
	struct store_box *box = *state;
	struct rwk_store_writer *w;
	char path[256];

	snprintf(path, sizeof(path), "%s/none/run.db", box->dir);
	assert_int_equal(rwk_store_writer_open(path, false, &box->diag, &w), -ENOENT);
	assert_non_null(strstr(box->diag.cause[0], path));
	assert_int_equal(rwk_store_writer_open(box->dir, true, &box->diag, &w), -EINVAL);
}

static void touch(const struct store_box *box, const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", box->dir, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static bool is_there(const struct store_box *box, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", box->dir, name);
	return exists(path);
}

static void sweeps_what_the_dead_left(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w;
	char dead[64], alive[64];
	pid_t child = fork();

	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	snprintf(dead, sizeof(dead), "run.db.tmp.%ld", (long)child);
	snprintf(alive, sizeof(alive), "run.db.tmp.%ld", (long)getppid());
	touch(box, dead);
	touch(box, alive);
	touch(box, "run.db.tmp.0");
	touch(box, "run.db.tmp.12x");
	touch(box, "other.db.tmp.999999");
	w = store_box_writer(box, &sink);
	assert_false(is_there(box, dead));
	assert_true(is_there(box, alive));
	assert_true(is_there(box, "run.db.tmp.0"));
	assert_true(is_there(box, "run.db.tmp.12x"));
	assert_true(is_there(box, "other.db.tmp.999999"));
	rwk_store_writer_close(w);
}

/* Puts until something fails, or finishes.  In a child, for its limit. */
static int write_until_failure(struct store_box *box)
{
	struct rwk_store_writer *w;
	struct rwk_row_sink sink;
	int err = rwk_store_writer_open(box->path, false, &box->diag, &w), late;

	if (err)
		return 1;
	sink = rwk_store_writer_sink(w);
	for (int64_t i = 1; i < 3000000 && !err; i++) {
		struct rwk_slice_row row = slice_row(i, i, i, 0, 9);

		err = sink.slice(sink.ctx, &row);
	}
	late = rwk_store_writer_finish(w, &box->run, &box->diag);
	rwk_store_writer_close(w);
	if (!err || late != err || !box->diag.nr || exists(box->path) ||
		store_box_has_other_files(box, "", NULL))
		return 2;
	return 0;
}

static void full_disk(void **state)
{
	struct store_box *box = *state;
	pid_t child = fork();
	int status;

	if (!child) {
		struct rlimit limit = {20 << 20, 20 << 20};

		/* The limit's signal would end the process; without it the write fails. */
		signal(SIGXFSZ, SIG_IGN);
		_exit(setrlimit(RLIMIT_FSIZE, &limit) ? 3 : write_until_failure(box));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_false(store_box_has_other_files(box, "", NULL));
}

/* A file that only fills while it is closed: small enough for the cache. */
static void full_at_the_end(void **state)
{
	struct store_box *box = *state;
	pid_t child = fork();
	int status;

	if (!child) {
		struct rlimit limit = {100 << 10, 100 << 10};
		struct rwk_store_writer *w;
		int err;

		signal(SIGXFSZ, SIG_IGN);
		if (rwk_store_writer_open(box->path, false, &box->diag, &w))
			_exit(1);
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(3);
		err = rwk_store_writer_finish(w, &box->run, &box->diag);
		rwk_store_writer_close(w);
		_exit(!err || exists(box->path) ? 2 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_false(store_box_has_other_files(box, "", NULL));
}

/* Small and repeatable; good enough to shuffle with. */
static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*seed >> 33);
}

static void rows_in_any_order(void **state)
{
	enum { NR = 50000 };
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;
	int64_t *id = calloc(NR, sizeof(*id));
	uint64_t seed = 1;

	assert_non_null(id);
	for (int i = 0; i < NR; i++)
		id[i] = i + 1;
	/* Nearly in order, then a stretch in no order, then a few very late ones. */
	for (int i = 0; i + 20 < 20000; i++) {
		int k = i + (int)(next_random(&seed) % 20);
		int64_t t = id[i];

		id[i] = id[k];
		id[k] = t;
	}
	for (int i = 20000; i < 40000; i++) {
		int k = i + (int)(next_random(&seed) % (uint32_t)(40000 - i));
		int64_t t = id[i];

		id[i] = id[k];
		id[k] = t;
	}
	for (int i = 0; i < 50; i++) {
		int64_t t = id[i * 3];

		id[i * 3] = id[NR - 1 - i];
		id[NR - 1 - i] = t;
	}
	for (int i = 0; i < NR; i++) {
		struct rwk_slice_row row =
			slice_row(id[i], id[i], 1000 + id[i], (int)(id[i] % 8), 9);

		assert_int_equal(sink.slice(sink.ctx, &row), 0);
	}
	free(id);
	store_box_finish(box, w);
	store = store_box_open(box, false);
	assert_int_equal(
		store_box_int(box, store,
			"SELECT COUNT(*) FROM slice WHERE ts = 1000 + id AND cpu = id % 8"),
		NR);
	assert_int_equal(store_box_int(box, store, "SELECT MAX(id) FROM slice"), NR);
	assert_int_equal(store_box_int(box, store,
				 "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
		1);
	rwk_store_close(store);
}

static void same_id_twice_fails(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_slice_row row = slice_row(7, 7, 7, 0, 9);

	assert_int_equal(sink.slice(sink.ctx, &row), 0);
	assert_int_equal(sink.slice(sink.ctx, &row), 0);
	assert_int_equal(rwk_store_writer_finish(w, &box->run, &box->diag), -EINVAL);
	assert_true(box->diag.nr > 0);
	rwk_store_writer_close(w);
	assert_false(store_box_has_other_files(box, "", NULL));
}

static void write_mixed(struct store_box *box)
{
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);

	for (int64_t i = 1; i <= 30000; i++) {
		struct rwk_slice_row s = slice_row(i, 3 * i, 1000 + i, (int)(i % 8), 9);
		struct rwk_wakeup_row r = wakeup_row(i, 3 * i + 1, 1000 + i, (int)(i % 8), 10);

		assert_int_equal(sink.slice(sink.ctx, &s), 0);
		assert_int_equal(sink.wakeup(sink.ctx, &r), 0);
	}
	store_box_finish(box, w);
}

static char *content(const char *path, long *ret_size)
{
	FILE *f = fopen(path, "r");
	char *bytes;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*ret_size = ftell(f);
	rewind(f);
	bytes = malloc((size_t)*ret_size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)*ret_size, f), (size_t)*ret_size);
	fclose(f);
	return bytes;
}

static void same_rows_same_bytes(void **state)
{
	struct store_box *box = *state;
	long size[2];
	char *bytes[2];

	for (int i = 0; i < 2; i++) {
		write_mixed(box);
		bytes[i] = content(box->path, &size[i]);
		assert_int_equal(unlink(box->path), 0);
	}
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(bytes[0], bytes[1], (size_t)size[0]);
	free(bytes[0]);
	free(bytes[1]);
}

/* Names that mean something else to sqlite3. */
static void odd_names(void **state)
{
	struct store_box *box = *state;
	static const char *const names[] = {":memory:", "file:x?mode=memory", "a%20b", "üñ.db"};
	char cwd[4096];

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(box->dir), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct rwk_store_writer *w;
		struct rwk_store *store;

		assert_int_equal(rwk_store_writer_open(names[i], false, &box->diag, &w), 0);
		assert_int_equal(rwk_store_writer_finish(w, &box->run, &box->diag), 0);
		rwk_store_writer_close(w);
		assert_true(is_there(box, names[i]));
		assert_int_equal(rwk_store_open(names[i], false, &box->diag, &store), 0);
		rwk_store_close(store);
	}
	assert_int_equal(chdir(cwd), 0);
}

/* What went in with the run comes out again. */
static void facts(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	const struct rwk_edge edge[] = {
		{.waker_utid = RWK_NONE,
			.wakee_utid = 9,
			.count = 2,
			.distance = {1, 2, 3, 4, 5, 6}},
		{.waker_utid = 9,
			.wakee_utid = 10,
			.count = 5,
			.decisions = 4,
			.from_irq = 3,
			.sync = 1,
			.sync_known = 2,
			.moved = 1,
			.nr_run = 2,
			.sum_run_ns = 30,
			.max_run_ns = 20,
			.mutual = true,
			.waker_fanout = 7},
	};
	struct rwk_machine *machine;
	struct rwk_task_row *tasks;
	struct rwk_store *store;
	size_t nr;
	char *rows;

	box->task[8].cgroup = "/user.slice";
	box->task[8].allowed_known = true;
	rwk_cpuset_add(&box->task[8].allowed, 3);
	box->task[8].policy = 3;
	box->task[9].tgid = 1009;
	box->task[8].prio = RWK_PRIO_UNKNOWN;
	box->task[9].prio = RWK_PRIO_DEADLINE;
	memcpy(box->task[9].comm, "sixteen bytes ok", RWK_COMM_LEN);
	box->task[10].comm_known = false;
	box->run.edge = edge;
	box->run.nr_edge = 2;
	box->run.run.nr_events[RWK_EV_WAKING] = 11;
	box->run.run.nr_events[RWK_EV_SWITCH] = 12;
	box->run.run.nr_lost = RWK_NONE;
	box->run.run.truncated = true;
	box->run.run.truncated_at = 4711;
	rwk_anomaly_add(&box->anomalies, RWK_AN_TRUNCATED, RWK_NS_NONE, 3, 4711);
	box->cpu[5].observed = false;
	box->cpu[5].first_ts = box->cpu[5].last_ts = RWK_NS_NONE;
	for (int i = 0; i < 8; i++)
		box->cpu[i].overrun = i == 3 ? 2 : i == 6 ? RWK_NONE : 0;
	box->cpu[5].overrun = 7; /* not observed: nothing of it to trust */
	store_box_finish(box, w);

	store = store_box_open(box, false);
	assert_int_equal(rwk_store_overwritten(store, 1, &box->diag), 2);
	rows = store_box_rows(box, store,
		"SELECT file, release, dur, nr_events, nr_lost, truncated, truncated_at FROM run");
	assert_string_equal(rows, "box.dat|6.1.0-box|8000|23|-|1|4711\n");
	free(rows);
	rows = store_box_rows(box, store, "SELECT * FROM anomaly");
	assert_string_equal(rows, "1|truncated|1|-|3|4711|the file ends before its own index says; "
				  "read up to there\n");
	free(rows);
	rows = store_box_rows(box, store, "SELECT * FROM edge");
	assert_string_equal(rows,
		"1|-|-|9|task9|2|0|0|0|0|0|1|2|3|4|5|6|0|-|-|0|0\n"
		"1|9|task9|10|sixteen bytes ok|5|4|1|3|1|2|0|0|0|0|0|0|2|15|20|1|7\n");
	free(rows);
	rows = store_box_rows(box, store,
		"SELECT observed, first_ts FROM run_cpu WHERE cpu IN (4, 5) ORDER BY cpu");
	assert_string_equal(rows, "1|1000\n0|-\n");
	free(rows);
	rows = store_box_rows(box, store,
		"SELECT name, tid, prio, allowed, seen, sched_policy, cgroup, tgid FROM task "
		"WHERE utid BETWEEN 9 AND 11 ORDER BY utid");
	assert_string_equal(rows, "task9|1009|-|3|0|batch|/user.slice|-\nsixteen bytes "
				  "ok|1010|-1|-|1|-|-|1009\n-|1011|120|-|2|-|-|-\n");
	free(rows);
	rows = store_box_rows(box, store, "SELECT core, llc, node FROM machine_cpu WHERE cpu = 7");
	assert_string_equal(rows, "6|4|1\n");
	free(rows);
	rows = store_box_rows(box, store,
		"SELECT level, type, size, cpus FROM machine_cache WHERE first_cpu = 4 AND nr_cpus "
		"= 4");
	assert_string_equal(rows, "3|Unified|16384K|4-7\n-|llc domain|-|4-7\n");
	free(rows);
	rows = store_box_rows(box, store, "SELECT node, cpus, distances FROM machine_node");
	assert_string_equal(rows, "0|0-3|10 20\n1|4-7|20 10\n");
	free(rows);
	rows = store_box_rows(box, store,
		"SELECT name, value FROM machine_setting WHERE name LIKE '%migration_cost_ns'");
	assert_string_equal(rows,
		"migration_cost_ns|500000\nsys/kernel/debug/sched/migration_cost_ns|500000\n");
	free(rows);
	assert_int_equal(store_box_int(box, store,
				 "SELECT COUNT(*) FROM t_machine_file WHERE content IS NULL"),
		1);

	assert_int_equal(rwk_store_tasks(store, 1, &box->diag, &tasks, &nr), 0);
	assert_int_equal(nr, 16);
	for (size_t i = 0; i < nr; i++) {
		const struct rwk_task_row *a = &box->task[i], *b = &tasks[i];

		assert_int_equal(a->utid, b->utid);
		assert_int_equal(a->tid, b->tid);
		assert_int_equal(a->idle_cpu, b->idle_cpu);
		assert_int_equal(a->prio, b->prio);
		assert_int_equal(a->policy, b->policy);
		assert_int_equal(a->tgid, b->tgid);
		assert_int_equal(a->comm_known, b->comm_known);
		if (a->comm_known)
			assert_memory_equal(a->comm, b->comm, RWK_COMM_LEN);
		assert_int_equal(a->allowed_known, b->allowed_known);
		assert_true(rwk_cpuset_equal(&a->allowed, &b->allowed));
		assert_true(rwk_cpuset_equal(&a->seen, &b->seen));
	}
	assert_string_equal(tasks[8].cgroup, "/user.slice");
	assert_null(tasks[9].cgroup);
	free(tasks);

	assert_int_equal(rwk_store_machine(store, 1, &box->diag, &machine, NULL), 0);
	assert_int_equal(machine->nr_cpu_ids, 8);
	assert_int_equal(machine->nr_llc, 2);
	assert_int_equal(machine->migration_cost_ns, 500000);
	for (int a = 0; a < 8; a++) {
		for (int b = 0; b < 8; b++)
			assert_int_equal(
				rwk_distance(machine, a, b), rwk_distance(box->machine, a, b));
	}
	rwk_machine_destroy(machine);
	assert_int_equal(rwk_store_machine(store, 2, &box->diag, &machine, NULL), -ENOENT);
	rwk_store_close(store);
}

/* Weights of groups come back, whatever bytes their names have. */
static void task_groups(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_snapshot *snap;
	struct rwk_machine *machine;
	struct rwk_groups *groups;
	struct rwk_store *store;
	struct rwk_task_row *tasks;
	size_t nr;

	assert_int_equal(
		rwk_snapshot_add_file(box->snap, "sys/fs/cgroup/cgroup.controllers", "cpu\n"), 0);
	assert_int_equal(
		rwk_snapshot_add_file(box->snap, "sys/fs/cgroup/a\xff/cpu.weight", "50\n"), 0);
	assert_int_equal(
		rwk_snapshot_add_file(box->snap, "sys/fs/cgroup/a\xff/b/cpu.weight", NULL), 0);
	box->task[8].cgroup = "/a\xff/b";
	box->task[9].cgroup = "/c";
	store_box_finish(box, w);
	store = store_box_open(box, false);
	assert_int_equal(rwk_store_machine(store, 1, &box->diag, &machine, &snap), 0);
	assert_int_equal(rwk_groups_build(snap, machine->kernel, NULL, &groups), 0);
	rwk_snapshot_destroy(snap);
	rwk_machine_destroy(machine);
	assert_int_equal(rwk_store_tasks(store, 1, &box->diag, &tasks, &nr), 0);
	assert_int_equal(rwk_groups_of(groups, tasks[8].tid, tasks[8].cgroup), 0);
	assert_int_equal(rwk_groups_of(groups, tasks[9].tid, tasks[9].cgroup), RWK_GROUP_UNKNOWN);
	assert_int_equal(rwk_groups_all(groups, &nr)->shares, 512);
	assert_int_equal(nr, 1);
	free(tasks);
	rwk_groups_destroy(groups);
	rwk_store_close(store);
}

static void no_sidecar(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_machine *machine, *bare;
	struct rwk_store *store;

	assert_int_equal(rwk_machine_build(NULL, "6.1.0-box", 5, &box->anomalies, NULL, &bare), 0);
	box->run.machine = bare;
	box->run.snapshot = NULL;
	box->run.machine_file = "";
	box->run.run.nr_cpus = 5;
	store_box_finish(box, w);
	store = store_box_open(box, false);
	assert_int_equal(rwk_store_machine(store, 1, &box->diag, &machine, NULL), 0);
	assert_int_equal(machine->nr_cpu_ids, 5);
	assert_false(machine->topology_known);
	assert_int_equal(machine->kernel.major, 6);
	assert_int_equal(
		store_box_int(box, store,
			"SELECT COUNT(*) FROM machine_cpu WHERE core IS NULL AND llc IS NULL"),
		5);
	assert_int_equal(
		store_box_int(box, store, "SELECT COUNT(*) FROM machine WHERE file IS NULL"), 1);
	rwk_machine_destroy(machine);
	rwk_machine_destroy(bare);
	rwk_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_box_setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(appears_when_finished),
		TEST(leaves_nothing_unfinished),
		TEST(does_not_overwrite),
		TEST(does_not_overwrite_what_came_since),
		TEST(needs_a_folder),
		TEST(sweeps_what_the_dead_left),
		TEST(full_disk),
		TEST(full_at_the_end),
		TEST(rows_in_any_order),
		TEST(same_id_twice_fails),
		TEST(same_rows_same_bytes),
		TEST(odd_names),
		TEST(facts),
		TEST(task_groups),
		TEST(no_sidecar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
