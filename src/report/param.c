/* Declarations of parameters read, values checked against them and bound. */
#include "report/param.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define MARK "-- param: "

static const char *const type_name[] = {
	[RWK_REPORT_INTEGER] = "integer", [RWK_REPORT_REAL] = "real", [RWK_REPORT_TEXT] = "text"};

static bool parse_type(const char *text, enum rwk_report_type *ret)
{
	for (size_t i = 0; i < sizeof(type_name) / sizeof(type_name[0]); i++) {
		if (!strcmp(text, type_name[i])) {
			*ret = (enum rwk_report_type)i;
			return true;
		}
	}
	return false;
}

/* Decimal notation: digits, one point, an exponent; neither hexadecimal nor "inf". */
static int parse_real(const char *text, double *ret)
{
	char *end;
	double r;

	if (!text[0] || text[strspn(text, "0123456789+-.eE")])
		return -EINVAL;
	r = strtod(text, &end);
	if (*end)
		return -EINVAL;
	if (!isfinite(r))
		return -ERANGE;
	*ret = r;
	return 0;
}

static int parse_value(const struct rwk_report_param *p, const char *text, struct rwk_value *ret)
{
	struct rwk_value v = {.type = RWK_VALUE_TEXT, .text = text, .size = (int)strlen(text)};
	int err = 0;

	if (p->type == RWK_REPORT_INTEGER) {
		v.type = RWK_VALUE_INT;
		err = rwk_parse_i64(text, INT64_MIN, INT64_MAX, &v.i);
		if (!err && p->limited && (v.i < (int64_t)p->min || v.i > (int64_t)p->max))
			err = -ERANGE;
	} else if (p->type == RWK_REPORT_REAL) {
		v.type = RWK_VALUE_REAL;
		err = parse_real(text, &v.r);
		if (!err && p->limited && (v.r < p->min || v.r > p->max))
			err = -ERANGE;
	}
	if (!err)
		*ret = v;
	return err;
}

/* " in MIN..MAX" if text begins with it; returns its length, 0 if it does not. */
static int parse_limits(const char *text, struct rwk_report_param *p)
{
	char min[RWK_REPORT_NAME], max[RWK_REPORT_NAME], *dots;
	int len = 0;

	if (sscanf(text, " in %31[0-9.-]%n", min, &len) != 1 || !len)
		return 0;
	dots = strstr(min, "..");
	if (!dots)
		return 0;
	snprintf(max, sizeof(max), "%s", dots + 2);
	*dots = '\0';
	if (parse_real(min, &p->min) || parse_real(max, &p->max))
		return 0;
	p->limited = true;
	return len;
}

/* The line after its mark, without the newline. */
static bool parse_declaration(
	const char *line, int len, struct rwk_report_param *p, struct rwk_value *ret)
{
	char type[RWK_REPORT_NAME], name[RWK_REPORT_NAME], preset[RWK_REPORT_NAME], *text;
	int at = 0;
	bool ok;

	text = strndup(line, (size_t)len);
	if (!text)
		return false;
	ok = sscanf(text, "%31[a-z0-9_] %31[a-z] = %31s%n", name, type, preset, &at) == 3 &&
	     parse_type(type, &p->type);
	if (ok)
		at += parse_limits(text + at, p);
	ok = ok && text[at] == ' ' && text[at + 1] == ' ';
	if (ok) {
		memcpy(p->name, name, sizeof(name));
		memcpy(p->preset, preset, sizeof(preset));
		at += (int)strspn(text + at, " ");
		p->about = line + at;
		p->about_len = len - at;
		if (strcmp(p->preset, "NULL"))
			ok = !parse_value(p, p->preset, ret);
	}
	free(text);
	return ok;
}

int rwk_report_args_init(
	const struct rwk_report *report, struct rwk_diag *diag, struct rwk_report_args *ret)
{
	*ret = (struct rwk_report_args){.report = report};
	for (const char *p = report->sql; !strncmp(p, "--", 2); p += strspn(p, "\n")) {
		int len = (int)strcspn(p, "\n"), mark = (int)strlen(MARK);

		if (!strncmp(p, MARK, (size_t)mark) &&
			(ret->nr == RWK_REPORT_PARAMS ||
				!parse_declaration(p + mark, len - mark, &ret->param[ret->nr],
					&ret->value[ret->nr])))
			return rwk_diag_push(diag, -EINVAL,
				"cannot run report %s: declaration=\"%.*s\" why=not understood",
				report->name, len, p);
		ret->nr += !strncmp(p, MARK, (size_t)mark);
		p += len;
	}
	return 0;
}

void rwk_report_param_type(const struct rwk_report_param *p, char *buf, size_t size)
{
	if (p->limited)
		snprintf(buf, size, "%s in %.15g..%.15g", type_name[p->type], p->min, p->max);
	else
		snprintf(buf, size, "%s", type_name[p->type]);
}

static int refuse_name(const struct rwk_report_args *args, const char *text, struct rwk_diag *diag)
{
	char known[RWK_REPORT_PARAMS * (RWK_REPORT_NAME + 2)] = "";
	size_t len = 0;

	for (int i = 0; i < args->nr; i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
			args->param[i].name);
	return rwk_diag_push(diag, -EINVAL,
		"cannot set a parameter of report %s: name=%.*s why=there is none of that name; "
		"it has %s",
		args->report->name, (int)strcspn(text, "="), text, args->nr ? known : "none");
}

int rwk_report_args_set(struct rwk_report_args *args, const char *assignment, struct rwk_diag *diag)
{
	size_t len = strcspn(assignment, "=");
	const struct rwk_report_param *p;
	char type[128];
	int i = 0, err;

	while (i < args->nr &&
		(strncmp(args->param[i].name, assignment, len) || args->param[i].name[len]))
		i++;
	if (i == args->nr)
		return refuse_name(args, assignment, diag);
	p = &args->param[i];
	rwk_report_param_type(p, type, sizeof(type));
	if (!assignment[len])
		return rwk_diag_push(diag, -EINVAL,
			"cannot set a parameter of report %s: name=%s why=no value; it is %s, "
			"%s by default",
			args->report->name, p->name, type, p->preset);
	err = parse_value(p, assignment + len + 1, &args->value[i]);
	if (err)
		return rwk_diag_push(diag, -EINVAL,
			"cannot set a parameter of report %s: %s why=%s; it is %s, %s by default",
			args->report->name, assignment,
			err == -ERANGE ? "out of range" : "not such a value", type, p->preset);
	return 0;
}

int rwk_report_args_bind(
	const struct rwk_report_args *args, struct rwk_query *q, struct rwk_diag *diag)
{
	int err = 0;

	for (int i = 0; i < args->nr && !err; i++) {
		char name[RWK_REPORT_NAME + 1];

		snprintf(name, sizeof(name), ":%s", args->param[i].name);
		err = rwk_query_bind_value(q, name, &args->value[i], diag);
	}
	return err;
}
