/* Thread ids, names and ends. */
#include "export/perfetto_tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "export/run.h"
#include "report/text.h"

static char *name_of(const struct rwk_query *q, int column)
{
	struct rwk_value v = rwk_query_value(q, column);
	size_t size;
	char *raw = rwk_text_of_value(&v, &size), *text;
	int width;

	text = raw ? rwk_text_for_table(raw, size, &width) : NULL;
	free(raw);
	return text;
}

static int load_task(struct rwk_pf_tasks *t, const struct rwk_query *q)
{
	struct rwk_pf_task task = {.tid = (int32_t)rwk_export_int(q, 1, 0),
		.again = rwk_export_int(q, 2, 0) > 0,
		.name = name_of(q, 3)};
	int err = task.name ? 0 : -ENOMEM;

	if (!err)
		err = rwk_vec_grow(&t->task, &t->cap, t->nr + 1, sizeof(task));
	if (!err)
		err = rwk_map_set(&t->index, (uint64_t)rwk_export_int(q, 0, 0), (int32_t)t->nr);
	if (err)
		free(task.name);
	else
		t->task[t->nr++] = task;
	return err;
}

int rwk_pf_tasks_load(
	struct rwk_pf_tasks *t, struct rwk_store *store, int64_t run_id, struct rwk_diag *diag)
{
	struct rwk_query *q;
	int err = rwk_export_query(store, "perfetto_task", run_id, diag, &q), ret = 0;

	if (err)
		return err;
	while (!err && (ret = rwk_query_step(q, diag)) == 1)
		err = load_task(t, q);
	rwk_query_close(q);
	if (err)
		return rwk_diag_push(diag, err, "cannot export the tasks: why=out of memory");
	return ret;
}

void rwk_pf_tasks_finish(struct rwk_pf_tasks *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free(t->task[i].name);
	free(t->task);
	rwk_map_finish(&t->index);
	*t = (struct rwk_pf_tasks){0};
}

static struct rwk_pf_task *find(struct rwk_pf_tasks *t, int64_t utid)
{
	int32_t *at = rwk_map_find(&t->index, (uint64_t)utid);

	return at ? &t->task[*at] : NULL;
}

const struct rwk_pf_task *rwk_pf_task_of(struct rwk_pf_tasks *t, int64_t utid, int32_t cpu)
{
	static char nobody[] = "(not observed)";
	const struct rwk_pf_task *task = find(t, utid);

	if (task)
		return task;
	t->nobody = (struct rwk_pf_task){.tid = RWK_PF_NOBODY_TID + cpu, .name = nobody};
	return &t->nobody;
}

int rwk_pf_task_meet(
	struct rwk_pf_tasks *t, struct rwk_pf_out *o, int64_t utid, int32_t cpu, rwk_ns ts)
{
	RwkPb__FtraceEvent event = RWK_PB__FTRACE_EVENT__INIT;
	RwkPb__SchedProcessFree gone = RWK_PB__SCHED_PROCESS_FREE__INIT;
	struct rwk_pf_task *task = find(t, utid);

	if (!task || task->seen)
		return 0;
	task->seen = true;
	if (!task->again)
		return 0;
	gone.has_pid = 1;
	gone.pid = task->tid;
	event.has_timestamp = 1;
	event.timestamp = (uint64_t)ts;
	event.sched_process_free = &gone;
	return rwk_pf_put_kernel(o, (uint32_t)cpu, &event);
}
