/*
 * The command whose run is recorded: started as a child that waits for the
 * recording to be on before it becomes the command.
 */
#ifndef SRC_RECORD_COMMAND_H
#define SRC_RECORD_COMMAND_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <rewake/types.h>

#include "base/diag.h"

struct rwk_command {
	pid_t pid; /* 0: none, or it has ended */
	int go_fd; /* closing it unused ends the waiting child */
	int err_fd; /* the child's errno if it cannot become the command */
	int pid_fd; /* readable when it has ended; -1 where kernels have none */
	int status; /* as wait(2) gives it */
	const char *name;
};

#define RWK_COMMAND_NONE ((struct rwk_command){.go_fd = -1, .err_fd = -1, .pid_fd = -1})

/*
 * Full path of a program as the shell would find it, to be freed.  -ENOENT
 * not found, -EACCES found but not executable; no cause is pushed.
 */
int rwk_program_find(const char *name, char **ret);

/*
 * Forks the child; it will have the limit nofile, and with to_stderr prints there.  -ENOENT and
 * -EACCES already here when there is no such program.
 */
int rwk_command_prepare(struct rwk_command *ret, char *const *argv, const struct rlimit *nofile,
	bool to_stderr, struct rwk_diag *diag);

/* Lets it become the command.  -ENOENT, -EACCES, -ENOEXEC, … when it cannot. */
int rwk_command_go(struct rwk_command *cmd, struct rwk_diag *diag);

/* Whether it has ended; then status holds. */
bool rwk_command_ended(struct rwk_command *cmd);

/*
 * Ends it if need be: waits grace_ns for it to end by itself, sends SIGTERM,
 * and SIGKILL if that does not help.  Frees what belongs to it.
 */
void rwk_command_finish(struct rwk_command *cmd, rwk_ns grace_ns);

#endif
