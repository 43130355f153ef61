/* Counts only: what changed into what is in the sidecar and in the view machine_setting. */
#include "cli/changes_note.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "cli/message.h"
#include "machine/changes.h"
#include "machine/epochs.h"

struct line {
	char text[1024];
	int used;
};

static void begin(struct line *l)
{
	if (l->used)
		l->used += snprintf(l->text + l->used, sizeof(l->text) - (size_t)l->used, ", ");
}

static void add_cpus(struct line *l, const struct rwk_cpuset *cpus, const char *what)
{
	char list[256];
	int nr = rwk_cpuset_weight(cpus);

	if (!nr)
		return;
	begin(l);
	if (rwk_format_cpulist(cpus, list, sizeof(list)) < (int)sizeof(list))
		l->used += snprintf(l->text + l->used, sizeof(l->text) - (size_t)l->used,
			"CPU %s went %s", list, what);
	else
		l->used += snprintf(l->text + l->used, sizeof(l->text) - (size_t)l->used,
			"%d CPUs went %s", nr, what);
}

static void add_count(struct line *l, int64_t nr, const char *one, const char *more)
{
	if (!nr)
		return;
	begin(l);
	l->used += snprintf(l->text + l->used, sizeof(l->text) - (size_t)l->used, "%" PRId64 " %s",
		nr, nr == 1 ? one : more);
}

/* Whether a replay knows when. */
static bool note_moves(const char *subject, const struct rwk_snapshot *snap)
{
	struct rwk_machine *m = NULL;
	struct rwk_epochs *e = NULL;
	bool followed = false;
	int nr = 0;

	if (!rwk_machine_build(snap, "", 0, NULL, NULL, &m) &&
		!rwk_epochs_open(snap, m, NULL, &e)) {
		const char *why = rwk_epochs_why(e),
			   *unknown = rwk_snapshot_file(snap, RWK_HOTPLUG_WHY);

		nr = rwk_epochs_moves(e);
		followed = rwk_epochs_snapshot(e) != NULL;
		if (nr)
			rwk_msg_note("%sCPUs came or went %d time%s, which replays follow", subject,
				nr, nr == 1 ? "" : "s");
		else if (why)
			rwk_msg_note("%sCPUs came or went, which replays do not follow: %s",
				subject, why);
		else if (unknown)
			rwk_msg_note("%sif CPUs came or went, replays do not follow it: %.*s",
				subject, (int)strcspn(unknown, "\n"), unknown);
	}
	rwk_epochs_close(e);
	rwk_machine_destroy(m);
	return followed;
}

void rwk_changes_note(const char *subject, const struct rwk_snapshot *snap)
{
	struct rwk_changes changes;
	struct line l = {.used = 0};
	bool followed = note_moves(subject, snap);

	if (!rwk_changes_read(snap, &changes))
		return;
	add_cpus(&l, &changes.offline, "offline");
	add_cpus(&l, &changes.online, "online");
	add_count(&l, changes.nr_settings, "setting changed", "settings changed");
	add_count(&l, changes.nr_domain_cpus, "CPU has other scheduling domains",
		"CPUs have other scheduling domains");
	add_count(&l, changes.nr_tasks, "task has another affinity, policy, priority or group",
		"tasks have another affinity, policy, priority or group");
	if (l.used)
		rwk_msg_note("%sthe machine changed while it was recorded: %s; %s taken as it was "
			     "at the "
			     "beginning, see rewake/changed in machine_setting",
			subject, l.text,
			followed ? "but for CPUs that came or went it is" : "it is");
}
