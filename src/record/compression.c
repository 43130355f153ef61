/* What --compress takes. */
#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "record/record.h"

#define MAX_LEVEL 19 /* beyond it zstd needs gigabytes */

int rwk_compression_parse(const char *text, struct rwk_compression *ret)
{
	static const char zstd[] = "zstd";
	const size_t len = sizeof(zstd) - 1;
	int64_t level = RWK_COMPRESSION_LEVEL;

	if (!strcmp(text, "none")) {
		*ret = (struct rwk_compression){0};
		return 0;
	}
	if (strncmp(text, zstd, len) || (text[len] && text[len] != ':') ||
		(text[len] && rwk_parse_i64(text + len + 1, 1, MAX_LEVEL, &level)))
		return -EINVAL;
	*ret = (struct rwk_compression){.zstd = true, .level = (int)level};
	return 0;
}
