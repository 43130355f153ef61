/* The views of a RUN.db as a part of their manual page (usage_scdoc.h). */
#ifndef SRC_CLI_SCHEMA_SCDOC_H
#define SRC_CLI_SCHEMA_SCDOC_H

#include <stdio.h>

void rwk_schema_scdoc(FILE *out);

#endif
