/* Names of the kinds of wakeups. */
#include "timeline/rows.h"

const char *rwk_wakeup_kind_name(enum rwk_wakeup_kind kind)
{
	static const char *const names[] = {
#define X(id, name, help) name,
		RWK_WAKEUP_KINDS(X)
#undef X
	};

	return names[kind];
}
