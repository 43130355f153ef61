/* The box: made under $TMPDIR, gone at teardown. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "snapshot_build.h"
#include "store_build.h"

static void put_list(struct rwk_snapshot *snap, int cpu, int group, const char *file)
{
	char list[32];
	int first = cpu / group * group;

	snprintf(list, sizeof(list), "%d-%d\n", first, first + group - 1);
	put(snap, list, "sys/devices/system/cpu/cpu%d/%s", cpu, file);
}

static void build_machine(struct store_box *box)
{
	static const char dir[] = "sys/devices/system/cpu";

	assert_int_equal(rwk_snapshot_create(&box->snap), 0);
	assert_int_equal(rwk_snapshot_set_release(box->snap, "6.1.0-box"), 0);
	put(box->snap, "0-7\n", "%s/online", dir);
	put(box->snap, "0-7\n", "%s/present", dir);
	for (int cpu = 0; cpu < 8; cpu++) {
		put_list(box->snap, cpu, 2, "topology/thread_siblings_list");
		put_list(box->snap, cpu, 4, "topology/core_siblings_list");
		put_list(box->snap, cpu, 2, "cache/index0/shared_cpu_list");
		put(box->snap, "1\n", "%s/cpu%d/cache/index0/level", dir, cpu);
		put(box->snap, "Data\n", "%s/cpu%d/cache/index0/type", dir, cpu);
		put_list(box->snap, cpu, 4, "cache/index3/shared_cpu_list");
		put(box->snap, "3\n", "%s/cpu%d/cache/index3/level", dir, cpu);
		put(box->snap, "Unified\n", "%s/cpu%d/cache/index3/type", dir, cpu);
		put(box->snap, "16384K\n", "%s/cpu%d/cache/index3/size", dir, cpu);
	}
	put(box->snap, "0-3\n", "sys/devices/system/node/node0/cpulist");
	put(box->snap, "4-7\n", "sys/devices/system/node/node1/cpulist");
	put(box->snap, "10 20\n", "sys/devices/system/node/node0/distance");
	put(box->snap, "20 10\n", "sys/devices/system/node/node1/distance");
	put(box->snap, "500000\n", "sys/kernel/debug/sched/migration_cost_ns");
	put(box->snap, NULL, "sys/kernel/debug/sched/features");
	assert_int_equal(
		rwk_machine_build(box->snap, "", 8, &box->anomalies, NULL, &box->machine), 0);
	assert_true(box->machine->topology_known);
}

int store_box_setup(void **state)
{
	struct store_box *box = calloc(1, sizeof(*box));
	const char *tmp = getenv("TMPDIR");

	assert_non_null(box);
	assert_true(snprintf(box->dir, sizeof(box->dir), "%s/rwk-store-XXXXXX",
			    tmp ? tmp : "/tmp") < (int)sizeof(box->dir));
	assert_non_null(mkdtemp(box->dir));
	snprintf(box->path, sizeof(box->path), "%s/run.db", box->dir);
	build_machine(box);
	for (int i = 0; i < 8; i++)
		box->cpu[i] = (struct rwk_run_cpu_row){.cpu = i,
			.observed = true,
			.nr_events = 10,
			.entries = RWK_NONE,
			.overrun = RWK_NONE,
			.dropped = RWK_NONE,
			.first_ts = 1000,
			.last_ts = 9000};
	for (int i = 0; i < 16; i++) {
		struct rwk_task_row *t = &box->task[i];

		*t = (struct rwk_task_row){.utid = i + 1,
			.tid = i < 8 ? 0 : 1001 + i,
			.idle_cpu = i < 8 ? i : RWK_NONE,
			.comm_known = true,
			.first_ts = 1000,
			.last_ts = 9000,
			.prio = 120,
			.policy = RWK_NONE,
			.tgid = RWK_NONE};
		snprintf(t->comm, sizeof(t->comm), i < 8 ? "swapper/%d" : "task%d",
			i < 8 ? i : i + 1);
		rwk_cpuset_add(&t->seen, i % 8);
	}
	box->run = (struct rwk_store_run){
		.run = {.file = "box.dat",
			.format = "trace.dat v7",
			.release = "6.1.0-box",
			.clock = "local",
			.probe_mode = "all",
			.tool_version = "test",
			.first_ts = 1000,
			.last_ts = 9000,
			.trusted_from = 1000,
			.trusted_to = 9000,
			.nr_cpus = 8},
		.cpu = box->cpu,
		.nr_cpu = 8,
		.task = box->task,
		.nr_task = 16,
		.machine = box->machine,
		.snapshot = box->snap,
		.machine_file = "box.machine.json",
		.anomalies = &box->anomalies,
	};
	*state = box;
	return 0;
}

static void empty_folder(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

int store_box_teardown(void **state)
{
	struct store_box *box = *state;

	rwk_machine_destroy(box->machine);
	rwk_snapshot_destroy(box->snap);
	empty_folder(box->dir);
	free(box);
	return 0;
}

/* Prints the causes, so that a failed assertion can be understood. */
static void explain(struct store_box *box, int err)
{
	char text[4096];

	if (err >= 0)
		return;
	rwk_diag_format(&box->diag, text, sizeof(text));
	print_error("%s\n", text);
}

struct rwk_store_writer *store_box_writer(struct store_box *box, struct rwk_row_sink *ret_sink)
{
	struct rwk_store_writer *w;
	int err = rwk_store_writer_open(box->path, false, &box->diag, &w);

	explain(box, err);
	assert_int_equal(err, 0);
	*ret_sink = rwk_store_writer_sink(w);
	return w;
}

void store_box_finish(struct store_box *box, struct rwk_store_writer *w)
{
	int err = rwk_store_writer_finish(w, &box->run, &box->diag);

	explain(box, err);
	assert_int_equal(err, 0);
	rwk_store_writer_close(w);
}

struct rwk_store *store_box_open(struct store_box *box, bool writable)
{
	struct rwk_store *store;
	int err = rwk_store_open(box->path, writable, &box->diag, &store);

	explain(box, err);
	assert_int_equal(err, 0);
	return store;
}

static struct rwk_query *prepare(struct store_box *box, struct rwk_store *store, const char *sql)
{
	struct rwk_query *q;
	const char *tail;
	int err = rwk_query_prepare(store, sql, &box->diag, &q, &tail);

	explain(box, err);
	assert_int_equal(err, 0);
	assert_non_null(q);
	return q;
}

int64_t store_box_int(struct store_box *box, struct rwk_store *store, const char *sql)
{
	struct rwk_query *q = prepare(box, store, sql);
	struct rwk_value v;

	assert_int_equal(rwk_query_step(q, &box->diag), 1);
	v = rwk_query_value(q, 0);
	assert_int_equal(v.type, RWK_VALUE_INT);
	rwk_query_close(q);
	return v.i;
}

static void put_value(FILE *out, const struct rwk_value *v)
{
	switch (v->type) {
	case RWK_VALUE_NULL:
		fputc('-', out);
		break;
	case RWK_VALUE_INT:
		fprintf(out, "%lld", (long long)v->i);
		break;
	case RWK_VALUE_REAL:
		fprintf(out, "%g", v->r);
		break;
	default:
		fwrite(v->text, 1, (size_t)v->size, out);
		break;
	}
}

char *store_box_rows(struct store_box *box, struct rwk_store *store, const char *sql)
{
	struct rwk_query *q = prepare(box, store, sql);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	assert_non_null(out);
	while ((err = rwk_query_step(q, &box->diag)) == 1) {
		for (int i = 0; i < rwk_query_nr_columns(q); i++) {
			struct rwk_value v = rwk_query_value(q, i);

			if (i)
				fputc('|', out);
			put_value(out, &v);
		}
		fputc('\n', out);
	}
	explain(box, err);
	assert_int_equal(err, 0);
	rwk_query_close(q);
	assert_int_equal(fclose(out), 0);
	return text;
}

void store_box_damage(struct store_box *box, const char *sql)
{
	sqlite3 *db;
	char *error = NULL;

	assert_int_equal(sqlite3_open(box->path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", sql, error);
	sqlite3_close(db);
}

struct rwk_slice_row slice_row(int64_t id, int64_t seq, rwk_ns ts, int cpu, int32_t utid)
{
	return (struct rwk_slice_row){.id = id,
		.seq = seq,
		.ts = ts,
		.dur = RWK_NS_NONE,
		.cpu = cpu,
		.utid = utid,
		.prio = 120};
}

struct rwk_wakeup_row wakeup_row(int64_t id, int64_t seq, rwk_ns ts, int cpu, int32_t wakee)
{
	return (struct rwk_wakeup_row){.id = id,
		.seq = seq,
		.ts = ts,
		.cpu = cpu,
		.waker_utid = RWK_NONE,
		.wakee_utid = wakee,
		.prio = 120,
		.prev_cpu = RWK_NONE,
		.target_cpu = RWK_NONE,
		.context = RWK_CTX_UNKNOWN,
		.kind = RWK_KIND_UNKNOWN,
		.wakeup_dur = RWK_NS_NONE,
		.wakeup_cpu = RWK_NONE,
		.run_dur = RWK_NS_NONE,
		.run_cpu = RWK_NONE};
}

bool store_box_has_other_files(const struct store_box *box, const char *a, const char *b)
{
	DIR *d = opendir(box->dir);
	struct dirent *e;
	bool other = false;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, a) &&
			(!b || strcmp(e->d_name, b)))
			other = true;
	}
	closedir(d);
	return other;
}
