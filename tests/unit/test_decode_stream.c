/* Input from a pipe, and packed: the same events as from the file itself. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "decode_run.h"
#include "perf_build.h"

enum packing { PLAIN, GZIP, ZSTD, XZ, ZIP, ATRACE, GZIP_TWICE, XZ_TWICE, ZIP_STORED, ATRACE_SHELL };

static void gzip_to(struct tb_bytes *ret, const void *data, size_t size)
{
	unsigned char out[4096];
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)data, .avail_in = (uInt)size};
	int err;

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		err = deflate(&z, Z_FINISH);
		tb_put(ret, out, sizeof(out) - z.avail_out);
	} while (err == Z_OK);
	assert_int_equal(err, Z_STREAM_END);
	deflateEnd(&z);
}

/* preset: of xz(1); a larger dictionary than that has, unless 0. */
static void xz_to(
	struct tb_bytes *ret, const void *data, size_t size, uint32_t preset, uint32_t dictionary)
{
	size_t room = lzma_stream_buffer_bound(size), n = 0;
	unsigned char *packed = malloc(room);
	lzma_options_lzma options;
	lzma_filter filters[] = {
		{.id = LZMA_FILTER_LZMA2, .options = &options}, {.id = LZMA_VLI_UNKNOWN}};

	assert_non_null(packed);
	assert_false(lzma_lzma_preset(&options, preset));
	if (dictionary)
		options.dict_size = dictionary;
	assert_int_equal(lzma_stream_buffer_encode(
				 filters, LZMA_CHECK_CRC32, NULL, data, size, packed, &n, room),
		LZMA_OK);
	tb_put(ret, packed, n);
	free(packed);
}

/* A zip of folders, empty files and so many files of this content. */
static void zip_to(
	struct tb_bytes *ret, const void *data, size_t size, const char *compression, int nr)
{
	size_t room = size * (size_t)nr + 4096, n = 0;
	char *packed = malloc(room);
	struct archive *a = archive_write_new();

	assert_non_null(packed);
	assert_int_equal(archive_write_set_format_zip(a), ARCHIVE_OK);
	assert_int_equal(archive_write_set_options(a, compression), ARCHIVE_OK);
	assert_int_equal(archive_write_open_memory(a, packed, room, &n), ARCHIVE_OK);
	for (int i = -2; i < nr; i++) {
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, i == -2   ? "folder/"
					      : i == -1 ? "note"
							: "trace.html");
		archive_entry_set_filetype(e, i == -2 ? AE_IFDIR : AE_IFREG);
		archive_entry_set_size(e, i < 0 ? 0 : (int64_t)size);
		archive_entry_set_perm(e, 0644);
		assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
		if (i >= 0)
			assert_int_equal(archive_write_data(a, data, size), size);
		archive_entry_free(e);
	}
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
	tb_put(ret, packed, n);
	free(packed);
}

/* What atrace -z prints; shell: with a terminal in between, which ends lines in CR LF. */
static void atrace_to(struct tb_bytes *ret, const void *data, size_t size, bool shell)
{
	uLongf room = compressBound(size);
	unsigned char *packed = malloc(room);

	assert_non_null(packed);
	assert_int_equal(compress(packed, &room, data, size), Z_OK);
	tb_put(ret, "capturing trace... done", 23);
	tb_put(ret, shell ? "\r\nTRACE:\r\n" : "\nTRACE:\n", shell ? 10 : 8);
	for (size_t i = 0; i < room; i++) {
		if (packed[i] == '\n' && shell)
			tb_put(ret, "\r", 1);
		tb_put(ret, &packed[i], 1);
	}
	free(packed);
}

static void pack(enum packing how, const void *data, size_t size, struct tb_bytes *ret)
{
	size_t room = ZSTD_compressBound(size);
	void *packed;

	*ret = (struct tb_bytes){0};
	switch (how) {
	case PLAIN:
		tb_put(ret, data, size);
		break;
	case GZIP:
		gzip_to(ret, data, size);
		break;
	case GZIP_TWICE:
		gzip_to(ret, data, size / 2);
		gzip_to(ret, (const char *)data + size / 2, size - size / 2);
		tb_zeros(ret, 100); /* some tape drives leave such */
		break;
	case XZ:
		xz_to(ret, data, size, 6, 0);
		break;
	case XZ_TWICE:
		xz_to(ret, data, size / 2, 0, 0);
		tb_zeros(ret, 8);
		xz_to(ret, (const char *)data + size / 2, size - size / 2, 9, 0);
		tb_zeros(ret, 4);
		break;
	case ZIP:
		zip_to(ret, data, size, "zip:compression=deflate", 1);
		break;
	case ZIP_STORED:
		zip_to(ret, data, size, "zip:compression=store", 1);
		break;
	case ATRACE:
	case ATRACE_SHELL:
		atrace_to(ret, data, size, how == ATRACE_SHELL);
		break;
	case ZSTD:
		packed = malloc(room);
		assert_non_null(packed);
		tb_put(ret, packed, ZSTD_compress(packed, room, data, size, 3));
		free(packed);
		break;
	}
}

/* Decodes from the standard input, into which a child writes. */
static void run_pipe(struct decode_run *r, const void *data, size_t size)
{
	int fds[2], input = dup(STDIN_FILENO), status;
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(fds[0]);
		for (ssize_t n = 0; size; data = (const char *)data + n, size -= (size_t)n) {
			n = write(fds[1], data, size);
			if (n < 0)
				_exit(0); /* SIGPIPE or so: nobody reads on */
		}
		_exit(0);
	}
	close(fds[1]);
	assert_true(dup2(fds[0], STDIN_FILENO) >= 0);
	close(fds[0]);
	decode_run(r, "-");
	/* The child ends when nobody can read any more. */
	assert_true(input >= 0 ? dup2(input, STDIN_FILENO) >= 0 : !close(STDIN_FILENO));
	if (input >= 0)
		close(input);
	assert_true(waitpid(child, &status, 0) == child);
}

static void assert_same(const struct decode_run *a, const struct decode_run *b)
{
	assert_int_equal(b->open_err, 0);
	assert_int_equal(b->next_err, 0);
	assert_int_equal(a->nr, b->nr);
	assert_true(a->nr > 0);
	assert_string_equal(a->info.format, b->info.format);
	assert_int_equal(a->info.truncated, b->info.truncated);
	assert_int_equal(a->info.nr_cpus, b->info.nr_cpus);
	for (size_t i = 0; i < a->nr; i++) {
		assert_int_equal(a->event[i].ts, b->event[i].ts);
		assert_int_equal(a->event[i].cpu, b->event[i].cpu);
		assert_int_equal(a->event[i].kind, b->event[i].kind);
		assert_int_equal(a->event[i].offset, b->event[i].offset);
	}
	for (int i = 0; i < RWK_AN_COUNT; i++)
		assert_int_equal(a->info.anomalies.of[i].count, b->info.anomalies.of[i].count);
}

static void compare(const void *data, size_t size)
{
	struct decode_run plain, other;
	struct tb_bytes packed;
	struct tb_file f;

	tb_file_init(&f);
	tb_file_set(&f, data, size);
	decode_run(&plain, f.path);
	assert_int_equal(plain.open_err, 0);
	for (int how = PLAIN; how <= ATRACE_SHELL; how++) {
		pack((enum packing)how, data, size, &packed);
		tb_file_set(&f, packed.data, packed.len);
		decode_run(&other, f.path);
		assert_same(&plain, &other);
		decode_run_finish(&other);
		run_pipe(&other, packed.data, packed.len);
		assert_same(&plain, &other);
		decode_run_finish(&other);
		free(packed.data);
	}
	decode_run_finish(&plain);
	tb_file_finish(&f);
}

static char *make_text(int nr)
{
	char *text = malloc((size_t)nr * 100 + 100), *p = text;

	if (!text)
		abort();
	p += sprintf(p, "# tracer: nop\n");
	for (int i = 0; i < nr; i++)
		p += sprintf(p,
			"a-5 [%03d] %d.%06d: sched_waking: comm=x pid=%d prio=120 target_cpu=0\n",
			i % 3, 1 + i / 1000000, i % 1000000, i + 1);
	return text;
}

static void text(void **state)
{
	char *t = make_text(20000);

	(void)state;
	compare(t, strlen(t));
	free(t);
}

static void make_perf(struct tb_bytes *ret, bool is_stream)
{
	struct pb_perf p;

	pb_init(&p, false);
	p.pipe = is_stream;
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 60; i++)
			pb_switch(&p, i % 3, 1000000000 + (uint64_t)round * 1000 + (uint64_t)i,
				1 + i, 1, 0);
		pb_round(&p);
	}
	pb_build(&p, ret);
	pb_finish(&p);
}

/* What perf writes into a pipe is read from one; the other kind goes through a file. */
static void perf_data(void **state)
{
	struct tb_bytes bytes;

	(void)state;
	for (int is_stream = 0; is_stream < 2; is_stream++) {
		make_perf(&bytes, is_stream);
		compare(bytes.data, bytes.len);
		free(bytes.data);
	}
}

static void make_tracedat(struct tb_bytes *ret)
{
	struct tb_trace t;

	tb_init(&t);
	t.compression = TB_ZSTD;
	for (int i = 0; i < 2000; i++)
		tb_put_task(&t, i % 2, 1000000 + (uint64_t)i * 10, &tb_waking, 5, i + 1, 1);
	tb_build(&t, ret);
	tb_finish(&t);
}

static void trace_dat(void **state)
{
	struct tb_bytes bytes;

	(void)state;
	make_tracedat(&bytes);
	compare(bytes.data, bytes.len);
	free(bytes.data);
}

static void no_room_to_spool(void **state)
{
	const char *before = getenv("TMPDIR");
	char *saved = before ? strdup(before) : NULL;
	struct tb_bytes bytes;
	struct decode_run r;

	(void)state;
	make_tracedat(&bytes);
	setenv("TMPDIR", "/nonexistent", 1);
	run_pipe(&r, bytes.data, bytes.len);
	assert_int_equal(r.open_err, -ENOENT);
	assert_non_null(strstr(r.text, "folder=/nonexistent"));
	assert_non_null(strstr(r.text, "standard input"));
	if (saved)
		setenv("TMPDIR", saved, 1);
	else
		unsetenv("TMPDIR");
	decode_run_finish(&r);
	free(saved);
	free(bytes.data);
}

/* What would fill the disk with next to nothing is refused, and leaves nothing. */
static void burst(void **state)
{
	struct tb_bytes bytes, packed = {0};
	struct decode_run r;
	struct tb_file f;

	(void)state;
	make_tracedat(&bytes);
	tb_zeros(&bytes, 72 << 20);
	gzip_to(&packed, bytes.data, bytes.len);
	assert_true(packed.len < bytes.len / 200);
	tb_file_init(&f);
	tb_file_set(&f, packed.data, packed.len);
	decode_run(&r, f.path);
	assert_int_equal(r.open_err, -EFBIG);
	assert_non_null(strstr(r.text, f.path));
	assert_non_null(strstr(r.text, "far more than a trace of its size"));
	decode_run_finish(&r);
	tb_file_finish(&f);
	free(packed.data);
	free(bytes.data);
}

/* Neither xz nor zip gets around that. */
static void other_bursts(void **state)
{
	struct tb_bytes bytes;
	struct decode_run r;
	struct tb_file f;

	(void)state;
	make_tracedat(&bytes);
	tb_zeros(&bytes, 72 << 20);
	tb_file_init(&f);
	for (int i = 0; i < 2; i++) {
		struct tb_bytes packed = {0};

		if (i)
			zip_to(&packed, bytes.data, bytes.len, "zip:compression=deflate", 1);
		else
			xz_to(&packed, bytes.data, bytes.len, 0, 0);
		assert_true(packed.len < bytes.len / 200);
		tb_file_set(&f, packed.data, packed.len);
		decode_run(&r, f.path);
		assert_int_equal(r.open_err, -EFBIG);
		assert_non_null(strstr(r.text, "far more than a trace of its size"));
		decode_run_finish(&r);
		free(packed.data);
	}
	tb_file_finish(&f);
	free(bytes.data);
}

/* What is packed, but not so that it is read, is told with the reason. */
static void not_unpacked(void **state)
{
	static const char *const words[] = {"more memory than is allowed", "several files",
		"holds no file", "in a way that is not read", "zip without a file"};
	char *t = make_text(5000);
	struct decode_run r;
	struct tb_file f;

	(void)state;
	tb_file_init(&f);
	for (int i = 0; i < 5; i++) {
		struct tb_bytes packed = {0};

		switch (i) {
		case 0:
			xz_to(&packed, t, strlen(t), 6, 512 << 20);
			break;
		case 1:
			zip_to(&packed, t, strlen(t), "zip:compression=deflate", 2);
			break;
		case 2:
			zip_to(&packed, t, strlen(t), "zip:compression=deflate", 0);
			break;
		case 3:
			/* Says of what it has stored that it is LZMA. */
			zip_to(&packed, t, strlen(t), "zip:compression=store", 1);
			for (size_t at = 0; at + 10 < packed.len; at++) {
				if (!memcmp(packed.data + at, "PK\3\4", 4))
					packed.data[at + 8] = 14;
			}
			break;
		case 4:
			tb_put(&packed, "PK\5\6", 4);
			tb_zeros(&packed, 18);
			break;
		}
		tb_file_set(&f, packed.data, packed.len);
		decode_run(&r, f.path);
		/* A text is read until the second file shows. */
		assert_true(r.open_err == -ENOTSUP || (i == 1 && r.next_err == -ENOTSUP));
		if (!strstr(r.text, words[i]) || !strstr(r.text, "file="))
			fail_msg("%s", r.text);
		decode_run_finish(&r);
		free(packed.data);
	}
	tb_file_finish(&f);
	free(t);
}

/* More in front of the first event than is kept in memory: through a file after all. */
static void far_page(void **state)
{
	size_t far = (17 << 20) + 5, n;
	char *page = malloc(far + 1000);
	struct decode_run r;

	(void)state;
	assert_non_null(page);
	n = (size_t)sprintf(page, "<html>\n");
	for (size_t i = 0; i < far; i++)
		page[n + i] = i % 1000 ? 'x' : '\n';
	page[n + far - 1] = '\n';
	strcpy(page + n + far,
		"<script class=\"trace-data\" type=\"application/text\">\n"
		"a-5 [001] 1.000000: sched_waking: comm=x pid=7 prio=120 target_cpu=0\n"
		"</script>\n");
	run_pipe(&r, page, strlen(page));
	assert_int_equal(r.open_err, 0);
	assert_int_equal(r.nr, 1);
	decode_run_finish(&r);
	free(page);
}

/* X1.  Packed text cut anywhere: what is in front of the cut, and a word of it. */
static void cut(void **state)
{
	char *t = make_text(2000);
	struct decode_run r;
	struct tb_bytes packed;
	struct tb_file f;

	(void)state;
	tb_file_init(&f);
	for (int how = GZIP; how <= ATRACE; how++) {
		size_t last = 0;

		pack((enum packing)how, t, strlen(t), &packed);
		for (size_t n = 200; n < packed.len; n += packed.len / 40) {
			tb_file_set(&f, packed.data, n);
			decode_run(&r, f.path);
			/* So early that not even a line is out. */
			if (r.open_err) {
				assert_int_equal(r.open_err, -EBADMSG);
				assert_int_equal(last, 0);
				continue;
			}
			assert_int_equal(r.next_err, 0);
			/* Cut in the list of what is in the zip, behind all of that. */
			if (how == ZIP && r.nr == 2000) {
				decode_run_finish(&r);
				break;
			}
			assert_true(r.info.truncated);
			assert_int_equal(r.info.anomalies.of[RWK_AN_TRUNCATED].count, 1);
			assert_true(r.nr >= last && r.nr < 2000);
			last = r.nr;
			decode_run_finish(&r);
		}
		assert_true(last > 0 || how == ZSTD);
		/* Damage ends it as well. */
		memset(packed.data + packed.len / 2, 0xff, 40);
		tb_file_set(&f, packed.data, packed.len);
		decode_run(&r, f.path);
		assert_true(r.open_err == -EBADMSG || r.info.truncated);
		decode_run_finish(&r);
		free(packed.data);
	}
	tb_file_finish(&f);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(perf_data),
		cmocka_unit_test(trace_dat),
		cmocka_unit_test(no_room_to_spool),
		cmocka_unit_test(burst),
		cmocka_unit_test(other_bursts),
		cmocka_unit_test(not_unpacked),
		cmocka_unit_test(far_page),
		cmocka_unit_test(cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
