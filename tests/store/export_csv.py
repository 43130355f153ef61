#!/usr/bin/env python3
"""export --csv: every view whole and with its bytes; one run or all; what is there is replaced or left alone."""
import csv
import io
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import handmade

OK, FAILED, MISUSED = 0, 1, 2


class Case:
    def __init__(self, rewake, folder):
        self.rewake, self.folder = rewake, folder

    def run(self, expected, *argv):
        done = subprocess.run([self.rewake, *argv], capture_output=True, check=False, cwd=self.folder)
        err = done.stderr.decode()
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {err}"
        return err

    def read(self, name):
        """Fields as bytes, of rows after the header; None for an empty field without quotes is ''."""
        raw = (self.folder / name).read_bytes()
        assert raw.endswith(b"\r\n"), name
        rows = list(csv.reader(io.StringIO(raw.decode("latin-1"), newline="")))
        assert len({len(r) for r in rows}) == 1, name
        return rows[0], [[f.encode("latin-1") for f in r] for r in rows[1:]]


def as_csv(value):
    return b"" if value is None else value if isinstance(value, bytes) else str(value).encode()


def check_content(case, folder, where):
    """Each file has what sqlite3 reads from the view, in the same order."""
    db = sqlite3.connect(case.folder / "run.db")
    db.text_factory = bytes
    views = [v.decode() for v, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1")]
    names = sorted(p.name for p in (case.folder / folder).iterdir())
    assert names == sorted([v + ".csv" for v in views] + ["schema.md"]), names
    for view in views:
        header, rows = case.read(f"{folder}/{view}.csv")
        got = db.execute(f"SELECT * FROM {view} WHERE {where.get(view, '1')}")
        assert header == [d[0] for d in got.description], view
        assert rows == [[as_csv(v) for v in row] for row in got], view
    db.close()


def add_run(path):
    """A second run with its machine, one replay and one wakeup, as merging would bring it."""
    db = sqlite3.connect(path)
    columns = [r[1] for r in db.execute("PRAGMA table_info(t_run)")][2:]
    with db:
        db.execute("INSERT INTO t_machine SELECT 2, file, release, kernel, topology_known, smt_active, cluster_active, "
                   "asym_capacity, nr_cpu_ids, nr_llc, nr_nodes FROM t_machine WHERE id = 1")
        db.execute(f"INSERT INTO t_run (id, machine_id, {', '.join(columns)}) SELECT 2, 2, {', '.join(columns)} FROM t_run")
        db.execute("INSERT INTO t_wakeup SELECT (1 << 40) + 1, (1 << 40) + 1, 5, cpus, NULL, NULL, bits, NULL, NULL, NULL, "
                   "NULL FROM t_wakeup WHERE id = 1")
    db.close()


def main(rewake, root):
    root = pathlib.Path(root)
    with tempfile.TemporaryDirectory() as folder:
        case = Case(str(pathlib.Path(rewake).resolve()), pathlib.Path(folder))
        (case.folder / "t.txt").write_text(handmade.trace())
        case.run(OK, "import", "-q", "t.txt", "-m", root / "tests/golden/other_machine/m16.json", "-o", "run.db")
        case.run(OK, "replay", "-q", "run.db", "-p", "linux", "-p", "prev")
        handmade.rename(case.folder / "run.db", 20, handmade.EVIL)

        case.run(OK, "export", "run.db", "--csv", "out")
        check_content(case, "out", {})
        raw = (case.folder / "out/task.csv").read_bytes()
        assert b',"' + handmade.EVIL.replace(b'"', b'""') + b'",' in raw, raw
        # NULL is nothing, an empty text is "": no parameters.
        assert b'1,1,1,linux,"",open,' in (case.folder / "out/replay.csv").read_bytes()
        first = (case.folder / "out/wakeup.csv").read_bytes()
        assert first.count(b"\r\n") == 5, first

        # Two runs: all of them, or one with what belongs to it.
        add_run(case.folder / "run.db")
        case.run(OK, "export", "run.db", "--csv", "out")
        check_content(case, "out", {})
        assert (case.folder / "out/wakeup.csv").read_bytes().count(b"\r\n") == 6
        case.run(OK, "export", "run.db", "--csv", "out/", "--run", "1")
        assert (case.folder / "out/wakeup.csv").read_bytes() == first
        one = {"run": "run_id = 1", "wakeup": "run_id = 1", "machine": "machine_id = 1", "decision": "run_id = 1"}
        check_content(case, "out", one)
        case.run(OK, "export", "run.db", "--csv", "two", "--run", "2")
        for name, rows in (("run", 1), ("wakeup", 1), ("machine", 1), ("machine_cpu", 0), ("replay", 0), ("verdict", 0),
                           ("policy", 0), ("task", 0), ("agreement", 0), ("reason_count", 0)):
            assert len(case.read(f"two/{name}.csv")[1]) == rows, name
        shutil.rmtree(case.folder / "two")

        # What is not ours stays; an empty folder is anybody's, also through a link.
        whole = sorted(p.name for p in (case.folder / "out").iterdir())
        (case.folder / "out/notes").write_text("mine")
        assert "it holds notes" in case.run(FAILED, "export", "run.db", "--csv", "out")
        (case.folder / "out/notes").unlink()
        (case.folder / "mine").mkdir()
        (case.folder / "mine/task.csv").write_text("mine")
        assert "it holds no schema.md" in case.run(FAILED, "export", "run.db", "--csv", "mine")
        assert (case.folder / "mine/task.csv").read_text() == "mine"
        (case.folder / "mine/task.csv").unlink()
        os.symlink("mine", case.folder / "link")
        case.run(OK, "export", "run.db", "--csv", "link")
        assert os.path.islink(case.folder / "link")
        assert sorted(p.name for p in (case.folder / "mine").iterdir()) == whole
        assert "Not a directory" in case.run(FAILED, "export", "run.db", "--csv", "t.txt")
        assert "No such file" in case.run(FAILED, "export", "run.db", "--csv", "")
        assert "No such file" in case.run(FAILED, "export", "run.db", "--csv", "none/out")

        # A failure leaves what was there; so does a process that was killed, and the next one tidies up.
        page, size = (int(sqlite3.connect(case.folder / "run.db").execute(sql).fetchone()[0]) for sql in (
            "SELECT rootpage FROM sqlite_schema WHERE name = 't_wakeup'", "PRAGMA page_size"))
        raw = bytearray((case.folder / "run.db").read_bytes())
        raw[(page - 1) * size:page * size] = b"\xff" * size
        (case.folder / "damaged.db").write_bytes(raw)
        before = (case.folder / "out/wakeup.csv").read_bytes()
        assert "damaged" in case.run(FAILED, "export", "damaged.db", "--csv", "out")
        assert (case.folder / "out/wakeup.csv").read_bytes() == before
        assert "damaged" in case.run(FAILED, "export", "damaged.db", "--csv", "new")
        left = case.folder / "out.tmp.999999999"
        left.mkdir()
        (left / "task.csv").write_text("half")
        case.run(OK, "export", "run.db", "--csv", "out")
        assert sorted(p.name for p in case.folder.iterdir()) == ["damaged.db", "link", "mine", "out", "run.db", "t.txt"]
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
