/* Writing records. */
#include "decode/ctf_out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TICKS 256 /* between signs of life */

void rwk_ctf_out_flush(struct rwk_ctf_out *o)
{
	const char *p = (const char *)o->record;
	size_t size = o->nr * sizeof(o->record[0]);

	while (size && !o->failed) {
		ssize_t n = write(o->fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			o->failed = true;
			break;
		}
		p += n;
		size -= (size_t)n;
	}
	o->nr = 0;
	o->nr_silent = 0;
}

struct rwk_ctf_record *rwk_ctf_out_add(struct rwk_ctf_out *o, enum rwk_ctf_type type)
{
	struct rwk_ctf_record *r;

	if (o->nr == RWK_CTF_OUT_RECORDS)
		rwk_ctf_out_flush(o);
	r = &o->record[o->nr++];
	memset(r, 0, sizeof(*r));
	r->type = type;
	return r;
}

void rwk_ctf_out_text(
	struct rwk_ctf_out *o, enum rwk_ctf_type type, int64_t value, const char *text)
{
	struct rwk_ctf_record *r;

	if (!text)
		return;
	r = rwk_ctf_out_add(o, type);
	r->value = value;
	snprintf(r->text, sizeof(r->text), "%s", text);
}

void rwk_ctf_out_cause(struct rwk_ctf_out *o, const char *text)
{
	size_t piece = sizeof(((struct rwk_ctf_record *)0)->text) - 1;

	for (size_t left = strlen(text), n; left; left -= n, text += n) {
		n = left < piece ? left : piece;
		memcpy(rwk_ctf_out_add(o, RWK_CTF_CAUSE)->text, text, n);
	}
}

void rwk_ctf_out_tick(struct rwk_ctf_out *o)
{
	if (++o->nr_silent < TICKS)
		return;
	rwk_ctf_out_add(o, RWK_CTF_TICK);
	rwk_ctf_out_flush(o);
}
