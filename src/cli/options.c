/* A verb's table of options as getopt_long wants it. */
#include "cli/options.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/usage.h"

const struct rwk_option rwk_option_help = {RWK_OPTION_HELP, "help", NULL, "show this"};

int rwk_option_id(const struct rwk_option *option)
{
	return option->id ? option->id : option->letter;
}

/* No name, letter or id twice: the switch could not tell them apart. */
static bool is_new(const struct rwk_options *o, int nr, const struct rwk_option *option)
{
	for (int i = 0; i < nr; i++) {
		const struct rwk_option *earlier = &o->verb->options[i];

		if (rwk_option_id(earlier) == rwk_option_id(option) ||
			!strcmp(earlier->name, option->name) ||
			(option->letter && earlier->letter == option->letter))
			return false;
	}
	return rwk_option_id(option) > 0 && rwk_option_id(option) != RWK_OPTION_HELP &&
	       option->letter != RWK_OPTION_HELP;
}

static void add(struct rwk_options *o, int at, char **shorts, const struct rwk_option *option)
{
	o->longs[at] = (struct option){option->name, option->arg ? required_argument : no_argument,
		NULL, rwk_option_id(option)};
	if (!option->letter)
		return;
	*(*shorts)++ = option->letter;
	if (option->arg)
		*(*shorts)++ = ':';
}

void rwk_options_begin(struct rwk_options *o, const struct rwk_verb *verb, int argc, char **argv)
{
	char *shorts = o->shorts;
	int nr = 0;

	*o = (struct rwk_options){.verb = verb, .argc = argc, .argv = argv};
	if (verb->command_follows)
		*shorts++ = '+';
	for (const struct rwk_option *option = verb->options; option && option->name; option++) {
		assert(nr < RWK_OPTIONS_MAX && is_new(o, nr, option));
		add(o, nr++, &shorts, option);
	}
	add(o, nr, &shorts, &rwk_option_help);
	optind = 0; /* starts anew, in glibc */
}

/* getopt returns letters for short options, ids for long ones. */
static int id_of(const struct rwk_verb *verb, int c)
{
	for (const struct rwk_option *option = verb->options; option && option->name; option++) {
		if (option->letter == c)
			return rwk_option_id(option);
	}
	return c;
}

int rwk_options_next(struct rwk_options *o)
{
	int at = -1;
	int c = getopt_long(o->argc, o->argv, o->shorts, o->longs, &at);

	return c == -1 || at >= 0 ? c : id_of(o->verb, c);
}

int rwk_options_leave(const struct rwk_options *o, int id)
{
	if (id != RWK_OPTION_HELP)
		return rwk_verb_misused(o->verb);
	rwk_verb_usage(o->verb, stdout);
	return RWK_EXIT_OK;
}
