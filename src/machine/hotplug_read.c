/* Each row is a change that begins and one that is over: sorted by time, they are the epochs. */
#include "machine/hotplug_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/vec.h"

#define MAX_ROWS 16384
#define NS_NEVER INT64_MAX

enum what { ACTIVE, INACTIVE, ONLINE, OFFLINE, DOMAINS, NR_WHAT };

struct step {
	rwk_ns ts;
	size_t row;
	enum what what;
	bool over; /* the second half of a row */
	int cpu;
};

struct steps {
	struct step *of;
	size_t nr, cap;
};

static bool parse_ns(const char *text, rwk_ns *ret)
{
	int64_t value;

	if (rwk_parse_i64(text, 0, INT64_MAX - 1, &value))
		return false;
	*ret = value;
	return true;
}

/* "FROM TO WHAT [CPU]" */
static bool parse_row(char *line, struct step *begin, struct step *end)
{
	static const char *const names[NR_WHAT] = {
		"active", "inactive", "online", "offline", "domains"};
	char *word[4], *save = NULL;
	int nr = 0, what = 0;
	int64_t cpu = RWK_NONE;

	for (char *p = line, *next; (next = strtok_r(p, " ", &save)); p = NULL) {
		if (nr == 4)
			return false;
		word[nr++] = next;
	}
	if (nr < 3)
		return false;
	while (what < NR_WHAT && strcmp(word[2], names[what]))
		what++;
	if (what == NR_WHAT || nr != (what == DOMAINS ? 3 : 4) || !parse_ns(word[0], &begin->ts))
		return false;
	if (nr == 4 && rwk_parse_i64(word[3], 0, RWK_MAX_CPUS - 1, &cpu))
		return false;
	begin->what = (enum what)what;
	begin->cpu = (int)cpu;
	*end = *begin;
	end->over = true;
	if (!strcmp(word[1], "end"))
		end->ts = NS_NEVER;
	else if (!parse_ns(word[1], &end->ts) || end->ts < begin->ts)
		return false;
	return true;
}

static int read_steps(const char *text, struct steps *ret, const char **ret_why)
{
	size_t row = 0;

	for (const char *p = text; *p; row++) {
		size_t len = strcspn(p, "\n");
		char line[96];

		if (len >= sizeof(line) || row == MAX_ROWS) {
			*ret_why = row == MAX_ROWS ? "too many rows" : "a row is malformed";
			return 0;
		}
		memcpy(line, p, len);
		line[len] = '\0';
		if (rwk_vec_grow(&ret->of, &ret->cap, ret->nr + 2, sizeof(*ret->of)))
			return -ENOMEM;
		if (!parse_row(line, &ret->of[ret->nr], &ret->of[ret->nr + 1])) {
			*ret_why = "a row is malformed";
			return 0;
		}
		ret->of[ret->nr].row = ret->of[ret->nr + 1].row = row;
		ret->nr += 2;
		p += len + (p[len] == '\n');
	}
	return 0;
}

/* Of one time, in the order of rows: what a row begins comes before what it ends. */
static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts > y->ts ? 1 : -1;
	if (x->row != y->row)
		return x->row > y->row ? 1 : -1;
	return (int)x->over - (int)y->over;
}

static void set_member(struct rwk_cpuset *set, int cpu, bool member)
{
	if (member)
		rwk_cpuset_add(set, cpu);
	else
		rwk_cpuset_del(set, cpu);
}

/* A CPU that comes must have been away, and one that goes must have been there. */
static bool change(struct rwk_cpuset *set, int cpu, bool comes, const char **ret_why)
{
	if (rwk_cpuset_has(set, cpu) == comes) {
		*ret_why = "a CPU comes that is there, or goes that is not";
		return false;
	}
	set_member(set, cpu, comes);
	return true;
}

static bool take(struct rwk_epoch *e, const struct step *s, int *under_way, const char **ret_why)
{
	*under_way += s->over ? -1 : 1;
	switch (s->what) {
	case ACTIVE:
	case INACTIVE:
		return !s->over || change(&e->active, s->cpu, s->what == ACTIVE, ret_why);
	case ONLINE:
	case OFFLINE:
		return !s->over || change(&e->online, s->cpu, s->what == ONLINE, ret_why);
	case DOMAINS:
	default:
		e->rebuilt = true;
		if (s->over)
			e->domains = e->active;
		else
			rwk_cpuset_zero(&e->domains);
		return true;
	}
}

/* What the first change of each CPU was a change from. */
static void begin(struct rwk_epoch *e, const struct steps *steps)
{
	struct rwk_cpuset told[2] = {{{0}}, {{0}}};

	for (size_t i = 0; i < steps->nr; i++) {
		const struct step *s = &steps->of[i];
		bool of_active = s->what == ACTIVE || s->what == INACTIVE;
		bool there = s->what == INACTIVE || s->what == OFFLINE;

		if (s->cpu < 0)
			continue;
		if (of_active && !rwk_cpuset_has(&told[1], s->cpu)) {
			rwk_cpuset_add(&told[1], s->cpu);
			set_member(&e->active, s->cpu, there);
			/* Only one that is online becomes either. */
			if (!rwk_cpuset_has(&told[0], s->cpu))
				rwk_cpuset_add(&e->online, s->cpu);
		}
		if (!of_active && !rwk_cpuset_has(&told[0], s->cpu)) {
			rwk_cpuset_add(&told[0], s->cpu);
			set_member(&e->online, s->cpu, there);
			if (!rwk_cpuset_has(&told[1], s->cpu))
				set_member(&e->active, s->cpu, false);
		}
	}
	e->domains = e->active;
}

static int read_rows(const char *text, const struct rwk_cpuset *present, struct rwk_epoch **epoch,
	size_t *nr, const char **ret_why)
{
	struct steps steps = {0};
	size_t cap = *nr;
	int under_way = 0, err = read_steps(text, &steps, ret_why);

	if (!err && steps.nr)
		qsort(steps.of, steps.nr, sizeof(*steps.of), compare_steps);
	if (!err && !*ret_why)
		begin(&(*epoch)[0], &steps);
	for (size_t i = 0; i < steps.nr && !err && !*ret_why; i++) {
		const struct step *s = &steps.of[i];

		if (s->cpu >= 0 && !rwk_cpuset_has(present, s->cpu)) {
			*ret_why = "a CPU that there is not";
			break;
		}
		if (s->ts == NS_NEVER)
			break;
		/* What happens at one time is one change. */
		if ((*epoch)[*nr - 1].from != s->ts) {
			err = rwk_vec_grow(epoch, &cap, *nr + 1, sizeof(**epoch));
			if (err)
				break;
			(*epoch)[*nr] = (*epoch)[*nr - 1];
			(*epoch)[*nr].from = s->ts;
			(*epoch)[*nr].rebuilt = false;
			(*nr)++;
		}
		if (take(&(*epoch)[*nr - 1], s, &under_way, ret_why))
			(*epoch)[*nr - 1].changing = under_way > 0;
	}
	free(steps.of);
	return err;
}

/* A list of CPUs; false: it is no list, and *ret_why says so. */
static bool read_cpus(const struct rwk_snapshot *snap, const char *path, struct rwk_cpuset *ret,
	const char **ret_why)
{
	const char *text = rwk_snapshot_file(snap, path);

	if (text && rwk_parse_cpulist(text, ret))
		*ret_why = "a list of CPUs is malformed";
	return text && !*ret_why;
}

/* A step that was not over may have changed that, or not yet. */
static bool ends_so(
	const struct rwk_snapshot *snap, const struct rwk_epoch *last, const char **ret_why)
{
	struct rwk_cpuset end;

	return !read_cpus(snap, RWK_HOTPLUG_END, &end, ret_why) || last->changing ||
	       rwk_cpuset_equal(&end, &last->online);
}

/* A kernel that has other CPUs builds domains of them, if that is not just under way. */
static bool was_rebuilt(const struct rwk_epoch *epoch, size_t nr)
{
	const struct rwk_epoch *last = &epoch[nr - 1];

	if (last->changing || rwk_cpuset_equal(&last->domains, &last->active))
		return true;
	for (size_t i = 1; i < nr; i++) {
		if (epoch[i].rebuilt)
			return true;
	}
	return false;
}

int rwk_hotplug_epochs(const struct rwk_snapshot *snap, const struct rwk_cpuset *present,
	struct rwk_epoch **epoch, size_t *nr, const char **ret_why)
{
	const char *rows = rwk_snapshot_file(snap, RWK_HOTPLUG_ROWS);
	struct rwk_cpuset rest;
	int err;

	if (!rows)
		return 0;
	if (read_cpus(snap, RWK_HOTPLUG_BEGIN, &(*epoch)->online, ret_why))
		(*epoch)->active = (*epoch)->domains = (*epoch)->online;
	if (*ret_why)
		return 0;
	err = read_rows(rows, present, epoch, nr, ret_why);
	if (err || *ret_why)
		return err;
	rest = (*epoch)->online;
	rwk_cpuset_sub(&rest, present);
	if (!rwk_cpuset_empty(&rest))
		*ret_why = "a CPU that there is not";
	else if (!was_rebuilt(*epoch, *nr))
		*ret_why = "domains were not built anew, or nobody saw when";
	else if (!ends_so(snap, &(*epoch)[*nr - 1], ret_why) && !*ret_why)
		*ret_why = "the CPUs at the end are others than those that they lead to";
	return 0;
}
