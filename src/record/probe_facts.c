/* From kernel files to facts. */
#include "record/probe_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/parse.h"
#include "record/instance.h"
#include "record/kallsyms.h"
#include "record/tracefs_root.h"

#define KPROBES_SWITCH "/sys/kernel/debug/kprobes/enabled"

/* One that cannot be fetched is left with size 0. */
static void member(const struct btf *btf, const char *type, const char *path, bool is_pointer,
	struct rwk_btf_member *ret)
{
	if (rwk_btf_find_member(btf, type, path, ret) || ret->is_pointer != is_pointer)
		*ret = (struct rwk_btf_member){0};
}

void rwk_probe_facts_from_btf(struct rwk_probe_facts *facts, const struct btf *btf)
{
	facts->pointer_size = rwk_btf_pointer_size(btf);
	rwk_btf_find_parameter(btf, RWK_PROBE_FUNCTION, "prev_cpu", &facts->prev_place);
	rwk_btf_find_parameter(btf, RWK_PROBE_FUNCTION, "wake_flags", &facts->flags_place);
	member(btf, "task_struct", "wakee_flips", false, &facts->flips);
	member(btf, "task_struct", "recent_used_cpu", false, &facts->recent);
	member(btf, "task_struct", "nr_cpus_allowed", false, &facts->nr_cpus_allowed);
	member(btf, "task_struct", "last_wakee", true, &facts->last_wakee);
	member(btf, "task_struct", "pid", false, &facts->tid);
	member(btf, "sched_domain_shared", "has_idle_cores", false, &facts->has_idle_cores);
	member(btf, "sched_domain_shared", "nr_idle_scan", false, &facts->nr_idle_scan);
	member(btf, "rq", "nr_running", false, &facts->nr_running);
	member(btf, "rq", "ttwu_pending", false, &facts->ttwu_pending);
	member(btf, "rq", "curr", true, &facts->curr);
	member(btf, "rq", "cfs.avg.load_avg", false, &facts->load);
}

static void look_for_kprobes(struct rwk_probe_facts *facts, const char *tracing_dir)
{
	char path[4096], enabled = '1';
	int fd;

	snprintf(path, sizeof(path), "%s/kprobe_events", tracing_dir);
	if (access(path, F_OK)) {
		snprintf(facts->no_kprobes, sizeof(facts->no_kprobes),
			"the kernel has no kprobe events");
		return;
	}
	if (access(path, W_OK)) {
		snprintf(facts->no_kprobes, sizeof(facts->no_kprobes),
			"kprobe events cannot be made: %s", strerror(errno));
		return;
	}
	fd = open(KPROBES_SWITCH, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, &enabled, 1) == 1 && enabled == '0')
			snprintf(facts->no_kprobes, sizeof(facts->no_kprobes),
				"kprobes are switched off in " KPROBES_SWITCH);
		close(fd);
	}
}

static void look_for_fprobes(struct rwk_probe_facts *facts, const char *tracing_dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/dynamic_events", tracing_dir);
	if (!rwk_tracefs_says(tracing_dir, " f[:[<group>/][<event>]] <func-name>[%return]"))
		snprintf(facts->no_fprobes, sizeof(facts->no_fprobes),
			"the kernel has no fprobe events");
	else if (access(path, W_OK))
		snprintf(facts->no_fprobes, sizeof(facts->no_fprobes),
			"fprobe events cannot be made: %s", strerror(errno));
}

static void look_into_btf(struct rwk_probe_facts *facts)
{
	struct btf *btf = NULL;
	int err = rwk_btf_open(RWK_BTF_PATH, &btf);

	if (err) {
		snprintf(facts->no_btf, sizeof(facts->no_btf),
			"no type information (BTF) in %s: %s", RWK_BTF_PATH,
			err == -EBADMSG ? "it is damaged" : strerror(-err));
		return;
	}
	rwk_probe_facts_from_btf(facts, btf);
	rwk_btf_close(btf);
}

static void look_for_symbols(struct rwk_probe_facts *facts)
{
	struct rwk_symbol s[] = {
		{.name = "__per_cpu_offset"}, {.name = "sd_llc_shared"}, {.name = "runqueues"}};
	int err = rwk_kallsyms_find(RWK_KALLSYMS_PATH, s, 3);

	if (err)
		snprintf(facts->no_symbols, sizeof(facts->no_symbols), "%s: %s", RWK_KALLSYMS_PATH,
			strerror(-err));
	else if (!s[0].found)
		snprintf(facts->no_symbols, sizeof(facts->no_symbols),
			"%s does not name __per_cpu_offset", RWK_KALLSYMS_PATH);
	else if (s[0].is_hidden)
		snprintf(facts->no_symbols, sizeof(facts->no_symbols),
			"addresses are hidden (kernel.kptr_restrict)");
	if (facts->no_symbols[0])
		return;
	facts->has_llc_shared = s[1].found;
	facts->llc_shared = s[1].address;
	facts->has_runqueues = s[2].found;
	facts->runqueues = s[2].address;
}

void rwk_probe_facts_gather(
	struct rwk_probe_facts *ret, const char *tracing_dir, enum rwk_probe_level level)
{
	struct rwk_probe_facts facts = {.pointer_size = (int)sizeof(void *)};
	struct utsname uts;

	/* A version that cannot be read is taken for a new one, as elsewhere. */
	if (uname(&uts) || rwk_parse_version(uts.release, &facts.kernel))
		facts.kernel = (struct rwk_version){999, 0, 0};
	if (level != RWK_PROBE_LEVEL_NONE) {
		look_for_kprobes(&facts, tracing_dir);
		look_for_fprobes(&facts, tracing_dir);
	}
	if (level != RWK_PROBE_LEVEL_NONE &&
		(!facts.no_kprobes[0] || rwk_probe_plan_by_fprobes(&facts))) {
		/* Even for the flags: it knows the arguments of kernels that were patched. */
		look_into_btf(&facts);
		if (level != RWK_PROBE_LEVEL_FLAGS)
			look_for_symbols(&facts);
	}
	*ret = facts;
}
