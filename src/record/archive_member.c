/*
 * Members of an archive, any byte of which may be hostile.  They are told by
 * name, and only those that a recorder writes are unpacked, to names of our own.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "base/parse.h"
#include "record/archive_reader.h"
#include "record/assemble.h"

#define MAX_HEAD    4096
#define MAX_SIDECAR (256 << 20)
#define MAX_CHUNK   (64 << 20)
#define MAX_FORMATS 4096
#define MAX_PAGE    (64 << 20)

int rwk_archive_refuse(const struct rwk_archive_reader *r, const char *name, const char *why)
{
	/* What a hostile name may hold is not for a terminal. */
	char shown[64];
	size_t n = 0;

	for (; name[n] && n < sizeof(shown) - 1; n++)
		shown[n] = isprint((unsigned char)name[n]) ? name[n] : '?';
	shown[n] = '\0';
	return rwk_diag_push(r->diag, -EBADMSG, "refused archive: file=%s member=%s why=%s",
		r->path, shown, why);
}

/* From here on it counts as cut. */
int rwk_archive_cut(struct rwk_archive_reader *r, const char *why)
{
	if (!r->out->cut)
		snprintf(r->out->why, sizeof(r->out->why), "%s", why ? why : "it is damaged");
	r->out->cut = true;
	return 0;
}

/*
 * The next bytes of a member, 0 at its end.  -ENODATA: the archive ends or is
 * damaged here, which is noted.
 */
static ssize_t read_some(struct rwk_archive_reader *r, void *buf, size_t size)
{
	la_ssize_t n = archive_read_data(r->tar, buf, size);

	if (n >= 0)
		return (ssize_t)n;
	rwk_archive_cut(r, archive_error_string(r->tar));
	return -ENODATA;
}

/* A member as a text, to be freed; NULL with *ret_err 0: it is cut. */
static char *read_text(
	struct rwk_archive_reader *r, const char *name, size_t max, size_t *ret_len, int *ret_err)
{
	size_t len = 0, size = 0;
	char *text = NULL;

	*ret_err = 0;
	for (;;) {
		ssize_t n;

		if (size - len < RWK_ARCHIVE_BLOCK) {
			char *more = realloc(text, size + size / 2 + 2 * RWK_ARCHIVE_BLOCK);

			if (!more) {
				*ret_err = rwk_diag_push(r->diag, -ENOMEM,
					"cannot unpack %s: why=no memory", r->path);
				break;
			}
			text = more;
			size += size / 2 + 2 * RWK_ARCHIVE_BLOCK;
		}
		n = read_some(r, text + len, RWK_ARCHIVE_BLOCK);
		if (n < 0)
			break;
		len += (size_t)n;
		if (len > max) {
			*ret_err = rwk_archive_refuse(r, name, "it is too large");
			break;
		}
		if (n)
			continue;
		text[len] = '\0';
		*ret_len = len;
		return text;
	}
	free(text);
	return NULL;
}

static int write_failed(const struct rwk_archive_reader *r, int err)
{
	return rwk_diag_push(r->diag, err, "cannot unpack %s: dir=%s why=%s", r->path,
		r->out->work.path, strerror(-err));
}

static int write_all(const struct rwk_archive_reader *r, int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return write_failed(r, -errno);
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int save_file(
	const struct rwk_archive_reader *r, const char *name, const char *data, size_t len)
{
	int fd = openat(r->out->work.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err;

	if (fd < 0)
		return write_failed(r, -errno);
	err = write_all(r, fd, data, len);
	if (close(fd) && !err)
		err = write_failed(r, -errno);
	return err;
}

/* "KEY: VALUE" lines; false without such a line or when value is too long. */
static bool find_value(const char *text, const char *key, char *value, size_t size)
{
	size_t len = strlen(key), n;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) || strncmp(line + len, ": ", 2))
			continue;
		line += len + 2;
		n = strcspn(line, "\n");
		if (n >= size)
			return false;
		memcpy(value, line, n);
		value[n] = '\0';
		return true;
	}
	return false;
}

static bool find_number(const char *text, const char *key, int64_t min, int64_t max, int64_t *ret)
{
	char value[24];

	return find_value(text, key, value, sizeof(value)) && !rwk_parse_i64(value, min, max, ret);
}

static int parse_head(struct rwk_archive_reader *r, const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	const uint16_t one = 1;
	const char *order = *(const unsigned char *)&one ? "little" : "big";
	int64_t version, long_size;
	char value[16];

	if (!find_number(text, "version", 1, INT32_MAX, &version))
		return rwk_archive_refuse(r, RWK_ARCHIVE_FIRST, "malformed");
	if (version != RWK_ARCHIVE_VERSION)
		return rwk_diag_push(r->diag, -ENOTSUP,
			"cannot read archive: file=%s version=%" PRId64
			" why=a newer rewake has written it",
			r->path, version);
	if (!find_value(text, "byte_order", value, sizeof(value)) ||
		!find_number(text, "long", 1, 64, &long_size) ||
		!find_number(text, "page_size", 1024, MAX_PAGE, &r->page_size) ||
		!find_value(text, "clock", r->clock, sizeof(r->clock)) || !r->clock[0] ||
		strspn(r->clock, letters) != strlen(r->clock))
		return rwk_archive_refuse(r, RWK_ARCHIVE_FIRST, "malformed");
	if (strcmp(value, order) || long_size != (int64_t)sizeof(long))
		return rwk_diag_push(r->diag, -ENOTSUP,
			"cannot read archive: file=%s why=of a machine with another byte order or "
			"word size; import it on one like that",
			r->path);
	return 0;
}

int rwk_archive_read_head(struct rwk_archive_reader *r)
{
	size_t len;
	int err;
	char *text = read_text(r, RWK_ARCHIVE_FIRST, MAX_HEAD, &len, &err);

	if (!text)
		return err ? err : rwk_archive_refuse(r, RWK_ARCHIVE_FIRST, "it ends there");
	err = parse_head(r, text);
	free(text);
	return err;
}

/* "cpu12/0000000003": 0, or -EINVAL. */
static int parse_chunk(const char *name, int *ret_cpu, int64_t *ret_nth)
{
	char cpu[8];
	int64_t n;
	size_t len;

	if (strncmp(name, "cpu", 3))
		return -EINVAL;
	len = strspn(name + 3, "0123456789");
	if (!len || len >= sizeof(cpu) || name[3 + len] != '/')
		return -EINVAL;
	memcpy(cpu, name + 3, len);
	cpu[len] = '\0';
	if (rwk_parse_i64(cpu, 0, RWK_MAX_CPUS - 1, &n))
		return -EINVAL;
	*ret_cpu = (int)n;
	name += 3 + len + 1;
	/* Leading zeros are part of the name, so that listings are in order. */
	if (strlen(name) < 10 || strspn(name, "0123456789") != strlen(name))
		return -EINVAL;
	while (name[0] == '0' && name[1])
		name++;
	return rwk_parse_i64(name, 0, INT64_MAX - 1, ret_nth);
}

/* Only whole pages: what a cut leaves of one is of no use. */
static int read_chunk(struct rwk_archive_reader *r, const char *name, int cpu, int64_t nth)
{
	int64_t got = 0, keep;
	char file[32];
	int fd, err = 0;

	if (nth != r->nr_chunks[cpu])
		return rwk_archive_refuse(r, name,
			nth < r->nr_chunks[cpu] ? "it is there twice"
						: "pages before it are missing");
	snprintf(file, sizeof(file), "cpu%d", cpu);
	fd = openat(r->out->work.fd, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return write_failed(r, -errno);
	while (!err) {
		ssize_t n = read_some(r, r->block, sizeof(r->block));

		if (n <= 0)
			break;
		got += n;
		err = got > MAX_CHUNK ? rwk_archive_refuse(r, name, "it is too large")
				      : write_all(r, fd, r->block, (size_t)n);
	}
	keep = got - got % r->page_size;
	if (!err && keep != got) {
		if (!r->out->cut)
			err = rwk_archive_refuse(r, name, "no whole number of pages");
		else if (ftruncate(fd, (off_t)(r->bytes[cpu] + keep)))
			err = write_failed(r, -errno);
	}
	if (close(fd) && !err)
		err = write_failed(r, -errno);
	r->bytes[cpu] += keep;
	r->nr_chunks[cpu]++;
	return err;
}

/* "events/SYSTEM/NAME/format" and the few others, below the folder of the view. */
static bool is_view_name(const char *name)
{
	static const char *const others[] = {"events/header_page", "events/header_event",
		"printk_formats", "trace_clock", "saved_cmdlines"};
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	const char *p = name;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(name, others[i]))
			return true;
	}
	if (strncmp(p, "events/", 7))
		return false;
	p += 7;
	for (int part = 0; part < 2; part++) {
		size_t len = strspn(p, letters);

		if (!len || len > 100 || p[len] != '/')
			return false;
		p += len + 1;
	}
	return !strcmp(p, "format");
}

static int read_view(struct rwk_archive_reader *r, const char *name)
{
	struct rwk_view_sink sink = rwk_assemble_view(&r->out->work.fd);
	size_t len;
	char *text;
	int err;

	if (++r->nr_formats > MAX_FORMATS)
		return rwk_archive_refuse(r, name, "there are too many formats");
	text = read_text(r, name, RWK_VIEW_MAX_FILE, &len, &err);
	if (text)
		err = sink.put(sink.ctx, name + strlen(RWK_ARCHIVE_VIEW), text, len, r->diag);
	free(text);
	return err;
}

static int read_sidecar(struct rwk_archive_reader *r, const char *name)
{
	size_t len;
	int err;
	char *text;

	if (r->out->sidecar && !strcmp(name, RWK_ARCHIVE_START))
		return rwk_archive_refuse(r, name, "it comes after the end");
	text = read_text(r, name, MAX_SIDECAR, &len, &err);

	/* Half a sidecar is none: the one from the start stays. */
	if (text)
		err = save_file(r, "out.machine.json", text, len);
	if (text && !err && !r->out->sidecar &&
		asprintf(&r->out->sidecar, "%s/out.machine.json", r->out->work.path) < 0) {
		r->out->sidecar = NULL;
		err = -ENOMEM;
	}
	free(text);
	return err;
}

static int read_totals(struct rwk_archive_reader *r)
{
	size_t len;
	int err;

	r->totals = read_text(r, RWK_ARCHIVE_COMPLETE, 64 * RWK_MAX_CPUS, &len, &err);
	r->complete = r->totals != NULL;
	return err;
}

/* Notes that there is a member of that name; -EBADMSG for the second. */
static int note_name(struct rwk_archive_reader *r, const char *name)
{
	size_t len = strlen(name) + 1;
	char *more;

	for (size_t i = 0; i < r->names_len; i += strlen(r->names + i) + 1) {
		if (!strcmp(r->names + i, name))
			return rwk_archive_refuse(r, name, "it is there twice");
	}
	more = realloc(r->names, r->names_len + len);
	if (!more)
		return rwk_diag_push(r->diag, -ENOMEM, "cannot unpack %s: why=no memory", r->path);
	memcpy(more + r->names_len, name, len);
	r->names = more;
	r->names_len += len;
	return 0;
}

static bool is_outside(const char *name)
{
	for (const char *p = name; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (!strncmp(p, "..", 2) && (p[2] == '/' || !p[2]))
			return true;
	}
	return name[0] == '/' || !name[0];
}

int rwk_archive_read_member(struct rwk_archive_reader *r, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);
	int64_t nth;
	int cpu, err;

	if (!name || is_outside(name))
		return rwk_archive_refuse(r, name ? name : "?", "a name that leads outside");
	if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
		archive_entry_symlink(entry))
		return rwk_archive_refuse(r, name, "no plain file");
	if (r->complete)
		return rwk_archive_refuse(r, name, "it comes after the end");
	if (!parse_chunk(name, &cpu, &nth))
		return read_chunk(r, name, cpu, nth);
	if (!strncmp(name, RWK_ARCHIVE_VIEW, strlen(RWK_ARCHIVE_VIEW)) &&
		is_view_name(name + strlen(RWK_ARCHIVE_VIEW))) {
		err = note_name(r, name);
		return err ? err : read_view(r, name);
	}
	if (!strcmp(name, RWK_ARCHIVE_START) || !strcmp(name, RWK_ARCHIVE_SIDECAR)) {
		err = note_name(r, name);
		return err ? err : read_sidecar(r, name);
	}
	if (!strcmp(name, RWK_ARCHIVE_COMPLETE)) {
		err = note_name(r, name);
		return err ? err : read_totals(r);
	}
	/* Of a recorder that writes more than this one: what is known is still right. */
	r->nr_ignored++;
	return 0;
}
