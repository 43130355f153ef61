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
        reports = [line.split(None, 1) for line in out.splitlines() if not line.lstrip().startswith("-P ")]
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

        # Parameters: shown where the report is, checked before anything is printed.
        lines = case.run(OK, "report", db)[0].splitlines()
        at = next(i for i, line in enumerate(lines) if line.split()[0] == "stacking")
        assert lines[at + 2].split(None, 2)[:2] == ["-P", "top=20"] and "integer in 1..1000000" in lines[at + 2], lines
        one = json.loads(case.run(OK, "report", "-f", "json", db, "wakers", "-P", "top=1", "--param=run=1")[0])
        assert all(len(rows) <= 1 for rows in list(one.values())[:3]), one
        last = json.loads(case.run(OK, "report", "-f", "json", db, "wakers", "-P", "top=9", "-P", "top=1")[0])
        assert last == one, "the last value does not win"
        for param, why in (("tip=1", "it has run, top, long_us"), ("top", "no value"), ("top=", "not such a value"),
                           ("top=1.5", "not such a value"), ("top=many", "not such a value"), ("top=0", "out of range"),
                           ("top=1000001", "out of range"), ("top=99999999999999999999", "out of range"),
                           ("long_us=1x", "not such a value"), ("long_us=-1", "out of range"),
                           ("long_us=nan", "not such a value"), ("long_us=1e999", "out of range"),
                           ("long_us=0x10", "not such a value"), ("run=0", "out of range"), ("=1", "none of that name"),
                           ("", "none of that name")):
            out, err = case.run(MISUSED, "report", db, "stacking", "-P", param)
            assert not out and why in err, (param, err)
        # Bound, never pasted: this is nobody's name.
        out, _ = case.run(OK, "report", db, "differ", "-P", "a=x' OR 1=1 --")
        assert "no replay of x' OR 1=1 -- kept verdicts" in out, out
        _, err = case.run(MISUSED, "report", db, "summary", "-P", "top=1")
        assert "it has none" in err, err
        case.run(MISUSED, "report", db, "-P", "top=1")

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
