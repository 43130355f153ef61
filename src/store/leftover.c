/* What a killed import has left: its file under the name that it had until it was complete. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "store/store.h"

/* Whether name is base.tmp.PID of a process that certainly is gone: EPERM means that it lives. */
static bool is_left(const char *name, const char *base)
{
	size_t len = strlen(base);
	int64_t pid;

	return !strncmp(name, base, len) && !strncmp(name + len, ".tmp.", 5) &&
	       !rwk_parse_i64(name + len + 5, 1, INT32_MAX, &pid) && kill((pid_t)pid, 0) &&
	       errno == ESRCH;
}

bool rwk_store_leftover(const char *path, char *ret, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	int len = (int)(base - path);
	char *dir = len ? strndup(path, (size_t)len) : strdup(".");
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;
	bool found = false;

	/* The first by name, so that the same folder gives the same words. */
	while (d && (e = readdir(d))) {
		if (!is_left(e->d_name, base) || (found && strcmp(e->d_name, ret + len) >= 0))
			continue;
		found = snprintf(ret, size, "%.*s%s", len, path, e->d_name) < (int)size;
	}
	if (d)
		closedir(d);
	free(dir);
	return found;
}
