/* A verb's table: what getopt makes of it, and how it is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/exit.h"
#include "cli/options.h"
#include "cli/usage.h"

static const struct rwk_choice colours[] = {
	{"red", "as roses are"},
	{"ultramarine", "as violets are, when the light of the late afternoon falls on them"},
	{0},
};

/* 'l' is the letter of one option and the id of another one. */
static const struct rwk_option options[] = {
	{'o', "output", "FILE", "where to"},
	{'l', "long", NULL, "a letter that is another one's id", 'L'},
	{0, "level", "N", "no letter", 'l'},
	{0, "colour", "COLOUR-OF-THE-FLOWER", "one of:", 'c', colours},
	{0},
};

static struct rwk_verb verb = {
	.name = "paint",
	.summary = "paints",
	.synopsis = (const char *const[]){"[-o FILE] [--colour COLOUR] [--level N] "
					  "[--another OPTION] [-- CMD [ARG…]]",
		"--list", NULL},
	.about = "First line.\nSecond line.",
	.options = options,
};

const struct rwk_verb *const rwk_verbs[] = {&verb, NULL};

/* Reads the words; writes id, value and what is left as text. */
static void expect(bool command_follows, const char *const *words, const char *want)
{
	struct rwk_options opts;
	char *argv[16], got[256] = "";
	int c, argc = 0;

	while (words[argc]) {
		argv[argc] = strdup(words[argc]);
		assert_non_null(argv[argc]);
		argc++;
	}
	argv[argc] = NULL;
	verb.command_follows = command_follows;
	rwk_options_begin(&opts, &verb, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%c=%s ", c,
			optarg ? optarg : "");
	snprintf(got + strlen(got), sizeof(got) - strlen(got), "|");
	for (int i = optind; i < argc; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %s", argv[i]);
	assert_string_equal(got, want);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
}

static void test_ids(void **state)
{
	(void)state;
	expect(false, (const char *const[]){"paint", "-ox", "-l", "--long", "--level=3", NULL},
		"o=x L= L= l=3 |");
	expect(false, (const char *const[]){"paint", "--col", "red", "-h", "--help", NULL},
		"c=red h= h= |");
}

static void test_where_options_end(void **state)
{
	(void)state;
	expect(false, (const char *const[]){"paint", "a", "-l", "b", NULL}, "L= | a b");
	expect(true, (const char *const[]){"paint", "-l", "a", "-l", "b", NULL}, "L= | a -l b");
	expect(true, (const char *const[]){"paint", "--", "-l", NULL}, "| -l");
}

static void test_refused(void **state)
{
	(void)state;
	expect(false, (const char *const[]){"paint", "-x", NULL}, "?= |");
	expect(false, (const char *const[]){"paint", "--level", NULL}, "?= |");
	expect(false, (const char *const[]){"paint", "--long=3", NULL}, "?= |");
}

static void test_shown(void **state)
{
	static const char want[] =
		"usage: rewake paint [-o FILE] [--colour COLOUR] [--level N] [--another OPTION]\n"
		"                    [-- CMD [ARG…]]\n"
		"       rewake paint --list\n"
		"First line.\n"
		"Second line.\n"
		"  -o, --output=FILE     where to\n"
		"  -l, --long            a letter that is another one's id\n"
		"      --level=N         no letter\n"
		"      --colour=COLOUR-OF-THE-FLOWER\n"
		"                        one of:\n"
		"                          red  as roses are\n"
		"                          ultramarine  as violets are, when the light of the\n"
		"                               late afternoon falls on them\n"
		"  -h, --help            show this\n"
		"exit: 0 fine, 1 failed, 2 misused\n";
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	(void)state;
	assert_non_null(out);
	rwk_verb_usage(&verb, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(got, want);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_where_options_end),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
