"""Databases of several runs in a folder of their own, for runs.py and runs_refused.py."""
import hashlib
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

OK, FAILED, MISUSED, ABSENT = 0, 1, 2, 4
RUN = 1 << 40

# A waker on CPU 0, a wakee that was on CPU 1.
TRACE = """# tracer: nop
# rewake: release=6.1.192 clock=mono
  <idle>-0  [001] d..2.  %d.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=20 next_prio=120
  <idle>-0  [000] d..2.  %d.000010: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=10 next_prio=120
  b-20      [001] d..2.  %d.000100: sched_switch: prev_comm=b prev_pid=20 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
  a-10      [000] d..2.  %d.000200: sched_waking: comm=b pid=20 prio=120 target_cpu=001
  a-10      [000] d..2.  %d.000205: sched_wakeup: comm=b pid=20 prio=120 target_cpu=001
  <idle>-0  [001] d..2.  %d.000210: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=20 next_prio=120
"""


class Case:
    def __init__(self, rewake, folder, root):
        self.rewake, self.folder, self.root = rewake, folder, root

    def run(self, expected, *argv):
        done = subprocess.run([self.rewake, *argv], capture_output=True, check=False, cwd=self.folder)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {err}"
        return out, err

    def digest(self, name):
        return hashlib.sha256((self.folder / name).read_bytes()).hexdigest()

    def names(self):
        return sorted(p.name for p in self.folder.iterdir())

    def sql(self, name, sql):
        db = sqlite3.connect(f"file:{self.folder / name}?mode=ro", uri=True)
        db.text_factory = bytes
        rows = db.execute(sql).fetchall()
        db.close()
        return rows

    def change(self, name, sql):
        db = sqlite3.connect(self.folder / name)
        db.executescript(sql)
        db.close()


def make_traces(case, samples):
    for name in "oltp.dat", "oltp.machine.json":
        shutil.copy(samples / name, case.folder)
    for i in 1, 7:
        (case.folder / f"t{i}.txt").write_text(re.sub("%d", str(i), TRACE))
    (case.folder / "zero.txt").write_text("# tracer: nop\n# rewake: release=6.1.192 clock=mono\n")


def main(*tests):
    """argv: REWAKE ROOT.  The tests run one after the other in one folder."""
    rewake, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        case = Case(str(rewake), pathlib.Path(folder), root)
        make_traces(case, root / "samples")
        for test in tests:
            test(case)
        assert not [n for n in case.names() if ".tmp." in n], case.names()
