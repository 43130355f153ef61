/* The tasks of a run as one block of memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/vec.h"
#include "store/bits.h"
#include "store/handle.h"

/* Task rows first, then the strings they point to, in one block. */
struct task_list {
	struct rwk_task_row *row;
	size_t cap, nr;
	char *text;
	size_t text_cap, text_nr;
	size_t *cgroup; /* offset in text + 1; 0: none */
	size_t cgroup_cap;
};

static int read_cpus(sqlite3_stmt *st, int column, struct rwk_cpuset *ret, bool *ret_known)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	*ret_known = text != NULL;
	return text ? rwk_parse_cpulist(text, ret) : 0;
}

static int add_task(struct task_list *list, sqlite3_stmt *st)
{
	int64_t utid = sqlite3_column_int64(st, 0) & RWK_BITS_ID_MASK;
	const char *cgroup = (const char *)sqlite3_column_text(st, 12);
	struct rwk_task_row *t;
	bool known;

	/* Dense from 1, so that a row's place is its utid. */
	if (utid != (int64_t)list->nr + 1 || utid > INT32_MAX)
		return -EBADMSG;
	if (rwk_vec_grow(&list->row, &list->cap, list->nr + 1, sizeof(*list->row)) ||
		rwk_vec_grow(&list->cgroup, &list->cgroup_cap, list->nr + 1, sizeof(*list->cgroup)))
		return -ENOMEM;
	t = &list->row[list->nr];
	t->utid = (int32_t)utid;
	t->tid = sqlite3_column_int(st, 1);
	t->generation = sqlite3_column_int(st, 2);
	t->idle_cpu = (int32_t)rwk_column_int(st, 3, RWK_NONE);
	t->comm_known = rwk_column_comm(st, 4, t->comm);
	t->first_ts = rwk_column_int(st, 5, RWK_NS_NONE);
	t->last_ts = rwk_column_int(st, 6, RWK_NS_NONE);
	t->prio = (int32_t)rwk_column_int(st, 7, RWK_PRIO_UNKNOWN);
	t->is_pcpu_kthread = sqlite3_column_int(st, 8);
	t->policy = (int32_t)rwk_column_int(st, 11, RWK_NONE);
	t->tgid = (int32_t)rwk_column_int(st, 13, RWK_NONE);
	if (t->idle_cpu < RWK_NONE || t->idle_cpu >= RWK_MAX_CPUS ||
		read_cpus(st, 9, &t->allowed, &t->allowed_known) ||
		read_cpus(st, 10, &t->seen, &known))
		return -EBADMSG;
	if (cgroup) {
		size_t size = strlen(cgroup) + 1;

		if (rwk_vec_grow(&list->text, &list->text_cap, list->text_nr + size, 1))
			return -ENOMEM;
		memcpy(list->text + list->text_nr, cgroup, size);
		list->cgroup[list->nr] = list->text_nr + 1;
		list->text_nr += size;
	}
	list->nr++;
	return 0;
}

static int join_tasks(const struct task_list *list, struct rwk_task_row **ret)
{
	size_t size = list->nr * sizeof(*list->row);
	char *block = malloc(size + list->text_nr + 1);
	struct rwk_task_row *row = (struct rwk_task_row *)(void *)block;

	if (!block)
		return -ENOMEM;
	if (size)
		memcpy(block, list->row, size);
	if (list->text_nr)
		memcpy(block + size, list->text, list->text_nr);
	for (size_t i = 0; i < list->nr; i++)
		row[i].cgroup = list->cgroup[i] ? block + size + list->cgroup[i] - 1 : NULL;
	*ret = row;
	return 0;
}

int rwk_store_tasks(struct rwk_store *store, int run_id, struct rwk_diag *diag,
	struct rwk_task_row **ret, size_t *ret_nr)
{
	struct task_list list = {0};
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(&store->db, "select_tasks", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, rwk_bits_run_base(run_id));
	rwk_bind_int(&b, rwk_bits_run_base(run_id + 1));
	while ((err = rwk_db_step(&store->db, st, "read tasks", diag)) == 1) {
		err = add_task(&list, st);
		if (err) {
			rwk_diag_push(diag, err, "cannot read tasks: file=%s utid=%lld why=%s",
				store->db.path, (long long)sqlite3_column_int64(st, 0),
				err == -EBADMSG ? "the database is damaged" : strerror(-err));
			break;
		}
	}
	sqlite3_finalize(st);
	if (!err) {
		err = join_tasks(&list, ret);
		if (err)
			rwk_diag_push(diag, err, "cannot read tasks: why=%s", strerror(-err));
		else
			*ret_nr = list.nr;
	}
	free(list.row);
	free(list.text);
	free(list.cgroup);
	return err;
}
