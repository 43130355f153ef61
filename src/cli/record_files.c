/* Names only; who makes the files is elsewhere. */
#include "cli/record_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rwk_record_files_name(const char *name, struct rwk_record_files *ret)
{
	size_t len = strlen(name);

	if (len > 4 && !strcmp(name + len - 4, ".dat"))
		len -= 4;
	if (asprintf(&ret->trace, "%.*s.dat", (int)len, name) < 0)
		ret->trace = NULL;
	if (asprintf(&ret->sidecar, "%.*s.machine.json", (int)len, name) < 0)
		ret->sidecar = NULL;
	return ret->trace && ret->sidecar ? 0 : -ENOMEM;
}

void rwk_record_files_finish(struct rwk_record_files *files)
{
	free(files->trace);
	free(files->sidecar);
	*files = (struct rwk_record_files){0};
}
