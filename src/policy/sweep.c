/* From one spec with a range to the specs it stands for. */
#include "policy/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

struct range {
	rwk_ns low, high;
	int64_t nr;
	size_t from, to; /* place of the range's text in the spec */
};

/* The text between from and to, parsed; a number without unit is itself. */
static int parse_part(const char *spec, size_t from, size_t to, rwk_ns *ret)
{
	char text[64];

	if (to - from >= sizeof(text))
		return -EINVAL;
	memcpy(text, spec + from, to - from);
	text[to - from] = '\0';
	return rwk_parse_ns(text, ret);
}

/* 1 found, 0 no range, negative errno. */
static int find_range(const char *spec, struct range *ret, struct rwk_diag *diag)
{
	const char *dots = strstr(spec, ".."), *equals, *slash, *end;
	char count[16];

	/* "../x.so" is a path, not a range. */
	while (dots && dots[2] == '/')
		dots = strstr(dots + 2, "..");
	if (!dots)
		return 0;
	for (equals = dots; equals > spec && *equals != '=' && *equals != ','; equals--)
		;
	end = dots + strcspn(dots, ",");
	slash = memchr(dots, '/', (size_t)(end - dots));
	if (*equals != '=' || !slash || (size_t)(end - slash) > sizeof(count))
		goto bad;
	ret->from = (size_t)(equals + 1 - spec);
	ret->to = (size_t)(end - spec);
	memcpy(count, slash + 1, (size_t)(end - slash) - 1);
	count[end - slash - 1] = '\0';
	if (parse_part(spec, ret->from, (size_t)(dots - spec), &ret->low) ||
		parse_part(spec, (size_t)(dots + 2 - spec), (size_t)(slash - spec), &ret->high) ||
		rwk_parse_i64(count, 2, RWK_SWEEP_MAX, &ret->nr) || ret->low >= ret->high ||
		strstr(end, ".."))
		goto bad;
	return 1;
bad:
	return rwk_diag_push(diag, -EINVAL,
		"%s: a range is LOW..HIGH/N, LOW below HIGH, N from 2 to %d, one per policy", spec,
		RWK_SWEEP_MAX);
}

static rwk_ns value_at(const struct range *r, int64_t i)
{
	double part = (double)i / (double)(r->nr - 1);

	if (!i)
		return r->low;
	if (i == r->nr - 1)
		return r->high;
	if (!r->low)
		return (rwk_ns)((double)r->high * part + 0.5);
	return (rwk_ns)((double)r->low * pow((double)r->high / (double)r->low, part) + 0.5);
}

int rwk_sweep_init(struct rwk_sweep *sweep, const char *spec, struct rwk_diag *diag)
{
	struct range r = {.nr = 1};
	int found = find_range(spec, &r, diag);

	*sweep = (struct rwk_sweep){0};
	if (found < 0)
		return found;
	sweep->spec = calloc((size_t)r.nr, sizeof(*sweep->spec));
	if (!sweep->spec)
		return rwk_diag_push(diag, -ENOMEM, "out of memory");
	for (int64_t i = 0; i < r.nr; i++) {
		int err = found ? asprintf(&sweep->spec[i], "%.*s%lld%s", (int)r.from, spec,
					  (long long)value_at(&r, i), spec + r.to)
				: asprintf(&sweep->spec[i], "%s", spec);

		if (err < 0) {
			sweep->spec[i] = NULL;
			rwk_sweep_finish(sweep);
			return rwk_diag_push(diag, -ENOMEM, "out of memory");
		}
		sweep->nr++;
	}
	return 0;
}

void rwk_sweep_finish(struct rwk_sweep *sweep)
{
	for (size_t i = 0; i < sweep->nr; i++)
		free(sweep->spec[i]);
	free(sweep->spec);
	*sweep = (struct rwk_sweep){0};
}
