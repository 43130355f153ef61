/* What changed on the machine while it was recorded, in one note. */
#ifndef SRC_CLI_CHANGES_NOTE_H
#define SRC_CLI_CHANGES_NOTE_H

#include "machine/machine.h"

/* Says nothing if nothing changed or nobody looked.  subject: what the note begins with. */
void rwk_changes_note(const char *subject, const struct rwk_snapshot *snap);

#endif
