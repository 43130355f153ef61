/* cpu_distance(run, cpu, cpu): how far two CPUs are apart on the machine of a run. */
#include "store/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"
#include "store/handle.h"

/* Machines of the runs that were asked for, for as long as the function lives. */
struct machines {
	struct rwk_store *store;
	struct {
		int64_t run_id;
		struct rwk_machine *machine;
	} * of;
	size_t nr, cap;
};

static void destroy(void *p)
{
	struct machines *m = p;

	for (size_t i = 0; i < m->nr; i++)
		rwk_machine_destroy(m->of[i].machine);
	free(m->of);
	free(m);
}

static int machine_of(
	struct machines *m, int64_t run_id, struct rwk_diag *diag, const struct rwk_machine **ret)
{
	struct rwk_machine *machine;
	int err;

	for (size_t i = 0; i < m->nr; i++) {
		if (m->of[i].run_id == run_id) {
			*ret = m->of[i].machine;
			return 0;
		}
	}
	if (run_id < 1 || run_id > INT32_MAX)
		return rwk_diag_push(diag, -ENOENT, "the file has no run %" PRId64, run_id);
	err = rwk_vec_grow(&m->of, &m->cap, m->nr + 1, sizeof(*m->of));
	if (err)
		return rwk_diag_push(diag, err, "out of memory");
	err = rwk_store_machine(m->store, (int)run_id, diag, &machine, NULL);
	if (err)
		return err;
	m->of[m->nr].run_id = run_id;
	*ret = m->of[m->nr++].machine = machine;
	return 0;
}

static void cpu_distance(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	static const char *const names[RWK_DIST_COUNT] = {
		"same_cpu", "smt", "llc", "node", "remote", NULL};
	const struct rwk_machine *machine = NULL;
	struct rwk_diag diag = {0};
	char why[RWK_DIAG_TEXT];
	int64_t cpu[2];
	const char *name;

	for (int i = 0; i < argc; i++) {
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return;
		if (sqlite3_value_type(argv[i]) != SQLITE_INTEGER) {
			sqlite3_result_error(
				ctx, "cpu_distance(run, cpu, cpu): not an integer", -1);
			return;
		}
	}
	if (machine_of(sqlite3_user_data(ctx), sqlite3_value_int64(argv[0]), &diag, &machine)) {
		rwk_diag_format(&diag, why, sizeof(why));
		sqlite3_result_error(ctx, why, -1);
		return;
	}
	for (int i = 0; i < 2; i++) {
		cpu[i] = sqlite3_value_int64(argv[i + 1]);
		if (cpu[i] < 0 || cpu[i] >= machine->nr_cpu_ids)
			return;
	}
	name = names[rwk_distance(machine, (int)cpu[0], (int)cpu[1])];
	if (name)
		sqlite3_result_text(ctx, name, -1, SQLITE_STATIC);
}

int rwk_functions_register_distance(struct rwk_store *store, struct rwk_diag *diag)
{
	struct machines *m = calloc(1, sizeof(*m));

	if (!m)
		return rwk_diag_push(diag, -ENOMEM, "cannot add functions: why=out of memory");
	m->store = store;
	/* Frees m itself if it fails. */
	if (sqlite3_create_function_v2(store->db.handle, "cpu_distance", 3,
		    SQLITE_UTF8 | SQLITE_DIRECTONLY, m, cpu_distance, NULL, NULL,
		    destroy) == SQLITE_OK)
		return 0;
	return rwk_db_fail(&store->db, diag, "add functions");
}

int rwk_store_add_functions(struct rwk_store *store, struct rwk_diag *diag)
{
	int err = rwk_functions_register(&store->db, diag);

	return err ? err : rwk_functions_register_distance(store, diag);
}
