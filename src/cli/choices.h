/* Values of options that several verbs share. */
#ifndef SRC_CLI_CHOICES_H
#define SRC_CLI_CHOICES_H

#include "cli/options.h"

extern const struct rwk_choice rwk_format_choices[]; /* --format of what is printed */
extern const struct rwk_choice rwk_probe_mode_choices[]; /* --probe of an import */
extern const struct rwk_choice rwk_mode_choices[]; /* --mode of a replay */

#endif
