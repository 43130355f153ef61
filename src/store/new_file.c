#include "store/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/schema.h"
#include "store/temporary.h"

/* Empty and ours alone. */
static int create_file(const char *temporary, struct rwk_diag *diag)
{
	int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return rwk_diag_push(
			diag, -errno, "cannot create: file=%s why=%s", temporary, strerror(errno));
	close(fd);
	return 0;
}

int rwk_new_file_fill(struct rwk_db *db, struct rwk_diag *diag)
{
	int err = rwk_db_run(db, "pragma_import", diag);

	return err ? err : rwk_schema_upgrade(db, diag);
}

int rwk_new_file_open(const char *path, bool replace, struct rwk_diag *diag, struct rwk_db *ret)
{
	struct stat st;
	char *temporary;
	int err;

	if (!lstat(path, &st)) {
		if (!replace)
			return rwk_diag_push(
				diag, -EEXIST, "cannot create: file=%s why=it exists", path);
		if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
			return rwk_diag_push(diag, -EINVAL,
				"cannot replace: file=%s why=not a regular file", path);
	}
	temporary = rwk_temporary_name(path);
	if (!temporary)
		return rwk_diag_push(diag, -ENOMEM, "cannot create %s: why=out of memory", path);
	rwk_temporary_sweep(path);
	err = create_file(temporary, diag);
	if (!err) {
		/* URIs: another file can be attached read-only. */
		err = rwk_db_open(ret, temporary, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, diag);
		if (err)
			unlink(temporary);
	}
	free(temporary);
	return err;
}
