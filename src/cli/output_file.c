/* Output that appears only when it is whole. */
#include "cli/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/temporary.h"

int rwk_output_open(struct rwk_output *o, const char *path, struct rwk_diag *diag)
{
	const char *name = path;
	struct stat st;
	int err;

	*o = (struct rwk_output){0};
	if (!strcmp(path, "-")) {
		o->file = stdout;
		return 0;
	}
	o->path = strdup(path);
	if (o->path && (stat(path, &st) || S_ISREG(st.st_mode))) {
		rwk_temporary_sweep(path);
		name = o->temporary = rwk_temporary_name(path);
	}
	if (!o->path || !name) {
		rwk_output_abort(o);
		return rwk_diag_push(
			diag, -ENOMEM, "cannot write: file=%s why=out of memory", path);
	}
	o->file = fopen(name, "we");
	if (o->file)
		return 0;
	err = -errno;
	free(o->temporary);
	o->temporary = NULL; /* nothing was made */
	rwk_output_abort(o);
	return rwk_diag_push(diag, err, "cannot write: file=%s why=%s", path, strerror(-err));
}

int rwk_output_finish(struct rwk_output *o, struct rwk_diag *diag)
{
	bool failed = fflush(o->file) || ferror(o->file);
	int err = failed ? -(errno ?: EIO) : 0;

	if (o->path) {
		if (fclose(o->file) && !err)
			err = -errno;
		o->file = NULL;
	}
	if (err)
		rwk_diag_push(diag, err, "cannot write: file=%s why=%s",
			o->path ? o->path : "standard output", strerror(-err));
	else if (o->temporary)
		err = rwk_temporary_publish(o->temporary, o->path, true, diag);
	if (!err) {
		free(o->temporary);
		o->temporary = NULL;
	}
	rwk_output_abort(o);
	return err;
}

void rwk_output_abort(struct rwk_output *o)
{
	if (o->file && o->path)
		fclose(o->file);
	if (o->temporary)
		unlink(o->temporary);
	free(o->temporary);
	free(o->path);
	*o = (struct rwk_output){0};
}
