/* A verb's table for programs: one fact per line, fields separated by tabs. */
#include <ctype.h>
#include <string.h>

#include "cli/options.h"
#include "cli/usage.h"

static void put_option(const struct rwk_option *option, FILE *out)
{
	if (option->letter)
		fprintf(out, "option\t-%c\t%s\n", option->letter, option->arg ? option->arg : "");
	fprintf(out, "option\t--%s\t%s\n", option->name, option->arg ? option->arg : "");
	for (const struct rwk_choice *c = option->choices; c && c->name; c++) {
		if (option->letter)
			fprintf(out, "value\t-%c\t%s\n", option->letter, c->name);
		fprintf(out, "value\t--%s\t%s\n", option->name, c->name);
	}
}

/* Bytes of a synopsis up to the next blank outside of brackets. */
static size_t part_len(const char *text)
{
	size_t len = 0;
	int depth = 0;

	for (; text[len] && (text[len] != ' ' || depth > 0); len++)
		depth += (text[len] == '[') - (text[len] == ']');
	return len;
}

/* The words in capitals, bracketed or not, that belong to no option. */
static void put_arguments(const char *synopsis, FILE *out)
{
	bool after_option = false;

	while (*synopsis) {
		size_t len = part_len(synopsis);
		const char *word = synopsis + (*synopsis == '[');

		if (isupper((unsigned char)*word) && !after_option)
			fprintf(out, "argument\t%.*s\n", (int)strcspn(word, " ]"), word);
		after_option = *synopsis == '-';
		synopsis += len;
		synopsis += *synopsis == ' ';
	}
}

void rwk_verb_words(const struct rwk_verb *verb, FILE *out)
{
	struct rwk_choice c;

	for (const struct rwk_option *option = verb->options; option && option->name; option++)
		put_option(option, out);
	put_option(&rwk_option_help, out);
	put_arguments(verb->synopsis[0], out);
	for (size_t i = 0; verb->list && verb->list(i, &c); i++)
		fprintf(out, "name\t%s\n", c.name);
	if (verb->command_follows)
		fputs("command\n", out);
}
