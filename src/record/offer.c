/* One function per thing that is looked for. */
#include "record/offer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/assemble.h"
#include "record/extra.h"
#include "record/hotplug.h"
#include "record/instance.h"
#include "record/probe_facts.h"
#include "record/setup.h"
#include "record/tracefs_root.h"
#include "record/trigger.h"

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"
#define DEBUG_DIR     "/sys/kernel/debug"
#define FILES_PER_CPU 4
#define FILES_BESIDE  32

/* By their numbers, which never change. */
#define CAP_DAC_OVERRIDE_NR 1
#define CAP_SYSLOG_NR       34

static void add(struct rwk_offer *o, const char *name, enum rwk_offer_grade grade, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

static void add(
	struct rwk_offer *o, const char *name, enum rwk_offer_grade grade, const char *fmt, ...)
{
	struct rwk_offer_item *item = &o->item[o->nr];
	va_list ap;

	if (o->nr == RWK_OFFER_MAX)
		return;
	o->nr++;
	item->name = name;
	item->grade = grade;
	va_start(ap, fmt);
	vsnprintf(item->text, sizeof(item->text), fmt, ap);
	va_end(ap);
}

static void lacks(struct rwk_offer *o, const char *name, int err, const struct rwk_diag *diag)
{
	char text[RWK_DIAG_TEXT];

	rwk_diag_format(diag, text, sizeof(text));
	add(o, name, RWK_OFFER_LACKS, "%s", text);
	/* What else is missing counts more than events: those come last in a recording, too. */
	if (!o->err || o->err == -ENODATA)
		o->err = err;
}

/* "" when it cannot be read. */
static void read_text(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(buf, 1, size - 1, f) : 0;

	buf[len] = '\0';
	if (f)
		fclose(f);
}

int rwk_capabilities_parse(const char *status, uint64_t *ret)
{
	const char *p = strstr(status, "CapEff:");
	uint64_t mask;

	if (!p || sscanf(p, "CapEff: %" SCNx64, &mask) != 1)
		return -EBADMSG;
	*ret = mask;
	return 0;
}

bool rwk_lockdown_is_total(const char *text)
{
	return strstr(text, "[confidentiality]") != NULL;
}

static void look_at_rights(struct rwk_offer *o)
{
	char status[4096], lockdown[256];
	uint64_t caps = 0;
	bool known;

	read_text("/proc/self/status", status, sizeof(status));
	known = !rwk_capabilities_parse(status, &caps);
	read_text(LOCKDOWN_FILE, lockdown, sizeof(lockdown));
	if (rwk_lockdown_is_total(lockdown)) {
		struct rwk_diag diag = {0};

		rwk_diag_push(&diag, -EPERM,
			"the kernel is locked down (confidentiality): no tracing: file=%s",
			LOCKDOWN_FILE);
		lacks(o, "rights", -EPERM, &diag);
	} else if (!known) {
		add(o, "rights", RWK_OFFER_LESS, "uid %ld, capabilities unknown", (long)geteuid());
	} else {
		bool dac = caps >> CAP_DAC_OVERRIDE_NR & 1, syslog = caps >> CAP_SYSLOG_NR & 1;

		/* Whether CAP_DAC_OVERRIDE matters is for the files of tracefs to say. */
		add(o, "rights", syslog ? RWK_OFFER_FINE : RWK_OFFER_LESS, "uid %ld%s%s%s",
			(long)geteuid(), dac && syslog ? ", all capabilities needed" : "",
			dac ? "" : "; without CAP_DAC_OVERRIDE (files of tracefs that are root's)",
			syslog ? "" : "; without CAP_SYSLOG (addresses for scanN, coreN)");
	}
}

/* *ret_dir stays NULL when it cannot be used. */
static void look_at_tracefs(struct rwk_offer *o, char **ret_dir)
{
	struct rwk_diag diag = {0};
	int err = rwk_tracefs_find(&diag, ret_dir);

	if (err)
		lacks(o, "tracefs", err, &diag);
	else
		add(o, "tracefs", RWK_OFFER_FINE, "%s, instances can be made", *ret_dir);
}

static void look_at_events(struct rwk_offer *o, const char *dir)
{
	struct rwk_diag diag = {0};
	int err = rwk_tracefs_check_events(dir, &diag);

	if (err)
		lacks(o, "events", err, &diag);
	else
		add(o, "events", RWK_OFFER_FINE, "all %d", RWK_RECORD_NR_EVENTS);
}

static void look_at_files(struct rwk_offer *o, int nr_cpus)
{
	struct rwk_diag diag = {0};
	rlim_t need = (rlim_t)nr_cpus * FILES_PER_CPU + FILES_BESIDE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_max >= need) {
		add(o, "open files", RWK_OFFER_FINE, "%llu of at most %llu",
			(unsigned long long)need, (unsigned long long)limit.rlim_max);
		return;
	}
	rwk_diag_push(&diag, -EMFILE, "%llu are needed, %llu allowed: raise the limit (ulimit -Hn)",
		(unsigned long long)need, (unsigned long long)limit.rlim_max);
	lacks(o, "open files", -EMFILE, &diag);
}

static void look_at_setup(struct rwk_offer *o, const char *dir)
{
	struct rwk_diag diag = {0};
	struct rwk_setup setup;
	int err = rwk_tracefs_use(dir, &diag);

	if (!err)
		err = rwk_setup_choose(NULL, 0, NULL, &setup, &diag);
	rwk_tracefs_use(NULL, NULL);
	if (err) {
		lacks(o, "buffers", err, &diag);
		return;
	}
	add(o, "clock", RWK_OFFER_FINE, "%s", setup.clock);
	add(o, "buffers", RWK_OFFER_FINE,
		"%" PRId64 " KB on each of %d CPUs, %" PRId64 " KB in all", setup.buffer_kb,
		rwk_cpuset_weight(&setup.cpus), rwk_setup_total_kb(&setup));
	look_at_files(o, rwk_cpuset_weight(&setup.cpus));
}

static void look_at_tool(struct rwk_offer *o, bool stream)
{
	struct rwk_diag diag = {0};
	char *path;
	int err = rwk_assemble_find_tool(&diag, &path);

	if (err && stream) {
		add(o, "trace-cmd", RWK_OFFER_FINE, "not here, nor needed for an archive");
		return;
	}
	if (err) {
		lacks(o, "trace-cmd", err, &diag);
		return;
	}
	add(o, "trace-cmd", RWK_OFFER_FINE, "%s", path);
	free(path);
}

static void look_at_probes(struct rwk_offer *o, const char *dir)
{
	struct rwk_probe_facts facts;
	enum rwk_probe_level level = RWK_PROBE_LEVEL_HIDDEN;
	char lack[128];
	bool no_probes;

	rwk_probe_facts_gather(&facts, dir, RWK_PROBE_LEVEL_HIDDEN);
	no_probes = facts.no_kprobes[0] && facts.no_fprobes[0];
	if (facts.no_kprobes[0])
		add(o, "kprobes", RWK_OFFER_LESS, "%s", facts.no_kprobes);
	else
		add(o, "kprobes", RWK_OFFER_FINE, "events on functions can be made");
	if (!facts.no_fprobes[0])
		add(o, "fprobes", RWK_OFFER_FINE, "%s",
			facts.no_kprobes[0]
				? "stand in for kprobes, without a count of misses"
				: "there, but kprobes are taken, whose misses are counted");
	else
		add(o, "fprobes", facts.no_kprobes[0] ? RWK_OFFER_LESS : RWK_OFFER_FINE, "%s%s",
			facts.no_fprobes, facts.no_kprobes[0] ? "" : ", nor needs them");
	rwk_nr_lack(dir, lack, sizeof(lack));
	add(o, "queue lengths", lack[0] ? RWK_OFFER_LESS : RWK_OFFER_FINE, "%s%s",
		lack[0] ? "no --events nr-running: " : "--events nr-running can be had", lack);
	/* Looked for only where there are probes; without, it is told all the same. */
	if (no_probes)
		add(o, "BTF", access(RWK_BTF_PATH, R_OK) ? RWK_OFFER_LESS : RWK_OFFER_FINE, "%s",
			access(RWK_BTF_PATH, R_OK) ? "no type information in " RWK_BTF_PATH
						   : RWK_BTF_PATH);
	else if (facts.no_btf[0])
		add(o, "BTF", RWK_OFFER_LESS, "%s", facts.no_btf);
	else
		add(o, "BTF", RWK_OFFER_FINE, RWK_BTF_PATH);
	if (!no_probes && facts.no_symbols[0])
		add(o, "addresses", RWK_OFFER_LESS, "%s: no scanN, coreN", facts.no_symbols);
	while (level > RWK_PROBE_LEVEL_NONE && rwk_probe_plan_lack(&facts, level))
		level--;
	add(o, "probe level", level == RWK_PROBE_LEVEL_HIDDEN ? RWK_OFFER_FINE : RWK_OFFER_LESS,
		"auto takes %s%s", rwk_probe_level_name(level),
		level == RWK_PROBE_LEVEL_NONE ? ": decisions are replayed from rebuilt state only"
					      : "");
}

static void look_at_hotplug(struct rwk_offer *o, const char *dir)
{
	char why[RWK_RECORD_PROBE_WHY] = "";

	if (rwk_hotplug_can(dir, why))
		add(o, "CPU hot-plug", RWK_OFFER_FINE, "cpuhp:cpuhp_enter, cpuhp:cpuhp_exit");
	else
		add(o, "CPU hot-plug", RWK_OFFER_LESS,
			"replays cannot follow CPUs that come and go: %s", why);
}

static void look_at_trigger(struct rwk_offer *o, const char *dir)
{
	struct rwk_record_trigger trigger;
	char how[RWK_TRIGGER_TEXT];

	rwk_trigger_preview(dir, &trigger);
	rwk_trigger_describe(&trigger, how);
	/* It works either way; that of the kernel costs no reader. */
	add(o, "trigger", trigger.by == RWK_TRIGGER_BY_KERNEL ? RWK_OFFER_FINE : RWK_OFFER_LESS,
		"%s", how);
}

static void look_at_debugfs(struct rwk_offer *o)
{
	/* Before 5.13 one file is elsewhere, but the folder of domains is not there either. */
	if (!access(DEBUG_DIR "/sched/features", R_OK))
		add(o, "scheduler debugfs", RWK_OFFER_FINE, DEBUG_DIR "/sched");
	else if (!access(DEBUG_DIR "/sched_features", R_OK))
		add(o, "scheduler debugfs", RWK_OFFER_FINE, DEBUG_DIR "/sched_features");
	else
		add(o, "scheduler debugfs", RWK_OFFER_LESS,
			"cannot read %s/sched/features: %s; features and domains are not stored",
			DEBUG_DIR, strerror(errno));
}

static void look_at_config(struct rwk_offer *o)
{
	struct utsname uts;
	char boot[sizeof(uts.release) + 16] = "";

	if (!uname(&uts))
		snprintf(boot, sizeof(boot), "/boot/config-%s", uts.release);
	if (!access("/proc/config.gz", R_OK))
		add(o, "kernel config", RWK_OFFER_FINE, "/proc/config.gz");
	else if (boot[0] && !access(boot, R_OK))
		add(o, "kernel config", RWK_OFFER_FINE, "%s", boot);
	else
		add(o, "kernel config", RWK_OFFER_LESS,
			"neither /proc/config.gz nor %s: HZ and preemption are not stored", boot);
}

void rwk_offer_gather(struct rwk_offer *ret, bool stream)
{
	struct rwk_offer o = {0};
	char *dir = NULL;

	look_at_rights(&o);
	look_at_tracefs(&o, &dir);
	if (dir) {
		look_at_events(&o, dir);
		look_at_setup(&o, dir);
	}
	look_at_tool(&o, stream);
	if (dir) {
		look_at_probes(&o, dir);
		look_at_hotplug(&o, dir);
		look_at_trigger(&o, dir);
	}
	look_at_debugfs(&o);
	look_at_config(&o);
	free(dir);
	*ret = o;
}
