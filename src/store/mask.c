/* Names and ids; what stands in the entries of a machine's snapshot is in mask_entries.c. */
#include "store/mask_private.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct known {
	size_t size;
	int64_t number;
	int64_t nr_members; /* of a class of names */
	char text[];
};

int rwk_mask_create(bool shift_time, struct rwk_mask **ret)
{
	struct rwk_mask *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->shift_time = shift_time;
	*ret = m;
	return 0;
}

void rwk_mask_destroy(struct rwk_mask *mask)
{
	if (!mask)
		return;
	for (int i = 0; i < RWK_MASK_SPACES; i++)
		tdestroy(mask->space[i].root, free);
	free(mask->tid);
	free(mask);
}

bool rwk_mask_shifts_time(const struct rwk_mask *mask)
{
	return mask->shift_time;
}

struct rwk_mask_counts rwk_mask_count(const struct rwk_mask *mask)
{
	return (struct rwk_mask_counts){.nr_names = mask->space[RWK_MASK_NAME].nr,
		.nr_tids = (int64_t)mask->nr_tids,
		.nr_groups = mask->space[RWK_MASK_GROUP].nr};
}

/* ---- numbers for texts ---- */

static int known_cmp(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	size_t size = x->size < y->size ? x->size : y->size;
	int cmp = memcmp(x->text, y->text, size);

	return cmp ? cmp : (x->size > y->size) - (x->size < y->size);
}

/* The entry of text, made and numbered if it is new; NULL: out of memory. */
static struct known *look_up(struct rwk_mask_space *space, const char *text, size_t size)
{
	struct known *k = malloc(sizeof(*k) + size);
	struct known **at;

	if (!k)
		return NULL;
	*k = (struct known){.size = size};
	memcpy(k->text, text, size);
	at = tsearch(k, &space->root, known_cmp);
	if (!at || *at != k)
		free(k);
	else
		k->number = ++space->nr;
	return at ? *at : NULL;
}

int64_t rwk_mask_number(
	struct rwk_mask *mask, enum rwk_mask_space_name space, const char *text, size_t size)
{
	struct known *k = look_up(&mask->space[space], text, size);

	return k ? k->number : 0;
}

/* 1 a, 26 z, 27 aa. */
static void letters_of(int64_t number, char ret[16])
{
	char back[16];
	int len = 0;

	for (; number; number = (number - 1) / 26)
		back[len++] = (char)('a' + (number - 1) % 26);
	for (int i = 0; i < len; i++)
		ret[i] = back[len - 1 - i];
	ret[len] = '\0';
}

/*
 * Letters for a name without its numbers, and a number where it had some:
 * members of a pool stay one, which calibrated replays learn from.
 */
static int pseudonym(
	struct rwk_mask *mask, const char *before, const char *text, size_t size, char **ret)
{
	char *folded = malloc(size + 1), letters[16];
	struct known *class, *member;
	bool in_number = false, numbered = false;
	size_t len = 0;
	int n;

	if (!folded)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++) {
		bool digit = isdigit((unsigned char)text[i]);

		if (!digit || !in_number)
			folded[len++] = digit ? '0' : text[i];
		in_number = digit;
		numbered |= digit;
	}
	class = look_up(&mask->space[RWK_MASK_CLASS], folded, len);
	free(folded);
	member = class ? look_up(&mask->space[RWK_MASK_NAME], text, size) : NULL;
	if (!member)
		return -ENOMEM;
	/* The place among its class. */
	if (!member->nr_members)
		member->nr_members = ++class->nr_members;
	letters_of(class->number, letters);
	n = numbered ? asprintf(ret, "%s%s%" PRId64, before, letters, member->nr_members)
		     : asprintf(ret, "%s%s", before, letters);
	return n < 0 ? -ENOMEM : 0;
}

/* ---- names of tasks ---- */

static size_t skip_digits(const char *text, size_t size, size_t at)
{
	while (at < size && isdigit((unsigned char)text[at]))
		at++;
	return at;
}

/*
 * How much of a name the kernel itself made up, so that it says nothing:
 * "kworker/3:1H", "kworker/u8:2", "migration/0".  0: nothing.
 */
static size_t kernel_part(const char *text, size_t size)
{
	/* Those followed by a number decide where a task may run (model/tasks.c). */
	static const char *const numbered[] = {"swapper/", "kworker/u", "kworker/", "migration/",
		"ksoftirqd/", "cpuhp/", "rcuc/", "rcuop/", "rcuos/", "rcuob/", "rcuog/",
		"idle_inject/", "irq_work/", "watchdog/", "kswapd", "kcompactd"};
	static const char *const whole[] = {"swapper", "kthreadd", "rcu_sched", "rcu_preempt",
		"rcu_gp", "rcu_par_gp", "rcu_tasks_kthre", "rcu_tasks_rude_", "rcu_tasks_trace",
		"khugepaged", "ksmd", "khungtaskd", "oom_reaper", "kauditd"};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		if (strlen(whole[i]) == size && !memcmp(text, whole[i], size))
			return size;
	}
	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
		size_t len = strlen(numbered[i]);
		size_t end;

		if (size <= len || memcmp(text, numbered[i], len) ||
			!isdigit((unsigned char)text[len]))
			continue;
		end = skip_digits(text, size, len);
		if (end < size && text[end] == ':' && !memcmp(text, "kworker/", 8)) {
			end = skip_digits(text, size, end + 1);
			end += end < size && text[end] == 'H';
		}
		return end;
	}
	return 0;
}

static int mask_name(struct rwk_mask *mask, const char *text, size_t size, char **ret)
{
	size_t kept = kernel_part(text, size);
	char before[32];

	if (!size || kept == size) {
		*ret = strndup(text, size);
		return *ret ? 0 : -ENOMEM;
	}
	if (!kept || kept >= sizeof(before) - 1)
		return pseudonym(mask, "task", text, size, ret);
	snprintf(before, sizeof(before), "%.*s-", (int)kept, text);
	return pseudonym(mask, before, text + kept, size - kept, ret);
}

/* ---- other texts ---- */

/* Folder by folder, so that what is in one folder stays in one. */
int rwk_mask_folders(struct rwk_mask *mask, const char *text, size_t size, FILE *out)
{
	/* Where version 1 has its controllers mounted: the same everywhere. */
	static const char *const mounts[] = {"cpu", "cpu,cpuacct", "cpuacct,cpu", "unified"};

	for (size_t at = 0, len; at < size; at += len) {
		const char *slash = memchr(text + at, '/', size - at);
		bool kept = false;

		len = slash ? (size_t)(slash - text) - at : size - at;
		if (!len) {
			fputc('/', out);
			len = 1;
			continue;
		}
		for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
			kept |= strlen(mounts[i]) == len && !memcmp(mounts[i], text + at, len);
		if (kept) {
			fwrite(text + at, 1, len, out);
		} else {
			int64_t number = rwk_mask_number(mask, RWK_MASK_GROUP, text + at, len);

			if (!number)
				return -ENOMEM;
			fprintf(out, "g%" PRId64, number);
		}
	}
	return 0;
}

static int mask_cgroup(struct rwk_mask *mask, const char *text, size_t size, char **ret)
{
	size_t len;
	FILE *out = open_memstream(ret, &len);
	int err = out ? rwk_mask_folders(mask, text, size, out) : -ENOMEM;

	if (out && fclose(out))
		err = -ENOMEM;
	return err;
}

/* A file by its number among those of its kind. */
static int mask_file(struct rwk_mask *mask, enum rwk_mask_space_name space, const char *text,
	size_t size, const char *form, const char *after, char **ret)
{
	int64_t number = rwk_mask_number(mask, space, text, size);

	return !number || asprintf(ret, "%s%" PRId64 "%s", form, number, after) < 0 ? -ENOMEM : 0;
}

/* The upstream version: "6.1.0-rc3" of "6.1.0-rc3-acme-prod". */
static int mask_release(const char *text, char **ret)
{
	size_t len = strspn(text, "0123456789.");

	if (!strncmp(text + len, "-rc", 3) && isdigit((unsigned char)text[len + 3]))
		len += 3 + strspn(text + len + 3, "0123456789");
	while (len && text[len - 1] == '.')
		len--;
	*ret = strndup(text, len);
	return *ret ? 0 : -ENOMEM;
}

int rwk_mask_text(
	struct rwk_mask *mask, const char *what, const char *text, size_t size, char **ret)
{
	if (!strcmp(what, "name"))
		return mask_name(mask, text, size, ret);
	if (!strcmp(what, "cgroup"))
		return mask_cgroup(mask, text, size, ret);
	if (!strcmp(what, "release"))
		return mask_release(text, ret);
	if (!strcmp(what, "trace"))
		return mask_file(mask, RWK_MASK_TRACE, text, size, "trace", "", ret);
	/* "recorded,smt=off" names no file, nor does the name of a policy. */
	if (!strcmp(what, "machine") && strncmp(text, "recorded,", 9))
		return mask_file(mask, RWK_MASK_MACHINE, text, size, "machine", "", ret);
	if (!strcmp(what, "kernel") && strchr(text, '/'))
		return mask_file(mask, RWK_MASK_POLICY, text, strcspn(text, ","), "policy",
			text + strcspn(text, ","), ret);
	*ret = strndup(text, size);
	return *ret ? 0 : -ENOMEM;
}

/* ---- thread ids ---- */

static int tid_cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int rwk_mask_add_tid(struct rwk_mask *mask, int64_t tid)
{
	int err;

	if (tid <= 0)
		return 0;
	err = rwk_vec_grow(&mask->tid, &mask->cap_tids, mask->nr_tids + 1, sizeof(*mask->tid));
	if (!err)
		mask->tid[mask->nr_tids++] = tid;
	return err;
}

void rwk_mask_sort_tids(struct rwk_mask *mask)
{
	size_t kept = 0;

	if (mask->nr_tids)
		qsort(mask->tid, mask->nr_tids, sizeof(*mask->tid), tid_cmp);
	for (size_t i = 0; i < mask->nr_tids; i++) {
		if (!kept || mask->tid[kept - 1] != mask->tid[i])
			mask->tid[kept++] = mask->tid[i];
	}
	mask->nr_tids = kept;
}

int64_t rwk_mask_tid(const struct rwk_mask *mask, int64_t tid)
{
	const int64_t *at = NULL;

	if (tid <= 0) /* the idle tasks, nobody, and what is no id */
		return tid == 0 ? 0 : -1;
	if (mask->nr_tids)
		at = bsearch(&tid, mask->tid, mask->nr_tids, sizeof(tid), tid_cmp);
	return at ? at - mask->tid + 1 : -1;
}
