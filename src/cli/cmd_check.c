/* rewake check TRACE: whether a trace is good for wakeup analysis and replay. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_show.h"
#include "cli/cpu_counters.h"
#include "cli/decode_options.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/print_options.h"
#include "cli/progress.h"
#include "cli/skew_option.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "machine/epochs.h"

struct check {
	const char *trace, *sidecar;
	enum rwk_format format;
	struct rwk_decode_options decode;
	struct rwk_skew_option skew;
	struct rwk_skew applied;
	struct rwk_decode *dec;
	struct rwk_trace_machine tm;
	struct rwk_epochs *epochs;
	struct rwk_check_span *span; /* when it is not certain which CPUs were there */
	size_t nr_span;
	struct rwk_anomalies anomalies;
	struct rwk_check *check;
	const struct rwk_check_result *result;
};

static const struct rwk_choice formats[] = {
	{"table", "one screen, for people; default"},
	{"json", "for programs"},
	{0},
};

static const struct rwk_option options[] = {
	{'f', "format", "FORMAT", "of the output:", .choices = formats},
	{'m', "machine", "FILE",
		"machine sidecar (or a folder with copied /sys and /proc files) instead of TRACE's "
		"NAME.machine.json"},
	RWK_OPTION_SKEW,
	RWK_OPTION_BUFFER,
	RWK_OPTION_FORMATS,
	RWK_OPTION_TS_OFFSET,
	{0},
};

static int read_events(struct check *c, struct rwk_diag *diag)
{
	struct rwk_progress progress;
	struct rwk_event ev;
	int64_t nr = 0;
	int err;

	rwk_progress_begin(&progress, "check");
	while ((err = rwk_decode_next(c->dec, &ev, diag)) == 1) {
		err = rwk_check_event(c->check, &ev);
		if (err) {
			rwk_diag_push(diag, err, "cannot check: %s", strerror(-err));
			break;
		}
		if (!(++nr & 0x3fff))
			rwk_progress_update(&progress, rwk_decode_permille(c->dec), nr);
	}
	rwk_progress_end(&progress);
	return err;
}

/* When it is not certain which CPUs were there. */
static int find_spans(struct check *c, struct rwk_diag *diag)
{
	size_t nr = rwk_epochs_nr(c->epochs);
	rwk_ns offset = c->decode.ts_offset;

	c->span = calloc(nr, sizeof(*c->span));
	if (!c->span)
		return rwk_diag_push(diag, -ENOMEM, "cannot check: out of memory");
	for (size_t i = 0; i < nr; i++) {
		const struct rwk_epoch *e = rwk_epochs_at(c->epochs, i);
		struct rwk_check_span *s = &c->span[c->nr_span];

		if (!e->changing || __builtin_add_overflow(e->from, offset, &s->from_ts))
			continue;
		if (i + 1 == nr || __builtin_add_overflow(rwk_epochs_at(c->epochs, i + 1)->from,
					   offset, &s->to_ts))
			s->to_ts = INT64_MAX;
		c->nr_span++;
	}
	return 0;
}

static int run(struct check *c, struct rwk_diag *diag)
{
	struct rwk_timeline_options to = {.probe = RWK_PROBE_ALL};
	int err = rwk_decode_open_with(c->trace, &c->decode, diag, &c->dec);

	if (!err)
		err = rwk_skew_apply(&c->skew, c->trace, &c->decode, c->dec, diag, &c->applied);
	if (!err)
		err = rwk_trace_machine_open(
			c->trace, c->sidecar, rwk_decode_info(c->dec), &c->anomalies, diag, &c->tm);
	if (err)
		return err;
	to.machine = c->tm.machine;
	to.partial = c->tm.snap && rwk_snapshot_file(c->tm.snap, "rewake/filter");
	to.probed = rwk_decode_info(c->dec)->has_format[RWK_EV_SEL];
	err = rwk_epochs_open(c->tm.snap, c->tm.machine, diag, &c->epochs);
	if (!err)
		err = find_spans(c, diag);
	if (err)
		return err;
	if (c->tm.snap && rwk_snapshot_nr_tasks(c->tm.snap)) {
		to.affinity = rwk_trace_machine_affinity;
		to.affinity_ctx = c->tm.snap;
	}
	err = rwk_check_create(&to, diag, &c->check);
	if (!err)
		rwk_check_set_changes(c->check, c->span, c->nr_span);
	if (!err)
		err = read_events(c, diag);
	if (err)
		return err;
	err = rwk_check_finish(c->check, &c->result);
	return err ? rwk_diag_push(diag, err, "cannot check: %s", strerror(-err)) : 0;
}

/* An estimate that did not hold is what is to be said, not the same estimate once more. */
static const struct rwk_skew *left_of_skew(const struct check *c)
{
	bool failed = c->skew.mode == RWK_SKEW_AUTO && c->applied.state != RWK_SKEW_NONE &&
		      c->applied.state != RWK_SKEW_FOUND;

	return failed ? &c->applied : &c->result->skew;
}

static int show(struct check *c, struct rwk_diag *diag, int *ret_exit)
{
	const struct rwk_trace_info *info = rwk_decode_info(c->dec);
	struct rwk_check_facts facts = {.info = info,
		.result = c->result,
		.skew = left_of_skew(c),
		.topology_known = c->tm.machine->topology_known,
		.cpu_moves = rwk_epochs_moves(c->epochs),
		.cpus_why = rwk_epochs_why(c->epochs),
		.filtered = c->tm.snap && rwk_snapshot_file(c->tm.snap, "rewake/filter"),
		.lost = rwk_total_lost(info, c->tm.snap),
		.gaps = info->nr_events[RWK_EV_LOST] - rwk_gaps_before(info, c->tm.snap)};
	struct rwk_findings findings;
	struct rwk_check_view view = {.trace = c->trace,
		.prev_state = rwk_decode_prev_state(c->dec),
		.tm = &c->tm,
		.facts = &facts,
		.findings = &findings,
		.anomalies = c->anomalies,
		.applied = &c->applied};
	int err;

	rwk_findings_draw(&facts, &findings);
	rwk_anomalies_merge(&view.anomalies, &info->anomalies);
	rwk_anomalies_merge(&view.anomalies, &c->result->anomalies);
	err = c->format == RWK_FORMAT_JSON ? rwk_check_show_json(&view, stdout)
					   : rwk_check_show(&view, stdout);
	if (err)
		return rwk_diag_push(diag, err, "cannot show the check: out of memory");
	if (fflush(stdout) || ferror(stdout))
		return rwk_diag_push(diag, -EIO, "standard output: write failed");
	if (findings.nr && findings.of[0].grade == RWK_GRADE_ABSENT)
		*ret_exit = RWK_EXIT_ABSENT;
	else if (findings.nr && findings.of[0].grade == RWK_GRADE_DEGRADED)
		*ret_exit = RWK_EXIT_DEGRADED;
	else
		*ret_exit = RWK_EXIT_OK;
	return 0;
}

/* -1: go on; else the exit code to leave with. */
static int parse(struct check *c, int argc, char **argv)
{
	struct rwk_options opts;
	int o;

	rwk_options_begin(&opts, &rwk_verb_check, argc, argv);
	while ((o = rwk_options_next(&opts)) != -1) {
		switch (o) {
		case 'f':
			if (!rwk_format_option(optarg, &c->format))
				return RWK_EXIT_MISUSED;
			break;
		case 'm':
			c->sidecar = optarg;
			break;
		case RWK_OPTION_BUFFER_ID:
		case RWK_OPTION_FORMATS_ID:
		case RWK_OPTION_TS_OFFSET_ID:
			if (!rwk_decode_option(o, optarg, &c->decode))
				return RWK_EXIT_MISUSED;
			break;
		case RWK_SKEW_OPTION_ID:
			if (!rwk_skew_option(optarg, &c->skew))
				return RWK_EXIT_MISUSED;
			break;
		default:
			return rwk_options_leave(&opts, o);
		}
	}
	if (c->format == RWK_FORMAT_CSV) {
		rwk_msg_error(NULL, "a check is shown as table or json, not as csv");
		return RWK_EXIT_MISUSED;
	}
	if (optind + 1 != argc)
		return rwk_verb_misused(&rwk_verb_check);
	c->trace = argv[optind];
	return -1;
}

static int run_check(int argc, char **argv)
{
	struct check c = {.format = RWK_FORMAT_TABLE};
	struct rwk_diag diag = {0};
	int code = parse(&c, argc, argv);
	int err;

	if (code >= 0)
		return code;
	err = run(&c, &diag);
	if (!err)
		err = show(&c, &diag, &code);
	if (err) {
		rwk_msg_error(&diag, "cannot check %s", c.trace);
		code = RWK_EXIT_FAILED;
	}
	rwk_check_destroy(c.check);
	rwk_epochs_close(c.epochs);
	free(c.span);
	rwk_trace_machine_close(&c.tm);
	rwk_decode_close(c.dec);
	return code;
}

const struct rwk_verb rwk_verb_check = {
	.name = "check",
	.summary = "whether a trace is good for wakeup analysis and replay",
	.synopsis = (const char *const[]){"[options] TRACE", NULL},
	.about = "Reads TRACE (- is the standard input) and says, in one screen, which events are "
		 "in it and which are "
		 "missing, "
		 "what was lost and where, whether the clocks of its CPUs agree, and what a replay "
		 "would have to guess.",
	.options = options,
	.exits =
		"0 good, 1 failed, 2 misused, 3 degraded (loss, truncation, skew), 4 events absent",
	.run = run_check,
};
