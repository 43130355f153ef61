/* Text for people; what it says is found out in the room record. */
#include "cli/record_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/parse.h"
#include "cli/exit.h"
#include "cli/llc_cpus.h"
#include "cli/message.h"
#include "cli/record_files.h"
#include "cli/record_stream.h"
#include "machine/machine.h"
#include "record/filter.h"
#include "record/hotplug.h"
#include "record/instance.h"
#include "record/offer.h"
#include "record/preview.h"
#include "record/probe.h"
#include "record/trail.h"
#include "record/trigger.h"
#include "record/workdir.h"

/* As a recording that fails so; cmd_record.c documents them. */
static int exit_code(int err)
{
	if (!err)
		return RWK_EXIT_OK;
	return err == -ENODATA ? RWK_EXIT_ABSENT : RWK_EXIT_FAILED;
}

int rwk_record_check(void)
{
	static const char *const grade[RWK_OFFER_GRADE_COUNT] = {
		[RWK_OFFER_FINE] = "yes", [RWK_OFFER_LESS] = "less", [RWK_OFFER_LACKS] = "NO"};
	struct rwk_offer offer;

	rwk_offer_gather(&offer, false);
	for (int i = 0; i < offer.nr; i++)
		printf("%-18s %-4s  %s\n", offer.item[i].name, grade[offer.item[i].grade],
			offer.item[i].text);
	printf("%-18s %s\n", "recording works", offer.err ? "NO" : "yes");
	return exit_code(offer.err);
}

static void show_missing(const struct rwk_offer *offer)
{
	bool any = false;

	for (int i = 0; i < offer->nr; i++) {
		const struct rwk_offer_item *item = &offer->item[i];

		if (item->grade == RWK_OFFER_FINE)
			continue;
		printf("missing:  %s%s: %s\n", item->name,
			item->grade == RWK_OFFER_LACKS ? " (needed)" : "", item->text);
		any = true;
	}
	if (!any)
		puts("missing:  nothing");
}

static void show_probe(const struct rwk_preview *p)
{
	printf("probe:    %s%s%s\n", rwk_probe_level_name(p->probe.level),
		p->probe.why[0] ? ": " : "", p->probe.why);
	for (const char *line = p->probe.events; line && *line;) {
		int len = (int)strcspn(line, "\n");

		printf("          %.*s\n", len, line);
		line += len;
		line += *line == '\n';
	}
}

/* How long the room on the disk lasts: a trace is made beside the pages that it is made of. */
static void show_room(const char *output, const struct rwk_rate *rate)
{
	char *parent = rwk_workdir_parent(output);
	struct statvfs fs;
	double room;

	if (!parent || statvfs(parent, &fs)) {
		printf("missing:  directory of the output (needed): %s: %s\n",
			parent ? parent : output, strerror(errno));
		free(parent);
		return;
	}
	room = (double)fs.f_bavail * (double)fs.f_frsize;
	printf("room:     %.0f MB are free in %s", room / 1e6, parent);
	if (rate->bytes > 0)
		printf(": for about %.3g hours, as writing takes twice the space",
			room / 2 / rate->bytes / 3600);
	putchar('\n');
	free(parent);
}

static void show_length(const struct rwk_record_options *opt)
{
	const char *sep = "";

	printf("ends:     ");
	if (opt->duration_ns) {
		printf("after %g s", (double)opt->duration_ns / 1e9);
		sep = ", ";
	}
	if (opt->command) {
		printf("%swhen %s ends", sep, opt->command[0]);
		sep = ", ";
	}
	if (opt->trigger_ns) {
		printf("%s%g s after a task has waited more than %g ms to run", sep,
			(double)opt->after_ns / 1e9, (double)opt->trigger_ns / 1e6);
		sep = ", ";
	}
	if (opt->max_bytes) {
		printf("%sbefore the data exceed %.6g MB", sep, (double)opt->max_bytes / 1e6);
		sep = ", ";
	}
	printf("%sat SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGUSR1\n", sep);
}

static void show_filter(const struct rwk_record_filter *filter)
{
	char note[RWK_FILTER_NOTE];

	rwk_filter_describe(filter, note);
	for (const char *line = note; *line;) {
		int len = (int)strcspn(line, "\n");

		printf("filter:   %.*s\n", len, line);
		line += len;
		line += *line == '\n';
	}
}

static void show_trigger(const struct rwk_record_trigger *trigger)
{
	char how[RWK_TRIGGER_TEXT];

	rwk_trigger_describe(trigger, how);
	printf("trigger:  %s; in an instance rewake-OWNER" RWK_TRIGGER_ROLE "\n", how);
}

static void show(const struct rwk_preview *p, const struct rwk_record_files *files,
	const struct rwk_record_options *opt)
{
	const struct rwk_setup *s = &p->setup;
	char cpus[1024];

	rwk_format_cpulist(&s->cpus, cpus, sizeof(cpus));
	printf("instance: %s/instances/" RWK_INSTANCE_PREFIX "OWNER, OWNER being "
	       "PID-START-NAMESPACE-BOOT as in %s\n",
		p->tracing_dir, p->owner);
	printf("events:  ");
	for (int i = 0; i < RWK_RECORD_NR_EVENTS; i++)
		printf(" sched:%s", rwk_record_events[i]);
	putchar('\n');
	if (p->extra[0])
		printf("also:     %s\n", p->extra);
	show_filter(&opt->filter);
	show_probe(p);
	if (p->probe.events)
		printf("          in the kernel, the group is " RWK_PROBE_GROUP "_OWNER\n");
	printf("clock:    %s\n", s->clock);
	printf("buffers:  %" PRId64 " KB on each of %d CPUs (%s), %" PRId64 " KB in all\n",
		s->buffer_kb, rwk_cpuset_weight(&s->cpus), cpus, rwk_setup_total_kb(s));
	if (opt->flight.on)
		printf("keeps:    what the buffers hold in the end: about %.3g s at the rate "
		       "below\n",
			(double)rwk_setup_total_kb(s) * 1024 / (p->rate.bytes + 1));
	show_length(opt);
	printf("hot-plug: steps of CPUs that come and go, in an instance "
	       "rewake-OWNER" RWK_HOTPLUG_ROLE ", read at the end%s\n",
		p->probe.level == RWK_PROBE_LEVEL_NONE
			? ""
			: "; a probe there tells when domains are built");
	if (opt->trigger_ns)
		show_trigger(&p->trigger);
	if (files->trace)
		printf("files:    %s, %s; while it runs also .NAME.rewake-OWNER-XXXXXX beside them "
		       "and " RWK_TRAIL_DIR "/OWNER\n",
			files->trace, files->sidecar);
	else
		puts("files:    none: one archive with all to whoever receives it");
	printf("rate:     about %.0f events/s, %.3f MB/s: an estimate from %.0f context switches "
	       "per second, sampled for %.1f s%s%s\n",
		p->rate.events, p->rate.bytes / 1e6, p->rate.switches,
		(double)p->rate.window_ns / 1e9, opt->command ? ", without " : "",
		opt->command ? opt->command[0] : "");
	if (files->trace)
		show_room(files->trace, &p->rate);
}

static int preview(
	const struct rwk_record_options *asked, struct rwk_preview *ret, struct rwk_diag *diag)
{
	struct rwk_record_options opt = *asked;
	struct rwk_snapshot *snap = NULL;
	int *llc_cpu = NULL, nr_llc = 0;
	int err = rwk_snapshot_take("/", true, diag, &snap);

	if (!err)
		err = rwk_llc_cpus_find(snap, diag, &llc_cpu, &nr_llc);
	opt.llc_cpu = llc_cpu;
	opt.nr_llc = nr_llc;
	if (!err)
		err = rwk_preview_take(&opt, ret, diag);
	rwk_snapshot_destroy(snap);
	free(llc_cpu);
	return err;
}

int rwk_record_dry_run(const char *name, const struct rwk_record_options *asked)
{
	struct rwk_record_files files = {0};
	struct rwk_preview p = {0};
	struct rwk_diag diag = {0};
	struct rwk_offer offer;
	bool stream = rwk_record_stream_is_meant(name);
	int err = stream ? 0 : rwk_record_files_name(name, &files);

	rwk_offer_gather(&offer, stream);
	if (!err)
		err = preview(asked, &p, &diag);
	if (!err)
		show(&p, &files, asked);
	show_missing(&offer);
	if (!err)
		puts("nothing was enabled, nothing was written");
	else
		rwk_msg_error(&diag, "cannot record %s", files.trace ? files.trace : name);
	/* Something may be needed that the preview does without, such as trace-cmd. */
	if (!err)
		err = offer.err;
	rwk_preview_finish(&p);
	rwk_record_files_finish(&files);
	return exit_code(err);
}
