/* A bounded walk that follows no links, in the order of names. */
#include "decode/ctf_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/bytes.h"

#define MAX_DEPTH   8 /* LTTng needs 6 at most: session, archives, chunk, ust, uid, bits */
#define MAX_ENTRIES 20000 /* looked at in all: somebody else's folders */
#define HEAD        (64 << 10) /* of the metadata; what it says of its environment comes early */

struct walk {
	char *kernel[2], *other[2]; /* the first two of each */
	int nr_kernel, nr_other;
	int nr_entries;
};

static bool is_metadata(const unsigned char *head, size_t size)
{
	static const char text[] = "/* CTF ";

	return size >= 7 &&
	       (!memcmp(head, "\x75\xd1\x1d\x57", 4) || !memcmp(head, "\x57\x1d\xd1\x75", 4) ||
		       !memcmp(head, text, sizeof(text) - 1));
}

static bool of_kernel(const unsigned char *head, size_t size)
{
	static const char *const forms[] = {"domain = \"kernel\"", "domain=\"kernel\""};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (memmem(head, size, forms[i], strlen(forms[i])))
			return true;
	}
	return false;
}

/* Notes the folder if it has CTF metadata in it.  0 or -ENOMEM. */
static int look_at(struct walk *w, const char *folder, int dir)
{
	int fd = openat(dir, "metadata", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char *head = malloc(HEAD);
	struct stat st;
	ssize_t n = 0;
	int err = head ? 0 : -ENOMEM;

	if (!err && fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		n = pread(fd, head, HEAD, 0);
	if (n > 0 && is_metadata(head, (size_t)n)) {
		bool kernel = of_kernel(head, (size_t)n);
		int *nr = kernel ? &w->nr_kernel : &w->nr_other;
		char **found = kernel ? w->kernel : w->other;

		if (*nr < 2) {
			found[*nr] = strdup(folder);
			err = found[*nr] ? 0 : -ENOMEM;
		}
		++*nr;
	}
	if (fd >= 0)
		close(fd);
	free(head);
	return err;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int walk_folder(struct walk *w, const char *folder, int depth)
{
	int dir = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	struct dirent **entry = NULL;
	int nr = dir >= 0 ? scandir(folder, &entry, NULL, compare_names) : -1;
	int err = dir >= 0 ? look_at(w, folder, dir) : 0;

	for (int i = 0; i < nr; i++) {
		const char *name = entry[i]->d_name;
		struct stat st;
		char *path;

		if (err || depth == MAX_DEPTH || ++w->nr_entries > MAX_ENTRIES)
			break;
		if (!strcmp(name, ".") || !strcmp(name, "..") ||
			fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
			continue;
		if (asprintf(&path, "%s/%s", folder, name) < 0) {
			err = -ENOMEM;
			break;
		}
		err = walk_folder(w, path, depth + 1);
		free(path);
	}
	for (int i = 0; i < nr; i++)
		free(entry[i]);
	free(entry);
	if (dir >= 0)
		close(dir);
	return err;
}

int rwk_ctf_find(const char *path, struct rwk_diag *diag, char **ret_folder)
{
	struct walk w = {0};
	char **found;
	int err, nr;

	err = walk_folder(&w, path, 0);
	found = w.nr_kernel ? w.kernel : w.other;
	nr = w.nr_kernel ? w.nr_kernel : w.nr_other;
	if (!err && nr > 1)
		err = rwk_diag_push(diag, -ENOTSUP,
			"cannot decode: folder=%s format=CTF why=several %straces below it, "
			"name one of them: %s %s%s",
			path, w.nr_kernel ? "kernel " : "", found[0], found[1], nr > 2 ? " …" : "");
	if (!err && nr) {
		*ret_folder = found[0];
		found[0] = NULL;
		err = 1;
	}
	for (int i = 0; i < 2; i++) {
		free(w.kernel[i]);
		free(w.other[i]);
	}
	return err;
}

/* Magic, UUID, checksum, sizes of content and packet in bits; five bytes more. */
#define PACKET_HEADER 37

int rwk_ctf_metadata_check(const char *folder, struct rwk_diag *diag)
{
	unsigned char head[PACKET_HEADER];
	int64_t at = 0;
	char *path;
	int fd, err = 0;

	if (asprintf(&path, "%s/metadata", folder) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	while (fd >= 0 && !err) {
		struct stat st;
		ssize_t n = pread(fd, head, sizeof(head), at);
		bool swap = rwk_bytes_swap(n > 0 && head[0] == 0x75);
		int64_t content, packet;

		/* At the end, or no packets but text. */
		if (!n || fstat(fd, &st) || (!at && n > 0 && head[0] == '/'))
			break;
		content = n == PACKET_HEADER ? rwk_bytes_u32(head + 24, swap) / 8 : 0;
		packet = n == PACKET_HEADER ? rwk_bytes_u32(head + 28, swap) / 8 : 0;
		if (content < PACKET_HEADER || packet < content || packet > st.st_size - at)
			err = rwk_diag_push(diag, -EBADMSG,
				"cannot decode: file=%s offset=0x%llx why=the metadata end early",
				path, (unsigned long long)at);
		at += packet;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

void rwk_ctf_measure(const char *folder, int64_t *ret_bytes, size_t *ret_files)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	struct stat st;

	*ret_bytes = 0;
	*ret_files = 0;
	while (dir && (e = readdir(dir))) {
		if (fstatat(dirfd(dir), e->d_name, &st, 0) || !S_ISREG(st.st_mode))
			continue;
		*ret_bytes += st.st_size;
		++*ret_files;
	}
	if (dir)
		closedir(dir);
}
