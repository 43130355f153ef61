#!/usr/bin/env python3
"""export from the command line: what it writes where, how it exits, and that nothing is left half-written."""
import pathlib
import subprocess
import sys
import tempfile

OK, FAILED, MISUSED = 0, 1, 2
FORMATS = ["perfetto", "dot", "graphml", *sys.argv[3:]]  # a build may lack html


class Case:
    def __init__(self, rewake, folder):
        self.rewake, self.folder = rewake, folder

    def run(self, expected, *argv):
        done = subprocess.run([self.rewake, *argv], capture_output=True, check=False, cwd=self.folder)
        err = done.stderr.decode()
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {err}"
        assert (expected == OK) == (err == ""), f"{argv}: stderr {err!r}"
        return done.stdout, err

    def query(self, sql, db="run.db"):
        """The only value that sql answers."""
        return self.run(OK, "query", "-f", "csv", db, sql)[0].decode().split("\r\n")[1]

    def names(self):
        return sorted(p.name for p in self.folder.iterdir())


def check_files(case):
    """One file per format, whole or not there."""
    for name in FORMATS:
        out, _ = case.run(OK, "export", "run.db", f"--{name}", "-")
        assert len(out) > 100, name
        case.run(OK, "export", "run.db", f"--{name}", "out")
        assert (case.folder / "out").read_bytes() == out, name
        # What was there is replaced, or kept if something fails.
        (case.folder / "out").write_text("old")
        case.run(FAILED, "export", "damaged.db", f"--{name}", "out")
        assert (case.folder / "out").read_text() == "old", name
        case.run(OK, "export", "run.db", f"--{name}", "out")
        assert (case.folder / "out").read_bytes() == out, name
        (case.folder / "out").unlink()
        _, err = case.run(FAILED, "export", "run.db", f"--{name}", "/dev/full")
        assert "No space left on device" in err, err
        _, err = case.run(FAILED, "export", "run.db", f"--{name}", "none/out")
        assert "No such file or directory" in err, err
        _, err = case.run(MISUSED, "export", "run.db", f"--{name}", "./run.db")
        assert "that is the run itself" in err, err
        _, err = case.run(MISUSED, "export", "run.db", "--run", "2", f"--{name}", "out")
        assert "the file has no run 2" in err, err
        assert case.run(OK, "export", "run.db", "--run=1", f"--{name}", "-")[0] == out, name
    case.run(FAILED, "export", "none.db", "--dot", "out")
    for wrong in (["run.db"], ["--dot", "out"], ["run.db", "run.db", "--dot", "out"], ["run.db", "--dot"],
                  ["run.db", "--dot", "out", "--top", "0"], ["run.db", "--dot", "out", "--min-count", "few"],
                  ["run.db", "--dot", "out", "--run", "0"], ["run.db", "--xml", "out"]):
        case.run(MISUSED, "export", *wrong)
    out, _ = case.run(OK, "export", "--help")
    for name in FORMATS:
        assert f"--{name}=FILE".encode() in out, out


def main(rewake, root):
    with tempfile.TemporaryDirectory() as folder:
        case = Case(str(pathlib.Path(rewake).resolve()), pathlib.Path(folder))
        case.run(OK, "import", "--quiet", pathlib.Path(root) / "samples/oltp.dat", "-o", "run.db")
        # The same file with nonsense where the wakeups begin: it opens, and fails while it is read.
        page, size = (int(case.query(sql)) for sql in (
            "SELECT rootpage FROM sqlite_schema WHERE name = 't_wakeup'", "PRAGMA page_size"))
        whole = bytearray((case.folder / "run.db").read_bytes())
        whole[(page - 1) * size:page * size] = b"\xff" * size
        (case.folder / "damaged.db").write_bytes(whole)
        case.run(OK, "query", "damaged.db", "SELECT 1")
        before = case.names()
        check_files(case)
        assert case.names() == before, case.names()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
