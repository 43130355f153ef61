/* rewake export RUN.db: a run in the formats of other programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "export/export.h"

/* Name of the option and of rwk_export_<name>(), and help: all that a format has here. */
#define FORMATS(FORMAT)                                                                            \
	FORMAT(perfetto, "a trace for the Perfetto UI, with the answers of policies")              \
	FORMAT(dot, "the waker graph for Graphviz")                                                \
	FORMAT(graphml, "the waker graph as XML for Gephi, yEd, networkx …")                       \
	FORMAT(html, "one page for a browser, with every table and drawing")

#define FORMAT_ID(name, help)     FORMAT_##name,
#define FORMAT_OPTION(name, help) {0, #name, "FILE", help, OPT_FORMAT + FORMAT_##name},
#define FORMAT_ENTRY(name, help)  {#name, rwk_export_##name},

enum format { FORMATS(FORMAT_ID) NR_FORMATS };

enum { OPT_CSV = 256, OPT_RUN, OPT_NO_FOLD, OPT_MIN_COUNT, OPT_TOP, OPT_FORMAT };

static const struct rwk_option options[] = {
	FORMATS(FORMAT_OPTION) /* then those that are no file */
	{0, "csv", "DIR",
		"every view as a CSV file in the folder DIR: a new or empty one, or of an "
		"earlier export",
		OPT_CSV},
	{0, "run", "N", "run of the file; default: the first, of --csv and --html all", OPT_RUN},
	{0, "no-fold", NULL,
		"graph: a node per task and per CPU's interrupts, not per name and "
		"kind",
		OPT_NO_FOLD},
	{0, "min-count", "N", "graph: without pairs of fewer wakings than N", OPT_MIN_COUNT},
	{0, "top", "N", "graph: the N pairs of most wakings only", OPT_TOP},
	{0},
};

static const struct {
	const char *name;
	rwk_export_fn *write;
} formats[] = {FORMATS(FORMAT_ENTRY)};

struct request {
	const char *database;
	const char *path[NR_FORMATS]; /* NULL: not asked for */
	const char *csv; /* a folder; NULL: not asked for */
	struct rwk_export_options opt;
};

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool is_fine(const struct request *req)
{
	int nr = req->csv != NULL, nr_stdout = 0;

	for (int i = 0; i < NR_FORMATS; i++) {
		if (!req->path[i])
			continue;
		nr++;
		nr_stdout += !strcmp(req->path[i], "-");
		if (is_same_file(req->path[i], req->database)) {
			rwk_msg_error(NULL, "--%s=%s: that is the run itself", formats[i].name,
				req->path[i]);
			return false;
		}
	}
	if (nr_stdout > 1)
		rwk_msg_error(NULL, "only one format can go to stdout");
	else if (!nr)
		rwk_msg_error(
			NULL, "what to export? name a format, such as --%s FILE", formats[0].name);
	return nr && nr_stdout <= 1;
}

static int write_file(struct rwk_store *store, rwk_export_fn *write, const char *path,
	const struct rwk_export_options *opt, struct rwk_diag *diag)
{
	struct rwk_output o;
	int err = rwk_output_open(&o, path, diag);

	if (err)
		return err;
	err = write(store, opt, o.file, diag);
	if (!err)
		return rwk_output_finish(&o, diag);
	rwk_output_abort(&o);
	return err;
}

static int run(const struct request *req)
{
	struct rwk_diag diag = {0};
	struct rwk_store *store;
	int err = rwk_store_open(req->database, false, &diag, &store), code = RWK_EXIT_FAILED;
	int64_t run_id;

	if (err) {
		rwk_msg_error(&diag, "cannot export");
		return code;
	}
	err = rwk_export_run(store, req->opt.run_id, &diag, &run_id);
	if (err) {
		rwk_msg_error(&diag, "cannot export");
		code = err == -ENOENT ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
	}
	for (int i = 0; !err && i < NR_FORMATS; i++) {
		if (!req->path[i])
			continue;
		err = write_file(store, formats[i].write, req->path[i], &req->opt, &diag);
		if (err)
			rwk_msg_error(&diag, "cannot export %s", formats[i].name);
	}
	if (!err && req->csv) {
		err = rwk_export_csv(store, &req->opt, req->csv, &diag);
		if (err)
			rwk_msg_error(&diag, "cannot export csv");
	}
	rwk_store_close(store);
	return err ? code : RWK_EXIT_OK;
}

static bool take_number(const char *option, const char *text, int64_t *ret)
{
	if (!rwk_parse_i64(text, 1, INT32_MAX, ret))
		return true;
	rwk_msg_error(NULL, "--%s=%s: a number from 1", option, text);
	return false;
}

/* -1: go on; else the exit code to leave with. */
static int parse(int argc, char **argv, struct request *req)
{
	struct rwk_options opts;
	bool fine = true;
	int c;

	rwk_options_begin(&opts, &rwk_verb_export, argc, argv);
	while (fine && (c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case OPT_CSV:
			req->csv = optarg;
			break;
		case OPT_RUN:
			fine = take_number("run", optarg, &req->opt.run_id);
			break;
		case OPT_NO_FOLD:
			req->opt.by_task = true;
			break;
		case OPT_MIN_COUNT:
			fine = take_number("min-count", optarg, &req->opt.min_count);
			break;
		case OPT_TOP:
			fine = take_number("top", optarg, &req->opt.top);
			break;
		default:
			if (c < OPT_FORMAT)
				return rwk_options_leave(&opts, c);
			req->path[c - OPT_FORMAT] = optarg;
		}
	}
	if (!fine)
		return RWK_EXIT_MISUSED;
	if (optind + 1 != argc)
		return rwk_verb_misused(&rwk_verb_export);
	req->database = argv[optind];
	return is_fine(req) ? -1 : RWK_EXIT_MISUSED;
}

static int run_export(int argc, char **argv)
{
	struct request req = {0};
	int leave = parse(argc, argv, &req);

	return leave >= 0 ? leave : run(&req);
}

const struct rwk_verb rwk_verb_export = {
	.name = "export",
	.summary = "a run in the formats of other programs",
	.synopsis = (const char *const[]){"[options] RUN.db", NULL},
	.about = "Writes a run in the formats of other programs; FILE - is stdout.",
	.options = options,
	.exits = "0 fine, 1 failed (then no FILE is left half-written), 2 misused",
	.run = run_export,
};
