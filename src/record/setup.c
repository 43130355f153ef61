/* Choices out of what the kernel's own files say. */
#include "record/setup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/parse.h"
#include "record/record.h"

/*
 * Room for bursts while a drain sleeps (at most 100 ms): 4 MB hold some 80000
 * events, more than a CPU can produce in that time.  On machines with many
 * CPUs all buffers together stay below a limit that nobody misses.
 */
#define DEFAULT_KB        4096
#define DEFAULT_TOTAL_KB  (256 << 10)
#define DEFAULT_MEM_SHARE 16 /* and never more than this part of the memory */

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	/* The current one is in brackets. */
	for (const char *p = text; *p; p += strcspn(p, " []\n")) {
		p += strspn(p, " []\n");
		if (strcspn(p, " []\n") == len && !strncmp(p, word, len))
			return true;
	}
	return false;
}

static bool clocksource_is_slow(void)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
	char name[64] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (f && !fgets(name, sizeof(name), f))
		name[0] = '\0';
	if (f)
		fclose(f);
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (!strncmp(name, slow[i], strlen(slow[i])))
			return true;
	}
	return false;
}

/*
 * Streams of several CPUs are merged by time, so the clock must be one for all
 * of them.  "local", the kernel's default, is not on every machine; "mono" is,
 * costs about the same and can be matched with other logs.  Where reading the
 * machine's clock source means a slow device access in every event, "global" is
 * ordered as well.
 */
static void choose_clock(struct tracefs_instance *of, struct rwk_setup *setup)
{
	char *clocks = tracefs_instance_file_read(of, "trace_clock", NULL);
	const char *choice = "local";

	if (clocks && has_word(clocks, "mono") && !clocksource_is_slow())
		choice = "mono";
	else if (clocks && has_word(clocks, "global"))
		choice = "global";
	free(clocks);
	snprintf(setup->clock, sizeof(setup->clock), "%s", choice);
}

/* CPUs that can run something: the possible ones beyond have buffers that stay empty. */
static int find_cpus(struct tracefs_instance *of, struct rwk_setup *setup, struct rwk_diag *diag)
{
	static const char path[] = "/sys/devices/system/cpu/present";
	char text[4096] = "";
	FILE *f = fopen(path, "re");
	int err;

	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	err = rwk_parse_cpulist(text, &setup->cpus);
	if (err)
		return rwk_diag_push(diag, err, "cannot tell the CPUs: file=%s why=%s", path,
			err == -ERANGE ? "more than this program supports" : "malformed");
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		char name[64];
		bool listed = rwk_cpuset_has(&setup->cpus, cpu);

		snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
		if (!tracefs_file_exists(of, name))
			rwk_cpuset_del(&setup->cpus, cpu);
		else if (!text[0] && !listed)
			rwk_cpuset_add(&setup->cpus, cpu);
	}
	if (rwk_cpuset_empty(&setup->cpus))
		return rwk_diag_push(diag, -ENODEV, "tracefs has no CPU buffers: dir=per_cpu");
	return 0;
}

int64_t rwk_setup_memory_kb(void)
{
	int64_t pages = sysconf(_SC_PHYS_PAGES), page_kb = sysconf(_SC_PAGESIZE) / 1024;

	return pages > 0 ? pages * page_kb : 0;
}

int64_t rwk_setup_total_limit_kb(int64_t memory_kb)
{
	if (memory_kb > 0 && memory_kb / DEFAULT_MEM_SHARE < DEFAULT_TOTAL_KB)
		return memory_kb / DEFAULT_MEM_SHARE;
	return DEFAULT_TOTAL_KB;
}

bool rwk_setup_is_too_much(int64_t total_kb, int64_t memory_kb)
{
	return memory_kb > 0 && total_kb > memory_kb / 2;
}

int64_t rwk_setup_default_kb(int nr_cpus, int64_t memory_kb)
{
	int64_t kb = rwk_setup_total_limit_kb(memory_kb) / nr_cpus;

	if (kb > DEFAULT_KB)
		kb = DEFAULT_KB;
	return kb < RWK_RECORD_MIN_KB ? RWK_RECORD_MIN_KB : kb;
}

int64_t rwk_setup_total_kb(const struct rwk_setup *setup)
{
	return setup->buffer_kb * rwk_cpuset_weight(&setup->cpus);
}

static int restrict_cpus(
	struct rwk_setup *setup, const struct rwk_cpuset *only, struct rwk_diag *diag)
{
	rwk_cpuset_foreach (cpu, only) {
		if (!rwk_cpuset_has(&setup->cpus, cpu))
			return rwk_diag_push(
				diag, -ENODEV, "this machine has no CPU %d to record", cpu);
	}
	setup->cpus = *only;
	return 0;
}

int rwk_setup_choose(struct tracefs_instance *of, int64_t buffer_kb, const struct rwk_cpuset *only,
	struct rwk_setup *ret, struct rwk_diag *diag)
{
	struct rwk_setup setup = {.buffer_kb = buffer_kb};
	int err;

	choose_clock(of, &setup);
	err = find_cpus(of, &setup, diag);
	if (!err && only)
		err = restrict_cpus(&setup, only, diag);
	if (err)
		return err;
	if (!buffer_kb)
		setup.buffer_kb =
			rwk_setup_default_kb(rwk_cpuset_weight(&setup.cpus), rwk_setup_memory_kb());
	if (rwk_setup_is_too_much(rwk_setup_total_kb(&setup), rwk_setup_memory_kb()))
		return rwk_diag_push(diag, -ENOMEM,
			"cannot get the buffers: kb_per_cpu=%lld cpus=%d why=more than half of "
			"the memory; choose less with -b",
			(long long)setup.buffer_kb, rwk_cpuset_weight(&setup.cpus));
	*ret = setup;
	return 0;
}
