/*
 * The SQLite file of runs.  The only room that includes sqlite3.h.  Statements
 * live in sql/; raw tables (t_…) keep integers, views are what people read.
 */
#ifndef SRC_STORE_STORE_H
#define SRC_STORE_STORE_H

#include <rewake/machine.h>
#include <rewake/policy.h>

#include "base/diag.h"
#include "event/anomaly.h"
#include "graph/graph.h"
#include "machine/epochs.h"
#include "machine/machine.h"
#include "replay/feed.h"
#include "replay/replay.h"
#include "timeline/rows.h"

struct rwk_store;

struct rwk_run_row {
	const char *file, *format, *release, *clock, *probe_mode, *tool_version;
	const char *formats_from; /* NULL: the file has its own */
	rwk_ns first_ts, last_ts; /* RWK_NS_NONE without events */
	rwk_ns trusted_from, trusted_to; /* every CPU observed in between (L5) */
	int32_t nr_cpus;
	int64_t nr_events[RWK_EV_COUNT];
	int64_t nr_lost; /* known lost events; RWK_NONE when some gap has no number */
	bool truncated;
	int64_t truncated_at;
};

struct rwk_run_cpu_row {
	int32_t cpu;
	bool observed;
	int64_t nr_events, entries, overrun, dropped; /* RWK_NONE unknown */
	rwk_ns first_ts, last_ts;
	rwk_ns skew_ns; /* was added to its times, these included */
	rwk_ns skew_low_ns, skew_high_ns; /* what it could be; RWK_NS_NONE: not estimated */
};

/* ---- writing a run: into a new file that appears only when complete ---- */

struct rwk_store_writer;

/*
 * Opens path's temporary (path.tmp.PID beside it).  A writer thread makes the
 * tables and does the inserts; put calls copy and return at once, blocking only
 * when it is far behind (bounded memory).  -EEXIST if path is there and replace
 * is false.
 */
int rwk_store_writer_open(
	const char *path, bool replace, struct rwk_diag *diag, struct rwk_store_writer **ret);
/* The sink to give to the timeline.  What failed in the thread shows at a later put or at finish.
 */
struct rwk_row_sink rwk_store_writer_sink(struct rwk_store_writer *w);

/* The closing part: tasks, edges, machine, anomalies, the run itself. */
/* What is kept beside the machine's own settings: a name, and a text of any length. */
struct rwk_store_setting {
	const char *name, *value;
};

struct rwk_store_run {
	struct rwk_run_row run;
	const struct rwk_run_cpu_row *cpu;
	size_t nr_cpu;
	const struct rwk_task_row *task;
	size_t nr_task;
	const struct rwk_edge *edge;
	size_t nr_edge;
	const struct rwk_machine *machine;
	const struct rwk_snapshot *snapshot; /* NULL: no sidecar */
	const char *machine_file; /* where it came from, "" none */
	const struct rwk_store_setting *setting;
	size_t nr_setting;
	const struct rwk_anomalies *anomalies;
	const struct rwk_epoch *epoch; /* which CPUs were there when */
	size_t nr_epoch; /* 0: the same all the time, or nobody knows */
};
/*
 * Waits for the inserts, writes the rest, syncs, renames to the final name.
 * After a put that failed it returns the same error, with its cause.
 */
int rwk_store_writer_finish(
	struct rwk_store_writer *w, const struct rwk_store_run *run, struct rwk_diag *diag);
/* Removes the temporary unless finished.  NULL is fine. */
void rwk_store_writer_close(struct rwk_store_writer *w);

/* The file that an import of path, which was killed, has left beside it: the first by name. */
bool rwk_store_leftover(const char *path, char *ret, size_t size);

/* ---- reading ---- */

/*
 * -EIO for one that is not there: -ENOENT is left to what is looked for in it.
 * -EBADMSG for a file that is not ours (application_id), is damaged or newer
 * than this program; each with a cause that says which.
 */
int rwk_store_open(const char *path, bool writable, struct rwk_diag *diag, struct rwk_store **ret);
void rwk_store_close(struct rwk_store *store);

int rwk_store_nr_runs(struct rwk_store *store, struct rwk_diag *diag); /* or negative errno */
/* Ids of the views, of every run, to the run and the id within it. */
int rwk_store_run_of(int64_t id);
int64_t rwk_store_id_in_run(int64_t id);
/* Observed CPUs whose beginning was, or may have been, overwritten; or negative errno. */
int rwk_store_overwritten(struct rwk_store *store, int run_id, struct rwk_diag *diag);
/*
 * The run's machine: from the sidecar files kept in the database.  These go to
 * *ret_snapshot, NULL if there are none; ret_snapshot may be NULL.
 */
int rwk_store_machine(struct rwk_store *store, int run_id, struct rwk_diag *diag,
	struct rwk_machine **ret, struct rwk_snapshot **ret_snapshot);
/* Which CPUs were there when; free() it.  *ret_nr 0: those of the machine, as far as is known. */
int rwk_store_epochs(struct rwk_store *store, int run_id, struct rwk_diag *diag,
	struct rwk_epoch **ret, size_t *ret_nr);
/* Tasks by utid: *ret[utid - 1]; free() it. */
int rwk_store_tasks(struct rwk_store *store, int run_id, struct rwk_diag *diag,
	struct rwk_task_row **ret, size_t *ret_nr);

/* A decision by its place in the run. */
struct rwk_moment {
	int64_t wakeup_id;
	rwk_ns ts;
	int32_t waker_utid, wakee_utid; /* RWK_NONE unknown */
	int32_t cpu, prev_cpu, target_cpu; /* RWK_NONE unknown */
};

/* Which decisions: all members that are set must hold. */
struct rwk_moment_want {
	int64_t from_id; /* at this one or after it; 0: from the first */
	rwk_ns from_ts; /* at this time or after it; RWK_NS_NONE: any */
	const char *name; /* wakee's name; NULL: any */
	int32_t tid; /* wakee's thread id; RWK_NONE: any */
	bool backwards; /* the nearest ones before from_id instead, latest first */
};

/* What the view wakeup calls its kind; empty: the run has none of that id.  0 or an error with a
 * cause. */
int rwk_store_wakeup_kind(struct rwk_store *store, int run_id, int64_t id, struct rwk_diag *diag,
	size_t size, char *ret_kind);
/* Up to nr of them, in order of time; *ret_nr those that there are.  0 or an error with a cause. */
int rwk_store_find_decisions(struct rwk_store *store, int run_id,
	const struct rwk_moment_want *want, size_t nr, struct rwk_diag *diag,
	struct rwk_moment *ret, size_t *ret_nr);

/* Told each task, idle ones left out, that was on cpu between two times, and for how long. */
typedef int rwk_ran_fn(void *ctx, int32_t utid, rwk_ns dur);
int rwk_store_ran_between(struct rwk_store *store, int run_id, int cpu, rwk_ns from, rwk_ns to,
	struct rwk_diag *diag, rwk_ran_fn *tell, void *ctx);

int rwk_store_feed_open(
	struct rwk_store *store, int run_id, struct rwk_diag *diag, struct rwk_feed *ret);
void rwk_store_feed_close(struct rwk_feed *feed);

/* ---- replays ---- */

/* A machine that policies decided for in place of the recorded one. */
struct rwk_replay_machine {
	const char *spec; /* as the user named it, not "recorded" */
	const struct rwk_machine *machine;
	const struct rwk_snapshot *snapshot; /* that it was built from */
};

struct rwk_replay_row {
	const struct rwk_policy *policy;
	const char *params; /* "name=value,…" as given, "" none */
	const char *mode; /* "open", "calibrated" */
	int run_id;
	/* Policy whose side effects drove the state; NULL: the recorded kernel's. */
	const char *kernel;
	/* NULL: the recorded one; the same for all rows of a pass.  Distances are counted by it. */
	const struct rwk_replay_machine *elsewhere;
	bool summary_only; /* keep the counts, not the verdicts */
};

/*
 * One transaction over all replays of a pass; nothing is kept unless commit.
 * A replay with the same run, policy, params, mode, kernel and machine replaces the
 * old one.  elsewhere must live until commit or rollback.
 */
int rwk_store_replay_begin(struct rwk_store *store, const struct rwk_replay_row *rows, size_t nr,
	struct rwk_diag *diag, int *ret_ids);
/*
 * Verdicts of one replay, at most one per wakeup; fastest in ascending wakeup_id.
 * -ERANGE for a reason, detail or CPU that cannot be, -ENOENT for no such wakeup.
 */
int rwk_store_replay_put(struct rwk_store *store, int replay_id, const struct rwk_verdict_row *rows,
	size_t nr, struct rwk_diag *diag);
/* What the pass as a whole found, before commit; policies by their place in begin's rows. */
void rwk_store_replay_conclude(struct rwk_store *store, const struct rwk_replay_stats *stats);
int rwk_store_replay_commit(struct rwk_store *store, struct rwk_diag *diag);
int rwk_store_replay_rollback(struct rwk_store *store);

/* ---- reports and ad-hoc SQL, read-only ---- */

/* Adds the functions of docs/query.md, which are for ad-hoc SQL: reports do without them. */
int rwk_store_add_functions(struct rwk_store *store, struct rwk_diag *diag);

enum rwk_value_type {
	RWK_VALUE_NULL,
	RWK_VALUE_INT,
	RWK_VALUE_REAL,
	RWK_VALUE_TEXT,
	RWK_VALUE_BLOB
};

struct rwk_value {
	enum rwk_value_type type;
	int64_t i;
	double r;
	const char *text; /* size bytes, any content */
	int size;
};

struct rwk_query;

/*
 * Prepares the first statement of sql; *ret_tail is what follows it.  Statements
 * that would write are refused (-EACCES).  *ret NULL: nothing but space was left.
 */
int rwk_query_prepare(struct rwk_store *store, const char *sql, struct rwk_diag *diag,
	struct rwk_query **ret, const char **ret_tail);
/*
 * The same for shipped SQL, which may make and fill temporary tables of its own: they
 * are the connection's, and no other than the file's content is out of reach.
 */
int rwk_query_prepare_shipped(struct rwk_store *store, const char *sql, struct rwk_diag *diag,
	struct rwk_query **ret, const char **ret_tail);
/* Before the first step; fine if the statement has no parameter of that name (":top"). */
int rwk_query_bind_value(struct rwk_query *q, const char *name, const struct rwk_value *value,
	struct rwk_diag *diag);
/* 0 for a statement without a result. */
int rwk_query_nr_columns(const struct rwk_query *q);
const char *rwk_query_column_name(const struct rwk_query *q, int column);
/* Gives the parameter called name (":run") a value, before the first step.  False: it has none. */
bool rwk_query_bind_int(struct rwk_query *q, const char *name, int64_t value);
/* 1 row, 0 end, negative errno. */
int rwk_query_step(struct rwk_query *q, struct rwk_diag *diag);
/* Valid until the next step. */
struct rwk_value rwk_query_value(const struct rwk_query *q, int column);
void rwk_query_close(struct rwk_query *q);

/* ---- embedded SQL files ---- */

struct rwk_sql_file {
	const char *name; /* "report/summary", "migrate/0001_initial" */
	const char *text;
};
extern const struct rwk_sql_file rwk_sql_files[]; /* ends with a NULL name */

#endif
