/* Reading line by line, with what systrace puts around the lines taken away. */
#include "decode/text_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BUFFER (64 << 10) /* also the longest line */

bool rwk_text_reader_is_page(const unsigned char *head, size_t size)
{
	static const char *const starts[] = {"<!doctype ", "<html"};
	size_t at = 0;

	if (size >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
		at = 3;
	while (at < size && strchr(" \t\r\n", head[at]) && head[at])
		at++;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t n = strlen(starts[i]);

		if (size - at >= n && !strncasecmp((const char *)head + at, starts[i], n))
			return true;
	}
	return false;
}

int rwk_text_reader_init(struct rwk_text_reader *r, const struct rwk_file *file, bool html)
{
	*r = (struct rwk_text_reader){.file = file, .html = html, .buffer = malloc(BUFFER + 1)};
	return r->buffer ? 0 : -ENOMEM;
}

void rwk_text_reader_finish(struct rwk_text_reader *r)
{
	free(r->buffer);
	*r = (struct rwk_text_reader){0};
}

/* The next line as it stands in the file. */
static int read_line(struct rwk_text_reader *r, char **ret, size_t *ret_len, struct rwk_diag *diag)
{
	for (;;) {
		char *start = r->buffer + r->at;
		char *eol = memchr(start, '\n', r->len - r->at);
		bool too_long = false;
		int64_t n;

		if (eol || (r->ended && r->at < r->len)) {
			r->line_at = rwk_text_reader_consumed(r);
			r->unended = !eol;
			r->at = eol ? (size_t)(eol - r->buffer) + 1 : r->len;
			eol = eol ? eol : r->buffer + r->len;
			*eol = '\0';
			r->line++;
			if (!r->skip_line) {
				*ret = start;
				*ret_len = (size_t)(eol - start);
				return 1;
			}
			r->skip_line = false;
			continue;
		}
		if (r->ended)
			return 0;
		memmove(r->buffer, start, r->len - r->at);
		r->len -= r->at;
		r->at = 0;
		if (r->len == BUFFER) {
			too_long = !r->skip_line;
			r->skip_line = true;
			r->len = 0;
		}
		n = rwk_file_read(r->file, r->pos, r->buffer + r->len, BUFFER - r->len, diag);
		if (n < 0)
			return (int)n;
		r->ended = !n;
		r->pos += n;
		r->len += (size_t)n;
		if (too_long) {
			*ret = NULL;
			return 1;
		}
	}
}

/*
 * Up to 2012 systrace wrote the text as a string of JavaScript: each line ends in
 * "\n\", with a backslash in front of quotes and of itself.
 */
static size_t unescape(char *line, size_t len)
{
	size_t n = 0;

	if (len < 3 || memcmp(line + len - 3, "\\n\\", 3))
		return len;
	len -= 3;
	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\\' && i + 1 < len && strchr("\\'\"", line[i + 1]))
			i++;
		line[n++] = line[i];
	}
	line[n] = '\0';
	return n;
}

/* Where trace data begins in a line of a page, or NULL. */
static char *find_block(char *line)
{
	char *p = strstr(line, "class=\"trace-data\"");

	if (p && strstr(line, "<script")) {
		p = strchr(p, '>');
		return p ? p + 1 : NULL;
	}
	p = strstr(line, "linuxPerfData = \"");
	return p ? p + strlen("linuxPerfData = \"") : NULL;
}

/* What of a page's line is trace data; NULL: nothing. */
static char *take_of_page(struct rwk_text_reader *r, char *line)
{
	char *end;

	if (!r->in_block) {
		r->has_packed |= strstr(line, "<script id=\"viewer-data\"") != NULL;
		line = find_block(line);
		if (!line)
			return NULL;
		r->in_block = true;
		r->nr_blocks++;
		if (!strcmp(line, "\\"))
			return NULL;
	}
	end = strstr(line, "</script>");
	if (!end)
		return line;
	r->in_block = false;
	*end = '\0';
	return line[strspn(line, " \t\";")] ? line : NULL;
}

int rwk_text_reader_next(struct rwk_text_reader *r, char **ret, struct rwk_diag *diag)
{
	size_t len = 0;
	char *line;
	int got;

	while ((got = read_line(r, &line, &len, diag)) > 0) {
		if (!line) {
			if (r->html && !r->in_block)
				continue;
			*ret = NULL;
			return 1;
		}
		if (r->line == 1 && !strncmp(line, "\xef\xbb\xbf", 3)) {
			line += 3;
			len -= 3;
		}
		while (len && line[len - 1] == '\r')
			line[--len] = '\0';
		unescape(line, len);
		if (r->html)
			line = take_of_page(r, line);
		if (!line)
			continue;
		*ret = line;
		return 1;
	}
	return got;
}

int64_t rwk_text_reader_consumed(const struct rwk_text_reader *r)
{
	return r->pos - (int64_t)(r->len - r->at);
}
