/* Between prev_state.c and prev_state_raw.c. */
#ifndef SRC_DECODE_PREV_STATE_RAW_H
#define SRC_DECODE_PREV_STATE_RAW_H

#include "decode/prev_state.h"

/* What is in use since 4.14: S D T t X Z P I, and R+ above them. */
void rwk_prev_state_set_modern(struct rwk_prev_state *s);

/* Of RWK_PREV_STATE_RAW_OR_MASK, by a value that only one of them has. */
void rwk_prev_state_settle_raw(struct rwk_prev_state *s, uint64_t raw);

/* Of a coding that follows from the version alone, or is unknown. */
void rwk_prev_state_settle_assumed(struct rwk_prev_state *s, uint64_t raw);

#endif
