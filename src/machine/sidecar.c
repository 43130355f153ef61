/*
 * The snapshot as JSON (form: machine.h), read strictly: an unknown key, a
 * wrong type or a doubled entry refuses the file, as a fact silently left out
 * would change answers.  The only file that knows jansson.
 */
#include "machine/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/parse.h"
#include "machine/escape.h"

#define FORMAT      "rewake-machine"
#define VERSION     1
#define MAX_SIDECAR (64 << 20)
#define CPULIST_LEN 8192 /* of the longest list of RWK_MAX_CPUS CPUs */

/* --- writing --- */

static json_t *bytes_to_json(const char *bytes)
{
	char *text = rwk_escape_bytes(bytes);
	json_t *json = text ? json_string(text) : NULL;

	free(text);
	return json;
}

static int files_to_json(const struct rwk_snapshot *snap, json_t *object)
{
	for (size_t i = 0; i < snap->nr_files; i++) {
		const struct rwk_snapshot_entry *file = &snap->file[i];
		json_t *content = file->content ? bytes_to_json(file->content) : json_null();
		char *path = rwk_escape_bytes(file->path);
		int err = -1;

		if (path && content)
			err = json_object_set(object, path, content);
		json_decref(content);
		free(path);
		if (err)
			return -ENOMEM;
	}
	return 0;
}

static json_t *task_to_json(const struct rwk_snapshot_task *task)
{
	json_t *object = json_object();
	char list[CPULIST_LEN];
	int err = json_object_set_new(object, "tid", json_integer(task->tid));

	if (task->comm)
		err |= json_object_set_new(object, "comm", bytes_to_json(task->comm));
	if (task->allowed_known) {
		rwk_format_cpulist(&task->allowed, list, sizeof(list));
		err |= json_object_set_new(object, "allowed", json_string(list));
	}
	if (task->policy != RWK_NONE)
		err |= json_object_set_new(object, "policy", json_integer(task->policy));
	if (task->prio != RWK_PRIO_UNKNOWN)
		err |= json_object_set_new(object, "prio", json_integer(task->prio));
	if (task->cgroup)
		err |= json_object_set_new(object, "cgroup", bytes_to_json(task->cgroup));
	if (err) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *snapshot_to_json(const struct rwk_snapshot *snap)
{
	json_t *root = json_object(), *files = json_object(), *tasks = json_array();
	int err = json_object_set_new(root, "format", json_string(FORMAT));

	err |= json_object_set_new(root, "version", json_integer(VERSION));
	err |= json_object_set_new(root, "release", bytes_to_json(rwk_snapshot_release(snap)));
	err |= json_object_set_new(root, "files", files);
	err |= json_object_set_new(root, "tasks", tasks);
	if (!err)
		err = files_to_json(snap, files);
	for (size_t i = 0; i < snap->nr_tasks && !err; i++)
		err = json_array_append_new(tasks, task_to_json(&snap->task[i]));
	if (err) {
		json_decref(root);
		return NULL;
	}
	return root;
}

int rwk_snapshot_print(const struct rwk_snapshot *snap, FILE *out, struct rwk_diag *diag)
{
	json_t *root = snapshot_to_json(snap);
	int err;

	if (!root)
		return rwk_diag_push(diag, -ENOMEM, "cannot write machine snapshot: why=no memory");
	/* ASCII, so that any tool and terminal can show it; the order is the one it was built in.
	 */
	errno = 0;
	err = json_dumpf(root, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	if (fputc('\n', out) == EOF || fflush(out) || err)
		err = errno ? -errno : -EIO;
	json_decref(root);
	if (err)
		rwk_diag_push(diag, err, "cannot write machine snapshot: why=%s", strerror(-err));
	return err;
}

int rwk_snapshot_save(const struct rwk_snapshot *snap, const char *path, struct rwk_diag *diag)
{
	char *temp = NULL;
	FILE *out = NULL;
	int fd, err;

	if (asprintf(&temp, "%s.%ld.tmp", path, (long)getpid()) < 0)
		return rwk_diag_push(diag, -ENOMEM, "cannot save %s: why=no memory", path);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (!out) {
		err = rwk_diag_push(
			diag, -errno, "cannot create file: file=%s why=%s", temp, strerror(errno));
		if (fd >= 0) {
			close(fd);
			unlink(temp);
		}
		free(temp);
		return err;
	}
	err = rwk_snapshot_print(snap, out, diag);
	if (fclose(out) && !err)
		err = rwk_diag_push(
			diag, -errno, "cannot write file: file=%s why=%s", temp, strerror(errno));
	if (!err && rename(temp, path))
		err = rwk_diag_push(diag, -errno, "cannot rename file: file=%s to=%s why=%s", temp,
			path, strerror(errno));
	if (err) {
		unlink(temp);
		rwk_diag_push(diag, err, "cannot save machine snapshot: file=%s", path);
	}
	free(temp);
	return err;
}

/* --- reading --- */

struct reader {
	struct rwk_snapshot *snap;
	const char *path;
	struct rwk_diag *diag;
};

static int reader_fail(const struct reader *r, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int reader_fail(const struct reader *r, int err, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return rwk_diag_push(
		r->diag, err, "cannot read machine snapshot: file=%s why=%s", r->path, why);
}

static int read_files(const struct reader *r, const json_t *files)
{
	const char *key;
	json_t *value;

	if (!json_is_object(files))
		return reader_fail(r, -EBADMSG, "no object \"files\"");
	if (json_object_size(files) > RWK_SNAPSHOT_MAX_FILES)
		return reader_fail(r, -EBADMSG, "more than %d files", RWK_SNAPSHOT_MAX_FILES);
	json_object_foreach ((json_t *)(uintptr_t)files, key, value) {
		char *path, *content = NULL;
		int err = -ENOMEM;

		if (!json_is_string(value) && !json_is_null(value))
			return reader_fail(r, -EBADMSG, "files: %.100s is no string", key);
		path = rwk_unescape_bytes(key);
		if (json_is_string(value))
			content = rwk_unescape_bytes(json_string_value(value));
		if (path && (content || json_is_null(value)))
			err = rwk_snapshot_append_file(r->snap, path, content);
		free(path);
		free(content);
		if (err == -ENOMEM)
			return reader_fail(r, err, "no memory");
		if (err)
			return reader_fail(r, -EBADMSG, "files: bad path or too long: %.100s", key);
	}
	return 0;
}

/* An integer in range, or absent. */
static bool read_int(const json_t *json, int64_t min, int64_t max, int32_t *ret)
{
	if (!json)
		return true;
	if (!json_is_integer(json) || json_integer_value(json) < min ||
		json_integer_value(json) > max)
		return false;
	*ret = (int32_t)json_integer_value(json);
	return true;
}

/* A string, unescaped into *ret, or absent. */
static bool read_bytes(const json_t *json, char **ret)
{
	if (!json)
		return true;
	if (!json_is_string(json))
		return false;
	*ret = rwk_unescape_bytes(json_string_value(json));
	return true;
}

static int read_task(const struct reader *r, size_t index, json_t *object)
{
	static const char *const known[] = {"tid", "comm", "allowed", "policy", "prio", "cgroup"};
	struct rwk_snapshot_task task = {
		.tid = RWK_NONE, .policy = RWK_NONE, .prio = RWK_PRIO_UNKNOWN};
	const json_t *allowed = json_object_get(object, "allowed");
	char *comm = NULL, *cgroup = NULL;
	size_t nr_known = 0;
	bool ok;
	int err;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		nr_known += json_object_get(object, known[i]) != NULL;
	ok = json_is_object(object) && nr_known == json_object_size(object) &&
	     read_int(json_object_get(object, "tid"), 1, INT32_MAX, &task.tid) &&
	     task.tid != RWK_NONE &&
	     read_int(json_object_get(object, "policy"), 0, 255, &task.policy) &&
	     read_int(json_object_get(object, "prio"), RWK_PRIO_DEADLINE, 139, &task.prio) &&
	     read_bytes(json_object_get(object, "comm"), &comm) &&
	     read_bytes(json_object_get(object, "cgroup"), &cgroup);
	if (ok && allowed) {
		ok = json_is_string(allowed) &&
		     !rwk_parse_cpulist(json_string_value(allowed), &task.allowed);
		task.allowed_known = ok;
	}
	task.comm = comm;
	task.cgroup = cgroup;
	err = ok ? rwk_snapshot_append_task(r->snap, &task) : -EBADMSG;
	free(comm);
	free(cgroup);
	if (err == -ENOMEM)
		return reader_fail(r, err, "no memory");
	if (err)
		return reader_fail(r, -EBADMSG, "tasks: entry %zu is malformed", index);
	return 0;
}

static int read_tasks(const struct reader *r, const json_t *tasks)
{
	size_t index;
	json_t *task;

	if (!tasks)
		return 0;
	if (!json_is_array(tasks) || json_array_size(tasks) > RWK_SNAPSHOT_MAX_TASKS)
		return reader_fail(r, -EBADMSG, "\"tasks\" is no array or too long");
	json_array_foreach (tasks, index, task) {
		int err = read_task(r, index, task);

		if (err)
			return err;
	}
	return 0;
}

static int read_root(const struct reader *r, json_t *root)
{
	static const char *const known[] = {"format", "version", "release", "files", "tasks"};
	const json_t *format = json_object_get(root, "format");
	const json_t *version = json_object_get(root, "version");
	const json_t *release = json_object_get(root, "release");
	const char *key;
	json_t *value;
	int err;

	if (!json_is_string(format) || strcmp(json_string_value(format), FORMAT))
		return reader_fail(r, -EBADMSG, "\"format\" is not \"" FORMAT "\"");
	if (!json_is_integer(version) || json_integer_value(version) != VERSION)
		return reader_fail(
			r, -EBADMSG, "\"version\" is not %d: written by another rewake", VERSION);
	json_object_foreach (root, key, value) {
		bool found = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			found |= !strcmp(key, known[i]);
		if (!found)
			return reader_fail(r, -EBADMSG, "unknown key \"%.100s\"", key);
	}
	if (release && !json_is_string(release))
		return reader_fail(r, -EBADMSG, "\"release\" is no string");
	if (release) {
		char *bytes = rwk_unescape_bytes(json_string_value(release));

		err = bytes ? rwk_snapshot_set_release(r->snap, bytes) : -ENOMEM;
		free(bytes);
		if (err)
			return reader_fail(r, err, "no memory");
	}
	err = read_files(r, json_object_get(root, "files"));
	if (!err)
		err = read_tasks(r, json_object_get(root, "tasks"));
	if (!err && rwk_snapshot_sort(r->snap))
		err = reader_fail(r, -EBADMSG, "a file or task is there twice");
	return err;
}

/* The whole file; what it is (a pipe, too) and says of its size is not relied on. */
static int slurp(const struct reader *r, int fd, char **ret, size_t *ret_len)
{
	size_t used = 0, cap = 0;
	char *buf = NULL;

	for (;;) {
		ssize_t n;

		if (used == cap) {
			size_t want = cap ? cap * 2 : 65536;
			char *p = used < MAX_SIDECAR ? realloc(buf, want) : NULL;

			if (!p) {
				free(buf);
				return used < MAX_SIDECAR
					       ? reader_fail(r, -ENOMEM, "no memory")
					       : reader_fail(r, -EBADMSG, "longer than %d bytes",
							 MAX_SIDECAR);
			}
			buf = p;
			cap = want;
		}
		n = read(fd, buf + used, cap - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int err = -errno;

			free(buf);
			return reader_fail(r, err, "%s", strerror(-err));
		}
		if (!n)
			break;
		used += (size_t)n;
	}
	*ret = buf;
	*ret_len = used;
	return 0;
}

static int load_json(const struct reader *r, int fd)
{
	json_error_t error;
	size_t len = 0;
	char *text = NULL;
	json_t *root;
	int err = slurp(r, fd, &text, &len);

	if (err)
		return err;
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	free(text);
	if (!root)
		return reader_fail(
			r, -EBADMSG, "line %d column %d: %s", error.line, error.column, error.text);
	err = json_is_object(root) ? read_root(r, root)
				   : reader_fail(r, -EBADMSG, "it is no JSON object");
	json_decref(root);
	return err;
}

int rwk_snapshot_load(const char *path, struct rwk_diag *diag, struct rwk_snapshot **ret)
{
	struct reader r = {.path = path, .diag = diag};
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0) {
		err = -errno;
		return reader_fail(&r, err, "%s", strerror(-err));
	}
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return rwk_snapshot_take(path, true, diag, ret);
	}
	err = rwk_snapshot_create(&r.snap);
	if (err)
		reader_fail(&r, err, "no memory");
	else
		err = load_json(&r, fd);
	close(fd);
	if (err) {
		rwk_snapshot_destroy(r.snap);
		return err;
	}
	*ret = r.snap;
	return 0;
}
