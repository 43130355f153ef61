/* From files of tracefs, one at a time, to wherever the caller wants them. */
#include "record/view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/instance.h"

/* tracing_dir/name; what is not there becomes empty. */
static int copy_file(const struct rwk_view_sink *sink, const char *tracing_dir, const char *name,
	struct rwk_diag *diag)
{
	char from[4096], *buf = malloc(RWK_VIEW_MAX_FILE);
	size_t len = 0;
	int fd, err;

	if (!buf)
		return rwk_diag_push(diag, -ENOMEM, "cannot copy %s: why=no memory", name);
	snprintf(from, sizeof(from), "%s/%s", tracing_dir, name);
	fd = open(from, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && len < RWK_VIEW_MAX_FILE) {
		ssize_t n = read(fd, buf + len, RWK_VIEW_MAX_FILE - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	err = sink->put(sink->ctx, name, buf, len, diag);
	free(buf);
	return err;
}

/* The formats of tracefs' own events, which readers of such files expect. */
static int copy_ftrace_events(
	const struct rwk_view_sink *sink, const char *tracing_dir, struct rwk_diag *diag)
{
	char path[4096];
	const struct dirent *de;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "%s/events/ftrace", tracing_dir);
	dir = opendir(path);
	while (dir && !err && (de = readdir(dir))) {
		char name[160];

		if (de->d_name[0] == '.' || strlen(de->d_name) > 100)
			continue;
		snprintf(path, sizeof(path), "%s/events/ftrace/%s/format", tracing_dir, de->d_name);
		snprintf(name, sizeof(name), "events/ftrace/%.100s/format", de->d_name);
		if (!access(path, R_OK))
			err = copy_file(sink, tracing_dir, name, diag);
	}
	if (dir)
		closedir(dir);
	return err;
}

int rwk_view_write(const struct rwk_view_sink *sink, const char *tracing_dir, const char *clock,
	const struct rwk_extra *extra, const struct rwk_format_text *format, int nr_formats,
	struct rwk_diag *diag)
{
	static const char *const files[] = {
		"events/header_page", "events/header_event", "printk_formats"};
	char text[128];
	int err = 0, len;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++)
		err = copy_file(sink, tracing_dir, files[i], diag);
	for (int i = 0; i < RWK_RECORD_NR_EVENTS && !err; i++) {
		snprintf(text, sizeof(text), "events/sched/%s/format", rwk_record_events[i]);
		err = copy_file(sink, tracing_dir, text, diag);
	}
	for (const struct rwk_extra_event *e = extra->event; e->system && !err; e++) {
		snprintf(text, sizeof(text), "events/%s/%s/format", e->system, e->name);
		err = copy_file(sink, tracing_dir, text, diag);
	}
	if (!err)
		err = copy_ftrace_events(sink, tracing_dir, diag);
	for (int i = 0; i < nr_formats && !err; i++) {
		snprintf(text, sizeof(text), "events/%s/%s/format", format[i].system,
			format[i].name);
		err = sink->put(sink->ctx, text, format[i].text, strlen(format[i].text), diag);
	}
	len = snprintf(text, sizeof(text), "[%s]\n", clock);
	return err ? err : sink->put(sink->ctx, "trace_clock", text, (size_t)len, diag);
}

int rwk_view_write_names(
	const struct rwk_view_sink *sink, const char *tracing_dir, struct rwk_diag *diag)
{
	return copy_file(sink, tracing_dir, "saved_cmdlines", diag);
}
