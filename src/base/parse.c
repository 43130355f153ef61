/* Strict parsing: what is not wholly understood is refused. */
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rwk_parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret)
{
	char *end;
	long long v;

	/* strtoll skips blanks and takes an empty string: neither is a number here. */
	if (!isdigit((unsigned char)text[0]) &&
		!(text[0] == '-' && isdigit((unsigned char)text[1])))
		return -EINVAL;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*ret = v;
	return 0;
}

int rwk_parse_bool(const char *text, bool *ret)
{
	static const struct {
		const char *text;
		bool value;
	} words[] = {
		{"0", false},
		{"1", true},
		{"no", false},
		{"yes", true},
		{"off", false},
		{"on", true},
		{"false", false},
		{"true", true},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(text, words[i].text)) {
			*ret = words[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

int rwk_parse_ns(const char *text, rwk_ns *ret)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double v;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -EINVAL;
	v = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		v *= units[i].ns;
		if (!(v < 9e18))
			return -ERANGE;
		*ret = (rwk_ns)(v + 0.5);
		return 0;
	}
	return -EINVAL;
}

int rwk_parse_size(const char *text, int64_t *ret)
{
	static const char units[] = "KMGT";
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits, *found = *unit ? strchr(units, *unit) : NULL;
	char number[24];
	int64_t n;
	int shift = 0, err;

	if (!digits || (*unit && !found) || (found && unit[1] && strcmp(unit + 1, "B")))
		return -EINVAL;
	if (digits >= sizeof(number))
		return -ERANGE;
	if (found)
		shift = 10 * (int)(found - units + 1);
	memcpy(number, text, digits);
	number[digits] = '\0';
	err = rwk_parse_i64(number, 1, INT64_MAX >> shift, &n);
	if (!err)
		*ret = n << shift;
	return err;
}

static int parse_cpu(const char **p, int *ret)
{
	int v = 0;

	if (!isdigit((unsigned char)**p))
		return -EINVAL;
	while (isdigit((unsigned char)**p)) {
		v = v * 10 + (*(*p)++ - '0');
		if (v >= RWK_MAX_CPUS)
			return -ERANGE;
	}
	*ret = v;
	return 0;
}

int rwk_parse_cpulist(const char *text, struct rwk_cpuset *ret)
{
	struct rwk_cpuset set;
	const char *p = text;
	int err;

	rwk_cpuset_zero(&set);
	while (*p && *p != '\n') {
		int first, last;

		err = parse_cpu(&p, &first);
		if (err)
			return err;
		last = first;
		if (*p == '-') {
			p++;
			err = parse_cpu(&p, &last);
			if (err)
				return err;
			if (last < first)
				return -EINVAL;
		}
		for (int cpu = first; cpu <= last; cpu++)
			rwk_cpuset_add(&set, cpu);
		if (*p == ',' && p[1] && p[1] != '\n')
			p++;
		else if (*p && *p != '\n')
			return -EINVAL;
	}
	if (*p == '\n' && p[1])
		return -EINVAL;
	*ret = set;
	return 0;
}

int rwk_parse_version(const char *text, struct rwk_version *ret)
{
	int part[3] = {0, 0, 0};
	const char *p = text;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (int i = 0; i < 3; i++) {
		while (isdigit((unsigned char)*p)) {
			if (part[i] > 99999)
				return -ERANGE;
			part[i] = part[i] * 10 + (*p++ - '0');
		}
		if (*p != '.' || !isdigit((unsigned char)p[1]))
			break;
		p++;
	}
	ret->major = part[0];
	ret->minor = part[1];
	ret->patch = part[2];
	return 0;
}

int rwk_format_cpulist(const struct rwk_cpuset *set, char *buf, int size)
{
	int used = 0;

	if (size > 0)
		buf[0] = '\0';
	for (int cpu = rwk_cpuset_next(set, 0); cpu != RWK_NONE;) {
		int last = cpu;
		char range[32];
		int n;

		while (rwk_cpuset_has(set, last + 1))
			last++;
		n = last > cpu
			    ? snprintf(range, sizeof(range), "%s%d-%d", used ? "," : "", cpu, last)
			    : snprintf(range, sizeof(range), "%s%d", used ? "," : "", cpu);
		if (used + n < size)
			memcpy(buf + used, range, (size_t)n + 1);
		used += n;
		cpu = rwk_cpuset_next(set, last + 1);
	}
	return used;
}
