/* Which of the two ways, and changing over where the kernel's does not work. */
#include "record/trigger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "record/trigger_follow.h"
#include "record/trigger_kernel.h"

/* Kernel or follow, or neither: by nobody. */
struct rwk_trigger_watch {
	const struct rwk_record_options *opt;
	const char *tracing_dir;
	const struct rwk_owner *owner;
	struct rwk_trigger_kernel *kernel;
	struct rwk_trigger_follow *follow;
	struct rwk_record_trigger
		so_far; /* by and why; of a kernel's way that was left, its counts */
	int stop_err; /* what that could not be removed for */
};

int rwk_trigger_parse(const char *text, rwk_ns *ret)
{
	static const char name[] = "wakeup-latency";
	const char *p = text + strspn(text, " ");
	char value[32];
	rwk_ns ns = 0;
	size_t len;

	if (strncmp(p, name, sizeof(name) - 1))
		return -EINVAL;
	p += sizeof(name) - 1;
	p += strspn(p, " ");
	if (*p != '>')
		return -EINVAL;
	p++;
	p += strspn(p, " ");
	len = strcspn(p, " ");
	/* Without a unit, it would be anybody's guess. */
	if (!len || len >= sizeof(value) || p[len - 1] != 's' || p[len + strspn(p + len, " ")])
		return -EINVAL;
	memcpy(value, p, len);
	value[len] = '\0';
	if (rwk_parse_ns(value, &ns) || ns <= 0)
		return -EINVAL;
	*ret = ns;
	return 0;
}

const char *rwk_trigger_by_name(enum rwk_trigger_by by)
{
	static const char *const names[RWK_TRIGGER_BY_COUNT] = {"kernel", "recorder", "nobody"};

	return names[by];
}

void rwk_trigger_preview(const char *tracing_dir, struct rwk_record_trigger *ret)
{
	*ret = (struct rwk_record_trigger){0};
	rwk_trigger_kernel_lack(tracing_dir, ret->why);
	ret->by = ret->why[0] ? RWK_TRIGGER_BY_RECORDER : RWK_TRIGGER_BY_KERNEL;
}

void rwk_trigger_describe(const struct rwk_record_trigger *trigger, char buf[RWK_TRIGGER_TEXT])
{
	static const char *const how[RWK_TRIGGER_BY_COUNT] = {
		"by the kernel: histogram triggers and a synthetic event",
		"by the recorder, which reads two events once more, ten times a second",
		"by nobody any more"};

	snprintf(buf, RWK_TRIGGER_TEXT, "decided %s%s%s", how[trigger->by],
		trigger->why[0] ? ": " : "", trigger->why);
}

static void tell(const struct rwk_trigger_watch *w)
{
	char how[RWK_TRIGGER_TEXT], text[RWK_TRIGGER_TEXT + 16];

	rwk_trigger_describe(&w->so_far, how);
	snprintf(text, sizeof(text), "trigger: %s", how);
	if (w->opt->tell)
		w->opt->tell(text);
}

static void keep_why(struct rwk_trigger_watch *w, const char *what, const struct rwk_diag *causes)
{
	char text[RWK_DIAG_TEXT];
	size_t len = strlen(w->so_far.why);

	rwk_diag_format(causes, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0'; /* it becomes a line of the sidecar */
	snprintf(w->so_far.why + len, sizeof(w->so_far.why) - len, "%s%s%.200s", len ? "; " : "",
		what, text);
}

static int follow(struct rwk_trigger_watch *w, struct rwk_diag *diag)
{
	w->so_far.by = RWK_TRIGGER_BY_RECORDER;
	return rwk_trigger_follow_start(w->opt, w->tracing_dir, w->owner, diag, &w->follow);
}

static int start(struct rwk_trigger_watch *w, struct rwk_diag *diag)
{
	struct rwk_diag causes = {0};
	bool left = false;
	int err;

	rwk_trigger_preview(w->tracing_dir, &w->so_far);
	if (w->so_far.by != RWK_TRIGGER_BY_KERNEL)
		return follow(w, diag);
	err = rwk_trigger_kernel_start(
		w->opt, w->tracing_dir, w->owner, &causes, &w->kernel, &left);
	if (!err)
		return 0;
	if (left) {
		for (int i = 0; i < causes.nr; i++)
			rwk_diag_push(diag, err, "%s", causes.cause[i]);
		return err;
	}
	keep_why(w, "the kernel refused: ", &causes);
	return follow(w, diag);
}

int rwk_trigger_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_watch **ret)
{
	struct rwk_trigger_watch *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return rwk_diag_push(diag, -ENOMEM, "no trigger: why=no memory");
	*w = (struct rwk_trigger_watch){.opt = opt, .tracing_dir = tracing_dir, .owner = owner};
	err = start(w, diag);
	if (err) {
		free(w);
		return err;
	}
	tell(w);
	*ret = w;
	return 0;
}

int rwk_trigger_fd(const struct rwk_trigger_watch *watch)
{
	return watch->kernel ? rwk_trigger_kernel_fd(watch->kernel) : -1;
}

/* The kernel's way does not work any more: the other one, from now on. */
static void change_over(struct rwk_trigger_watch *w, const struct rwk_diag *causes)
{
	struct rwk_diag diag = {0};

	rwk_trigger_kernel_report(w->kernel, &w->so_far);
	keep_why(w, "the kernel's way failed: ", causes);
	w->stop_err = rwk_trigger_kernel_stop(w->kernel, &diag);
	w->kernel = NULL;
	if (w->stop_err || follow(w, &diag)) {
		keep_why(w, "", &diag);
		w->so_far.by = RWK_TRIGGER_BY_NOBODY;
	}
	tell(w);
}

bool rwk_trigger_poll(struct rwk_trigger_watch *watch, struct rwk_record_trigger *ret)
{
	struct rwk_diag causes = {0};
	bool fired = false;

	if (watch->follow)
		return rwk_trigger_follow_look(watch->follow, ret);
	if (watch->kernel && rwk_trigger_kernel_look(watch->kernel, ret, &fired, &causes))
		change_over(watch, &causes);
	return fired;
}

void rwk_trigger_report(struct rwk_trigger_watch *watch, struct rwk_record_trigger *ret)
{
	struct rwk_record_trigger how = watch->so_far;

	if (watch->kernel)
		rwk_trigger_kernel_report(watch->kernel, &how);
	else if (watch->follow)
		how.gaps += rwk_trigger_follow_gaps(watch->follow);
	ret->by = how.by;
	memcpy(ret->why, how.why, sizeof(ret->why));
	ret->gaps = how.gaps;
	ret->renewed = how.renewed;
	ret->dropped = how.dropped;
}

int rwk_trigger_stop(struct rwk_trigger_watch *watch, struct rwk_diag *diag)
{
	int err, follow_err;

	if (!watch)
		return 0;
	err = watch->stop_err;
	if (err)
		rwk_diag_push(diag, err, "cannot remove the trigger: why=%s", watch->so_far.why);
	else
		err = rwk_trigger_kernel_stop(watch->kernel, diag);
	follow_err = rwk_trigger_follow_stop(watch->follow, diag);
	free(watch);
	return err ? err : follow_err;
}
