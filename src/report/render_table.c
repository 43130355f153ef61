/*
 * Tables for people: columns as wide as their widest cell, numbers to the right
 * with the same number of decimals, NULL as "-".  Long results are laid out a
 * few thousand rows at a time, so that memory stays bounded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/render.h"
#include "report/text.h"

#define WINDOW       4096 /* rows laid out together */
#define MAX_DECIMALS 6

struct cell {
	char *text; /* NULL: SQL NULL, or a real to be printed with the column's decimals */
	int width;
	bool real;
	double value;
};

struct column {
	int width;
	int decimals;
	bool text; /* some cell is no number */
	bool number; /* some cell is one */
};

struct table {
	struct cell *cell; /* [WINDOW][nr_columns] */
	size_t nr; /* rows */
	struct column *column;
	bool begun; /* the header is out */
};

static int table_begin(struct rwk_render *r)
{
	r->state = calloc(1, sizeof(struct table));
	return r->state ? 0 : -ENOMEM;
}

static void clear_rows(struct rwk_render *r, struct table *t)
{
	for (size_t i = 0; i < t->nr * (size_t)r->nr_columns; i++)
		free(t->cell[i].text);
	t->nr = 0;
}

static void clear(struct rwk_render *r, struct table *t)
{
	if (t->cell)
		clear_rows(r, t);
	free(t->cell);
	free(t->column);
	*t = (struct table){0};
}

static int table_section(struct rwk_render *r)
{
	struct table *t = r->state;

	t->cell = calloc((size_t)WINDOW * (size_t)r->nr_columns + 1, sizeof(*t->cell));
	t->column = calloc((size_t)r->nr_columns + 1, sizeof(*t->column));
	if (!t->cell || !t->column)
		return -ENOMEM;
	if (r->nr_sections > 1)
		fputc('\n', r->out);
	if (r->title)
		fprintf(r->out, "%s\n", r->title);
	return 0;
}

static int decimals_of(double value)
{
	char text[64];
	const char *point;

	rwk_text_of_real(value, text, sizeof(text));
	point = strchr(text, '.');
	if (!point || strpbrk(text, "en"))
		return -1;
	return (int)strlen(point + 1);
}

static int fill(struct cell *cell, struct column *column, const struct rwk_value *v)
{
	size_t size;
	char *plain;

	*cell = (struct cell){.width = 1};
	if (v->type == RWK_VALUE_NULL)
		return 0;
	if (v->type == RWK_VALUE_REAL && decimals_of(v->r) >= 0) {
		int decimals = decimals_of(v->r);

		if (decimals > MAX_DECIMALS)
			decimals = MAX_DECIMALS;
		if (decimals > column->decimals)
			column->decimals = decimals;
		cell->real = true;
		cell->value = v->r;
		column->number = true;
		return 0;
	}
	plain = rwk_text_of_value(v, &size);
	if (!plain)
		return -ENOMEM;
	cell->text = rwk_text_for_table(plain, size, &cell->width);
	free(plain);
	if (v->type == RWK_VALUE_INT || v->type == RWK_VALUE_REAL)
		column->number = true;
	else
		column->text = true;
	return cell->text ? 0 : -ENOMEM;
}

/* A line of cells; nothing is left at its end. */
static void put_line(struct rwk_render *r, const struct table *t, const struct cell *cells)
{
	int blanks = 0;

	for (int i = 0; i < r->nr_columns; i++) {
		const struct column *c = &t->column[i];
		const char *text = cells[i].text ? cells[i].text : "-";
		int pad = c->width - cells[i].width;

		if (c->number && !c->text) {
			fprintf(r->out, "%*s%s", blanks + pad, "", text);
			blanks = 2;
		} else {
			fprintf(r->out, "%*s%s", blanks, "", text);
			blanks = pad + 2;
		}
	}
	fputc('\n', r->out);
}

static void put_header(struct rwk_render *r, struct table *t, struct cell *header)
{
	int blanks = 0;

	put_line(r, t, header);
	for (int i = 0; i < r->nr_columns; i++) {
		fprintf(r->out, "%*s", blanks, "");
		for (int k = 0; k < t->column[i].width; k++)
			fputc('-', r->out);
		blanks = 2;
	}
	fputc('\n', r->out);
	t->begun = true;
}

static int settle_reals(struct rwk_render *r, struct table *t)
{
	for (size_t i = 0; i < t->nr * (size_t)r->nr_columns; i++) {
		struct cell *c = &t->cell[i];

		if (!c->real)
			continue;
		c->real = false;
		c->width = asprintf(
			&c->text, "%.*f", t->column[i % (size_t)r->nr_columns].decimals, c->value);
		if (c->width < 0) {
			c->text = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

/* Column names are cells too: they come from the user's SQL. */
static int fill_header(struct rwk_render *r, struct table *t, struct cell *header)
{
	for (int i = 0; i < r->nr_columns; i++) {
		struct cell *h = &header[i];

		h->text = rwk_text_for_table(r->column[i], strlen(r->column[i]), &h->width);
		if (!h->text)
			return -ENOMEM;
		if (h->width > t->column[i].width)
			t->column[i].width = h->width;
	}
	return 0;
}

static int put_window(struct rwk_render *r, struct table *t)
{
	struct cell *header = calloc((size_t)r->nr_columns + 1, sizeof(*header));
	int err = header ? settle_reals(r, t) : -ENOMEM;

	if (!err)
		err = fill_header(r, t, header);
	for (size_t i = 0; !err && i < t->nr * (size_t)r->nr_columns; i++) {
		struct column *c = &t->column[i % (size_t)r->nr_columns];

		if (t->cell[i].width > c->width)
			c->width = t->cell[i].width;
	}
	if (!err && !t->begun)
		put_header(r, t, header);
	for (size_t i = 0; !err && i < t->nr; i++)
		put_line(r, t, &t->cell[i * (size_t)r->nr_columns]);
	for (int i = 0; header && i < r->nr_columns; i++)
		free(header[i].text);
	free(header);
	clear_rows(r, t);
	return err;
}

static int table_row(struct rwk_render *r, const struct rwk_query *q)
{
	struct table *t = r->state;
	struct cell *cells = &t->cell[t->nr * (size_t)r->nr_columns];

	for (int i = 0; i < r->nr_columns; i++) {
		struct rwk_value v = rwk_query_value(q, i);
		int err = fill(&cells[i], &t->column[i], &v);

		if (err) {
			while (i--)
				free(cells[i].text);
			return err;
		}
	}
	return ++t->nr == WINDOW ? put_window(r, t) : 0;
}

static int table_section_end(struct rwk_render *r)
{
	struct table *t = r->state;
	int err = 0;

	if (t->nr)
		err = put_window(r, t);
	else if (!t->begun)
		fputs("(none)\n", r->out);
	clear(r, t);
	return err;
}

static int table_end(struct rwk_render *r)
{
	(void)r;
	return 0;
}

static void table_finish(struct rwk_render *r)
{
	if (r->state)
		clear(r, r->state);
	free(r->state);
	r->state = NULL;
}

const struct rwk_renderer_ops rwk_render_table = {
	.begin = table_begin,
	.section = table_section,
	.row = table_row,
	.section_end = table_section_end,
	.end = table_end,
	.finish = table_finish,
};
