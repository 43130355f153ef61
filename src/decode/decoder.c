/*
 * The list of formats and the choice among them, by what the first bytes of a
 * file are, never by its name.  Folders are looked through for CTF.
 */
#include "decode/decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/ctf_find.h"
#include "decode/ops.h"
#include "decode/shift.h"

#define BEHIND (8 << 20) /* bytes that are searched for another recording */
#define HEAD   (64 << 10) /* bytes that a probe gets to see */

static const struct rwk_decoder *const decoders[] = {
	&rwk_decoder_tracedat, &rwk_decoder_perf, &rwk_decoder_perfetto,
	&rwk_decoder_text, /* last: it takes what reads like text */
};

static const char part[] = "it is a part of a trace: give the folder that it is in";

/* What cannot be read by itself, by sight. */
static const struct {
	const char *magic;
	unsigned char size;
	const char *name, *why; /* why NULL: nor in any other way */
} foreign[] = {
	{"PERFFILE", 8, "perf.data version 1"},
	{"ELIFFREP", 8, "perf.data version 1"},
	{"PK\x05\x06", 4, "zip without a file"},
	{"BZh", 3, "bzip2 (unpack it first)"},
	{"\x75\xd1\x1d\x57", 4, "CTF metadata", part},
	{"\x57\x1d\xd1\x75", 4, "CTF metadata", part},
	{"/* CTF ", 7, "CTF metadata", part},
	{"\xc1\x1f\xfc\xc1", 4, "CTF stream", part},
	{"\xc1\xfc\x1f\xc1", 4, "CTF stream", part},
	{"\xc1\xf1\xdc\xc1", 4, "CTF index", part},
	{"\xc1\xdc\xf1\xc1", 4, "CTF index", part},
	{"\xff\xfe", 2, "UTF-16 text (make it UTF-8 first)"},
	{"\xfe\xff", 2, "UTF-16 text (make it UTF-8 first)"},
	{"{\"traceEvents\"", 14, "Chrome trace JSON"},
};

struct rwk_decode {
	struct rwk_decode_options options;
	char *buffer, *formats; /* owned; options' */
	struct rwk_file file;
	const struct rwk_decoder *ops;
	void *state;
	struct rwk_trace_info info;
	struct rwk_shift *shift; /* NULL: clocks are as they are */
};

static const char *foreign_name(const unsigned char *head, size_t size, const char **ret_why)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (size >= foreign[i].size && !memcmp(head, foreign[i].magic, foreign[i].size)) {
			*ret_why = foreign[i].why ? foreign[i].why : "not supported";
			return foreign[i].name;
		}
	}
	*ret_why = "not supported";
	if (size >= 262 && !memcmp(head + 257, "ustar", 5))
		return "tar (unpack it first)";
	return NULL;
}

void rwk_trace_info_clear(struct rwk_trace_info *info, const struct rwk_decode_options *options)
{
	free(info->cpu);
	for (size_t i = 0; i < info->nr_facts; i++) {
		free(info->fact[i].path);
		free(info->fact[i].content);
	}
	free(info->fact);
	rwk_processes_finish(&info->processes);
	rwk_trace_info_notes_free(info);
	*info = (struct rwk_trace_info){
		.options = options, .truncated_at = RWK_NONE, .truncated_cpu = RWK_NONE};
}

/* The format by the head; *ret_streams: it can be read forwards. */
static int choose(struct rwk_decode *dec, const unsigned char *head, size_t size, bool *ret_streams,
	struct rwk_diag *diag)
{
	const char *path = dec->file.path, *why, *name = foreign_name(head, size, &why);

	if (!size)
		return rwk_diag_push(
			diag, -EBADMSG, "cannot decode: file=%s why=the file is empty", path);
	if (name)
		return rwk_diag_push(
			diag, -ENOTSUP, "cannot decode: file=%s format=%s why=%s", path, name, why);
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]) && !dec->ops; i++) {
		if (decoders[i]->probe(head, size))
			dec->ops = decoders[i];
	}
	if (!dec->ops)
		return rwk_diag_push(diag, -EBADMSG,
			"cannot decode: file=%s why=not a trace in any format known "
			"tried=trace.dat, Perfetto, "
			"perf.data, text of the kernel, trace-cmd, perf script, systrace",
			path);
	*ret_streams = dec->ops->streams && dec->ops->streams(head, size);
	return 0;
}

void rwk_trace_info_notes_free(struct rwk_trace_info *info)
{
	for (size_t i = 0; i < info->nr_notes; i++) {
		free(info->note[i].path);
		free(info->note[i].content);
	}
	free(info->note);
	info->note = NULL;
	info->nr_notes = 0;
}

int rwk_trace_info_cpus(struct rwk_trace_info *info, int nr)
{
	info->cpu = calloc((size_t)nr + 1, sizeof(*info->cpu));
	if (!info->cpu)
		return -ENOMEM;
	for (int i = 0; i < nr; i++)
		info->cpu[i] = (struct rwk_trace_cpu){
			.entries = RWK_NONE,
			.overrun = RWK_NONE,
			.dropped = RWK_NONE,
			.first_ts = RWK_NS_NONE,
			.last_ts = RWK_NS_NONE,
		};
	return 0;
}

static int open_chosen(struct rwk_decode *dec, bool streams, struct rwk_diag *diag)
{
	int nr_causes = diag ? diag->nr : 0;
	int err = 0;

	if (dec->file.stream && !streams)
		err = rwk_file_spool(&dec->file, diag);
	if (!err)
		err = dec->ops->open(&dec->file, &dec->info, diag, &dec->state);
	if (err != -ESPIPE || !dec->file.stream)
		return err;
	/* More to look through than is kept in memory. */
	if (diag)
		diag->nr = nr_causes;
	rwk_trace_info_clear(&dec->info, &dec->options);
	err = rwk_file_spool(&dec->file, diag);
	return err ? err : dec->ops->open(&dec->file, &dec->info, diag, &dec->state);
}

/*
 * Two files that were joined look like the first alone, which ends where it says:
 * behind that, its own first bytes come again.
 */
static int look_behind(struct rwk_decode *dec, struct rwk_diag *diag)
{
	int64_t from = dec->ops->data_end ? dec->ops->data_end(dec->state) : INT64_MAX, size, n;
	unsigned char magic[8], *behind, *at;

	if (from < (int64_t)sizeof(magic) || from >= dec->file.size)
		return 0;
	n = rwk_file_read(&dec->file, 0, magic, sizeof(magic), diag);
	if (n < (int64_t)sizeof(magic))
		return n < 0 ? (int)n : 0;
	size = dec->file.size - from < BEHIND ? dec->file.size - from : BEHIND;
	behind = malloc((size_t)size);
	if (!behind)
		return -ENOMEM;
	n = rwk_file_read(&dec->file, from, behind, (size_t)size, diag);
	at = n > 0 ? memmem(behind, (size_t)n, magic, sizeof(magic)) : NULL;
	if (at)
		rwk_anomaly_add(&dec->info.anomalies, RWK_AN_ANOTHER_BEHIND, RWK_NS_NONE, RWK_NONE,
			from + (at - behind));
	free(behind);
	return n < 0 ? (int)n : 0;
}

static int take_options(struct rwk_decode *dec, const struct rwk_decode_options *options)
{
	dec->options = *options;
	dec->options.buffer = dec->buffer = options->buffer ? strdup(options->buffer) : NULL;
	dec->options.formats = dec->formats = options->formats ? strdup(options->formats) : NULL;
	return !options->buffer == !dec->buffer && !options->formats == !dec->formats ? 0 : -ENOMEM;
}

/* Options of one format that was not the file's. */
static int check_options(const struct rwk_decode *dec, struct rwk_diag *diag)
{
	const struct rwk_decode_options *o = &dec->options;

	if (o->buffer && dec->ops != &rwk_decoder_tracedat)
		return rwk_diag_push(diag, -EINVAL,
			"cannot decode: file=%s buffer=%s why=only a trace.dat has buffers",
			dec->file.path, o->buffer);
	if (o->formats && dec->ops != &rwk_decoder_perf)
		return rwk_diag_push(diag, -EINVAL,
			"cannot decode: file=%s formats=%s why=only a perf.data can be without its "
			"event formats",
			dec->file.path, o->formats);
	if (o->host_clock && dec->ops != &rwk_decoder_tracedat)
		return rwk_diag_push(diag, -EINVAL,
			"cannot decode: file=%s why=only a trace.dat of a guest knows its host's "
			"clock",
			dec->file.path);
	return 0;
}

/* A folder with CTF in or below it becomes the file: 1, 0 there is none, negative errno. */
static int open_ctf(struct rwk_decode *dec, const char *path, struct rwk_diag *diag)
{
	char *folder;
	int err = strcmp(path, "-") ? rwk_ctf_find(path, diag, &folder) : 0;

	if (err <= 0)
		return err;
	dec->ops = &rwk_decoder_ctf;
	dec->file = (struct rwk_file){.path = folder,
		.fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY),
		.folder = -1};
	if (dec->file.fd >= 0)
		return 1;
	return rwk_diag_push(
		diag, -errno, "cannot open trace: folder=%s why=%s", folder, strerror(errno));
}

int rwk_decode_open(const char *path, struct rwk_diag *diag, struct rwk_decode **ret)
{
	const struct rwk_decode_options none = {0};

	return rwk_decode_open_with(path, &none, diag, ret);
}

int rwk_decode_open_with(const char *path, const struct rwk_decode_options *options,
	struct rwk_diag *diag, struct rwk_decode **ret)
{
	struct rwk_decode *dec = calloc(1, sizeof(*dec));
	unsigned char *head = malloc(HEAD);
	bool streams = false;
	int64_t n = 0;
	int err = dec && head ? 0 : -ENOMEM;

	if (err)
		goto out;
	rwk_trace_info_clear(&dec->info, &dec->options);
	err = take_options(dec, options);
	if (!err)
		err = open_ctf(dec, path, diag);
	if (!err)
		err = rwk_file_open(path, diag, &dec->file);
	if (!err) {
		n = rwk_file_read(&dec->file, 0, head, HEAD, diag);
		err = n < 0 ? (int)n : choose(dec, head, (size_t)n, &streams, diag);
	}
	if (err > 0)
		err = 0;
	if (!err)
		err = check_options(dec, diag);
	if (!err)
		err = open_chosen(dec, streams, diag);
	if (!err && !dec->file.stream)
		err = look_behind(dec, diag);
	if (err)
		goto out;
	rwk_file_release(&dec->file);
	*ret = dec;
	dec = NULL;
out:
	free(head);
	rwk_decode_close(dec);
	return err;
}

struct rwk_trace_session rwk_decode_session(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct rwk_trace_session ret = {0};
	struct rwk_decode *dec = NULL;
	unsigned char head[16];
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		pread(fd, head, sizeof(head), 0) == sizeof(head) &&
		rwk_decoder_tracedat.probe(head, sizeof(head)) &&
		!rwk_decode_open(path, NULL, &dec))
		ret = dec->info.session;
	rwk_decode_close(dec);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* By the offset that was asked for. */
static int shift(const struct rwk_decode *dec, struct rwk_event *ev, struct rwk_diag *diag)
{
	rwk_ns offset = dec->options.ts_offset;

	if (__builtin_add_overflow(ev->ts, offset, &ev->ts) || ev->ts < 0)
		return rwk_diag_push(diag, -ERANGE,
			"cannot shift times: file=%s ts_offset=%lld why=it leads out of what times "
			"can be",
			dec->file.path, (long long)offset);
	if (ev->kind == RWK_EV_LOST && ev->lost.from_ts != RWK_NS_NONE &&
		(__builtin_add_overflow(ev->lost.from_ts, offset, &ev->lost.from_ts) ||
			ev->lost.from_ts < 0))
		ev->lost.from_ts = RWK_NS_NONE;
	return 1;
}

static int pull(void *ctx, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct rwk_decode *dec = ctx;

	return dec->ops->next(dec->state, ret, diag);
}

int rwk_decode_set_skew(struct rwk_decode *dec, const rwk_ns *skew_ns)
{
	struct rwk_shift *by_cpu;
	int err = rwk_shift_create(skew_ns, pull, dec, &by_cpu);

	if (err)
		return err;
	rwk_shift_destroy(dec->shift);
	dec->shift = by_cpu;
	return 0;
}

int rwk_decode_next(struct rwk_decode *dec, struct rwk_event *ret, struct rwk_diag *diag)
{
	int err = dec->shift ? rwk_shift_next(dec->shift, ret, diag)
			     : dec->ops->next(dec->state, ret, diag);

	if (err <= 0)
		return err;
	dec->info.nr_events[ret->kind]++;
	if (ret->kind == RWK_EV_LOST && ret->lost.count == RWK_NONE && ret->cpu < dec->info.nr_cpus)
		dec->info.cpu[ret->cpu].nr_unsized++;
	return dec->options.ts_offset ? shift(dec, ret, diag) : 1;
}

const struct rwk_trace_info *rwk_decode_info(const struct rwk_decode *dec)
{
	return &dec->info;
}

const char *rwk_decode_prev_state(const struct rwk_decode *dec)
{
	const struct rwk_prev_state *s =
		dec->ops->prev_state ? dec->ops->prev_state(dec->state) : NULL;

	return rwk_prev_state_coding_name(s ? s->coding : RWK_PREV_STATE_NONE);
}

int rwk_decode_permille(const struct rwk_decode *dec)
{
	return dec->ops->permille(dec->state);
}

void rwk_decode_close(struct rwk_decode *dec)
{
	if (!dec)
		return;
	if (dec->state)
		dec->ops->close(dec->state);
	rwk_shift_destroy(dec->shift);
	rwk_trace_info_clear(&dec->info, &dec->options);
	free(dec->buffer);
	free(dec->formats);
	rwk_file_close(&dec->file);
	free(dec);
}
