/* Any bytes as a trace: detected, opened and read to the end, in time order. */
#include <stdlib.h>
#include <unistd.h>

#include "decode/decoder.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rwk_decode *dec;
	struct rwk_diag diag = {0};
	struct rwk_event ev;
	rwk_ns last = INT64_MIN;
	char path[64];
	int fd = fuzz_file(data, size, path);

	if (!rwk_decode_open(path, &diag, &dec)) {
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
	return 0;
}
