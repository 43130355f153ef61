#!/usr/bin/env python3
"""Several runs in one database: what is refused, and that nothing half done is left of it."""
import os
import shutil
import sqlite3
import subprocess

from runs_case import ABSENT, FAILED, MISUSED, OK, RUN, main


def some_databases(case):
    case.run(OK, "import", "-q", "oltp.dat", "-o", "ra.db")
    case.run(OK, "replay", "-q", "ra.db", "-p", "prev")
    case.run(OK, "replay", "-q", "--machine", "recorded,smt=off", "ra.db", "-p", "waker")
    case.run(OK, "import", "-q", "t1.txt", "-o", "b.db")


def nothing_or_all(case):
    """A failure at the last file leaves what was there."""
    before = case.names()
    (case.folder / "text").write_text("no trace\n")
    for argv in (["import", "t1.txt", "text", "-o", "new.db"], ["import", "t1.txt", "none.dat", "-o", "new.db"],
                 ["merge", "new.db", "ra.db", "text"], ["merge", "new.db", "ra.db", "none.db"]):
        _, err = case.run(FAILED, *argv)
        assert argv[-1] in err or argv[2] in err, err
        assert case.names() == sorted(before + ["text"]), case.names()
    old = case.digest("b.db")
    _, err = case.run(FAILED, "merge", "b.db", "ra.db")
    assert "exists" in err, err
    case.run(FAILED, "merge", "-f", "b.db", "ra.db", "text")
    case.run(FAILED, "import", "-f", "t1.txt", "text", "-o", "b.db")
    case.run(FAILED, "anonymize", "-f", "text", "b.db")
    assert case.digest("b.db") == old and case.names() == sorted(before + ["text"])
    _, err = case.run(MISUSED, "import", "t1.txt", "t7.txt")
    assert "-o" in err, err
    case.run(MISUSED, "merge", "new.db")
    case.run(MISUSED, "anonymize", "ra.db")
    # The code of the worst one.
    case.run(ABSENT, "import", "-q", "t1.txt", "zero.txt", "-o", "zero.db")
    assert case.sql("zero.db", "SELECT nr_events FROM run ORDER BY run_id")[1] == (0,)
    case.run(OK, "merge", "-q", "zeros.db", "zero.db", "zero.db")
    case.run(OK, "report", "zeros.db", "summary")
    case.run(OK, "replay", "-q", "zeros.db", "-p", "prev")
    case.run(OK, "anonymize", "-q", "zeros.db", "zeros-anon.db")


def other_files(case):
    """Another program's, newer, older, damaged, read-only, locked: for merge and anonymize."""
    def copy(name, sql=None):
        shutil.copy(case.folder / "ra.db", case.folder / name)
        if sql:
            case.change(name, sql)

    copy("other.db", "PRAGMA application_id = 1")
    copy("newer.db", "PRAGMA user_version = 1000")
    copy("cut.db")
    with open(case.folder / "cut.db", "r+b") as f:
        f.truncate(200000)
    copy("stray.db", f"UPDATE t_slice SET utid = utid + {5 * RUN} WHERE id = 7")
    copy("lost.db", f"UPDATE t_wakeup SET id = id + {5 * RUN} WHERE id = 9")
    copy("events.db", "INSERT INTO t_run_event VALUES (9, 1, 'x', 1)")
    copy("norun.db", "DELETE FROM t_run; DELETE FROM t_run_event; DELETE FROM t_run_cpu; DELETE FROM t_anomaly;"
                     " DELETE FROM t_wakeup_count; DELETE FROM t_replay")
    (case.folder / "empty.db").write_bytes(b"")
    before = case.names()
    for name, why in (("other.db", "not a rewake database"), ("newer.db", "newer rewake"), ("cut.db", "damaged"),
                      ("stray.db", "damaged"), ("lost.db", "damaged"), ("events.db", "damaged"),
                      ("norun.db", "no run"), ("empty.db", "empty")):
        digest = case.digest(name)
        for argv in ["merge", "new.db", "b.db", name], ["anonymize", name, "new.db"]:
            _, err = case.run(FAILED, *argv)
            assert why in err and name in err, (argv, err)
            assert case.names() == before and case.digest(name) == digest, argv
    # Nobody here may open the file meanwhile: closing it would give up the lock.
    copy("locked.db")
    lock = sqlite3.connect(case.folder / "locked.db")
    lock.execute("BEGIN EXCLUSIVE")
    _, err = case.run(FAILED, "merge", "new.db", "b.db", "locked.db")
    assert "another program" in err and "locked.db" in err, err
    lock.close()
    # Reading needs no more than that.
    copy("readonly.db")
    (case.folder / "readonly.db").chmod(0o444)
    case.run(OK, "merge", "-q", "want.db", "ra.db", "b.db")
    case.run(OK, "merge", "-q", "got.db", "readonly.db", "b.db")
    assert case.digest("want.db") == case.digest("got.db")
    # Somebody who reads, or is about to write, is in nobody's way.
    reader = sqlite3.connect(case.folder / "ra.db")
    reader.execute("BEGIN IMMEDIATE")
    case.run(OK, "merge", "-q", "-f", "got.db", "ra.db", "b.db")
    reader.close()
    assert case.digest("want.db") == case.digest("got.db")
    # Names that mean something to SQLite.
    copy("file:x?mode=memory&a=%41 '\"#.db")
    case.run(OK, "merge", "-q", "-f", "got.db", "file:x?mode=memory&a=%41 '\"#.db", "b.db")
    assert case.digest("want.db") == case.digest("got.db")
    # An older one: as if it had been upgraded, and it stays.
    copy("older.db")
    views = case.sql("older.db", "SELECT name FROM sqlite_schema WHERE type = 'view'")
    case.change("older.db", "".join(f"DROP VIEW {v.decode()};" for (v,) in views)
                + "DELETE FROM t_replay WHERE machine_id IS NOT NULL; ALTER TABLE t_replay DROP COLUMN machine_id;"
                  "ALTER TABLE t_run_cpu DROP COLUMN skew_ns; ALTER TABLE t_run_cpu DROP COLUMN skew_low_ns;"
                  "ALTER TABLE t_run_cpu DROP COLUMN skew_high_ns; DROP TABLE t_replay_price; DROP TABLE t_replay_edge;"
                  "DROP TABLE t_probe_cpu; DROP TABLE t_nr; ALTER TABLE t_run DROP COLUMN formats_from;"
                  "ALTER TABLE t_task DROP COLUMN tgid; DROP TABLE t_cpu_epoch;"
                  "DELETE FROM t_replay_count WHERE what = 9;"
                  "DELETE FROM t_log WHERE version > 1; PRAGMA user_version = 1")
    digest = case.digest("older.db")
    case.run(OK, "merge", "-q", "-f", "got.db", "older.db", "b.db")
    assert case.digest("older.db") == digest
    assert case.sql("got.db", "SELECT COUNT(*) FROM verdict WHERE run_id = 1")[0][0] > 1000
    assert case.sql("got.db", "SELECT DISTINCT at FROM t_log") == [(None,)]
    case.run(OK, "anonymize", "-q", "older.db", "older-anon.db")


def left_over(case):
    """What a killed program left beside a file goes when that file is made again."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    for end in ".tmp.%d", ".tmp.%d.part", ".tmp.%d.part.tmp.%d":
        (case.folder / ("over.db" + end.replace("%d", str(dead.pid)))).write_text("x")
    alive = case.folder / f"over.db.tmp.{os.getpid()}.part"
    alive.write_text("x")
    case.run(OK, "import", "-q", "t1.txt", "t7.txt", "-o", "over.db")
    assert [n for n in case.names() if n.startswith("over.db")] == ["over.db", alive.name], case.names()
    alive.unlink()


def names_of_any_bytes(case):
    shutil.copy(case.folder / "b.db", case.folder / "names.db")
    name = b"q'\"\n<script>\xff\xfe"
    case.change("names.db", f"UPDATE t_task SET comm = CAST(x'{name.hex()}' AS TEXT), cgroup = CAST(x'{b'/x'.hex()}ff' AS TEXT)"
                            " WHERE tid = 20")
    case.run(OK, "merge", "-q", "names2.db", "names.db", "b.db")
    got = case.sql("names2.db", "SELECT name, cgroup FROM task WHERE run_id = 1 AND tid = 20")
    assert got == [(name, b"/x\xff")], got
    case.run(OK, "anonymize", "-q", "names2.db", "names3.db")
    got = case.sql("names3.db", "SELECT run_id, name, cgroup FROM task WHERE idle_cpu IS NULL ORDER BY run_id, tid")
    assert got == [(1, b"taskb", None), (1, b"taska", b"/g1"), (2, b"taskb", None), (2, b"taskc", None)], got


if __name__ == "__main__":
    main(some_databases, nothing_or_all, other_files, left_over, names_of_any_bytes)
