/* One pass over the run, for all who need it. */
#include "replay/prepass.h"

#include <errno.h>

int rwk_prepass_run(const struct rwk_feed *feed, int nr_cpus, const struct rwk_task_row *task,
	size_t nr_task, struct rwk_diag *diag, struct rwk_prepass *ret)
{
	struct rwk_feed_item it;
	int err;

	*ret = (struct rwk_prepass){0};
	err = rwk_sync_votes_create(nr_cpus, task, nr_task, &ret->sync);
	if (!err)
		err = rwk_first_look_create(nr_cpus, &ret->look);
	while (!err && (err = feed->next(feed->ctx, &it, diag)) == 1) {
		rwk_first_look_take(ret->look, &it);
		err = rwk_sync_votes_take(ret->sync, &it);
	}
	if (err == -ENOMEM)
		rwk_diag_push(diag, err, "cannot look over the run: out of memory");
	return err;
}

void rwk_prepass_finish(struct rwk_prepass *pre)
{
	rwk_sync_votes_destroy(pre->sync);
	rwk_first_look_destroy(pre->look);
	*pre = (struct rwk_prepass){0};
}
