/* Parts to files. */
#include "ctf_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[FUZZ_CTF_FILES] = {
	"metadata", "s0", "s1", "s2", "index/s0.idx", "ust/metadata"};
static const char *const folders[] = {"index", "ust"};

const uint8_t *fuzz_ctf_part(const uint8_t *data, size_t size, size_t *at,
	enum fuzz_ctf_part *ret_which, size_t *ret_size)
{
	const uint8_t *p = data + *at;
	size_t left = size - *at;

	if (left < 3)
		return NULL;
	*ret_which = (enum fuzz_ctf_part)(p[0] % FUZZ_CTF_PARTS);
	*ret_size = (size_t)p[1] | (size_t)p[2] << 8;
	if (*ret_size > left - 3)
		*ret_size = left - 3;
	*at += 3 + *ret_size;
	return p + 3;
}

void fuzz_ctf_folder(const uint8_t *data, size_t size, char path[64])
{
	const char *tmp = getenv("TMPDIR");
	enum fuzz_ctf_part which;
	const uint8_t *part;
	size_t at = 0, n;
	int dir;

	if (snprintf(path, 64, "%s/fuzz-XXXXXX", tmp && *tmp ? tmp : P_tmpdir) >= 64 ||
		!mkdtemp(path))
		abort();
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		abort();
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (mkdirat(dir, folders[i], 0700))
			abort();
	}
	while ((part = fuzz_ctf_part(data, size, &at, &which, &n))) {
		int fd = which < FUZZ_CTF_FILES
				 ? openat(dir, names[which],
					   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
				 : -1;

		if (which < FUZZ_CTF_FILES && (fd < 0 || write(fd, part, n) != (ssize_t)n))
			abort();
		if (fd >= 0)
			close(fd);
	}
	close(dir);
}

void fuzz_ctf_folder_remove(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		abort();
	for (int i = 0; i < FUZZ_CTF_FILES; i++)
		unlinkat(dir, names[i], 0);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		unlinkat(dir, folders[i], AT_REMOVEDIR);
	close(dir);
	if (rmdir(path))
		abort();
}
