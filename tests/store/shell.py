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
            assert sql.endswith("-- include: losses\n"), f"{report.name} does not end with the losses"
            sql = re.sub(r"^-- include: (.*)\n", lambda m: (root / f"sql/report_part/{m[1]}.sql").read_text(), sql,
                         flags=re.M)
            ours = json.loads(run(rewake, "report", "--format", "json", db, report.stem))
            titles = re.findall(r"^-- section(?: if any)?: (.*)$", sql, re.M)
            assert list(ours) == titles, (list(ours), titles)
            theirs = shell_json(db, sql)
            mine = [rows for rows in ours.values() if rows]
            assert mine == theirs, f"{report.name} differs:\n{mine}\n{theirs}"
            assert mine, f"{report.name} is empty"

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
