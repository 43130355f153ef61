/* A copy of the packets that are whole, and links to the rest. */
#include "decode/ctf_salvage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "decode/ctf_packets.h"
#include "decode/file.h"

/* Bytes to a nameless file, whose descriptor the child has too. */
static int copy_head(struct rwk_ctf_salvage *s, int from, int64_t size, struct rwk_diag *diag)
{
	off_t at = 0;
	int err = 0, fd;

	if (rwk_vec_grow(&s->fd, &s->cap_fds, s->nr_fds + 1, sizeof(*s->fd)))
		return -ENOMEM;
	err = rwk_file_temporary("a CTF trace that is cut", diag, &fd);
	if (err)
		return err;
	s->fd[s->nr_fds++] = fd;
	while (at < size) {
		ssize_t n = sendfile(fd, from, &at, (size_t)(size - at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return rwk_diag_push(diag, n ? -errno : -EBADMSG,
				"cannot copy a CTF trace that is cut: %s",
				n ? strerror(errno) : "it shrinks");
	}
	return 0;
}

static int add_link(const struct rwk_ctf_salvage *s, const char *name, const char *target,
	struct rwk_diag *diag)
{
	char *path = NULL;
	int err = 0;

	if (asprintf(&path, "%s/%s", s->folder, name) < 0)
		return -ENOMEM;
	if (symlink(target, path))
		err = rwk_diag_push(
			diag, -errno, "cannot make a link: file=%s why=%s", path, strerror(errno));
	free(path);
	return err;
}

/* One file of the trace: a link to it, or to its whole packets, or, without any, nothing. */
static int add_file(struct rwk_ctf_salvage *s, int dir, const char *folder, const char *name,
	struct rwk_diag *diag)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *target = NULL;
	struct stat st;
	int64_t end = 0, nr;
	int err = 0;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		goto out;
	end = strcmp(name, "metadata") ? rwk_ctf_packets_end(fd, st.st_size, &nr) : -1;
	if (end >= 0 && end < st.st_size) {
		if (!s->nr_cut++) {
			snprintf(s->first_cut, sizeof(s->first_cut), "%.60s", name);
			s->first_at = end;
		}
		if (!end)
			goto out;
		err = copy_head(s, fd, end, diag);
		if (!err && asprintf(&target, "/proc/self/fd/%d", s->fd[s->nr_fds - 1]) < 0)
			err = -ENOMEM;
	} else if (asprintf(&target, "%s/%s", folder, name) < 0) {
		err = -ENOMEM;
	}
	if (!err)
		err = add_link(s, name, target, diag);
out:
	if (fd >= 0)
		close(fd);
	free(target);
	return err;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int make_folder(struct rwk_ctf_salvage *s, struct rwk_diag *diag)
{
	const char *tmp = getenv("TMPDIR");
	int err = 0;

	if (asprintf(&s->folder, "%s/rewake-XXXXXX", tmp && *tmp ? tmp : P_tmpdir) < 0) {
		s->folder = NULL;
		return -ENOMEM;
	}
	if (!mkdtemp(s->folder)) {
		err = rwk_diag_push(diag, -errno,
			"cannot make a folder for a CTF trace that is cut: %s", strerror(errno));
		free(s->folder);
		s->folder = NULL;
	}
	return err;
}

int rwk_ctf_salvage(const char *folder, struct rwk_diag *diag, struct rwk_ctf_salvage *ret)
{
	struct rwk_ctf_salvage s = {0};
	struct dirent **entry = NULL;
	char *real = realpath(folder, NULL);
	int dir = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	int nr = dir >= 0 && real ? scandir(folder, &entry, NULL, compare_names) : -1;
	int err = nr < 0 ? -errno : make_folder(&s, diag);

	for (int i = 0; i < nr; i++) {
		if (!err && entry[i]->d_name[0] != '.')
			err = add_file(&s, dir, real, entry[i]->d_name, diag);
		free(entry[i]);
	}
	free(entry);
	free(real);
	if (dir >= 0)
		close(dir);
	if (err || !s.nr_cut) {
		rwk_ctf_salvage_finish(&s);
		return err;
	}
	*ret = s;
	return 1;
}

void rwk_ctf_salvage_finish(struct rwk_ctf_salvage *s)
{
	DIR *dir = s->folder ? opendir(s->folder) : NULL;
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir)
		closedir(dir);
	if (s->folder)
		rmdir(s->folder);
	for (size_t i = 0; i < s->nr_fds; i++)
		close(s->fd[i]);
	free(s->fd);
	free(s->folder);
	*s = (struct rwk_ctf_salvage){0};
}
