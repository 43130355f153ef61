#!/usr/bin/env python3
"""report and query from the command line: what they print where, and how they exit."""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

OK, FAILED, MISUSED = 0, 1, 2


class Case:
    def __init__(self, rewake):
        self.rewake = rewake

    def run(self, expected, *argv):
        done = subprocess.run([self.rewake, *argv], capture_output=True, check=False)
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {err}"
        assert (expected == OK) == (err == ""), f"{argv}: stderr {err!r}"
        return out, err


def main(rewake, root):
    case = Case(rewake)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        db = folder / "run.db"
        case.run(OK, "import", "--quiet", pathlib.Path(root) / "samples/oltp.dat", "-o", db)

        out, _ = case.run(OK, "report", db)
        reports = [line.split(None, 1) for line in out.splitlines()]
        assert {"summary", "wakers"} <= {name for name, _ in reports}, out
        assert all(len(about) > 10 for _, about in reports), out
        for name, _ in reports:
            for form in "table", "csv", "json":
                out, _ = case.run(OK, "report", "-f", form, db, name)
                assert len(out) > 100, (name, form)
        out, _ = case.run(OK, "report", "--help")
        assert "summary" in out
        _, err = case.run(MISUSED, "report", db, "summery")
        assert "summery" in err and "summary" in err, err
        case.run(MISUSED, "report", "--format", "xml", db, "summary")
        case.run(MISUSED, "report")
        case.run(MISUSED, "report", db, "summary", "wakers")
        case.run(MISUSED, "report", "--no-such-option", db)

        sql = "SELECT name, COUNT(*) AS n FROM task GROUP BY name ORDER BY n DESC, name LIMIT 3"
        out, _ = case.run(OK, "query", db, sql)
        assert out.splitlines()[0].split() == ["name", "n"], out
        rows = json.loads(case.run(OK, "query", "--format=json", db, sql)[0])
        assert len(rows) == 3 and set(rows[0]) == {"name", "n"}, rows
        again = list(csv.DictReader(io.StringIO(case.run(OK, "query", "-f", "csv", db, sql)[0], newline="")))
        assert [(r["name"], int(r["n"])) for r in again] == [(r["name"], r["n"]) for r in rows], again
        case.run(OK, "query", "--help")
        for wrong in "SELEC 1", "SELECT 1; SELECT 2", "", "DELETE FROM t_run", "ATTACH 'x' AS y", "SELECT x FROM run":
            case.run(MISUSED, "query", db, wrong)
        case.run(MISUSED, "query", db)
        case.run(MISUSED, "query", "--format", "xml", db, sql)

        # The functions that only query has agree with views and reports.
        out, _ = case.run(OK, "query", "-f", "csv", db, "SELECT count(*), count(*) FILTER (WHERE waker_distance IS "
                          "cpu_distance(run_id, cpu, target_cpu) AND prev_distance IS cpu_distance(run_id, prev_cpu, "
                          "target_cpu)) FROM decision")
        decisions, equal = out.splitlines()[1].split(",")
        assert decisions == equal and int(decisions) > 1000, out
        latency = json.loads(case.run(OK, "report", "-f", "json", db, "latency")[0])
        first = next(iter(latency.values()))[0]
        out, _ = case.run(OK, "query", "-f", "csv", db, "SELECT round(percentile(run_dur, 50) / 1000.0, 1), "
                          "round(percentile(run_dur, 99.9) / 1000.0, 1) FROM decision")
        assert [float(x) for x in out.splitlines()[1].split(",")] == [first["p50_us"], first["p999_us"]], (out, first)
        case.run(MISUSED, "query", db, "SELECT cpu_distance(7, 0, 1)")

        # Files that are none, or not ours.
        (folder / "text").write_text("tracing\n")
        for path, why in ((folder / "none.db", "No such file"), (folder / "text", "not a database"),
                          (folder, "not a regular file")):
            for argv in (["report", path], ["report", path, "summary"], ["query", path, sql]):
                _, err = case.run(FAILED, *argv)
                assert str(path) in err and why in err, err
        assert sorted(p.name for p in folder.iterdir()) == ["run.db", "text"], list(folder.iterdir())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
