/* Place and limits of a database that is fuzzed. */
#include "database.h"

#include <stdlib.h>
#include <sqlite3.h>
#include <unistd.h>

#include "store/handle.h"

#define STEPS 100000 /* of the virtual machine, between two looks at the counter */
#define LOOKS 20

static char path[256];
static int looks;

static void remove_file(void)
{
	unlink(path);
}

/* In memory where there is such a folder: it is written for every input. */
const char *fuzz_database_path(void)
{
	int fd;

	if (path[0])
		return path;
	snprintf(path, sizeof(path), "%s/rwk-fuzz-XXXXXX",
		access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	fd = mkstemp(path);
	if (fd < 0)
		abort();
	close(fd);
	atexit(remove_file);
	return path;
}

static int look(void *ctx)
{
	(void)ctx;
	return ++looks > LOOKS;
}

void fuzz_database_limit(struct rwk_store *store)
{
	looks = 0;
	sqlite3_hard_heap_limit64(256 << 20);
	sqlite3_progress_handler(store->db.handle, STEPS, look, NULL);
}

FILE *fuzz_sink(void)
{
	static FILE *sink;

	if (!sink)
		sink = fopen("/dev/null", "w");
	if (!sink)
		abort();
	return sink;
}
