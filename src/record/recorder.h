/* Inside of one recording: what its steps share. */
#ifndef SRC_RECORD_RECORDER_H
#define SRC_RECORD_RECORDER_H

#include <stdbool.h>
#include <sys/resource.h>

#include "record/command.h"
#include "record/drain.h"
#include "record/extra.h"
#include "record/hotplug.h"
#include "record/instance.h"
#include "record/loss.h"
#include "record/owner.h"
#include "record/probe.h"
#include "record/record.h"
#include "record/trigger.h"
#include "record/workdir.h"

struct rwk_recorder {
	const struct rwk_record_options *opt;
	struct rwk_diag *diag;
	char *tool; /* trace-cmd */
	char *tracing_dir; /* tracefs */
	struct rwk_owner self;
	struct rlimit nofile;
	bool nofile_raised;
	struct rwk_workdir work; /* none with a stream */
	struct rwk_command command;
	struct rwk_instance instance;
	struct rwk_extra extra;
	struct rwk_probe probe;
	struct rwk_drain *drain;
	struct rwk_loss loss;
	struct rwk_trigger_watch *trigger; /* NULL: none */
	struct rwk_hotplug *hotplug; /* NULL: CPUs that come and go are not watched */
	struct rwk_record_result result;
};

/* Before the buffers are emptied: what they hold, and since when. */
void rwk_recorder_find_window(struct rwk_recorder *r);

/* The kernel's counters of each CPU, once all has been read. */
int rwk_recorder_read_stats(struct rwk_recorder *r);

/* Of what the kernel counted while the recording was on, within the few events around that. */
void rwk_recorder_read_profile(struct rwk_recorder *r, const struct rwk_record_probe *before);

/* All that comes before the pages in a stream. */
int rwk_recorder_begin_stream(struct rwk_recorder *r);

/* The trace under its name; of a stream, what comes behind the pages. */
int rwk_recorder_publish(struct rwk_recorder *r);

/* What comes behind the pages. */
int rwk_recorder_end_stream(struct rwk_recorder *r);

#endif
