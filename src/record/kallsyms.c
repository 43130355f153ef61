/*
 * One symbol a line, "ffffffff813bbb20 t select_task_rq_fair", those of modules
 * with "\t[module]" behind.
 */
#include "record/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take_line(char *line, uint64_t *ret_address, const char **ret_name)
{
	char *end, *name;

	errno = 0;
	*ret_address = strtoull(line, &end, 16);
	if (errno || end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	name = end + 3;
	end = name + strcspn(name, "\t\n");
	if (*end == '\t')
		return false;
	*end = '\0';
	*ret_name = name;
	return true;
}

int rwk_kallsyms_find(const char *path, struct rwk_symbol *symbol, int nr)
{
	FILE *f = fopen(path, "re");
	bool any_address = false;
	char *line = NULL;
	size_t cap = 0;
	int err = 0;

	for (int i = 0; i < nr; i++) {
		symbol[i].found = symbol[i].is_hidden = false;
		symbol[i].address = 0;
	}
	if (!f)
		return -errno;
	while (getline(&line, &cap, f) > 0) {
		const char *name;
		uint64_t address;

		if (!take_line(line, &address, &name))
			continue;
		any_address = any_address || address;
		for (int i = 0; i < nr; i++) {
			if (symbol[i].found || strcmp(symbol[i].name, name))
				continue;
			symbol[i].found = true;
			symbol[i].address = address;
		}
	}
	if (ferror(f))
		err = -EIO;
	free(line);
	fclose(f);
	/* Who may not see addresses is shown zeros, all over. */
	for (int i = 0; i < nr; i++) {
		if (err)
			symbol[i].found = false;
		symbol[i].is_hidden = symbol[i].found && !any_address;
	}
	return err;
}
