/* Opened and read to the end, in time order. */
#include "decode_all.h"

#include <stdlib.h>

#include "decode/decoder.h"

/* Whether it is a guest's. */
static bool read_all(const char *path, bool host_clock)
{
	const struct rwk_decode_options options = {.host_clock = host_clock};
	struct rwk_decode *dec;
	struct rwk_diag diag = {0};
	struct rwk_event ev;
	rwk_ns last = INT64_MIN;
	bool guest;

	if (rwk_decode_open_with(path, &options, &diag, &dec)) {
		if (!diag.nr)
			abort();
		return false;
	}
	while (rwk_decode_next(dec, &ev, &diag) == 1) {
		int permille = rwk_decode_permille(dec);

		if (ev.ts < last || ev.cpu < 0 || ev.cpu >= RWK_MAX_CPUS || permille > 1000)
			abort();
		last = ev.ts;
	}
	guest = rwk_decode_info(dec)->session.host_id;
	rwk_decode_close(dec);
	return guest;
}

void fuzz_decode_all(const char *path)
{
	if (read_all(path, false))
		read_all(path, true);
}
