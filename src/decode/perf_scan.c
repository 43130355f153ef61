/* Looking through all records, in one file or the many of a folder. */
#include "decode/perf_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "decode/perf_sample.h"
#include "decode/tracedat_record.h"

#define TOLERATED 16 /* one in so many records may be damaged */

/* Samples of one kind of event. */
struct seen {
	int64_t nr, nr_misfits;
	int64_t offset; /* of the first misfit */
	uint32_t size; /* of its raw data */
};

struct scan {
	struct rwk_perf_layout *l;
	struct rwk_record_reader reader;
	const struct rwk_perf_borrowed *borrowed;
	struct rwk_ev_probe probe;
	struct seen of[RWK_EV_COUNT];
};

int rwk_perf_next_part(const struct rwk_perf_layout *l, const struct rwk_file *file, int *nr_begun,
	struct rwk_file *part, struct rwk_perf_stream *s, struct rwk_diag *diag)
{
	char name[32];
	int err;

	if (!l->directory)
		return 0;
	rwk_perf_stream_close(s);
	rwk_file_close(part);
	snprintf(name, sizeof(name), "data.%d", (*nr_begun)++);
	err = rwk_file_open_beside(file, name, diag, part);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = rwk_perf_stream_open(s, part, 0, part->size, l->swap);
	return err ? err : 1;
}

/* Whether the record of an event that is read is as its format has it. */
static void check_fit(struct scan *sc, const struct rwk_perf_sample *s, int64_t offset)
{
	const struct rwk_tracedat_formats *f = sc->reader.formats;
	const struct rwk_format *fmt = rwk_tracedat_format_find(f, s->attr->config);
	enum rwk_record_result result;
	struct rwk_event ev = {0};
	struct seen *seen;
	int id;

	if (!fmt || fmt->kind == RWK_EV_OTHER || !s->raw)
		return;
	seen = &sc->of[fmt->kind];
	seen->nr++;
	result = rwk_record_decode(&sc->reader, s->raw, s->raw_size, &ev, &sc->probe, &id);
	if (id >= 0 && (uint64_t)id == s->attr->config &&
		(result == RWK_RECORD_EVENT || result == RWK_RECORD_OTHER) &&
		rwk_perf_borrow_fits(sc->borrowed, f, fmt, s, &ev))
		return;
	if (!seen->nr_misfits++) {
		seen->offset = offset;
		seen->size = s->raw_size;
	}
}

static void look_at(struct scan *sc, const struct rwk_perf_record *rec)
{
	struct rwk_perf_sample s;

	if (rec->type != RWK_PERF_RECORD_SAMPLE ||
		rwk_perf_sample_read(&sc->l->attrs, rec, sc->l->swap, &s))
		return;
	if (s.cpu >= sc->l->nr_cpus && s.cpu < RWK_MAX_CPUS)
		sc->l->nr_cpus = s.cpu + 1;
	if (sc->borrowed->used && s.attr->type == RWK_PERF_TYPE_TRACEPOINT)
		check_fit(sc, &s, rec->offset);
}

static int judge(const struct scan *sc, const struct rwk_file *file, const char *formats_from,
	struct rwk_diag *diag)
{
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		const struct seen *seen = &sc->of[kind];

		if (seen->nr_misfits > seen->nr / TOLERATED)
			return rwk_diag_push(diag, -EBADMSG,
				"cannot use event formats of elsewhere: file=%s offset=0x%" PRIx64
				" event=%s bytes=%u formats=%s why=%" PRId64 " of its %" PRId64
				" records are not as the format there has them: it is of another "
				"kernel",
				file->path, seen->offset,
				rwk_event_kind_name((enum rwk_event_kind)kind), seen->size,
				formats_from, seen->nr_misfits, seen->nr);
	}
	return 0;
}

int rwk_perf_scan(struct rwk_perf_layout *l, const struct rwk_file *file,
	const struct rwk_tracedat_formats *formats, const struct rwk_perf_borrowed *borrowed,
	const char *formats_from, struct rwk_diag *diag)
{
	struct scan sc = {
		.l = l, .reader = {.formats = formats, .swap = l->swap}, .borrowed = borrowed};
	struct rwk_file part = {.fd = -1, .folder = -1};
	struct rwk_perf_stream s;
	struct rwk_perf_record rec;
	int nr_parts = 0, got = 1;
	int err = rwk_perf_stream_open(&s, file, l->data, l->data_end, l->swap);

	while (!err && got > 0) {
		while ((got = rwk_perf_stream_next(&s, &rec, diag)) > 0)
			look_at(&sc, &rec);
		if (!got)
			got = rwk_perf_next_part(l, file, &nr_parts, &part, &s, diag);
	}
	rwk_perf_stream_close(&s);
	rwk_file_close(&part);
	if (!err && got < 0)
		err = got;
	return err ? err : judge(&sc, file, formats_from, diag);
}
