/* What a format has to provide to decoder.c; each decoder is one const struct. */
#ifndef SRC_DECODE_OPS_H
#define SRC_DECODE_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/decoder.h"
#include "decode/file.h"
#include "decode/prev_state.h"

struct rwk_decoder {
	/* Whether the first bytes of a file look like this format. */
	bool (*probe)(const unsigned char *head, size_t size);

	/* Whether one that begins so is read forwards; NULL: never. */
	bool (*streams)(const unsigned char *head, size_t size);

	/*
	 * Fills what the file says of itself into info (zeroed, its strings
	 * empty) and allocates info->cpu and info->fact, which decoder.c frees.  file and info
	 * outlive the state.  -ESPIPE: the file has to be spooled first; it is opened again.
	 */
	int (*open)(const struct rwk_file *file, struct rwk_trace_info *info, struct rwk_diag *diag,
		void **ret_state);

	/* 1 event, 0 end, negative errno. */
	int (*next)(void *state, struct rwk_event *ret, struct rwk_diag *diag);

	/* NULL: prev_state is not a number there, or is not known. */
	const struct rwk_prev_state *(*prev_state)(const void *state);

	/*
	 * NULL: a recording is as long as its file.  Else an offset behind the bulk of
	 * it, though not of all that its headers name; another one begins behind that.
	 */
	int64_t (*data_end)(const void *state);

	int (*permille)(const void *state);
	void (*close)(void *state);
};

/* Frees what it holds and begins anew. */
void rwk_trace_info_clear(struct rwk_trace_info *info, const struct rwk_decode_options *options);

/* Room for that many CPUs of which nothing is known yet.  0 or -ENOMEM. */
int rwk_trace_info_cpus(struct rwk_trace_info *info, int nr);

/* Frees the notes and forgets them. */
void rwk_trace_info_notes_free(struct rwk_trace_info *info);

extern const struct rwk_decoder rwk_decoder_tracedat;
extern const struct rwk_decoder rwk_decoder_perf;
extern const struct rwk_decoder rwk_decoder_perfetto;
/* Of a folder, which is its file. */
extern const struct rwk_decoder rwk_decoder_ctf;
extern const struct rwk_decoder rwk_decoder_text;

#endif
