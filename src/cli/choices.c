/* Values of options that several verbs share. */
#include "cli/choices.h"

const struct rwk_choice rwk_format_choices[] = {
	{"table", "aligned columns, for people; default"},
	{"csv", "comma-separated, with a line of column names"},
	{"json", "for programs"},
	{0},
};

const struct rwk_choice rwk_probe_mode_choices[] = {
	{"all", "all of it; default"},
	{"flags", "previous CPU, wake flags and the kernel's answer, no hidden values"},
	{"nr", "the lengths of run queues only, of recordings with --events nr-running"},
	{"none", "what the scheduler's own events say, nothing else"},
	{0},
};

const struct rwk_choice rwk_mode_choices[] = {
	{"open", "state follows the recorded kernel, never the outcome; default"},
	{"calibrated", "hidden values are corrected by outcomes"},
	{0},
};
