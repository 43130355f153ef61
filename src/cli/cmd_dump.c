/* rewake dump TRACE: normalised events with their offsets, before any state is applied. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/decode_options.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "decode/decoder.h"

/* Task names are bytes: what could harm a terminal or break a line is escaped. */
static void print_comm(const char *label, const char comm[RWK_COMM_LEN])
{
	printf(" %s=", label);
	for (int i = 0; i < RWK_COMM_LEN && comm[i]; i++) {
		unsigned char b = (unsigned char)comm[i];

		if (b > ' ' && b < 0x7f && b != '\\')
			putchar(b);
		else
			printf("\\x%02x", b);
	}
}

static void print_prio(int32_t prio)
{
	if (prio == RWK_PRIO_UNKNOWN)
		fputs(" prio=?", stdout);
	else
		printf(" prio=%" PRId32, prio);
}

static void print_probe(const struct rwk_ev_probe *p)
{
	printf(" prev=%d wf=0x%x", p->prev_cpu, p->wake_flags);
	if (p->has_hidden)
		printf(" flips=%d recent=%d nca=%d lastw=%d", p->flips, p->recent_cpu,
			p->nr_cpus_allowed, p->last_wakee_tid);
	for (int i = 0; i < p->nr_llc; i++)
		printf(" scan%d=%d core%d=%d", p->llc[i].first_cpu, p->llc[i].nr_idle_scan,
			p->llc[i].first_cpu, p->llc[i].has_idle_cores);
}

static void print_cpus(const struct rwk_ev_probe *p)
{
	for (int i = 0; i < p->nr_cpus; i++) {
		const struct rwk_probe_cpu *c = &p->cpu[i];

		printf(" nr%d=%d", c->cpu, c->nr_running);
		if (c->pending != RWK_NONE)
			printf(" pend%d=%d", c->cpu, c->pending);
		printf(" curr%d=%d", c->cpu, c->curr_tid);
		if (c->load != RWK_NONE)
			printf(" load%d=%" PRId64, c->cpu, c->load);
	}
}

static const char *end_state_name(enum rwk_end_state s)
{
	static const char *const names[] = {"?", "R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I"};

	return names[s];
}

static void print_event(const struct rwk_event *ev)
{
	char offset[24] = "-";

	if (ev->offset != RWK_NONE)
		snprintf(offset, sizeof(offset), "0x%" PRIx64, ev->offset);
	printf("%" PRId64 " [%d] %s %s tid=%d flags=0x%02x", ev->ts, ev->cpu, offset,
		rwk_event_kind_name(ev->kind), ev->tid, ev->flags);
	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		print_comm("comm", ev->task.comm);
		printf(" pid=%d", ev->task.tid);
		print_prio(ev->task.prio);
		printf(" target=%d", ev->task.target_cpu);
		break;
	case RWK_EV_MIGRATE:
		print_comm("comm", ev->migrate.comm);
		printf(" pid=%d", ev->migrate.tid);
		print_prio(ev->migrate.prio);
		printf(" orig=%d dest=%d", ev->migrate.orig_cpu, ev->migrate.dest_cpu);
		break;
	case RWK_EV_SWITCH:
		print_comm("prev_comm", ev->sw.prev_comm);
		printf(" prev=%d", ev->sw.prev_tid);
		print_prio(ev->sw.prev_prio);
		printf(" state=%s raw=%" PRId64, end_state_name(ev->sw.prev_state),
			ev->sw.prev_state_raw);
		print_comm("next_comm", ev->sw.next_comm);
		printf(" next=%d", ev->sw.next_tid);
		print_prio(ev->sw.next_prio);
		break;
	case RWK_EV_SEL:
		print_probe(ev->probe);
		break;
	case RWK_EV_SEL_STATE:
		print_cpus(ev->probe);
		break;
	case RWK_EV_SEL_RET:
		printf(" cpu=%d", ev->sel_ret.cpu);
		break;
	case RWK_EV_NR:
		printf(" cpu=%d nr=%d change=%+d", ev->nr.cpu, ev->nr.nr, ev->nr.change);
		break;
	case RWK_EV_LOST:
		if (ev->lost.count == RWK_NONE)
			printf(" count=?");
		else
			printf(" count=%" PRId64, ev->lost.count);
		break;
	default:
		break;
	}
	putchar('\n');
}

static const struct rwk_option options[] = {
	RWK_OPTION_BUFFER,
	RWK_OPTION_FORMATS,
	RWK_OPTION_TS_OFFSET,
	{0},
};

static int run_dump(int argc, char **argv)
{
	struct rwk_options opts;
	struct rwk_decode_options decode = {0};
	struct rwk_decode *dec = NULL;
	struct rwk_diag diag = {0};
	struct rwk_event ev;
	int c, err, ret = RWK_EXIT_OK;

	rwk_options_begin(&opts, &rwk_verb_dump, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case RWK_OPTION_BUFFER_ID:
		case RWK_OPTION_FORMATS_ID:
		case RWK_OPTION_TS_OFFSET_ID:
			if (!rwk_decode_option(c, optarg, &decode))
				return RWK_EXIT_MISUSED;
			break;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind + 1 != argc)
		return rwk_verb_misused(&rwk_verb_dump);
	err = rwk_decode_open_with(argv[optind], &decode, &diag, &dec);
	while (!err) {
		err = rwk_decode_next(dec, &ev, &diag);
		if (err != 1)
			break;
		print_event(&ev);
		err = 0;
	}
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = rwk_diag_push(&diag, -EIO, "standard output: write failed");
	if (err) {
		rwk_msg_error(&diag, "cannot dump %s", argv[optind]);
		ret = RWK_EXIT_FAILED;
	} else if (rwk_decode_info(dec)->truncated ||
		   rwk_decode_info(dec)->nr_events[RWK_EV_LOST]) {
		ret = RWK_EXIT_DEGRADED;
	}
	rwk_decode_close(dec);
	return ret;
}

const struct rwk_verb rwk_verb_dump = {
	.name = "dump",
	.summary = "normalised events as they were decoded",
	.synopsis = (const char *const[]){"[options] TRACE", NULL},
	.about = "Prints each event of TRACE (- is the standard input) as it was decoded, in "
		 "merged order: time in ns, CPU, offset in "
		 "the file (line of a text, - unknown), event, common_pid, flags, fields.",
	.options = options,
	.exits = "0 fine, 1 failed, 2 misused, 3 degraded (loss, truncation)",
	.run = run_dump,
};
