/*
 * Edits of a snapshot's topology (variant.h), file by file, so that the result
 * is a snapshot like any other: to be saved, looked at, and edited by hand.
 */
#include "machine/edit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define NODE_DIR    "sys/devices/system/node/"
#define NOTE        "rewake/edit"
#define CPULIST_LEN 8192 /* of the longest list of RWK_MAX_CPUS CPUs */

int rwk_edit_fail(const struct rwk_edit *e, int err, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return rwk_diag_push(e->diag, err, "cannot edit the machine: edit=%s why=%s", e->text, why);
}

/* ---- what is asked for ---- */

static int parse_one(struct rwk_edit *e, const char *key, const char *value)
{
	bool off = !strcmp(value, "off");
	int64_t n;

	if (!strcmp(key, "numa") && off && !e->numa_off) {
		e->numa_off = true;
	} else if (!strcmp(key, "smt") && off && !e->smt_off) {
		e->smt_off = true;
	} else if (!strcmp(key, "llc") && !e->llc_size && !e->llc_sets) {
		if (strpbrk(value, "-+/")) {
			e->llc_sets = strdup(value);
			return e->llc_sets ? 0 : rwk_edit_fail(e, -ENOMEM, "no memory");
		}
		if (rwk_parse_i64(value, 1, RWK_MAX_CPUS, &n))
			return rwk_edit_fail(e, -EINVAL, "llc=%.100s is no number of CPUs", value);
		e->llc_size = (int)n;
	} else {
		return rwk_edit_fail(e, -EINVAL,
			"%.60s=%.60s is none of numa=off, smt=off, llc=N, llc=CPUS/CPUS…, or there "
			"twice",
			key, value);
	}
	return 0;
}

static int parse(struct rwk_edit *e)
{
	char *copy = strdup(e->text), *save = NULL;
	int err = 0, nr = 0;

	if (!copy)
		return rwk_edit_fail(e, -ENOMEM, "no memory");
	for (char *p = copy, *part; !err && (part = strtok_r(p, ",", &save)); p = NULL, nr++) {
		char *value = strchr(part, '=');

		if (value)
			*value++ = '\0';
		err = parse_one(e, part, value ? value : "");
	}
	if (!err && !nr)
		err = rwk_edit_fail(e, -EINVAL, "there is none");
	free(copy);
	return err;
}

/* ---- files ---- */

int rwk_edit_put(const struct rwk_edit *e, const char *content, const char *fmt, ...)
{
	char path[256];
	va_list ap;
	int err;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	err = rwk_snapshot_add_file(e->snap, path, content);
	return err ? rwk_edit_fail(e, err, "%s: %s", path, strerror(-err)) : 0;
}

int rwk_edit_put_cpus(const struct rwk_edit *e, const struct rwk_cpuset *cpus, const char *path)
{
	char list[CPULIST_LEN + 2];
	int len = rwk_format_cpulist(cpus, list, CPULIST_LEN);

	list[len] = '\n';
	list[len + 1] = '\0';
	return rwk_edit_put(e, list, "%s", path);
}

bool rwk_edit_read_cpus(const struct rwk_edit *e, const char *path, struct rwk_cpuset *ret)
{
	const char *content = rwk_snapshot_file(e->snap, path);

	return content && !rwk_parse_cpulist(content, ret);
}

int rwk_edit_drop_files(struct rwk_snapshot *snap, bool (*is_meant)(const char *path))
{
	const char *path, *content;
	int err = 0;

	for (size_t i = 0; !err && rwk_snapshot_file_at(snap, i, &path, &content); i++) {
		if (content && is_meant(path)) {
			/* The entry that goes owns its path. */
			char *copy = strdup(path);

			err = copy ? rwk_snapshot_add_file(snap, copy, NULL) : -ENOMEM;
			free(copy);
		}
	}
	return err;
}

/* ---- the order ---- */

static bool is_node_file(const char *path)
{
	return !strncmp(path, NODE_DIR, strlen(NODE_DIR));
}

/* contradictions: how many, may be NULL. */
static int build(const struct rwk_edit *e, struct rwk_machine **ret, int64_t *contradictions)
{
	struct rwk_anomalies anomalies = {0};
	int err = rwk_machine_build(e->snap, "", 0, &anomalies, e->diag, ret);

	if (contradictions)
		*contradictions = anomalies.of[RWK_AN_BAD_SIDECAR].count;
	return err;
}

static int note(const struct rwk_edit *e)
{
	const char *before = rwk_snapshot_file(e->snap, NOTE);
	char *text;
	int err;

	if (asprintf(&text, "%.*s%s%s\n", before ? (int)strcspn(before, "\n") : 0,
		    before ? before : "", before ? "," : "", e->text) < 0)
		return rwk_edit_fail(e, -ENOMEM, "no memory");
	err = rwk_edit_put(e, text, NOTE);
	free(text);
	return err;
}

static int apply(struct rwk_edit *e)
{
	struct rwk_machine *plain = NULL, *edited = NULL;
	int64_t contradictions;
	int err = build(e, &e->m, NULL);

	if (err)
		return err;
	if (!e->m->topology_known)
		return rwk_edit_fail(e, -ENODATA, "which CPUs share what is unknown");
	err = rwk_snapshot_drop_domains(e->snap);
	if (err)
		rwk_edit_fail(e, err, "%s", strerror(-err));
	if (!err)
		err = build(e, &plain, &contradictions);
	if (!err && contradictions)
		err = rwk_edit_fail(e, -ENODATA, "its topology contradicts itself");
	if (!err && !rwk_edit_same_spans(e->m, plain))
		err = rwk_edit_fail(e, -ENODATA,
			"its scheduling domains do not follow from its cores, caches and nodes (a "
			"cpuset partition, CPU hot-plug?)");
	if (!err && e->numa_off) {
		err = rwk_edit_drop_files(e->snap, is_node_file);
		if (err)
			rwk_edit_fail(e, err, "%s", strerror(-err));
	}
	if (!err && e->smt_off)
		err = rwk_edit_smt_off(e);
	if (!err && (e->llc_size || e->llc_sets))
		err = rwk_edit_llcs(e);
	if (!err)
		err = build(e, &edited, NULL);
	if (!err)
		err = rwk_edit_keep_details(e, plain, edited);
	rwk_machine_destroy(edited);
	edited = NULL;
	if (!err)
		err = build(e, &edited, &contradictions);
	if (!err && contradictions)
		err = rwk_edit_fail(e, -EINVAL, "what comes out contradicts itself");
	if (!err)
		err = note(e);
	rwk_machine_destroy(plain);
	rwk_machine_destroy(edited);
	return err;
}

int rwk_snapshot_edit(struct rwk_snapshot *snap, const char *edits, struct rwk_diag *diag)
{
	struct rwk_edit e = {.snap = snap, .diag = diag, .text = edits};
	int err = strlen(edits) > 512 ? rwk_edit_fail(&e, -EINVAL, "longer than 512 bytes")
				      : parse(&e);

	if (!err)
		err = apply(&e);
	rwk_machine_destroy(e.m);
	free(e.llc);
	free(e.llc_sets);
	return err;
}
