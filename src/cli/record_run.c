/*
 * A recording with all that belongs to it: the snapshot before, the trace, the
 * counters after, and what to tell.
 */
#include "cli/record_run.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parse.h"
#include "cli/changes_note.h"
#include "cli/exit.h"
#include "cli/llc_cpus.h"
#include "cli/message.h"
#include "cli/record_files.h"
#include "cli/record_sidecar.h"
#include "cli/record_stream.h"
#include "machine/changes.h"
#include "machine/machine.h"
#include "machine/seen.h"
#include "record/record.h"

/* Signals that end a recording; what they did before is restored afterwards. */
static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1};

/*
 * Signals of which a call that fails tells as well: an early death by them
 * would leave things behind.  Caught, not ignored: a command gets them as usual.
 */
static const int quiet_signals[] = {SIGPIPE, SIGXFSZ};

#define NR_STOP_SIGNALS  (sizeof(stop_signals) / sizeof(stop_signals[0]))
#define NR_QUIET_SIGNALS (sizeof(quiet_signals) / sizeof(quiet_signals[0]))
#define NR_SIGNALS       (NR_STOP_SIGNALS + NR_QUIET_SIGNALS)

/* How often, as far as it matters.  A handler has nothing else to write to. */
static volatile sig_atomic_t stop;

static void on_stop(int sig)
{
	(void)sig;
	if (stop < 2)
		stop++;
}

static void on_quiet(int sig)
{
	(void)sig;
}

static void catch_signals(struct sigaction *old)
{
	struct sigaction action = {.sa_handler = on_stop}; /* no restart: waiting must end */
	struct sigaction quiet = {.sa_handler = on_quiet};

	stop = 0;
	sigemptyset(&action.sa_mask);
	sigemptyset(&quiet.sa_mask);
	for (size_t i = 0; i < NR_QUIET_SIGNALS; i++) {
		sigaction(quiet_signals[i], NULL, &old[NR_STOP_SIGNALS + i]);
		if (old[NR_STOP_SIGNALS + i].sa_handler != SIG_IGN)
			sigaction(quiet_signals[i], &quiet, NULL);
	}
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++) {
		sigaction(stop_signals[i], NULL, &old[i]);
		/* Under nohup the end of the terminal is not the end of the recording. */
		if (stop_signals[i] != SIGHUP || old[i].sa_handler != SIG_IGN)
			sigaction(stop_signals[i], &action, NULL);
	}
}

static void release_signals(const struct sigaction *old)
{
	for (size_t i = 0; i < NR_STOP_SIGNALS; i++)
		sigaction(stop_signals[i], &old[i], NULL);
	for (size_t i = 0; i < NR_QUIET_SIGNALS; i++)
		sigaction(quiet_signals[i], &old[NR_STOP_SIGNALS + i], NULL);
}

int rwk_record_parse_duration(const char *text, rwk_ns *ret)
{
	size_t len = strlen(text);
	char with_unit[64];
	rwk_ns ns = 0;
	int err;

	/* A bare number is seconds here, not nanoseconds. */
	if (!len || len > sizeof(with_unit) - 2)
		return -EINVAL;
	snprintf(with_unit, sizeof(with_unit), "%s%s", text,
		isdigit((unsigned char)text[len - 1]) ? "s" : "");
	err = rwk_parse_ns(with_unit, &ns);
	if (!err && ns <= 0)
		err = -ERANGE;
	if (!err)
		*ret = ns;
	return err;
}

struct session {
	const char *name;
	struct rwk_record_files files; /* none with a stream */
	struct rwk_record_stream stream;
	int64_t stream_bytes;
	struct rwk_snapshot *snap;
	bool flight;
	rwk_ns flight_asked_ns; /* 0: a size was asked for */
	int *llc_cpu, nr_llc;
	struct rwk_record_result result;
	struct rwk_diag diag;
};

static void tell_command(const struct session *s, const char *command)
{
	int status = s->result.command_status;

	if (WIFSIGNALED(status))
		rwk_msg_note("%s was ended by signal %d (%s)", command, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		rwk_msg_note("%s exited with status %d", command, WEXITSTATUS(status));
}

/* A flight recorder whose buffers held less than it was to keep. */
static bool is_short(const struct session *s)
{
	return s->flight && s->result.flight_from != RWK_NS_NONE &&
	       s->result.flight_ns < s->flight_asked_ns;
}

/* What it is called in messages. */
static const char *label(const struct session *s)
{
	if (s->stream.on)
		return s->stream.is_stdout ? "standard output" : s->name;
	return s->files.trace ? s->files.trace : s->name;
}

static void tell_result(const struct session *s)
{
	const struct rwk_record_result *r = &s->result;

	for (int i = 0; i < r->nr_cpus; i++) {
		const struct rwk_record_cpu *c = &r->cpu[i];
		int64_t lost = c->commit_overrun + c->dropped + (s->flight ? 0 : c->overrun);

		if (lost)
			rwk_msg_note("cpu %d lost %" PRId64 " of %" PRId64 " events", c->cpu, lost,
				lost + c->read_events + c->entries);
	}
	if (r->probe.missed > 0)
		rwk_msg_note("the probe missed %" PRId64 " decisions", r->probe.missed);
	if (!r->probe.hits && r->nr_events)
		rwk_msg_note(
			"the probe never fired: no decision was made, or it does not work here");
	rwk_changes_note("", s->snap);
	if (r->lost)
		rwk_msg_note("the buffers were too small for what happened: record again with a "
			     "larger -b");
	if (r->trigger.fired)
		rwk_msg_note(
			"the trigger fired at %.6f: %s (%d) ran on cpu %d %.3f ms after it was "
			"woken",
			(double)r->trigger.ts / 1e9, r->trigger.comm, r->trigger.tid,
			r->trigger.cpu, (double)r->trigger.latency / 1e6);
	if (r->trigger.gaps || r->trigger.renewed || r->trigger.dropped)
		rwk_msg_note("the trigger may have missed waits: lost on the way to it %" PRId64
			     " times, tables full %" PRId64 " times, events without room: %" PRId64,
			r->trigger.gaps, r->trigger.renewed, r->trigger.dropped);
	if (r->end == RWK_RECORD_END_SIZE)
		rwk_msg_note("ended early, at --max-size");
	if (r->end == RWK_RECORD_END_DISK)
		rwk_msg_note("ended early, as the disk is nearly full: the rest is needed to write "
			     "the trace");
	if (s->flight)
		rwk_msg_note("kept the last %.3f s%s", (double)r->flight_ns / 1e9,
			r->flight_from == RWK_NS_NONE ? ", all of it" : "");
	if (is_short(s))
		rwk_msg_note("less than --flight asked for: record again with a larger -b, or ask "
			     "for a size");
	if (r->unread)
		rwk_msg_note("%" PRId64 " events at the end are left out, to keep --max-size",
			r->unread);
	fprintf(stderr, "recorded %" PRId64 " events on %d CPU%s in %.3f s, lost %" PRId64 " -> ",
		r->nr_events, r->nr_cpus, r->nr_cpus == 1 ? "" : "s", (double)r->elapsed_ns / 1e9,
		r->lost);
	if (s->stream.on)
		fprintf(stderr, "%s, %" PRId64 " bytes\n", label(s), s->stream_bytes);
	else
		fprintf(stderr, "%s, %s\n", s->files.trace, s->files.sidecar);
}

static void tell(const char *text)
{
	rwk_msg_note("%s", text);
}

/* CPUs that have just come: who knows whether they are there in the end. */
static void look_at_cpus(void *ctx)
{
	struct session *s = ctx;
	struct rwk_snapshot *now;

	if (rwk_snapshot_take_cpus(NULL, &now))
		return;
	/* Without it they are unknown, which is found when they are needed. */
	rwk_seen_add(s->snap, now);
	rwk_snapshot_destroy(now);
}

/* The machine once more.  The recording is as good without; that nobody looked is told and kept. */
static void compare_machine(struct session *s)
{
	struct rwk_snapshot *after = NULL;
	struct rwk_diag diag = {0};
	char causes[RWK_DIAG_MAX * (RWK_DIAG_TEXT + 2)];
	int err = rwk_snapshot_take("/", true, &diag, &after);

	if (!err)
		err = rwk_changes_add(s->snap, after, &diag);
	if (!err)
		err = rwk_seen_add(s->snap, after);
	rwk_snapshot_destroy(after);
	if (!err)
		return;
	rwk_diag_format(&diag, causes, sizeof(causes));
	rwk_msg_note("whether the machine changed while it was recorded is unknown: %s", causes);
}

static int save_sidecar(struct session *s)
{
	int err;

	if (s->stream.on) {
		s->stream_bytes = rwk_record_stream_end(&s->stream, s->snap, &s->diag);
		return s->stream_bytes < 0 ? (int)s->stream_bytes : 0;
	}
	err = rwk_snapshot_save(s->snap, s->files.sidecar, &s->diag);
	if (err) {
		/* An older recording's sidecar must not pass for this one's. */
		unlink(s->files.sidecar);
		rwk_msg_note("%s is complete, but has no machine snapshot", s->files.trace);
	}
	return err;
}

/* Where it goes: a stream, or files. */
static int open_output(struct session *s, struct rwk_record_options *opt)
{
	int err;

	if (!rwk_record_stream_is_meant(s->name)) {
		err = rwk_record_files_name(s->name, &s->files);
		opt->output = s->files.trace;
		return err;
	}
	err = rwk_record_stream_open(s->name, &opt->compression, &stop, &s->diag, &s->stream);
	opt->stream = s->stream.archive;
	opt->command_to_stderr = s->stream.is_stdout;
	return err;
}

static int record(struct session *s, struct rwk_record_options *opt)
{
	int err;

	/* Before the first event, so that reading it is not in the trace. */
	err = rwk_snapshot_take("/", true, &s->diag, &s->snap);
	if (!err)
		err = rwk_llc_cpus_find(s->snap, &s->diag, &s->llc_cpu, &s->nr_llc);
	if (err)
		return err;
	opt->llc_cpu = s->llc_cpu;
	opt->nr_llc = s->nr_llc;
	opt->cpus_changed = look_at_cpus;
	opt->cpus_changed_ctx = s;
	if (s->stream.on) {
		err = rwk_record_stream_set_start(&s->stream, s->snap, &s->diag);
		if (err)
			return err;
		opt->stream_machine = s->stream.start;
	}
	err = rwk_record_run(opt, &s->diag, &s->result);
	if (err)
		return err;
	compare_machine(s);
	err = rwk_record_sidecar_add(s->snap, &opt->filter, opt->trigger_ns, &s->result, &s->diag);
	return err ? err : save_sidecar(s);
}

/* How the command ended, if it did so by itself. */
static int command_code(const struct rwk_record_result *r)
{
	if (r->end != RWK_RECORD_END_COMMAND)
		return 0;
	if (WIFSIGNALED(r->command_status))
		return RWK_EXIT_SIGNAL + WTERMSIG(r->command_status);
	return WIFEXITED(r->command_status) ? WEXITSTATUS(r->command_status) : 0;
}

int rwk_record_exit(int code, int command)
{
	return command && (code == RWK_EXIT_OK || code == RWK_EXIT_DEGRADED) ? command : code;
}

static int exit_code(int err, const struct session *s)
{
	const struct rwk_record_result *result = &s->result;

	if (err && result->command_err == -ENOENT)
		return RWK_EXIT_NOT_FOUND;
	if (err && (result->command_err == -EACCES || result->command_err == -ENOEXEC))
		return RWK_EXIT_CANNOT_RUN;
	if (err == -ENOTTY)
		return RWK_EXIT_MISUSED;
	if (err == -ENODATA)
		return RWK_EXIT_ABSENT;
	if (err)
		return RWK_EXIT_FAILED;
	if (is_short(s) || result->unread || result->end == RWK_RECORD_END_DISK)
		return RWK_EXIT_DEGRADED;
	return result->lost ? RWK_EXIT_DEGRADED : RWK_EXIT_OK;
}

int rwk_record_session(const char *name, const struct rwk_record_options *asked, int *ret_command)
{
	struct session s = {
		.name = name, .flight = asked->flight.on, .flight_asked_ns = asked->flight.ns};
	struct sigaction old[NR_SIGNALS];
	struct rwk_record_options opt = *asked;
	int err, code;

	opt.stop = &stop;
	opt.tell = tell;
	catch_signals(old);
	err = open_output(&s, &opt);
	if (!err) {
		if (!opt.command && !opt.duration_ns && isatty(STDERR_FILENO))
			fputs("recording; Ctrl-C ends it\n", stderr);
		err = record(&s, &opt);
	}
	release_signals(old);
	if (err) {
		rwk_msg_error(&s.diag, "cannot record %s", label(&s));
	} else {
		if (opt.command)
			tell_command(&s, opt.command[0]);
		tell_result(&s);
	}
	code = exit_code(err, &s);
	*ret_command = err ? 0 : command_code(&s.result);
	rwk_snapshot_destroy(s.snap);
	rwk_record_result_finish(&s.result);
	free(s.llc_cpu);
	rwk_record_files_finish(&s.files);
	rwk_record_stream_finish(&s.stream);
	return code;
}
