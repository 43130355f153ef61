/*
 * Runs trace-cmd restore.  Its view of tracefs is a copy of a few files (view.h).
 */
#include "record/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/command.h"
#include "record/tracedat.h"
#include "record/view.h"

#define VIEW     "tracing"
#define MIN_ROOM (64 << 10) /* less than that left: the disk is full */

extern char **environ;

int rwk_assemble_find_tool(struct rwk_diag *diag, char **ret)
{
	char *found, *path = NULL;
	int err = rwk_program_find("trace-cmd", &found);

	if (!err) {
		/* It will be run in another directory. */
		path = realpath(found, NULL);
		if (!path)
			err = -errno;
		free(found);
	}
	if (err)
		return rwk_diag_push(diag, err,
			"trace-cmd is needed to write the trace, and %s: install the package "
			"trace-cmd",
			err == -ENOENT ? "is not in the PATH" : strerror(-err));
	*ret = path;
	return 0;
}

static int write_file(int dir_fd, const char *path, const char *data, size_t len)
{
	int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err = 0;

	if (fd < 0)
		return -errno;
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err = -errno;
			break;
		}
		data += n;
		len -= (size_t)n;
	}
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* All folders above the last part of path. */
static int make_parents(int dir_fd, const char *path)
{
	char part[256];

	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		if (mkdirat(dir_fd, part, 0700) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* A file of the view, in work's folder for it. */
static int put_in_view(
	void *ctx, const char *path, const void *data, size_t len, struct rwk_diag *diag)
{
	int dir_fd = *(const int *)ctx, err;
	char to[256];

	snprintf(to, sizeof(to), VIEW "/%s", path);
	err = make_parents(dir_fd, to);
	if (!err)
		err = write_file(dir_fd, to, data, len);
	return err ? rwk_diag_push(
			     diag, err, "cannot write a format: file=%s why=%s", to, strerror(-err))
		   : 0;
}

struct rwk_view_sink rwk_assemble_view(int *dir_fd)
{
	return (struct rwk_view_sink){.put = put_in_view, .ctx = dir_fd};
}

/* CPUs without a buffer of their own still need their place in the list of files. */
static int fill_gaps(int dir_fd, int nr_files, struct rwk_diag *diag)
{
	for (int cpu = 0; cpu < nr_files; cpu++) {
		char name[32];
		int fd;

		snprintf(name, sizeof(name), "cpu%d", cpu);
		fd = openat(dir_fd, name, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			return rwk_diag_push(
				diag, -errno, "cannot create %s: why=%s", name, strerror(errno));
		close(fd);
	}
	return 0;
}

static bool has_room(int dir_fd, uint64_t bytes)
{
	struct statvfs fs;

	return fstatvfs(dir_fd, &fs) || (uint64_t)fs.f_bavail * fs.f_frsize >= bytes;
}

/* The last line that the tool has said, for a cause. */
static void last_line(int dir_fd, char *buf, size_t size)
{
	int fd = openat(dir_fd, "log", O_RDONLY | O_CLOEXEC);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char text[512], *line;
	ssize_t n = -1;

	if (fd >= 0) {
		n = pread(fd, text, sizeof(text) - 1,
			end > (off_t)sizeof(text) - 1 ? end - (off_t)sizeof(text) + 1 : 0);
		close(fd);
	}
	text[n < 0 ? 0 : n] = '\0';
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = '\0';
	line = strrchr(text, '\n');
	snprintf(buf, size, "%.200s", line ? line + 1 : text);
}

/* Runs tool in work with its output in "log".  *ret_status as wait(2) gives it. */
static int run_tool(const char *tool, const char *work, char *const *argv, int *ret_status,
	struct rwk_diag *diag)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t set;
	pid_t pid = 0;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	err = posix_spawn_file_actions_addchdir_np(&actions, work);
	if (!err)
		err = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_addopen(
			&actions, 1, "log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, 1, 2);
	/*
	 * In a process group of its own: the Ctrl-C that ends a recording must
	 * not also end what saves it.
	 */
	sigemptyset(&set);
	if (!err)
		err = posix_spawnattr_setsigmask(&attr, &set);
	if (!err)
		err = posix_spawnattr_setpgroup(&attr, 0);
	if (!err)
		err = posix_spawnattr_setflags(
			&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	if (!err)
		err = posix_spawn(&pid, tool, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return rwk_diag_push(
			diag, -err, "cannot run trace-cmd: file=%s why=%s", tool, strerror(err));
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return rwk_diag_push(
				diag, -errno, "cannot wait for trace-cmd: why=%s", strerror(errno));
	}
	return 0;
}

/* The status says little (0 after many failures): what counts is the file it should have made. */
static int tool_failed(
	int dir_fd, const char *step, int status, const char *why, struct rwk_diag *diag)
{
	char line[256];

	if (!has_room(dir_fd, MIN_ROOM))
		return rwk_diag_push(
			diag, -ENOSPC, "the disk is full: trace-cmd could not %s", step);
	last_line(dir_fd, line, sizeof(line));
	return rwk_diag_push(diag, -EIO,
		"trace-cmd could not %s: why=%s status=0x%x it_said=\"%s\"", step, why, status,
		line);
}

static int make_head(const char *tool, const char *work, int dir_fd, struct rwk_diag *diag)
{
	const char *argv[] = {
		"trace-cmd", "restore", "-c", "-t", VIEW, "-k", "kallsyms", "-o", "head.dat", NULL};
	struct stat st;
	int status = 0;
	int err = run_tool(tool, work, (char *const *)(uintptr_t)argv, &status, diag);

	if (err)
		return err;
	if (fstatat(dir_fd, "head.dat", &st, 0) || !st.st_size)
		return tool_failed(
			dir_fd, "write the head of the trace", status, "no file came out", diag);
	return 0;
}

static int join_head_and_cpus(
	const char *tool, const char *work, int nr_files, int *ret_status, struct rwk_diag *diag)
{
	static const char *const fixed[] = {
		"trace-cmd", "restore", "-i", "head.dat", "-o", "out.dat"};
	const size_t nr_fixed = sizeof(fixed) / sizeof(fixed[0]);
	char(*names)[16] = calloc((size_t)nr_files, sizeof(*names));
	char **argv = calloc(nr_fixed + (size_t)nr_files + 1, sizeof(*argv));
	int err = -ENOMEM;

	if (!names || !argv) {
		rwk_diag_push(diag, err, "cannot run trace-cmd: why=no memory");
		goto out;
	}
	for (size_t i = 0; i < nr_fixed; i++)
		argv[i] = (char *)(uintptr_t)fixed[i];
	for (int cpu = 0; cpu < nr_files; cpu++) {
		snprintf(names[cpu], sizeof(names[cpu]), "cpu%d", cpu);
		argv[nr_fixed + (size_t)cpu] = names[cpu];
	}
	err = run_tool(tool, work, argv, ret_status, diag);
out:
	free(names);
	free(argv);
	return err;
}

int rwk_assemble(const char *tool, const char *work, int dir_fd, const char *clock,
	const struct rwk_record_cpu *cpu, int nr_cpus, struct rwk_diag *diag)
{
	int nr_files = nr_cpus ? cpu[nr_cpus - 1].cpu + 1 : 0;
	int status = 0, fd, err;
	uint64_t bytes = 0;
	char why[256];

	for (int i = 0; i < nr_cpus; i++)
		bytes += (uint64_t)cpu[i].bytes;
	/* The trace is made beside the pages that it is made of. */
	if (!has_room(dir_fd, bytes))
		return rwk_diag_push(diag, -ENOSPC,
			"the disk is full: writing the trace takes another %" PRIu64 " bytes",
			bytes);
	/* Addresses of the kernel's functions are in none of the events. */
	if (write_file(dir_fd, "kallsyms", "", 0))
		return rwk_diag_push(diag, -EIO, "cannot write kallsyms");
	err = fill_gaps(dir_fd, nr_files, diag);
	if (!err)
		err = make_head(tool, work, dir_fd, diag);
	if (!err)
		err = join_head_and_cpus(tool, work, nr_files, &status, diag);
	if (err)
		return err;
	fd = openat(dir_fd, "out.dat", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return tool_failed(dir_fd, "write the trace", status, "no file came out", diag);
	err = rwk_tracedat_check(fd, clock, cpu, nr_cpus, why, sizeof(why));
	if (close(fd) && !err)
		err = -errno;
	if (err == -EBADMSG)
		return tool_failed(dir_fd, "write the trace", status, why, diag);
	if (err)
		rwk_diag_push(diag, err, "cannot check the trace: why=%s", strerror(-err));
	return err;
}

int rwk_assemble_pack(
	int dir_fd, int level, const struct rwk_record_cpu *cpu, int nr_cpus, struct rwk_diag *diag)
{
	char why[256] = "";
	int from, to, err = 0;

	for (int i = 0; i < nr_cpus; i++) {
		char name[32];

		snprintf(name, sizeof(name), "cpu%d", cpu[i].cpu);
		unlinkat(dir_fd, name, 0);
	}
	from = openat(dir_fd, "out.dat", O_RDONLY | O_CLOEXEC);
	to = openat(dir_fd, "packed.dat", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (from < 0 || to < 0)
		err = -errno;
	else
		err = rwk_tracedat_pack(from, to, level, why, sizeof(why));
	if (from >= 0)
		close(from);
	if (to >= 0 && close(to) && !err)
		err = -errno;
	if (!err && renameat(dir_fd, "packed.dat", dir_fd, "out.dat"))
		err = -errno;
	if (err)
		rwk_diag_push(diag, err, "cannot pack the trace: why=%s",
			why[0] ? why
			: err == -EOPNOTSUPP
				? "trace-cmd has written another layout than known here"
				: strerror(-err));
	return err;
}
