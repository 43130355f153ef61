/* --skew: clocks of CPUs that are apart. */
#ifndef SRC_CLI_SKEW_OPTION_H
#define SRC_CLI_SKEW_OPTION_H

#include "base/diag.h"
#include "check/skew.h"
#include "cli/options.h"
#include "decode/decoder.h"

enum rwk_skew_mode {
	RWK_SKEW_AS_IS,
	RWK_SKEW_AUTO, /* estimated from the trace, which is read several times for it */
	RWK_SKEW_MANUAL,
};

struct rwk_skew_option {
	enum rwk_skew_mode mode;
	rwk_ns ns[RWK_MAX_CPUS]; /* MANUAL: to be added to each CPU's times */
};

#define RWK_SKEW_OPTION_ID 'S'
/* Its row in a verb's table. */
#define RWK_OPTION_SKEW                                                                            \
	{                                                                                          \
		0, "skew", "SKEW", "shift clocks of CPUs that are apart:", RWK_SKEW_OPTION_ID,     \
			rwk_skew_choices                                                           \
	}

extern const struct rwk_choice rwk_skew_choices[];

/* --skew.  False after telling what is wrong with text. */
bool rwk_skew_option(const char *text, struct rwk_skew_option *ret);

/*
 * Makes dec, opened on trace with options and not yet read, give out shifted times.  *ret says what
 * was found, and by how much each CPU is shifted: nothing unless the estimate is FOUND
 * and leaves no impossible order of clocks behind, else it is INFEASIBLE.
 * -ESPIPE: the trace is a stream that cannot be read twice; -EINVAL: it has no such CPU.
 */
int rwk_skew_apply(const struct rwk_skew_option *opt, const char *trace,
	const struct rwk_decode_options *options, struct rwk_decode *dec, struct rwk_diag *diag,
	struct rwk_skew *ret);

#endif
