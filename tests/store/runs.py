#!/usr/bin/env python3
"""Several runs in one database: imported together, merged, replayed, explained."""
import re
import shutil

from runs_case import MISUSED, OK, RUN, main


def rows_of_run(case, name, run):
    """Every view's rows of a run, without the numbers that others have in another file."""
    here = {}
    for (view,) in case.sql(name, "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name"):
        view = view.decode()
        columns = [row[1].decode() for row in case.sql(name, f"PRAGMA table_info({view})")]
        key = "run_id" if "run_id" in columns else None
        if not key:
            continue
        kept = [c for c in columns if c not in ("run_id", "machine_id", "replay", "replay_id", "policy_id")]
        ids = {c for c in kept if c == "id" or c.endswith(("utid", "wakeup_id"))}
        select = ", ".join(f"{c} & {RUN - 1}" if c in ids else c for c in kept)
        here[view] = sorted(case.sql(name, f"SELECT {select} FROM {view} WHERE run_id = {run}"), key=repr)
    return here


def merged_and_imported(case):
    case.run(OK, "import", "-q", "oltp.dat", "-o", "a.db")
    case.run(OK, "import", "-q", "t1.txt", "-o", "b.db")
    before = [case.digest(n) for n in ("a.db", "b.db")]
    out, _ = case.run(OK, "merge", "m.db", "a.db", "b.db")
    assert out == "m.db: 2 runs\n", out
    assert before == [case.digest(n) for n in ("a.db", "b.db")]
    out, err = case.run(OK, "import", "oltp.dat", "t1.txt", "-o", "i.db")
    assert "run 1, oltp.dat" in out and "run 2, t1.txt" in out and "no machine sidecar" in err, (out, err)
    assert case.digest("m.db") == case.digest("i.db")
    case.run(OK, "merge", "-q", "-f", "i.db", "a.db", "b.db")
    assert case.digest("m.db") == case.digest("i.db")
    for run, name in (1, "a.db"), (2, "b.db"):
        want, got = rows_of_run(case, name, 1), rows_of_run(case, "m.db", run)
        assert len(want) > 15 and sum(map(len, want.values())) > 20, want.keys()
        assert want == got, [v for v in want if want[v] != got[v]]
    # One by one is as all at once.
    case.run(OK, "import", "-q", "t7.txt", "-o", "c.db")
    case.run(OK, "merge", "-q", "mc.db", "m.db", "c.db")
    case.run(OK, "merge", "-q", "abc.db", "a.db", "b.db", "c.db")
    assert case.digest("mc.db") == case.digest("abc.db")
    # The new file may be one of the old.
    case.run(OK, "merge", "-q", "-f", "m.db", "m.db", "c.db")
    assert case.digest("m.db") == case.digest("abc.db")
    assert case.sql("abc.db", "PRAGMA integrity_check") == [(b"ok",)]


def machines_once(case):
    """Two traces that nothing is known of are of equal machines; the third has a sidecar."""
    assert case.sql("abc.db", "SELECT machine_id FROM run ORDER BY run_id") == [(1,), (2,), (2,)]
    assert case.sql("abc.db", "SELECT COUNT(*) FROM machine") == [(2,)]
    assert case.sql("abc.db", "SELECT COUNT(*) FROM t_machine_cpu") == [
        (case.sql("a.db", "SELECT COUNT(*) FROM t_machine_cpu")[0][0]
         + case.sql("b.db", "SELECT COUNT(*) FROM t_machine_cpu")[0][0],)]


def replayed_and_merged(case):
    """Replays after merging find what they find before, and are carried along."""
    for name in "a.db", "b.db":
        shutil.copy(case.folder / name, case.folder / f"r{name}")
        case.run(OK, "replay", "-q", f"r{name}", "-p", "prev", "-p", "sis-prop", "-p", "waker")
        case.run(OK, "replay", "-q", "--mode=calibrated", f"r{name}", "-p", "prev")
    # The same policy with other parameters is another replay; under another machine too.
    case.run(OK, "replay", "-q", "ra.db", "-p", "linux,wa_weight=0", "-p", "linux,wa_idle=0")
    case.run(OK, "replay", "-q", "ra.db", "-p", "linux,wa_idle=0")
    case.run(OK, "replay", "-q", "--machine", "recorded,smt=off", "ra.db", "-p", "prev")
    case.run(OK, "merge", "-q", "rm.db", "ra.db", "rb.db")
    for run, name in (1, "ra.db"), (2, "rb.db"):
        want, got = rows_of_run(case, name, 1), rows_of_run(case, "rm.db", run)
        assert {"verdict", "agreement", "price"} <= want.keys() and want["verdict"], want.keys()
        assert want == got, [v for v in want if want[v] != got[v]]
    params = case.sql("rm.db", "SELECT params FROM agreement WHERE policy = 'linux' ORDER BY replay")
    assert params == [(b"wa_weight=0",), (b"wa_idle=0",)], params
    # One row per policy, although both files had it.
    assert case.sql("rm.db", "SELECT COUNT(*), COUNT(DISTINCT name) FROM policy") == [(4, 4)]
    assert case.sql("rm.db", "SELECT COUNT(*) FROM machine") == [(3,)]

    shutil.copy(case.folder / "i.db", case.folder / "later.db")
    out, _ = case.run(OK, "replay", "later.db", "-p", "prev", "-p", "sis-prop", "-p", "waker")
    assert "later.db run 1:" in out and "later.db run 2:" in out, out
    case.run(OK, "replay", "-q", "--mode=calibrated", "later.db", "-p", "prev")
    for run, name in (1, "ra.db"), (2, "rb.db"):
        same = f"SELECT policy, params, mode, decisions, agree, interesting, differ FROM agreement WHERE run_id = {run}" \
               " AND machine = 'recorded' AND policy <> 'linux' ORDER BY policy, mode"
        assert case.sql("later.db", same) == case.sql("rm.db", same), name
    out, _ = case.run(OK, "replay", "--run", "2", "later.db", "-p", "waker")
    assert out.startswith("later.db: "), out
    for wrong in "0", "x", "-1", "99999999999":
        case.run(MISUSED, "replay", "--run", wrong, "later.db", "-p", "waker")
    _, err = case.run(MISUSED, "replay", "--run", "3", "later.db", "-p", "waker")
    assert "no such run" in err, err
    # By default a policy that cannot answer for one machine is left out there only.
    case.run(OK, "replay", "-q", "later.db")
    counts = case.sql("later.db", "SELECT run_id, COUNT(*) FROM agreement WHERE policy = 'linux' GROUP BY run_id")
    assert counts and counts[0][0] == 1, counts


def printed(case):
    reports = [line.split()[0] for line in case.run(OK, "report", "rm.db")[0].splitlines() if line[2:3].strip()]
    assert {"summary", "agreement", "price", "wakers", "latency", "cpus"} <= set(reports), reports
    for report in reports:
        out, _ = case.run(OK, "report", "rm.db", report)
        assert len(out) > 100, report
        if report in ("summary", "price", "policies", "mail"):
            assert "Replays of each run" in out, out
            assert "Replays of each run" not in case.run(OK, "report", "ra.db", report)[0]
    out, _ = case.run(OK, "query", "-f", "csv", "rm.db",
                      "SELECT run_id, COUNT(*) AS n FROM wakeup GROUP BY run_id")
    assert out.split() == ["run_id,n", "1,1538", "2,1"], out
    _, err = case.run(MISUSED, "explain", "rm.db")
    assert "2 runs" in err and "--run" in err, err
    second, _ = case.run(OK, "explain", "-p", "prev", "--run", "2", "rm.db")
    assert "a (10) wakes b (20)" in second, second
    assert case.run(OK, "explain", "-p", "prev", "rm.db", str(RUN + 1))[0] == second
    assert case.run(OK, "explain", "-p", "prev", "--run", "2", "rm.db", "1")[0] == second
    first, _ = case.run(OK, "explain", "-p", "prev", "--run", "1", "rm.db")
    assert first != second and first == case.run(OK, "explain", "-p", "prev", "a.db")[0]
    assert case.run(OK, "explain", "-p", "prev", "rm.db", "1")[0] == case.run(OK, "explain", "-p", "prev", "a.db", "1")[0]
    case.run(MISUSED, "explain", "rm.db", str(RUN))
    _, err = case.run(MISUSED, "explain", "--run", "1", "rm.db", str(RUN + 1))
    assert "of run 2" in err, err


def every_column_is_copied(case):
    tables = [t.decode() for (t,) in case.sql("a.db", "SELECT name FROM sqlite_schema WHERE type = 'table'")]
    assert len(tables) > 20, tables
    for table in tables:
        if table == "t_log":  # of the file, not of its runs
            continue
        sql = (case.root / f"sql/merge/{table.removeprefix('t_')}.sql").read_text()
        into = re.search(r"INSERT INTO (\w+) \(([^)]*)\)", sql)
        columns = [row[1].decode() for row in case.sql("a.db", f"PRAGMA table_info({table})")]
        assert into[1] == table and sorted(into[2].split(", ")) == sorted(columns), table


if __name__ == "__main__":
    main(merged_and_imported, machines_once, replayed_and_merged, printed, every_column_is_copied)
