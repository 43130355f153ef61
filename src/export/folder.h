/* A folder of files that appears only when all of them are whole. */
#ifndef SRC_EXPORT_FOLDER_H
#define SRC_EXPORT_FOLDER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"

struct rwk_folder {
	char *path; /* final name, without links to it */
	char *temporary; /* where it is made */
	int fd; /* of that */
	bool replaces; /* there is an earlier one of ours */
};

/* Whether a name within a folder is one that we would have made. */
typedef bool rwk_folder_name_fn(const char *name);

/*
 * Makes the temporary beside path.  mark: a file that each of our folders holds.  -EEXIST: path is
 * there and holds something that is not ours; -ENOTDIR: it is no folder.
 */
int rwk_folder_open(struct rwk_folder *f, const char *path, const char *mark,
	rwk_folder_name_fn *is_ours, struct rwk_diag *diag);
/* A new file in it; close it by rwk_folder_close_file(). */
int rwk_folder_open_file(struct rwk_folder *f, const char *name, struct rwk_diag *diag, FILE **ret);
/* Makes it last; in any case closes. */
int rwk_folder_close_file(struct rwk_folder *f, const char *name, FILE *out, struct rwk_diag *diag);
/* Gives the folder its name. */
int rwk_folder_finish(struct rwk_folder *f, struct rwk_diag *diag);
/* Removes what was not finished, and frees; to be called in any case. */
void rwk_folder_close(struct rwk_folder *f);

#endif
