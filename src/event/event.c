/* Names and order of normalised events. */
#include "event/event.h"

const char *rwk_event_kind_name(enum rwk_event_kind kind)
{
	static const char *const names[] = {
#define X(id, name, rank) name,
		RWK_EVENT_KINDS(X)
#undef X
	};

	return names[kind];
}

bool rwk_event_before(const struct rwk_event *a, const struct rwk_event *b)
{
	static const unsigned char ranks[] = {
#define X(id, name, rank) rank,
		RWK_EVENT_KINDS(X)
#undef X
	};

	if (a->ts != b->ts)
		return a->ts < b->ts;
	if (ranks[a->kind] != ranks[b->kind])
		return ranks[a->kind] < ranks[b->kind];
	return a->cpu < b->cpu;
}
