/*
 * A trace for the Perfetto UI: the run's slices and wakings as the kernel's own
 * events, of which the UI makes its tracks of CPUs and threads; and beside them
 * tracks of wakeups with the answers of policies, and of losses.  Rows are
 * written as they are read, in the order of the run's events; what is kept are
 * names and the last slice of each CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "export/perfetto_sched.h"
#include "export/perfetto_wakeups.h"
#include "export/run.h"
#include "report/text.h"
#include "store/bits.h"

struct export
{
	struct rwk_store *store;
	struct rwk_diag *diag;
	int64_t run_id;
	struct rwk_pf_out out;
	struct rwk_pf_tasks tasks;
	struct rwk_pf_sched sched;
	struct rwk_pf_wakeups wakeups;
};

/* The kernel's release, by which readers know the numbers of task states. */
static int put_release(struct export *x, struct rwk_query *q)
{
	RwkPb__TracePacket packet = RWK_PB__TRACE_PACKET__INIT;
	RwkPb__SystemInfo info = RWK_PB__SYSTEM_INFO__INIT;
	RwkPb__Utsname uts = RWK_PB__UTSNAME__INIT;
	static char linux_name[] = "Linux";
	int ret = rwk_query_step(q, x->diag), width, err;
	struct rwk_value v;
	char *raw, *text;
	size_t size;

	if (ret < 0)
		return ret;
	v = rwk_query_value(q, 0);
	raw = rwk_text_of_value(&v, &size);
	text = raw ? rwk_text_for_table(raw, size, &width) : NULL;
	free(raw);
	if (!text)
		return -ENOMEM;
	uts.sysname = linux_name;
	uts.release = text;
	info.utsname = &uts;
	packet.system_info = &info;
	err = rwk_parse_version(text, &x->sched.release) ? 0 : rwk_pf_put(&x->out, &packet);
	free(text);
	return err;
}

static int put_slice(struct export *x, const struct rwk_query *q)
{
	int64_t cpu = rwk_export_int(q, 4, RWK_NONE), dur = rwk_export_int(q, 3, RWK_NS_NONE);
	struct rwk_pf_slice s = {.ts = rwk_export_int(q, 2, 0),
		.cpu = (int32_t)cpu,
		.utid = rwk_export_int(q, 5, RWK_NONE),
		.prio = rwk_export_int(q, 6, RWK_PF_NO_PRIO),
		.begin_unknown = rwk_export_int(q, 8, 0) == 1};
	struct rwk_value state = rwk_query_value(q, 7);

	if (cpu < 0 || cpu >= RWK_MAX_CPUS)
		return rwk_diag_push(x->diag, -EBADMSG,
			"cannot export slice %" PRId64 ": why=the database is damaged: no such CPU",
			rwk_export_int(q, 0, 0));
	s.end = dur == RWK_NS_NONE ? RWK_NS_NONE : rwk_bits_add(s.ts, dur);
	if (state.type == RWK_VALUE_TEXT && (size_t)state.size < sizeof(s.end_state))
		memcpy(s.end_state, state.text, (size_t)state.size);
	return rwk_pf_sched_slice(&x->sched, &s);
}

static int put_wakeup(struct export *x, const struct rwk_query *q)
{
	int64_t cpu = rwk_export_int(q, 3, RWK_NONE), ts = rwk_export_int(q, 2, 0);
	int err = 0;

	if (cpu >= 0 && cpu < RWK_MAX_CPUS) {
		err = rwk_pf_sched_advance(&x->sched, (int32_t)cpu, ts);
		if (!err)
			err = rwk_pf_task_meet(&x->tasks, &x->out, rwk_export_int(q, 6, RWK_NONE),
				(int32_t)cpu, ts);
	}
	return err ? err : rwk_pf_wakeups_put(&x->wakeups, q);
}

/* Both in the order of their events. */
static int put_rows(struct export *x, struct rwk_query *slices, struct rwk_query *wakeups)
{
	int more_slices = rwk_query_step(slices, x->diag);
	int more_wakeups = rwk_query_step(wakeups, x->diag);
	int err = 0;

	while (!err && more_slices >= 0 && more_wakeups >= 0 && more_slices + more_wakeups) {
		if (more_slices && (!more_wakeups || rwk_export_int(slices, 1, 0) <=
							     rwk_export_int(wakeups, 1, 0))) {
			err = put_slice(x, slices);
			more_slices = rwk_query_step(slices, x->diag);
		} else {
			err = put_wakeup(x, wakeups);
			more_wakeups = rwk_query_step(wakeups, x->diag);
		}
	}
	if (!err)
		err = more_slices < 0 ? more_slices : more_wakeups;
	return err ? err : rwk_pf_sched_end(&x->sched);
}

static int put_all(struct export *x)
{
	struct rwk_query *q, *wakeups;
	int err = rwk_export_query(x->store, "perfetto_run", x->run_id, x->diag, &q);

	if (err)
		return err;
	err = put_release(x, q);
	rwk_query_close(q);
	if (!err)
		err = rwk_pf_tasks_load(&x->tasks, x->store, x->run_id, x->diag);
	if (!err)
		err = rwk_pf_wakeups_open(&x->wakeups, x->store, x->run_id);
	if (!err)
		err = rwk_export_query(x->store, "perfetto_loss", x->run_id, x->diag, &q);
	if (err)
		return err;
	while (!err && (err = rwk_query_step(q, x->diag)) == 1)
		err = rwk_pf_wakeups_put_loss(&x->wakeups, q);
	rwk_query_close(q);
	if (!err)
		err = rwk_export_query(x->store, "perfetto_slice", x->run_id, x->diag, &q);
	if (err)
		return err;
	err = rwk_export_query(x->store, "perfetto_wakeup", x->run_id, x->diag, &wakeups);
	if (!err) {
		err = put_rows(x, q, wakeups);
		rwk_query_close(wakeups);
	}
	rwk_query_close(q);
	return err;
}

int rwk_export_perfetto(struct rwk_store *store, const struct rwk_export_options *opt, FILE *out,
	struct rwk_diag *diag)
{
	struct export *x = calloc(1, sizeof(*x));
	int nr = diag->nr, err;

	if (!x)
		return rwk_diag_push(diag, -ENOMEM, "cannot export: why=out of memory");
	x->store = store;
	x->diag = x->wakeups.diag = diag;
	x->sched.out = x->wakeups.out = &x->out;
	x->sched.tasks = x->wakeups.tasks = &x->tasks;
	rwk_pf_init(&x->out, out);
	err = rwk_export_run(store, opt->run_id, diag, &x->run_id);
	if (!err)
		err = put_all(x);
	rwk_pf_wakeups_finish(&x->wakeups);
	rwk_pf_tasks_finish(&x->tasks);
	rwk_pf_finish(&x->out);
	free(x);
	if (!err || ferror(out))
		return rwk_export_check(out, diag);
	/* What packs packets gives no cause of its own. */
	return diag->nr > nr ? err
			     : rwk_diag_push(diag, err, "cannot export: why=%s", strerror(-err));
}
