/* Options of the verbs that read a trace: how it is decoded. */
#ifndef SRC_CLI_DECODE_OPTIONS_H
#define SRC_CLI_DECODE_OPTIONS_H

#include <stdbool.h>

#include "cli/options.h"
#include "decode/decoder.h"

/* Ids that no letter has. */
enum { RWK_OPTION_BUFFER_ID = 1000, RWK_OPTION_TS_OFFSET_ID, RWK_OPTION_FORMATS_ID };

/* Their rows in a verb's table. */
#define RWK_OPTION_BUFFER                                                                          \
	{                                                                                          \
		0, "buffer", "NAME",                                                               \
			"read only this buffer (instance) of a trace.dat that has several; top "   \
			"is "                                                                      \
			"the one of no instance; default: all, each kind of event from the one "   \
			"that has the most of it",                                                 \
			RWK_OPTION_BUFFER_ID                                                       \
	}
#define RWK_OPTION_TS_OFFSET                                                                       \
	{                                                                                          \
		0, "ts-offset", "NS",                                                              \
			"add to all times: nanoseconds, or with a unit (-1.5ms), as between a "    \
			"guest's clock and its host's; host: put the trace.dat of a guest on its " \
			"host's clock as that file says",                                          \
			RWK_OPTION_TS_OFFSET_ID                                                    \
	}

#define RWK_OPTION_FORMATS                                                                         \
	{                                                                                          \
		0, "formats", "FILE",                                                              \
			"take the event formats that a perf.data has lost with its end from "      \
			"FILE: "                                                                   \
			"another perf.data or trace.dat of the same kernel, or the folder of its " \
			"tracefs",                                                                 \
			RWK_OPTION_FORMATS_ID                                                      \
	}

/* One of them.  False after telling what is wrong with value, which is kept by reference. */
bool rwk_decode_option(int id, const char *value, struct rwk_decode_options *ret);

#endif
