#include "cli/run_option.h"

#include <errno.h>

#include "base/parse.h"
#include "cli/message.h"

#define MAX_RUN 8388607 /* what the ids in a database have room for */

int rwk_run_option(const char *text, int *ret)
{
	int64_t number;

	if (rwk_parse_i64(text, 1, MAX_RUN, &number)) {
		rwk_msg_error(NULL, "--run=%s: the number of a run, from 1", text);
		return -EINVAL;
	}
	*ret = (int)number;
	return 0;
}
