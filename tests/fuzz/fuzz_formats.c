/*
 * Any bytes as a recording of perf and as where its event formats are: the number of
 * bytes of the first, little-endian in four bytes, then both.
 */
#include <stdlib.h>
#include <unistd.h>

#include "decode/decoder.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rwk_decode_options options = {0};
	struct rwk_decode *dec;
	struct rwk_diag diag = {0};
	struct rwk_event ev;
	rwk_ns last = INT64_MIN;
	char path[64], from[64];
	int fd, from_fd;
	size_t n;

	if (size < 4)
		return 0;
	n = data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16 | (size_t)data[3] << 24;
	data += 4;
	size -= 4;
	n = n < size ? n : size;
	fd = fuzz_file(data, n, path);
	from_fd = fuzz_file(data + n, size - n, from);
	options.formats = from;
	if (!rwk_decode_open_with(path, &options, &diag, &dec)) {
		while (rwk_decode_next(dec, &ev, &diag) == 1) {
			if (ev.ts < last || ev.cpu < 0 || ev.cpu >= RWK_MAX_CPUS)
				abort();
			last = ev.ts;
		}
		rwk_decode_close(dec);
	} else if (!diag.nr) {
		abort(); /* refused without a word */
	}
	close(fd);
	close(from_fd);
	return 0;
}
