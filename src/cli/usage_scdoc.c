/* A verb's table as parts of its manual page. */
#include "cli/usage_scdoc.h"

#include <ctype.h>
#include <string.h>

#include "cli/options.h"
#include "cli/usage.h"

static void put_char(char c, FILE *out)
{
	if (c == '\\' || c == '*' || c == '_')
		fputc('\\', out);
	fputc(c, out);
}

void rwk_scdoc_text(const char *text, size_t len, FILE *out)
{
	for (size_t i = 0; i < len && text[i]; i++) {
		if (text[i] == '`')
			fputc('*', out);
		else if (text[i] == '\n')
			fputs("\n\n", out);
		else if (!i && strchr("-.:|[]#", text[i]))
			fprintf(out, "\\%c", text[i]);
		else
			put_char(text[i], out);
	}
}

static void put_text(const char *text, FILE *out)
{
	rwk_scdoc_text(text, strlen(text), out);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '.';
}

/* Words that are to be typed as they are in bold, those to be replaced underlined. */
static void put_synopsis(const char *text, FILE *out)
{
	while (*text) {
		size_t len = 0;
		const char *mark;

		while (in_word(text[len]))
			len++;
		mark = !len ? "" : *text == '-' ? "*" : isupper((unsigned char)*text) ? "_" : "";
		fputs(mark, out);
		for (size_t i = 0; i < len; i++)
			put_char(text[i], out);
		fputs(mark, out);
		text += len;
		if (!len)
			put_char(*text++, out);
	}
}

static void put_option(const struct rwk_option *option, FILE *out)
{
	if (option->letter)
		fprintf(out, "*-%c*, ", option->letter);
	fprintf(out, "*--%s*", option->name);
	if (option->arg) {
		fputc('=', out);
		put_synopsis(option->arg, out);
	}
	fputs("\n\t", out);
	put_text(option->help, out);
	fputs("\n\n", out);
	for (const struct rwk_choice *c = option->choices; c && c->name; c++) {
		fputs("\t*", out);
		put_text(c->name, out);
		fputs("*\n\t\t", out);
		put_text(c->help, out);
		fputs("\n\n", out);
	}
}

static void put_list(const struct rwk_verb *verb, FILE *out)
{
	struct rwk_choice c;

	for (size_t i = 0; verb->list(i, &c); i++) {
		fputs("*", out);
		put_text(c.name, out);
		fputs("*\n\t", out);
		put_text(c.help, out);
		fputs("\n\n", out);
	}
}

void rwk_verb_scdoc(const struct rwk_verb *verb, FILE *out)
{
	fprintf(out, "@NAME@\nrewake-%s - ", verb->name);
	put_text(verb->summary, out);
	fputs("\n\n@SYNOPSIS@\n", out);
	for (int i = 0; verb->synopsis[i]; i++) {
		fprintf(out, "%s*rewake %s* ", i ? "++\n" : "", verb->name);
		put_synopsis(verb->synopsis[i], out);
	}
	fputs("\n\n@ABOUT@\n", out);
	put_text(verb->about, out);
	fputs("\n\n@OPTIONS@\n", out);
	for (const struct rwk_option *option = verb->options; option && option->name; option++)
		put_option(option, out);
	put_option(&rwk_option_help, out);
	if (verb->closing) {
		put_text(verb->closing, out);
		fputs("\n\n", out);
	}
	if (verb->list_title) {
		fputs("@LIST@\n", out);
		put_list(verb, out);
	}
	fputs("@EXIT@\n", out);
	put_text(rwk_verb_exits(verb), out);
	fputs("\n\n", out);
}

void rwk_verbs_scdoc(FILE *out)
{
	fputs("@VERBS@\n", out);
	for (const struct rwk_verb *const *v = rwk_verbs; *v; v++) {
		fprintf(out, "*rewake-%s*(1)\n\t", (*v)->name);
		put_text((*v)->summary, out);
		fputs("\n\n", out);
	}
}
