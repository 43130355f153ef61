/* The recorded command: fork, handshake, exec, wait, end. */
#include "record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TERM_WAIT_NS INT64_C(5000000000) /* from SIGTERM to SIGKILL */
#define POLL_MS      10 /* where there is no pid_fd to wait for */

static int is_program(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -ENOENT;
	return !S_ISREG(st.st_mode) || access(path, X_OK) ? -EACCES : 0;
}

int rwk_program_find(const char *name, char **ret)
{
	const char *search = getenv("PATH");
	int err = -ENOENT;

	if (strchr(name, '/')) {
		err = is_program(name);
		if (!err && !(*ret = strdup(name)))
			err = -ENOMEM;
		return err;
	}
	if (!search)
		search = "/usr/bin:/bin";
	for (const char *p = search; *name; p++) {
		size_t len = strcspn(p, ":");
		char *path = malloc(len + strlen(name) + 3);
		int this_err;

		if (!path)
			return -ENOMEM;
		/* An empty part stands for the current directory. */
		memcpy(path, len ? p : ".", len ? len : 1);
		strcpy(path + (len ? len : 1), "/");
		strcat(path, name);
		this_err = is_program(path);
		if (!this_err) {
			*ret = path;
			return 0;
		}
		free(path);
		if (this_err == -EACCES)
			err = -EACCES;
		p += len;
		if (!*p)
			break;
	}
	return err;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The child: waits for the word, then is the command or says why not. */
static void __attribute__((noreturn)) child_main(const char *path, char *const *argv,
	const struct rlimit *nofile, bool to_stderr, int go_fd, int err_fd)
{
	char go;
	ssize_t n;
	int err;

	do
		n = read(go_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1 || (to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
		_exit(127);
	setrlimit(RLIMIT_NOFILE, nofile);
	/* Of all exec calls the one that also runs scripts without an interpreter line. */
	execvp(path, argv);
	err = errno;
	while (write(err_fd, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(127);
}

int rwk_command_prepare(struct rwk_command *ret, char *const *argv, const struct rlimit *nofile,
	bool to_stderr, struct rwk_diag *diag)
{
	struct rwk_command cmd = RWK_COMMAND_NONE;
	int go[2] = {-1, -1}, status[2] = {-1, -1}, err;
	char *path = NULL;

	err = rwk_program_find(argv[0], &path);
	if (err)
		return rwk_diag_push(diag, err, "cannot run the command: command=%s why=%s",
			argv[0], err == -ENOENT ? "command not found" : strerror(-err));
	/* A socket, as a pipe whose reader was killed would kill us. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) || pipe2(status, O_CLOEXEC)) {
		err = -errno;
		goto out;
	}
	cmd.pid = fork();
	if (cmd.pid < 0) {
		err = -errno;
		goto out;
	}
	if (!cmd.pid) {
		close(go[1]);
		close(status[0]);
		child_main(path, argv, nofile, to_stderr, go[0], status[1]);
	}
	cmd.name = argv[0];
	cmd.go_fd = go[1];
	cmd.err_fd = status[0];
	go[1] = status[0] = -1;
	cmd.pid_fd = (int)syscall(SYS_pidfd_open, cmd.pid, 0);
	if (cmd.pid_fd >= 0)
		fcntl(cmd.pid_fd, F_SETFD, FD_CLOEXEC);
	*ret = cmd;
out:
	for (int i = 0; i < 2; i++) {
		close_fd(&go[i]);
		close_fd(&status[i]);
	}
	free(path);
	if (err)
		rwk_diag_push(diag, err, "cannot run the command: command=%s why=%s", argv[0],
			strerror(-err));
	return err;
}

int rwk_command_go(struct rwk_command *cmd, struct rwk_diag *diag)
{
	int child_err = 0;
	ssize_t n;

	do
		n = send(cmd->go_fd, "g", 1, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	close_fd(&cmd->go_fd);
	/* Closed by a successful exec; a child that was killed before closes it, too. */
	do
		n = read(cmd->err_fd, &child_err, sizeof(child_err));
	while (n < 0 && errno == EINTR);
	close_fd(&cmd->err_fd);
	if (n != (ssize_t)sizeof(child_err))
		return 0;
	return rwk_diag_push(diag, -child_err, "cannot run the command: command=%s why=%s",
		cmd->name, strerror(child_err));
}

bool rwk_command_ended(struct rwk_command *cmd)
{
	pid_t pid;

	if (!cmd->pid)
		return true;
	do
		pid = waitpid(cmd->pid, &cmd->status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return false;
	cmd->pid = 0;
	return true;
}

/* Waits up to for_ns; true if it has ended. */
static bool wait_ended(struct rwk_command *cmd, rwk_ns for_ns)
{
	for (rwk_ns waited = 0; !rwk_command_ended(cmd); waited += POLL_MS * 1000000) {
		struct pollfd pfd = {.fd = cmd->pid_fd, .events = POLLIN};

		if (waited >= for_ns)
			return false;
		poll(&pfd, 1, POLL_MS);
	}
	return true;
}

void rwk_command_finish(struct rwk_command *cmd, rwk_ns grace_ns)
{
	/* One that never got the word leaves by itself. */
	if (cmd->go_fd >= 0)
		grace_ns = TERM_WAIT_NS;
	close_fd(&cmd->go_fd);
	close_fd(&cmd->err_fd);
	if (!wait_ended(cmd, grace_ns)) {
		kill(cmd->pid, SIGTERM);
		if (!wait_ended(cmd, TERM_WAIT_NS)) {
			kill(cmd->pid, SIGKILL);
			wait_ended(cmd, INT64_MAX);
		}
	}
	close_fd(&cmd->pid_fd);
}
