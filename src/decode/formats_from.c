/* Reading formats where they stand alone, or in front of or behind the records of others. */
#include "decode/formats_from.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/ops.h"
#include "decode/perf_layout.h"
#include "decode/tracedat_layout.h"

#define MAX_TEXT (256 << 10) /* that of sched_switch has 3 KB */

void rwk_formats_from_finish(struct rwk_formats_from *f)
{
	rwk_tracedat_texts_finish(&f->texts);
	*f = (struct rwk_formats_from){0};
}

static int refuse(const char *path, const char *why, struct rwk_diag *diag)
{
	return rwk_diag_push(
		diag, -EBADMSG, "cannot take event formats: from=%s why=%s", path, why);
}

/* A small file below dir, terminated; NULL: it is not there or is none that can be a format. */
static char *read_small(int dir, const char *name, size_t *ret_size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char *text = fd < 0 ? NULL : malloc(MAX_TEXT + 1);
	struct stat st;
	size_t size = 0;
	ssize_t n = -1;

	/* Files of tracefs say that they are empty. */
	if (text && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		while ((n = read(fd, text + size, MAX_TEXT - size)) > 0)
			size += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	if (n) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	*ret_size = size;
	return text;
}

static int open_folder(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
}

static int is_entry(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Calls one for each folder in dir, in the order of their names. */
static int each_folder(int dir,
	int (*one)(int dir, const char *name, const char *system, struct rwk_formats_from *ret),
	const char *system, struct rwk_formats_from *ret)
{
	struct dirent **entry;
	int nr = scandirat(dir, ".", &entry, is_entry, alphasort);
	int err = nr < 0 ? -errno : 0;

	for (int i = 0; i < nr; i++) {
		int fd = err ? -1 : open_folder(dir, entry[i]->d_name);

		if (fd >= 0) {
			err = one(fd, entry[i]->d_name, system, ret);
			close(fd);
		}
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
	return err;
}

static int take_event(int dir, const char *name, const char *system, struct rwk_formats_from *ret)
{
	size_t size;
	char *text = read_small(dir, "format", &size);
	int err = 0;

	(void)name;
	if (text)
		err = rwk_tracedat_texts_add(&ret->texts, system, text, size);
	free(text);
	return err;
}

static int take_system(int dir, const char *name, const char *none, struct rwk_formats_from *ret)
{
	(void)none;
	return each_folder(dir, take_event, name, ret);
}

/* The size of a long, as header_page has it in the line of its second field. */
static int find_long_size(int dir)
{
	size_t size;
	char *text = read_small(dir, "header_page", &size);
	const char *at = text ? strstr(text, " commit;") : NULL;
	int ret = 0;

	at = at ? strstr(at, "size:") : NULL;
	if (at && (at[5] == '4' || at[5] == '8') && at[6] == ';')
		ret = at[5] - '0';
	free(text);
	return ret;
}

/* The folder of the events: 1, 0 it is none of tracefs, negative errno. */
static int open_events(const char *path, int *ret)
{
	int dir = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY), events, sched;

	if (dir < 0)
		return errno == ENOTDIR ? 0 : -errno;
	events = open_folder(dir, "events");
	if (events >= 0) {
		close(dir);
		*ret = events;
		return 1;
	}
	sched = open_folder(dir, "sched");
	if (sched < 0) {
		close(dir);
		return 0;
	}
	close(sched);
	*ret = dir;
	return 1;
}

static int read_perf(
	const struct rwk_file *file, struct rwk_formats_from *ret, struct rwk_diag *diag)
{
	struct rwk_perf_layout l = {0};
	struct rwk_trace_info info = {0};
	int err = rwk_perf_layout_read(&l, file, &ret->texts, &info, diag);

	if (!err && !l.has_texts)
		err = refuse(file->path, "it has none either", diag);
	ret->order_known = true;
	ret->big_endian = l.big_endian;
	ret->long_size = l.long_size;
	memcpy(ret->release, info.release, sizeof(ret->release));
	rwk_trace_info_clear(&info, NULL);
	rwk_perf_layout_finish(&l);
	return err;
}

static int read_tracedat(
	const struct rwk_file *file, struct rwk_formats_from *ret, struct rwk_diag *diag)
{
	struct rwk_tracedat_layout l = {0};
	struct rwk_trace_info info = {0};
	int err = rwk_tracedat_layout_read(&l, file, &ret->texts, &info, diag);

	ret->order_known = true;
	ret->big_endian = l.big_endian;
	ret->long_size = l.commit_size;
	memcpy(ret->release, info.release, sizeof(ret->release));
	rwk_trace_info_clear(&info, NULL);
	rwk_tracedat_layout_finish(&l);
	return err;
}

static int read_file(const char *path, struct rwk_formats_from *ret, struct rwk_diag *diag)
{
	struct rwk_file file = {.fd = -1, .folder = -1};
	unsigned char head[16];
	int64_t n = 0;
	int err = strcmp(path, "-") ? rwk_file_open(path, diag, &file)
				    : refuse(path, "not from the standard input", diag);

	if (!err && file.stream)
		err = rwk_file_spool(&file, diag);
	if (!err) {
		n = rwk_file_read(&file, 0, head, sizeof(head), diag);
		err = n < 0 ? (int)n : 0;
	}
	if (!err && rwk_decoder_perf.probe(head, (size_t)n))
		err = read_perf(&file, ret, diag);
	else if (!err && rwk_decoder_tracedat.probe(head, (size_t)n))
		err = read_tracedat(&file, ret, diag);
	else if (!err)
		err = refuse(
			path, "neither a perf.data, a trace.dat, nor a folder of tracefs", diag);
	rwk_file_close(&file);
	return err;
}

static bool any_text(const struct rwk_tracedat_texts *t)
{
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		if (t->of[kind].text)
			return true;
	}
	return false;
}

int rwk_formats_from_open(const char *path, struct rwk_diag *diag, struct rwk_formats_from *ret)
{
	int nr_causes = diag ? diag->nr : 0;
	int events = -1;
	int err = open_events(path, &events);

	*ret = (struct rwk_formats_from){0};
	if (err > 0) {
		ret->long_size = find_long_size(events);
		err = each_folder(events, take_system, NULL, ret);
		close(events);
	} else if (!err) {
		err = read_file(path, ret, diag);
	}
	if (!err && !any_text(&ret->texts))
		err = refuse(path, "no format of any event there", diag);
	if (err) {
		if (diag && diag->nr == nr_causes)
			rwk_diag_push(diag, err, "cannot take event formats: from=%s why=%s", path,
				strerror(-err));
		rwk_formats_from_finish(ret);
	}
	return err;
}
