/* How large the buffers must be, and what they turned out to hold. */
#include "record/flight.h"

#include <errno.h>
#include <stdlib.h>

#include "record/probe.h"
#include "record/rate.h"

#define WINDOW_NS INT64_C(500000000)
#define RESERVE   2.0

static int64_t clamp_kb(int64_t kb)
{
	if (kb < RWK_RECORD_MIN_KB)
		return RWK_RECORD_MIN_KB;
	return kb > RWK_RECORD_MAX_KB ? RWK_RECORD_MAX_KB : kb;
}

int64_t rwk_flight_kb(
	rwk_ns ns, double bytes_per_s, int nr_cpus, int64_t default_kb, int64_t total_kb)
{
	double want = bytes_per_s * ((double)ns / 1e9) * RESERVE / 1024 / nr_cpus;
	double limit = (double)total_kb / nr_cpus;

	if (want < (double)default_kb)
		want = (double)default_kb;
	return clamp_kb((int64_t)(want > limit ? limit : want));
}

static int size_for_time(const struct rwk_record_options *opt, const char *tracing_dir,
	struct rwk_setup *setup, struct rwk_diag *diag)
{
	int nr_cpus = rwk_cpuset_weight(&setup->cpus);
	int64_t memory_kb = rwk_setup_memory_kb();
	struct rwk_record_probe probe = {0};
	struct rwk_rate rate;
	int err = rwk_probe_preview(opt, tracing_dir, &setup->cpus, &probe, diag);

	if (!err)
		err = rwk_rate_sample(tracing_dir, probe.events, WINDOW_NS, &rate, diag);
	free(probe.events);
	if (err)
		return err;
	setup->buffer_kb = rwk_flight_kb(opt->flight.ns, rate.bytes, nr_cpus,
		rwk_setup_default_kb(nr_cpus, memory_kb), rwk_setup_total_limit_kb(memory_kb));
	return 0;
}

int rwk_flight_size(const struct rwk_record_options *opt, const char *tracing_dir,
	struct rwk_setup *setup, struct rwk_diag *diag)
{
	int64_t memory_kb = rwk_setup_memory_kb();

	/* Who names a size per CPU knows how long it lasts. */
	if (opt->buffer_kb)
		return 0;
	if (!opt->flight.bytes)
		return size_for_time(opt, tracing_dir, setup, diag);
	if (rwk_setup_is_too_much(opt->flight.bytes / 1024, memory_kb))
		return rwk_diag_push(diag, -ENOMEM,
			"a flight recorder of %lld KB: why=more than half of the memory (%lld KB)",
			(long long)opt->flight.bytes / 1024, (long long)memory_kb);
	setup->buffer_kb = clamp_kb(opt->flight.bytes / 1024 / rwk_cpuset_weight(&setup->cpus));
	return 0;
}

struct rwk_flight_window rwk_flight_find_window(const struct rwk_record_cpu *cpu, int nr)
{
	struct rwk_flight_window w = {RWK_NS_NONE, RWK_NS_NONE};

	for (int i = 0; i < nr; i++) {
		/* A CPU that overwrote nothing has everything. */
		if (cpu[i].overrun && cpu[i].oldest_ns > w.from)
			w.from = cpu[i].oldest_ns;
		if (cpu[i].now_ns > w.to)
			w.to = cpu[i].now_ns;
	}
	return w;
}
