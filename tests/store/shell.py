#!/usr/bin/env python3
"""A run is an ordinary SQLite file: the shell reads every view, and gives each shipped report the
rows that rewake prints."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def run(*argv, stdin=None):
    done = subprocess.run(argv, input=stdin, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, argv))[:200]}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def shell_json(db, sql):
    """Results of each statement; the shell prints nothing for one without rows."""
    out = run("sqlite3", "-readonly", "-json", db, stdin=sql.encode())
    decoder, results, at = json.JSONDecoder(), [], 0
    while out[at:].strip():
        at += len(out[at:]) - len(out[at:].lstrip())
        value, at = decoder.raw_decode(out, at)
        results.append(value)
    return results


def check_params(name, sql):
    """In the shell, where nothing is bound, each parameter must have its declared default; each is used."""
    declared = dict(re.findall(r"^-- param: (\w+) \w+ = (\S+)", sql, re.M))
    used = set(re.findall(r"(?<!:):([a-z_]+)\b", re.sub("--.*$|'[^']*'", "", sql, flags=re.M)))
    assert set(declared) == used, f"{name}: declared {sorted(declared)}, used {sorted(used)}"
    for param, default in declared.items():
        if default != "NULL":
            text = default if re.fullmatch("[0-9.]+", default) else f"'{default}'"
            for use in re.findall(rf".{{9}}:{param}\b.{{24}}", sql):
                assert f"coalesce(:{param}, {text})" in use, f"{name}: {use} is not with its default {default}"


def check_upgrade(rewake, db, folder):
    """What a replay counts of its prices is also counted of those that an older program left."""
    old = folder / "old.db"
    shutil.copy(db, old)
    counts = ("SELECT * FROM replay_price ORDER BY 1", "SELECT * FROM replay_edge ORDER BY 1, 2, 4",
              "SELECT * FROM unpriced_count ORDER BY 1, 2, 3")
    before = [shell_json(old, sql) for sql in counts]
    assert all(before), before
    views = run("sqlite3", old, "SELECT name FROM sqlite_schema WHERE type = 'view'").split()
    run("sqlite3", old, *(f"DROP VIEW {v};" for v in views), "DROP TABLE t_replay_price;", "DROP TABLE t_replay_edge;",
        "DROP TABLE t_probe_cpu; DROP TABLE t_nr;", "ALTER TABLE t_run DROP COLUMN formats_from;",
        "ALTER TABLE t_task DROP COLUMN tgid;", "DROP TABLE t_cpu_epoch;",
        "DELETE FROM t_replay_count WHERE what = 9;", "DELETE FROM t_log WHERE version > 4;",
        "PRAGMA user_version = 4;")
    done = subprocess.run([rewake, "report", old, "summary"], capture_output=True, check=False)
    assert done.returncode == 1 and b"older rewake" in done.stderr, done
    run(rewake, "replay", "--quiet", old, "-p", "recorded")
    assert [shell_json(old, sql) for sql in counts] == before


def main(rewake, root):
    if not shutil.which("sqlite3"):
        print("skipped: there is no sqlite3 here")
        return SKIP
    root = pathlib.Path(root)
    with tempfile.TemporaryDirectory() as folder:
        db = pathlib.Path(folder) / "run.db"
        run(rewake, "import", "--quiet", root / "samples/oltp.dat", "-o", db)
        run(rewake, "replay", "--quiet", db)
        run(rewake, "replay", "--quiet", db, "--machine", "recorded,smt=off", "-p", "linux")

        views = run("sqlite3", "-readonly", db, "SELECT name FROM sqlite_schema WHERE type = 'view'").split()
        assert len(views) > 20, views
        for view in views:
            run("sqlite3", "-readonly", db, f"SELECT * FROM {view} LIMIT 5")
        assert run("sqlite3", "-readonly", db, "PRAGMA integrity_check").strip() == "ok"

        for report in sorted((root / "sql/report").glob("*.sql")):
            sql = report.read_text()
            assert re.search("-- include: losses(_short)?\n$", sql), f"{report.name} does not end with the losses"
            check_params(report.name, sql)
            sql = re.sub(r"^-- include: (.*)\n", lambda m: (root / f"sql/report_part/{m[1]}.sql").read_text(), sql,
                         flags=re.M)
            ours = json.loads(run(rewake, "report", "--format", "json", db, report.stem))
            titles = re.findall(r"^-- section(?: if any)?: (.*)$", sql, re.M)
            assert list(ours) == titles, (list(ours), titles)
            theirs = shell_json(db, sql)
            mine = [rows for rows in ours.values() if rows]
            assert mine == theirs, f"{report.name} differs:\n{mine}\n{theirs}"
            assert mine, f"{report.name} is empty"

        check_upgrade(rewake, db, pathlib.Path(folder))

        # The counts that the summary reads are those of the rows.
        counted, kept = shell_json(db, "SELECT kind, COUNT(*) AS n FROM wakeup GROUP BY kind ORDER BY kind;"
                                       "SELECT kind, SUM(count) AS n FROM wakeup_count GROUP BY kind ORDER BY kind;")
        assert counted == kept, (counted, kept)
        counted, kept = shell_json(
            db, "SELECT v.replay_id AS id, COUNT(*) AS n, SUM(v.agrees) AS a, SUM(v.interesting) AS i FROM verdict v "
                "JOIN wakeup w ON w.id = v.wakeup_id WHERE w.kind = 'decision' AND v.agrees IS NOT NULL GROUP BY 1;"
                "SELECT replay AS id, decisions AS n, agree AS a, interesting AS i FROM agreement ORDER BY 1;")
        assert counted == kept, (counted, kept)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
