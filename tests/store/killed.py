#!/usr/bin/env python3
"""kill -9 at any moment of an import, a replay, an upgrade: the database is the old one, the new one or absent, and whole.

usage: killed.py REWAKE ROOT [MOMENTS [SEED]]
The next command works, or says what to do; what was left half-written is named and removed.
"""
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

OK, FAILED, DEGRADED = 0, 1, 3
APPLICATION_ID = 0x52776B31
TIMES = 1500  # repetitions of the text, each in a second of its own, so that there is something to kill


class Case:
    def __init__(self, rewake, root, folder, moments, seed):
        self.rewake, self.root, self.folder, self.moments = rewake, root, folder, moments
        self.random = random.Random(seed)
        self.db = folder / "r.db"
        self.trace = folder / "t.txt"
        self.killed = 0

    def run(self, *argv):
        return subprocess.run([self.rewake, *map(str, argv)], capture_output=True, text=True, check=False)

    def good(self, *argv):
        done = self.run(*argv)
        assert done.returncode in (OK, DEGRADED), f"{argv}: exit {done.returncode}: {done.stderr}"
        return done

    def seconds(self, *argv):
        start = time.monotonic()
        self.good(*argv)
        return time.monotonic() - start

    def kill(self, within, *argv):
        """Starts it and kills it at some moment of the time that it takes; whether it was still there."""
        with subprocess.Popen([self.rewake, *map(str, argv)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            try:
                child.wait(self.random.uniform(0, within))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.wait()
        dead = child.returncode == -signal.SIGKILL
        assert dead or child.returncode in (OK, DEGRADED), f"{argv}: exit {child.returncode}"
        self.killed += dead
        return dead

    def left(self):
        return sorted(p.name for p in self.folder.glob("r.db.tmp.*"))

    def whole(self, path):
        """The database as SQLite sees it: every page, and the number of wakeups, replays and migrations."""
        db = sqlite3.connect(path)
        try:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], path
            return tuple(db.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in ("t_wakeup", "t_slice", "t_replay", "t_verdict")) \
                + (db.execute("PRAGMA user_version").fetchone()[0],)
        finally:
            db.close()


def write_trace(case):
    """The recording's text, repeated."""
    lines = (case.root / "tests/golden/lost_in_the_middle/small.txt").read_text().splitlines()
    with open(case.trace, "w", encoding="utf-8") as f:
        f.write("\n".join(lines[:2]) + "\n")
        for second in range(1, TIMES):
            f.write("\n".join(line.replace(" 1.000", f" {second}.000") for line in lines[2:]) + "\n")


def imports(case):
    case.good("import", "-q", "-f", case.trace, "-o", case.db)
    new, within = case.whole(case.db), case.seconds("import", "-q", "-f", case.trace, "-o", case.db)
    for i in range(case.moments):
        # Every other time there is a database already, which must not suffer.
        old = None
        if i % 2:
            case.good("import", "-q", "-f", case.root / "samples/oltp.dat", "-o", case.db)
            old = case.db.read_bytes()
        else:
            case.db.unlink(missing_ok=True)
        case.kill(within, "import", "-q", "-f", case.trace, "-o", case.db)
        left = case.left()
        if not case.db.exists():
            assert old is None, "the old database is gone"
            done = case.run("report", case.db, "summary")
            assert done.returncode == FAILED and "r.db" in done.stderr, done.stderr
            assert not left or (left[0] in done.stderr and "import again" in done.stderr), (left, done.stderr)
        elif case.db.read_bytes() != old:
            assert case.whole(case.db) == new, "neither the old one nor the new one"
            case.good("report", case.db, "summary")
        done = case.good("import", "-f", case.trace, "-o", case.db)
        assert not left or left[0] in done.stderr, (left, done.stderr)
        assert case.left() == [] and case.whole(case.db) == new


def replays(case):
    case.good("import", "-q", "-f", case.trace, "-o", case.db)
    before = case.db.read_bytes()
    old = case.whole(case.db)
    within = case.seconds("replay", "-q", case.db, "-p", "prev", "-p", "waker")
    new = case.whole(case.db)
    assert new[2] == 2 and new[3] > 0
    for i in range(case.moments):
        for path in case.folder.glob("r.db*"):
            path.unlink()
        case.db.write_bytes(before)
        case.kill(within, "replay", "-q", case.db, "-p", "prev", "-p", "waker")
        # Readers come first every other time: then it is they who find the journal.
        if i % 2:
            case.good("report", case.db, "summary")
        assert case.whole(case.db) in (old, new)
        case.good("replay", "-q", case.db, "-p", "prev", "-p", "waker")
        assert case.whole(case.db) == new


def older(case, source, target, version):
    """What an older program would have written of source: its tables, and its rows in them."""
    target.unlink(missing_ok=True)
    db = sqlite3.connect(target)
    for path in sorted((case.root / "sql/migrate").glob("*.sql"))[:version]:
        db.executescript(path.read_text())
    db.execute("ATTACH ? AS new", (str(source),))
    tables = [t for t, in db.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")]
    for table in tables:
        columns = ", ".join(c for _, c, *_ in db.execute(f"PRAGMA main.table_info({table})"))
        db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
    db.execute("DELETE FROM main.t_log WHERE version > ?", (version,))
    db.commit()
    db.execute("DETACH new")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {version}")
    db.commit()
    db.close()


def upgrades(case):
    now = len(list((case.root / "sql/migrate").glob("*.sql")))
    source, kept = case.folder / "source.db", case.folder / "kept.db"
    case.good("import", "-q", "-f", case.trace, "-o", source)
    for i in range(case.moments):
        version = 1 + i % (now - 1)
        for path in case.folder.glob("r.db*"):
            path.unlink()
        older(case, source, kept, version)
        shutil.copy(kept, case.db)
        old = case.whole(case.db)
        if i == 0:
            within = case.seconds("replay", "-q", case.db, "-p", "prev")
            new = case.whole(case.db)
            assert old[4] == version and new[4] == now and new[:2] == old[:2]
            shutil.copy(kept, case.db)
        # The upgrade is the beginning of it.
        case.kill(within / (1 + i % 4), "replay", "-q", case.db, "-p", "prev")
        # One read-only look: answered, or told what upgrades it; it may have to put the file right.
        done = case.run("report", case.db, "summary")
        assert done.returncode == OK or (done.returncode == FAILED and "replay on it upgrades" in done.stderr), done.stderr
        got = case.whole(case.db)
        assert got[:2] == old[:2] and version <= got[4] <= now and (got[2], got[3]) in ((0, 0), new[2:4]), (old, got)
        case.good("replay", "-q", case.db, "-p", "prev")
        assert case.whole(case.db) == new


def main():
    rewake, root = sys.argv[1], pathlib.Path(sys.argv[2])
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with tempfile.TemporaryDirectory() as folder:
        case = Case(rewake, root, pathlib.Path(folder), moments, seed)
        write_trace(case)
        for what in imports, replays, upgrades:
            case.killed = 0
            what(case)
            print(f"{what.__name__}: {case.killed} of {moments} killed before they were done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
