/* --buffer, --formats and --ts-offset. */
#include "cli/decode_options.h"

#include <string.h>

#include "base/parse.h"
#include "cli/message.h"

/* Whole nanoseconds are kept exactly, whatever their size. */
static bool parse_offset(const char *text, rwk_ns *ret)
{
	bool negative = *text == '-';
	rwk_ns v;

	if (!rwk_parse_i64(text, INT64_MIN, INT64_MAX, ret))
		return true;
	if (rwk_parse_ns(text + negative, &v))
		return false;
	*ret = negative ? -v : v;
	return true;
}

bool rwk_decode_option(int id, const char *value, struct rwk_decode_options *ret)
{
	if (id == RWK_OPTION_BUFFER_ID) {
		ret->buffer = value;
		return true;
	}
	if (id == RWK_OPTION_FORMATS_ID) {
		ret->formats = value;
		return true;
	}
	ret->ts_offset = 0;
	ret->host_clock = !strcmp(value, "host");
	if (ret->host_clock || parse_offset(value, &ret->ts_offset))
		return true;
	rwk_msg_error(NULL, "--ts-offset=%s: a number of nanoseconds, or with us, ms or s; or host",
		value);
	return false;
}
