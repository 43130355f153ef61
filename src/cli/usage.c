/* Help texts: wrapped and aligned. */
#include "cli/usage.h"

#include <stdbool.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/options.h"

#define WIDTH      80
#define HELP_AT    24 /* column of the options' help */
#define MAX_LISTED 20
#define MAX_CHOICE 10 /* wider names of choices push their help to the right */

/* Characters of UTF-8 text. */
static int width(const char *text, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		n += (text[i] & 0xc0) != 0x80;
	return n;
}

/* Bytes up to where a line may break: no [OPTION VALUE] is torn. */
static size_t word_len(const char *text)
{
	size_t len = 0;
	int depth = 0;

	while (text[len] && text[len] != '\n' && (text[len] != ' ' || depth > 0)) {
		depth += (text[len] == '[') - (text[len] == ']');
		len++;
	}
	return len;
}

static void put_line_start(FILE *out, int indent)
{
	fprintf(out, "\n%*s", indent, "");
}

/* Writes text from column at on, further lines at indent; ends the last one. */
static void put_wrapped(FILE *out, const char *text, int at, int indent)
{
	bool first = true;

	while (*text) {
		size_t len = word_len(text);
		int wide = width(text, len);

		if (!first && at + 1 + wide > WIDTH) {
			put_line_start(out, indent);
			at = indent;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
		at += wide + !first;
		first = false;
		text += len;
		if (*text == '\n') {
			put_line_start(out, indent);
			at = indent;
			first = true;
		}
		text += *text != '\0';
	}
	fputc('\n', out);
}

/* Pads from column at to column to, on a line of its own if there is no room. */
static void put_gap(FILE *out, int at, int to)
{
	if (at + 2 > to)
		put_line_start(out, to);
	else
		fprintf(out, "%*s", to - at, "");
}

static void put_choice(FILE *out, const struct rwk_choice *c, int indent, int wide)
{
	int w = width(c->name, strlen(c->name));
	int at = indent + (w > wide ? w : wide) + 2;

	fprintf(out, "%*s%s%*s", indent, "", c->name, w > wide ? 2 : wide - w + 2, "");
	put_wrapped(out, c->help, at, indent + wide + 2);
}

static int wider(int wide, const struct rwk_choice *c, int max)
{
	int w = width(c->name, strlen(c->name));

	return w > wide && w <= max ? w : wide;
}

static void put_choices(FILE *out, const struct rwk_choice *choices)
{
	int wide = 0;

	for (const struct rwk_choice *c = choices; c->name; c++)
		wide = wider(wide, c, MAX_CHOICE);
	for (const struct rwk_choice *c = choices; c->name; c++)
		put_choice(out, c, HELP_AT + 2, wide);
}

static void put_list(FILE *out, const struct rwk_verb *verb)
{
	struct rwk_choice c;
	int wide = 0;

	fprintf(out, "%s\n", verb->list_title);
	for (size_t i = 0; verb->list(i, &c); i++)
		wide = wider(wide, &c, MAX_LISTED);
	for (size_t i = 0; verb->list(i, &c); i++)
		put_choice(out, &c, 2, wide);
}

static void put_option(FILE *out, const struct rwk_option *option)
{
	int at = 6 + 2 + width(option->name, strlen(option->name));

	if (option->letter)
		fprintf(out, "  -%c, --%s", option->letter, option->name);
	else
		fprintf(out, "      --%s", option->name);
	if (option->arg) {
		fprintf(out, "=%s", option->arg);
		at += 1 + width(option->arg, strlen(option->arg));
	}
	put_gap(out, at, HELP_AT);
	put_wrapped(out, option->help, HELP_AT, HELP_AT);
	if (option->choices)
		put_choices(out, option->choices);
}

static void put_synopsis(FILE *out, const char *before, const struct rwk_verb *verb, int i)
{
	int at = fprintf(out, "%srewake %s", before, verb->name);

	if (*verb->synopsis[i])
		fputc(' ', out);
	put_wrapped(out, verb->synopsis[i], at + 1, at + 1);
}

const char *rwk_verb_exits(const struct rwk_verb *verb)
{
	return verb->exits ? verb->exits : "0 fine, 1 failed, 2 misused";
}

void rwk_verb_usage(const struct rwk_verb *verb, FILE *out)
{
	for (int i = 0; verb->synopsis[i]; i++)
		put_synopsis(out, i ? "       " : "usage: ", verb, i);
	put_wrapped(out, verb->about, 0, 0);
	for (const struct rwk_option *option = verb->options; option && option->name; option++)
		put_option(out, option);
	put_option(out, &rwk_option_help);
	if (verb->closing)
		put_wrapped(out, verb->closing, 0, 0);
	if (verb->list_title)
		put_list(out, verb);
	fputs("exit: ", out);
	put_wrapped(out, rwk_verb_exits(verb), 6, 6);
}

int rwk_verb_misused(const struct rwk_verb *verb)
{
	rwk_verb_usage(verb, stderr);
	return RWK_EXIT_MISUSED;
}

void rwk_verbs_usage(FILE *out)
{
	fputs("rewake: where did the kernel put each woken task, why there, and where would\n"
	      "another placement policy have put it?\n\n",
		out);
	for (const struct rwk_verb *const *v = rwk_verbs; *v; v++) {
		for (int i = 0; (*v)->synopsis[i]; i++)
			put_synopsis(out, "  ", *v, i);
		fprintf(out, "      %s\n", (*v)->summary);
	}
	fputs("\nrewake VERB --help says more.\n", out);
}
