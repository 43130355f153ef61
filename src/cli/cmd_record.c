/* rewake record [-o NAME] [-- CMD]: records the scheduler events and the machine. */
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/record_run.h"
#include "cli/record_show.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "record/filter.h"
#include "record/record.h"

static const struct rwk_choice probe_levels[] = {
	{"none", "tracepoints only"},
	{"flags", "previous CPU, wake flags, the kernel's answer"},
	{"hidden", "also what decides and no tracepoint shows; needs the kernel's type information "
		   "(BTF)"},
	{"state", "also the state of every CPU: slow, to find faults"},
	{"auto", "the richest up to hidden that works here; default"},
	{0},
};

static const struct rwk_choice extra_events[] = {
	{"task",
		"that tasks begin, become another program and end; default, where there are these"},
	{"csd", "functions that a CPU asks another one to run: 6.4 and later"},
	{"cpu-idle", "idle states of CPUs"},
	{"nr-running",
		"every change of the length of a run queue, so that import knows it and tells "
		"tasks that are still queued from those that are placed; needs probes of "
		"tracepoints (6.5 and later) and BTF, and all CPUs and tasks"},
	{"none", "nothing else"},
	{0},
};

static const struct rwk_option options[] = {
	{'o', "output", "NAME",
		"where to, without .dat; default: rewake; - or a pipe: one archive with all, which "
		"import reads, and CMD then prints to stderr"},
	{'d', "duration", "SEC", "how long: 10, 0.5, 200ms"},
	{0, "compress", "HOW", "pack what is written: zstd, or zstd:LEVEL of 1 to 19", 'Z'},
	{0, "max-size", "SIZE", "end before the recorded data exceed it: 500M, 2G", 'S'},
	{0, "flight", "SEC|SIZE",
		"keep only the last part, in memory: about SEC seconds, or SIZE (64M) of all CPUs "
		"together; written when the recording ends",
		'F'},
	{0, "trigger", "CAUSE",
		"with --flight: end it when a task has waited too long to run: wakeup-latency>5ms",
		'T'},
	{0, "after", "TIME", "so much later than the trigger: 100ms (default), 2", 'A'},
	{'b', "buffer", "KB",
		"of memory per CPU to buffer bursts in; default: 4096, but on all CPUs together no "
		"more than 256 MB and a sixteenth of the memory"},
	{0, "probe", "LEVEL", "what to record of each placement decision; needs kprobes:", 'P',
		probe_levels},
	{0, "events", "LIST", "record also, several with commas:", 'E', extra_events},
	{0, "cpu", "LIST", "record only what happens on these CPUs: 0-3,8", 'c'},
	{0, "pid", "PID",
		"record only this process, its threads and its children, also those to come; "
		"several: 1,2, or given again",
		'p'},
	{0, "cgroup", "PATH",
		"record only the tasks in this control group, the groups within and their children",
		'g'},
	{0, "comm", "NAME",
		"record only tasks of this name, and who wakes them; * and ? as in file names; may "
		"be "
		"given again. All of these leave things unknown, which is stored",
		'm'},
	{0, "dry-run", NULL,
		"only tell what would be enabled and written, what is missing and how much data to "
		"expect",
		'n'},
	{0, "check", NULL, "only tell what this machine offers to a recorder", 'C'},
	{0},
};

/* What was asked for on the command line. */
struct record_args {
	const char *name;
	struct rwk_record_options opt;
	bool check, dry_run, after;
};

static int take_pid(struct record_args *a, const char *text)
{
	struct rwk_record_filter *filter = &a->opt.filter;

	for (const char *p = text; p; p = strchr(p, ',')) {
		char number[16];
		size_t len;
		int64_t pid;

		p += *p == ',' && p != text;
		len = strcspn(p, ",");
		snprintf(number, sizeof(number), "%.*s", (int)len, p);
		if (len >= sizeof(number) || rwk_parse_i64(number, 1, INT32_MAX, &pid)) {
			rwk_msg_error(
				NULL, "--pid=%s: not the id of a process, or several: 1,2", text);
			return RWK_EXIT_MISUSED;
		}
		if (filter->nr_pids == RWK_RECORD_MAX_PIDS) {
			rwk_msg_error(NULL,
				"--pid: more than %d processes; --cgroup takes any number",
				RWK_RECORD_MAX_PIDS);
			return RWK_EXIT_MISUSED;
		}
		filter->pid[filter->nr_pids++] = (int)pid;
	}
	return 0;
}

static int take_comm(struct record_args *a, const char *text)
{
	struct rwk_record_filter *filter = &a->opt.filter;

	if (!rwk_filter_comm_ok(text)) {
		rwk_msg_error(NULL,
			"--comm=%s: not the name of a task: 1 to %d bytes without quotes", text,
			RWK_RECORD_COMM_LEN - 1);
		return RWK_EXIT_MISUSED;
	}
	if (filter->nr_comms == RWK_RECORD_MAX_COMMS) {
		rwk_msg_error(NULL, "--comm: more than %d names", RWK_RECORD_MAX_COMMS);
		return RWK_EXIT_MISUSED;
	}
	filter->comm[filter->nr_comms++] = text;
	return 0;
}

/* Seconds, as of -d, or a size with its unit. */
static int take_flight(struct record_args *a, const char *text)
{
	struct rwk_flight flight = {.on = true};

	if (rwk_record_parse_duration(text, &flight.ns) && rwk_parse_size(text, &flight.bytes)) {
		rwk_msg_error(NULL,
			"--flight=%s: neither a number of seconds nor a size such as 64M", text);
		return RWK_EXIT_MISUSED;
	}
	a->opt.flight = flight;
	return 0;
}

static bool is_filtered(const struct rwk_record_filter *filter)
{
	return filter->by_cpu || filter->nr_pids || filter->cgroup || filter->nr_comms;
}

/* What does not go together.  0, or the exit code to leave with. */
static int check_together(const struct record_args *a)
{
	const char *other = NULL;

	if (!*a->name || a->name[strlen(a->name) - 1] == '/') {
		rwk_msg_error(NULL, "-o %s: names no file", a->name);
		return RWK_EXIT_MISUSED;
	}
	if (a->opt.trigger_ns && !a->opt.flight.on) {
		rwk_msg_error(NULL, "--trigger needs --flight: what is kept until it fires");
		return RWK_EXIT_MISUSED;
	}
	if (a->after && !a->opt.trigger_ns) {
		rwk_msg_error(NULL, "--after needs --trigger");
		return RWK_EXIT_MISUSED;
	}
	if (a->opt.extra & RWK_RECORD_EXTRA_NR && is_filtered(&a->opt.filter)) {
		rwk_msg_error(NULL,
			"--events=nr-running: not with --cpu, --pid, --cgroup or --comm: queues "
			"change everywhere");
		return RWK_EXIT_MISUSED;
	}
	if (a->opt.flight.on && a->opt.max_bytes)
		other = "--max-size";
	else if (a->opt.flight.bytes && a->opt.buffer_kb)
		other = "-b";
	if (!other)
		return 0;
	rwk_msg_error(NULL, "--flight and %s: both say how much to keep", other);
	return RWK_EXIT_MISUSED;
}

/* 0, or the exit code to leave with. */
static int take_option(struct record_args *a, int c, const char *text)
{
	switch (c) {
	case 'o':
		a->name = text;
		return 0;
	case 'd':
		if (!rwk_record_parse_duration(text, &a->opt.duration_ns))
			return 0;
		rwk_msg_error(NULL, "-d %s: not a number of seconds", text);
		return RWK_EXIT_MISUSED;
	case 'b':
		if (!rwk_parse_i64(text, RWK_RECORD_MIN_KB, RWK_RECORD_MAX_KB, &a->opt.buffer_kb))
			return 0;
		rwk_msg_error(NULL, "-b %s: not a number of KB from %d to %d", text,
			RWK_RECORD_MIN_KB, RWK_RECORD_MAX_KB);
		return RWK_EXIT_MISUSED;
	case 'P':
		if (!rwk_probe_level_parse(text, &a->opt.probe))
			return 0;
		rwk_msg_error(
			NULL, "--probe=%s: not one of none, flags, hidden, state, auto", text);
		return RWK_EXIT_MISUSED;
	case 'Z':
		if (!rwk_compression_parse(text, &a->opt.compression))
			return 0;
		rwk_msg_error(NULL, "--compress=%s: not zstd, zstd:1 to zstd:19 or none", text);
		return RWK_EXIT_MISUSED;
	case 'S':
		if (!rwk_parse_size(text, &a->opt.max_bytes) &&
			a->opt.max_bytes >= RWK_RECORD_MIN_BYTES)
			return 0;
		rwk_msg_error(
			NULL, "--max-size=%s: not a size from 1M on, such as 500M or 2G", text);
		return RWK_EXIT_MISUSED;
	case 'c':
		a->opt.filter.by_cpu = true;
		if (!rwk_parse_cpulist(text, &a->opt.filter.cpus) &&
			!rwk_cpuset_empty(&a->opt.filter.cpus))
			return 0;
		rwk_msg_error(NULL, "--cpu=%s: not a list of CPUs such as 0-3,8", text);
		return RWK_EXIT_MISUSED;
	case 'p':
		return take_pid(a, text);
	case 'm':
		return take_comm(a, text);
	case 'g':
		a->opt.filter.cgroup = text;
		return 0;
	case 'F':
		return take_flight(a, text);
	case 'E':
		a->opt.extra_needed = true;
		if (!rwk_record_extra_parse(text, &a->opt.extra))
			return 0;
		rwk_msg_error(
			NULL, "--events=%s: not of task, csd, cpu-idle, nr-running or none", text);
		return RWK_EXIT_MISUSED;
	case 'T':
		if (!rwk_trigger_parse(text, &a->opt.trigger_ns))
			return 0;
		rwk_msg_error(NULL,
			"--trigger=%s: not wakeup-latency>TIME, such as "
			"wakeup-latency>5ms",
			text);
		return RWK_EXIT_MISUSED;
	case 'A':
		a->after = true;
		if (!rwk_record_parse_duration(text, &a->opt.after_ns))
			return 0;
		rwk_msg_error(NULL, "--after=%s: not a number of seconds, or 100ms", text);
		return RWK_EXIT_MISUSED;
	case 'C':
		a->check = true;
		return 0;
	case 'n':
		a->dry_run = true;
		return 0;
	default:
		return rwk_verb_misused(&rwk_verb_record);
	}
}

static int run_record(int argc, char **argv)
{
	struct record_args a = {.name = "rewake",
		.opt = {.probe = RWK_PROBE_LEVEL_AUTO,
			.extra = RWK_RECORD_EXTRA_TASK,
			.after_ns = 100000000}};
	struct rwk_options opts;
	int c, code, command = 0;

	rwk_options_begin(&opts, &rwk_verb_record, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		if (c == RWK_OPTION_HELP)
			return rwk_options_leave(&opts, c);
		code = take_option(&a, c, optarg);
		if (code)
			return code;
	}
	code = check_together(&a);
	if (code)
		return code;
	if (a.check)
		return rwk_record_check();
	a.opt.command = optind < argc ? argv + optind : NULL;
	if (a.dry_run)
		return rwk_record_dry_run(a.name, &a.opt);
	code = rwk_record_session(a.name, &a.opt, &command);
	return rwk_record_exit(code, command);
}

const struct rwk_verb rwk_verb_record = {
	.name = "record",
	.summary = "record the scheduler events and the machine",
	.synopsis = (const char *const[]){"[options] [-o NAME|-] [-d SECONDS] [-- CMD [ARG…]]",
		"--check", NULL},
	.about = "Records who wakes whom on the whole machine into NAME.dat, which trace-cmd and "
		 "KernelShark open, and the machine itself into NAME.machine.json. Needs root. "
		 "Ends after SECONDS, when CMD ends, at SIZE, before the disk is full, at Ctrl-C "
		 "or SIGUSR1, whatever comes first; a CMD that still runs then is ended, too.",
	.options = options,
	.closing = "What a recorder that was killed left in the kernel and beside NAME.dat is "
		   "removed.",
	.exits = "0 fine, 1 failed, 2 misused, 3 recorded, but events were lost or the disk "
		 "allowed no more, 4 this kernel lacks events, or what the probe LEVEL needs; of a "
		 "CMD "
		 "that fails while recording goes well, its status (128 + n for signal n); 126 CMD "
		 "is "
		 "no program, 127 not found",
	.command_follows = true,
	.run = run_record,
};
