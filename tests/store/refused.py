#!/usr/bin/env python3
"""Files that a verb cannot take, each with the message that says why, and nothing touched."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import handmade

OK, FAILED, MISUSED = 0, 1, 2
READERS = {"report": ["summary"], "query": ["SELECT 1"], "explain": ["1"], "export": ["--dot", "-"]}
ID = 0x52776b31


class Case:
    def __init__(self, rewake, folder):
        self.rewake, self.folder = rewake, folder

    def start(self, verb, name, *argv, **more):
        return subprocess.Popen([self.rewake, verb, name, *argv], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def message(self, verb, name, *argv, expected=FAILED, **more):
        return self.end(self.start(verb, name, *argv, **more), expected)

    @staticmethod
    def end(process, expected):
        out, err = process.communicate()
        assert process.returncode == expected, f"{process.args}: exit {process.returncode}: {err.decode()}"
        assert expected == OK or not out, f"{process.args}: printed {out[:200]}"
        return err.decode()

    def refused(self, name, why):
        """By every verb that opens a database, in these words; the file stays as it is."""
        before = (self.folder / name).read_bytes()
        for verb, argv in READERS.items():
            assert self.message(verb, name, *argv) == f"rewake: cannot {verb}: {why}\n", (verb, why)
        assert self.message("replay", name, "-q") == f"rewake: cannot replay {name}: {why}\n", why
        assert (self.folder / name).read_bytes() == before, name

    def changed(self, name, *statements):
        """A copy of run.db after some SQL."""
        shutil.copy(self.folder / "run.db", self.folder / name)
        self.sql(name, *statements)
        return name

    def sql(self, name, *statements):
        db = sqlite3.connect(self.folder / name)
        db.execute("PRAGMA synchronous = OFF")
        rows = [db.execute(s).fetchall() for s in statements]
        db.commit()
        db.close()
        return rows[-1] if rows else None


def check_missing(case):
    """That it is not there is no misuse; what is not in it may be."""
    missing = "cannot open: file=nowhere.db why=No such file or directory"
    for verb, argv in READERS.items():
        assert case.message(verb, "nowhere.db", *argv) == f"rewake: cannot {verb}: {missing}\n", verb
    for argv in ([], ["--run=1"], ["--audit"]):
        assert case.message("replay", "nowhere.db", *argv).endswith(f" nowhere.db: {missing}\n"), argv
    for files in (["nowhere.db", "run.db"], ["run.db", "nowhere.db"]):
        assert case.message("compare", *files) == f"rewake: cannot compare: {missing}\n", files
    for verb, files in (("merge", ["out.db", "nowhere.db"]), ("anonymize", ["nowhere.db", "out.db"])):
        assert case.message(verb, *files).endswith(f": {missing}\n"), verb
    assert not (case.folder / "out.db").exists() and not (case.folder / "nowhere.db").exists()
    case.message("explain", "run.db", "99999", expected=MISUSED)
    case.message("replay", "run.db", "--run=9", expected=MISUSED)
    case.message("compare", "run.db", "run.db", "--b=9", expected=MISUSED)


def check_identity(case, latest):
    assert case.sql("run.db", "PRAGMA application_id") == [(ID,)]
    assert case.sql("run.db", "PRAGMA user_version") == [(latest,)]
    case.refused(case.changed("other.db", "PRAGMA application_id = 7"),
                 "cannot read: file=other.db why=not a rewake database")
    case.sql("theirs.db", "CREATE TABLE t_run (id INTEGER)")
    case.refused("theirs.db", "cannot read: file=theirs.db why=not a rewake database")
    case.refused(case.changed("newer.db", f"PRAGMA user_version = {latest + 1}"),
                 f"cannot read: file=newer.db version={latest + 1} why=made by a newer rewake; this one knows version {latest}")


def check_migrations(case, migrations):
    """A file of each older version: readers say what to do, and replay does it."""
    names = [p.stem for p in migrations]
    assert [int(n[:4]) for n in names] == list(range(1, len(names) + 1)), names
    for version in range(1, len(migrations)):
        db = sqlite3.connect(case.folder / "older.db")
        db.execute("PRAGMA synchronous = OFF")
        for path in migrations[:version]:
            db.executescript(path.read_text())
        db.execute(f"PRAGMA user_version = {version}")
        db.commit()
        db.close()
        for verb, argv in READERS.items():
            assert case.message(verb, "older.db", *argv) == (
                f"rewake: cannot {verb}: cannot read: file=older.db why=made by an older rewake; replay on it upgrades it\n")
        assert case.sql("older.db", "PRAGMA user_version") == [(version,)]
        # It has no run to replay, but it is a current file then.
        assert case.message("replay", "older.db", "-q", expected=MISUSED).endswith("run=1 why=no such run\n")
        assert case.sql("older.db", "PRAGMA user_version") == [(len(migrations),)]
        assert case.sql("older.db", "SELECT version, at IS NULL FROM t_log ORDER BY version") == [
            (v, 0) for v in range(version + 1, len(migrations) + 1)]
        case.message("query", "older.db", "SELECT * FROM decision", expected=OK)
        (case.folder / "older.db").unlink()


def check_damage(case):
    whole = (case.folder / "run.db").read_bytes()
    for name, content, why in (
            ("empty.db", b"", "cannot open: file=empty.db why=it is empty"),
            ("text.db", b"# tracer: nop\n" * 100, "cannot pragma_open: file=text.db why=file is not a database"),
            ("zeroed.db", whole[:100] + bytes(3996) + whole[4096:],
             "cannot pragma_open: file=zeroed.db why=the database is damaged"),
            ("header.db", b"X" + whole[1:], "cannot pragma_open: file=header.db why=file is not a database")):
        (case.folder / name).write_bytes(content)
        case.refused(name, why)
    case.refused(case.changed("table.db", "PRAGMA writable_schema = 1", "DELETE FROM sqlite_schema WHERE name = 't_slice'"),
                 "cannot prepare check_schema: file=table.db why=the database is damaged (no such table: t_slice)")


def check_locked(case):
    """Another program writes: readers go on until it must have the file for itself; nobody waits for ever."""
    # One file for each kind of lock, so that both kinds are waited for at the same time.
    shutil.copy(case.folder / "run.db", case.folder / "held.db")
    others = []
    for name, how in (("run.db", "IMMEDIATE"), ("held.db", "EXCLUSIVE")):
        others.append(sqlite3.connect(case.folder / name, isolation_level=None))
        others[-1].execute(f"BEGIN {how}")
    writer = case.start("replay", "run.db", "-q")
    readers = [(verb, case.start(verb, "held.db", *argv)) for verb, argv in READERS.items()]
    for verb, argv in READERS.items():
        case.message(verb, "run.db", *argv, expected=OK)
    assert case.end(writer, FAILED) == (
        "rewake: cannot replay run.db: cannot begin: file=run.db why=another program is writing to it\n")
    for verb, process in readers:
        assert case.end(process, FAILED) == (
            f"rewake: cannot {verb}: cannot pragma_open: file=held.db why=another program is writing to it\n"), verb
    for other in others:
        other.execute("ROLLBACK")
        other.close()


def check_read_only(case):
    """A file that nobody may write: for root, somebody else tries."""
    user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    if user:
        # What the tests are run from need not be open to everybody.
        shutil.copy(case.rewake, case.folder / "rewake")
        case.rewake = str(case.folder / "rewake")
        os.chmod(case.folder / "rewake", 0o755)
    os.chmod(case.folder / "run.db", 0o444)
    os.chmod(case.folder, 0o555)
    for verb, argv in READERS.items():
        case.message(verb, "run.db", *argv, expected=OK, **user)
    assert case.message("replay", "run.db", "-q", **user) == (
        "rewake: cannot replay run.db: cannot write: file=run.db why=it is read-only\n")
    for argv, what in ((["--dot", "out"], "dot: cannot write: file=out"), (["--csv", "out"], "csv: cannot write: folder=out")):
        assert case.message("export", "run.db", *argv, **user) == (
            f"rewake: cannot export {what} why=Permission denied\n"), what
    os.chmod(case.folder, 0o755)


def main(rewake, root):
    migrations = sorted((pathlib.Path(root) / "sql/migrate").glob("*.sql"))
    with tempfile.TemporaryDirectory() as folder:
        case = Case(str(pathlib.Path(rewake).resolve()), pathlib.Path(folder))
        (case.folder / "t.txt").write_text(handmade.trace())
        done = subprocess.run([rewake, "import", "-q", "t.txt", "-m",
                               pathlib.Path(root) / "tests/golden/other_machine/m16.json", "-o", "run.db"],
                              cwd=folder, check=False, capture_output=True)
        assert done.returncode == OK, done.stderr
        check_missing(case)
        check_identity(case, len(migrations))
        check_migrations(case, migrations)
        check_damage(case)
        check_locked(case)
        check_read_only(case)
    return 0


if __name__ == "__main__":
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]))
