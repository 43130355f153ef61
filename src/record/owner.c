/* Owners, out of /proc. */
#include "record/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	err = n < 0 ? -errno : 0;
	close(fd);
	buf[n < 0 ? 0 : n] = '\0';
	return err;
}

/* State letter and start of a process, from its "stat" file. */
static int read_stat(const char *path, char *ret_state, uint64_t *ret_start)
{
	char text[2048], *p;
	int err = read_text(path, text, sizeof(text));

	if (err)
		return err;
	/* A name may hold anything, brackets too; what follows it does not. */
	p = strrchr(text, ')');
	if (!p || p[1] != ' ' || !p[2])
		return -EIO;
	*ret_state = p[2];
	/* Field 22, and the first one after the name is the third. */
	for (int i = 3; p && i <= 22; i++)
		p = strchr(p + 1, ' ');
	if (!p)
		return -EIO;
	*ret_start = strtoull(p + 1, NULL, 10);
	return 0;
}

int rwk_owner_self(struct rwk_owner *ret)
{
	struct rwk_owner self = {.pid = getpid()};
	struct stat st;
	char text[64], state;
	unsigned int boot;
	int err = read_stat("/proc/self/stat", &state, &self.start);

	if (!err && stat("/proc/self/ns/pid", &st))
		err = -errno;
	if (!err)
		err = read_text("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	if (!err && sscanf(text, "%8x", &boot) != 1)
		err = -EIO;
	if (err)
		return err;
	self.pid_ns = st.st_ino;
	self.boot = boot;
	*ret = self;
	return 0;
}

void rwk_owner_format(const struct rwk_owner *owner, char sep, char buf[RWK_OWNER_LEN])
{
	snprintf(buf, RWK_OWNER_LEN, "%" PRId64 "%c%" PRIu64 "%c%" PRIu64 "%c%08" PRIx32,
		owner->pid, sep, owner->start, sep, owner->pid_ns, sep, owner->boot);
}

/* Digits of base up to limit; false if there are none or they are too many. */
static bool take_number(const char **p, int base, uint64_t limit, uint64_t *ret)
{
	const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";
	size_t len = strspn(*p, digits);
	unsigned long long v;

	if (!len || len > 20)
		return false;
	errno = 0;
	v = strtoull(*p, NULL, base);
	if (errno || v > limit)
		return false;
	*p += len;
	*ret = v;
	return true;
}

int rwk_owner_parse(const char *text, char sep, struct rwk_owner *ret, const char **ret_rest)
{
	static const struct {
		int base;
		uint64_t limit;
	} part[] = {{10, INT32_MAX}, {10, UINT64_MAX}, {10, UINT64_MAX}, {16, UINT32_MAX}};
	uint64_t v[4];

	for (int i = 0; i < 4; i++) {
		if (i && *text++ != sep)
			return -EINVAL;
		if (!take_number(&text, part[i].base, part[i].limit, &v[i]))
			return -EINVAL;
	}
	if (!v[0])
		return -EINVAL;
	*ret = (struct rwk_owner){(int64_t)v[0], v[1], v[2], (uint32_t)v[3]};
	*ret_rest = text;
	return 0;
}

bool rwk_owner_equal(const struct rwk_owner *a, const struct rwk_owner *b)
{
	return a->pid == b->pid && a->start == b->start && a->pid_ns == b->pid_ns &&
	       a->boot == b->boot;
}

enum rwk_owner_state rwk_owner_state(const struct rwk_owner *owner, const struct rwk_owner *self)
{
	char path[64], state;
	uint64_t start;
	int err;

	if (owner->boot != self->boot || owner->pid_ns != self->pid_ns)
		return RWK_OWNER_UNKNOWN;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", owner->pid);
	err = read_stat(path, &state, &start);
	if (err == -ENOENT || err == -ESRCH)
		return RWK_OWNER_DEAD;
	if (err)
		return RWK_OWNER_UNKNOWN;
	/* One that nobody has waited for yet does nothing any more. */
	return start != owner->start || state == 'Z' || state == 'X' ? RWK_OWNER_DEAD
								     : RWK_OWNER_ALIVE;
}
