/* A recording that goes to somebody else instead of to files. */
#include <string.h>

#include "record/archive_stream.h"
#include "record/recorder.h"

int rwk_recorder_begin_stream(struct rwk_recorder *r)
{
	struct rwk_archive *stream = r->opt->stream;
	struct rwk_view_sink view = rwk_archive_view(stream);
	const char *clock = r->instance.setup.clock;
	int err = rwk_archive_begin(stream, clock, r->instance.page_size, r->diag);

	if (!err && r->opt->stream_machine)
		err = rwk_archive_put(stream, RWK_ARCHIVE_START, r->opt->stream_machine,
			strlen(r->opt->stream_machine), r->diag);
	return err ? err
		   : rwk_view_write(&view, r->tracing_dir, clock, &r->extra, r->probe.format,
			     r->probe.nr_events, r->diag);
}

int rwk_recorder_end_stream(struct rwk_recorder *r)
{
	struct rwk_view_sink view = rwk_archive_view(r->opt->stream);

	return rwk_view_write_names(&view, r->tracing_dir, r->diag);
}
