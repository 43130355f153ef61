/* Packets by their own sizes. */
#include "decode/ctf_packets.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/bytes.h"

#define ID     24 /* magic, UUID and number of the stream: the same in all its packets */
#define HEADER (ID + 8 + 4 * 8) /* with an instance number and the numbers needed below */

/*
 * Behind the stream's number, and that of its instance in newer ones, LTTng has
 * the times of begin and end, and the sizes of content and packet in bits.
 */
static int64_t packet_size(const unsigned char *head, size_t context, bool swap)
{
	uint64_t content = rwk_bytes_u64(head + context + 16, swap);
	uint64_t packet = rwk_bytes_u64(head + context + 24, swap);

	if (content > packet || packet % 8 || packet / 8 < HEADER || packet / 8 > INT32_MAX)
		return 0;
	return (int64_t)(packet / 8);
}

int64_t rwk_ctf_packets_end(int fd, int64_t size, int64_t *ret_nr)
{
	unsigned char head[HEADER], first[ID];
	size_t context = 0;
	bool swap = false;
	int64_t at = 0;

	*ret_nr = 0;
	for (;;) {
		ssize_t n = pread(fd, head, sizeof(head), at);
		int64_t packet = 0;

		if (n < HEADER)
			return at;
		if (!at) {
			memcpy(first, head, ID);
			swap = rwk_bytes_swap(head[0] == 0xc1 && head[1] == 0xfc);
			if (rwk_bytes_u32(head, swap) != 0xc1fc1fc1)
				return -1;
			context = packet_size(head, ID, swap) ? ID : ID + 8;
		}
		if (!memcmp(head, first, ID))
			packet = packet_size(head, context, swap);
		/* Damage is not for us, but for the library to tell. */
		if (!packet)
			return -1;
		if (packet > size - at)
			return at;
		at += packet;
		++*ret_nr;
	}
}

int64_t rwk_ctf_packets_count(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	int64_t sum = 0;

	while (dir && sum >= 0 && (e = readdir(dir))) {
		int fd = strcmp(e->d_name, "metadata")
				 ? openat(dirfd(dir), e->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
				 : -1;
		struct stat st;
		int64_t nr = 0;

		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
			sum = rwk_ctf_packets_end(fd, st.st_size, &nr) < 0 ? -1 : sum + nr;
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	return sum;
}
