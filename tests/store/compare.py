#!/usr/bin/env python3
"""compare: figures of two sides worked out here again, the tests' limits, and what is refused."""
import csv
import io
import json
import math
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

OK, FAILED, MISUSED = 0, 1, 2


def trace(waits_us, gap_us=1000, waker=b"a"):
    """A waker on CPU 0 wakes a task on CPU 1, which waits so long each time."""
    out = [b"# tracer: nop", b"# rewake: release=6.1.192 clock=mono"]

    def event(us, comm, tid, cpu, text):
        out.append(b"%s-%d [%03d] d..2. %d.%06d: %s" % (comm, tid, cpu, us // 1000000, us % 1000000, text))

    def switch(us, cpu, a, b, state):
        event(us, *a, cpu, b"sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s"
              b" next_pid=%d next_prio=120" % (*a, state, *b))

    idle, wakee, us = (b"swapper/1", 0), (b"b'\xff\"<x>", 20), 1000000
    switch(us, 0, (b"swapper/0", 0), (waker, 10), b"R")
    switch(us + 1, 1, idle, wakee, b"R")
    switch(us + 2, 1, wakee, idle, b"S")
    for wait in waits_us:
        us += gap_us
        event(us, waker, 10, 0, b"sched_waking: comm=%s pid=20 prio=120 target_cpu=001" % wakee[0])
        switch(us + wait, 1, idle, wakee, b"R")
        switch(us + wait + 1, 1, wakee, idle, b"S")
    return b"\n".join(out) + b"\n"


def mann_whitney(a, b):
    """U of b, its z and p by the normal approximation, pair by pair."""
    u = sum((x < y) + (x == y) / 2 for x in a for y in b)
    n, both = len(a) + len(b), a + b
    ties = sum(t ** 3 - t for t in (both.count(v) for v in set(both)))
    variance = len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1)))
    mean = len(a) * len(b) / 2
    z = math.copysign(max(abs(u - mean) - 0.5, 0) / math.sqrt(variance), u - mean)
    return u, z, math.erfc(abs(z) / math.sqrt(2))


def quantile(values, permille):
    return sorted(values)[(len(values) * permille + 999) // 1000 - 1]


class Case:
    def __init__(self, rewake, folder):
        self.rewake, self.folder = rewake, folder

    def run(self, expected, *argv):
        done = subprocess.run([self.rewake, *argv], capture_output=True, check=False, cwd=self.folder)
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {done.stderr}"
        return done.stdout.decode(), done.stderr.decode()

    def compare(self, *argv):
        return json.loads(self.run(OK, "compare", "--format=json", *argv)[0])

    def make(self, name, *runs):
        for i, waits in enumerate(runs):
            (self.folder / f"{name}{i}.txt").write_bytes(trace(waits))
        self.run(OK, "import", "-q", *[f"{name}{i}.txt" for i in range(len(runs))], "-o", f"{name}.db")


def one_run_each(case):
    a = [10, 20, 20, 30, 40, 50, 60, 70, 80, 500]
    b = [20, 35, 45, 55, 65, 75, 85, 95, 105, 115, 125, 900]
    case.make("a", a)
    case.make("b", b)
    got = case.compare("a.db", "b.db")
    figures = {r["figure"]: r for r in got["Waits in us"]}
    assert (figures["decisions"]["a"], figures["decisions"]["b"]) == (10, 12), figures
    for name, permille in (("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999), ("max", 1000)):
        qa, qb = quantile(a, permille), quantile(b, permille)
        assert (figures[name]["a"], figures[name]["b"], figures[name]["b_minus_a"]) == (qa, qb, qb - qa), (name, figures)
    assert figures["mean"]["a"] == 88.0 and figures["mean"]["b"] == round(sum(b) / 12, 1), figures
    assert figures["p50"]["change_pct"] == round(100 * quantile(b, 500) / quantile(a, 500) - 100, 1)

    (test,), (u, z, p) = got["Test over all waits"], mann_whitney(a, b)
    assert (test["n_a"], test["n_b"], test["u_b"]) == (10, 12, u), test
    assert test["z"] == round(z, 2) and abs(test["p"] / p - 1) < 0.005, (test, z, p)
    assert test["b_longer"] == round(u / 120, 4) and test["delta"] == round(2 * u / 120 - 1, 4), test
    assert test["tied_pct"] == round(100 * 3 / 22, 1) and "independent" in test["note"], test

    for row in got["Test over runs"]:
        assert row["p"] is None and "several runs" in row["note"], row
    (back,) = case.compare("b.db", "a.db")["Test over all waits"]
    assert back["u_b"] == 120 - u and back["p"] == test["p"] and back["z"] == -test["z"], back


def several_runs(case):
    case.make("few", *[[10 + i, 20 + i, 30 + i] for i in range(4)])
    case.make("lots", *[[40 + i, 50 + i, 160 + i] for i in range(4)])
    rows = {r["figure"]: r for r in case.compare("few.db", "lots.db")["Test over runs"]}
    # 4 and 4 runs apart from each other: 2 of 70 ways.  Every median of B is 30 + i - k above one of A.
    p50 = rows["p50_us"]
    assert (p50["n_a"], p50["n_b"], p50["p"], p50["shift"]) == (4, 4, round(2 / 70, 5), 30.0), p50
    assert p50["note"] == "exact", p50
    assert rows["moved_pct"]["p"] is None and "equal" in rows["moved_pct"]["note"], rows
    three = case.compare("--a", "1-3", "--b", "1,3-4", "few.db", "lots.db")
    assert [(r["side"], r["run"]) for r in three["Runs"]] == [(s, r) for s, n in (("A", (1, 2, 3)), ("B", (1, 3, 4))) for r in n]
    row = three["Test over runs"][0]
    assert row["p"] == 0.1 and "cannot come below 0.1" in row["note"], row

    # The same out of one database.
    case.run(OK, "merge", "-q", "all.db", "few.db", "lots.db")
    one, two = case.compare("--a", "1-4", "--b", "5-8", "all.db"), case.compare("few.db", "lots.db")
    for section in "Waits in us", "Test over all waits", "Test over runs", "Wakeups by kind":
        assert one[section] == two[section], section
    for wrong in (["all.db"], ["--a", "1", "all.db"], ["--a", "0", "--b", "1", "all.db"],
                  ["--a", "x", "--b", "1", "all.db"], ["--a", "1", "--b", "", "all.db"], []):
        case.run(MISUSED, "compare", *wrong)
    _, err = case.run(MISUSED, "compare", "--a", "1", "--b", "9", "all.db")
    assert "no run 9" in err, err


def far_apart(case):
    """So far that p is less than a double can hold: it is not 0."""
    case.make("near", [10 + i % 7 for i in range(1100)])
    case.make("far", [100 + i % 7 for i in range(1100)])
    (test,) = case.compare("near.db", "far.db")["Test over all waits"]
    assert test["p"] == 0 and test["z"] > 39 and test["note"].endswith("0 is below 1e-300"), test


def nothing_to_test(case):
    (case.folder / "zero.txt").write_text("# tracer: nop\n# rewake: release=6.1.192 clock=mono\n")
    subprocess.run([case.rewake, "import", "-q", "zero.txt", "-o", "zero.db"], cwd=case.folder, capture_output=True, check=False)
    for pair in ("zero.db", "a.db"), ("a.db", "zero.db"), ("zero.db", "zero.db"):
        (test,) = case.compare(*pair)["Test over all waits"]
        assert test["p"] is None and test["z"] is None and "no wait" in test["note"], test
    case.make("same", [50] * 8)
    (test,) = case.compare("same.db", "same.db")["Test over all waits"]
    assert test["p"] is None and "equal" in test["note"] and test["b_longer"] == 0.5 and test["delta"] == 0, test
    case.make("sames", [50] * 3, [50] * 3, [50] * 3, [50] * 3)
    for row in case.compare("sames.db", "sames.db")["Test over runs"]:
        assert row["p"] is None and "equal" in row["note"], row


def policies_and_pairs(case):
    case.run(OK, "replay", "-q", "a.db", "-p", "prev", "-p", "waker")
    case.run(OK, "replay", "-q", "b.db", "-p", "prev")
    got = case.compare("a.db", "b.db")["Agreement of each policy with the kernel"]
    assert [(r["policy"], r["a_decisions"], r["b_decisions"]) for r in got] == [("prev", 10, 12), ("waker", 10, None)], got
    (case.folder / "c.txt").write_bytes(trace([10] * 30, waker=b"z"))
    case.run(OK, "import", "-q", "c.txt", "-o", "c.db")
    pairs = case.compare("a.db", "c.db")["Pairs, by name, whose share of all wakeups changed most; an interrupt counts as the task that it came upon"]
    assert [(r["waker"], r["a_pct"], r["b_pct"]) for r in pairs] == [("z", 0.0, 100.0), ("a", 100.0, 0.0)], pairs
    for form in "table", "csv", "json":
        out, _ = case.run(OK, "compare", "-f", form, "a.db", "b.db")
        assert "\\xff" in out if form == "table" else "\ufffd" in out or "\\ufffd" in out, out
    assert len(list(csv.reader(io.StringIO(case.run(OK, "compare", "-f", "csv", "a.db", "b.db")[0])))) > 40


def other_files(case):
    (case.folder / "text").write_text("no database\n")
    before = sorted(p.name for p in case.folder.iterdir())
    for name, change in (("other.db", "PRAGMA application_id = 1"), ("newer.db", "PRAGMA user_version = 1000")):
        (case.folder / name).write_bytes((case.folder / "a.db").read_bytes())
        db = sqlite3.connect(case.folder / name)
        db.execute(change)
        db.close()
        before.append(name)
    for name, why in (("text", "not a database"), ("none.db", "No such file"), ("other.db", "not a rewake"), ("newer.db", "newer")):
        for pair in (name, "a.db"), ("a.db", name):
            _, err = case.run(FAILED, "compare", *pair)
            assert name in err and why in err, err
    assert sorted(p.name for p in case.folder.iterdir()) == sorted(before)


def main(rewake):
    with tempfile.TemporaryDirectory() as folder:
        case = Case(str(pathlib.Path(rewake).resolve()), pathlib.Path(folder))
        # No sidecar: which CPUs share a cache is unknown, and said to be.
        one_run_each(case)
        several_runs(case)
        far_apart(case)
        nothing_to_test(case)
        policies_and_pairs(case)
        other_files(case)
        places = case.compare("a.db", "b.db")["Where the kernel put wakees, from the waker's CPU"]
        assert {r["place"]: r["a_pct"] for r in places}["unknown"] == 100.0, places
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
