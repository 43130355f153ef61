/*
 * What this machine offers to a recorder, thing by thing.  Only looks: nothing
 * is made, enabled or removed.
 */
#ifndef SRC_RECORD_OFFER_H
#define SRC_RECORD_OFFER_H

#include <stdbool.h>
#include <stdint.h>

enum rwk_offer_grade {
	RWK_OFFER_FINE,
	RWK_OFFER_LESS, /* a recording works, but holds less */
	RWK_OFFER_LACKS, /* no recording without it */
	RWK_OFFER_GRADE_COUNT
};

#define RWK_OFFER_MAX 20

struct rwk_offer_item {
	const char *name; /* "tracefs" */
	enum rwk_offer_grade grade;
	char text[512]; /* what is there, or what is missing and what would help */
};

struct rwk_offer {
	int nr;
	struct rwk_offer_item item[RWK_OFFER_MAX];
	int err; /* what a recording would fail with, as rwk_record_run() says; 0: it would work */
};

/* stream: to a recording that goes into an archive.  Cannot fail: what cannot be found out is
 * missing. */
void rwk_offer_gather(struct rwk_offer *ret, bool stream);

/* Of this kernel's numbers in a hexadecimal mask as /proc/PID/status has it, "CapEff:\t1ff\n". */
int rwk_capabilities_parse(const char *status, uint64_t *ret);

/* Whether the text of the kernel's lockdown file says that tracing is locked. */
bool rwk_lockdown_is_total(const char *text);

#endif
