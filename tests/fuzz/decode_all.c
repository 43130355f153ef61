/* Opened and read to the end, in time order. */
#include "decode_all.h"

#include <stdlib.h>

#include "decode/decoder.h"

void fuzz_decode_all(const char *path)
{
	struct rwk_decode *dec;
	struct rwk_diag diag = {0};
	struct rwk_event ev;
	rwk_ns last = INT64_MIN;

	if (rwk_decode_open(path, &diag, &dec)) {
		if (!diag.nr)
			abort();
		return;
	}
	while (rwk_decode_next(dec, &ev, &diag) == 1) {
		int permille = rwk_decode_permille(dec);

		if (ev.ts < last || ev.cpu < 0 || ev.cpu >= RWK_MAX_CPUS || permille > 1000)
			abort();
		last = ev.ts;
	}
	rwk_decode_close(dec);
}
