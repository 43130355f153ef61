/*
 * What a verb's table says, as parts of a manual page in scdoc's language
 * (scdoc(5)).  Each part begins with a line "@NAME@"; a page has the same line
 * where the part belongs (manual.py puts them together).
 */
#ifndef SRC_CLI_USAGE_SCDOC_H
#define SRC_CLI_USAGE_SCDOC_H

#include <stdio.h>

#include "cli/verbs.h"

void rwk_verb_scdoc(const struct rwk_verb *verb, FILE *out);

/* The list of verbs, for the page of the program. */
void rwk_verbs_scdoc(FILE *out);

/* Text with scdoc's special characters escaped; `…` becomes bold. */
void rwk_scdoc_text(const char *text, size_t len, FILE *out);

#endif
