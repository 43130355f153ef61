/*
 * One line of text, as the kernel's `trace` file, `trace-cmd report`, `perf script`
 * and Android's systrace print it, taken apart and turned into a normalised event.
 */
#ifndef SRC_DECODE_TEXT_LINE_H
#define SRC_DECODE_TEXT_LINE_H

#include "decode/prev_state.h"
#include "event/event.h"

enum rwk_text_kind {
	RWK_TEXT_EVENT,
	RWK_TEXT_COMMENT, /* nothing: headings, blank lines, stack traces */
	RWK_TEXT_LOST, /* "CPU:7 [LOST 207 EVENTS]" */
	RWK_TEXT_NO_CPU, /* an event of perf script, printed without its CPU */
	RWK_TEXT_BAD,
};

struct rwk_text_line {
	enum rwk_text_kind kind;
	int64_t cpu;
	int64_t lost; /* LOST: how many, RWK_NONE unknown */
	int32_t tid;
	int32_t tgid; /* RWK_NONE: not printed, or "(-----)" */
	rwk_ns ts;
	uint8_t flags;
	bool coarse; /* the time has fewer digits than nanoseconds need */
	bool perf; /* printed by perf script */
	const char *name; /* of the event, in the line */
	size_t name_len;
	const char *fields; /* the rest of the line */
};

/* line: terminated, without its newline. */
void rwk_text_line_parse(const char *line, struct rwk_text_line *ret);

enum rwk_text_result {
	RWK_TEXT_FILLED,
	RWK_TEXT_OTHER, /* an event of no interest */
	RWK_TEXT_MALFORMED,
	RWK_TEXT_CPU_OUT_OF_RANGE,
};

/*
 * Fills kind and the values of an event line; probe as in rwk_record_decode().
 * ret->kind is right also for what is malformed.
 */
enum rwk_text_result rwk_text_fields_parse(const struct rwk_text_line *line,
	struct rwk_prev_state *states, struct rwk_event *ret, struct rwk_ev_probe *probe);

/*
 * Whether a line that the text ends within can be no part of a longer one: it is of an event, and
 * the number that it ends with cannot have lost digits.
 */
bool rwk_text_line_is_whole(const struct rwk_text_line *line);

#endif
