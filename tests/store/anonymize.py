#!/usr/bin/env python3
"""anonymize: no name and no thread id of the original is anywhere in the new file, and replays answer as before."""
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

# Ids that cannot come about by chance, in their order, and names that say something.
TIDS = [1512154577, 1512154578, 1746890053, 1907643201, 1907643209, 2071690107]
NAMES = [b"Bluebird-1", b"Bluebird-22", b"q\"u'o\xff\xfete", b"Xylo<script>", b"kworker/1:2-zorg", b"Grendel"]
KERNEL_NAMES = [b"kworker/2:1H", b"ksoftirqd/0", b"rcu_preempt"]
SECRETS = [b"Bluebird", b"u'o\xff", b"Xylo", b"zorg", b"Grendel", b"wotan", b"hostess.example.org", b"kundry-serial",
           b"siegfried.slice", b"mime.scope", b"gunther", b"fafner", b"alberich", b"SN1234567", b"wellgunde",
           b"-acme-prod", b"nibelung", b"valhalla", b"woglinde"]


def trace():
    """Tasks that wake each other, hogs in groups between them."""
    out = [b"# tracer: nop", b"# rewake: release=6.1.192-acme-prod clock=mono"]

    def event(us, comm, tid, cpu, text):
        out.append(b"%s-%d [%03d] d..2. %d.%06d: %s" % (comm, tid, cpu, us // 1000000, us % 1000000, text))

    def switch(us, cpu, a, b, state=b"S"):
        (pc, p), (nc, n) = a, b
        event(us, pc, p, cpu, b"sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s"
              b" next_pid=%d next_prio=120" % (pc, p, state, nc, n))

    idle = [(b"swapper/%d" % cpu, 0) for cpu in range(4)]
    tasks = list(zip(NAMES, TIDS))
    base = 7261 * 1000000
    for i, name in enumerate(KERNEL_NAMES):
        switch(base + i, 3, idle[3], (name, 2100000000 + i), b"R")
        switch(base + 10 + i, 3, (name, 2100000000 + i), idle[3])
    switch(base + 100, 0, idle[0], tasks[0], b"R")
    switch(base + 101, 1, idle[1], tasks[3], b"R")
    for i in range(120):
        us, wakee, cpu = base + 1000 * (i + 1), tasks[(1, 2, 4, 5)[i % 4]], 1 + i % 2
        event(us, *tasks[0], 0, b"sched_waking: comm=%s pid=%d prio=120 target_cpu=%03d" % (*wakee, 2))
        event(us + 3, *tasks[0], 0, b"sched_wakeup: comm=%s pid=%d prio=120 target_cpu=%03d" % (*wakee, cpu))
        before = tasks[3] if cpu == 1 else idle[2]
        switch(us + 6, cpu, before, wakee, b"R")
        switch(us + 40 + i, cpu, wakee, before)
    return b"\n".join(out) + b"\n"


def sidecar(root):
    snap = json.loads((root / "tests/golden/task_groups/m16.json").read_text())
    snap["release"] = "6.1.192-acme-prod"
    files = snap["files"]
    files["proc/cmdline"] = "root=/dev/wotan isolcpus=15 ip=hostess.example.org serial=kundry-serial quiet\n"
    files["proc/version"] = "Linux version 6.1.192-acme-prod (alberich@wellgunde) #1 SMP\n"
    files["proc/sys/kernel/osrelease"] = "6.1.192-acme-prod\n"
    files["config/CONFIG_LOCALVERSION"] = "-valhalla\n"
    files["config/CONFIG_SMT"] = "y\n"
    files["sys/kernel/debug/sched/debug"] = "woglinde 1 2 3\n"
    files["sys/class/dmi/id/product_serial"] = "SN1234567\n"
    files["sys/kernel/sched_ext/root/ops"] = "nibelung\n"
    files["rewake/filter"] = f"pid: {TIDS[0]}\nunknown: what others did\n"
    files[f"rewake/changed/task/{TIDS[3]}"] = "allowed 0-3 -> 1; cgroup /siegfried.slice -> /gunther\n"
    files["rewake/changed/appeared"] = f"{TIDS[4]}\n"
    files["rewake/changed/setting/proc/cmdline"] = "fafner -> fafner\n"
    files["rewake/probe/why"] = "/home/gunther has no probes\n"
    files["rewake/flight"] = "from_ns: 7261000050123\nkept_ns: 100\n"
    files["sys/fs/cgroup/cgroup.controllers"] = "cpu\n"
    groups = ["/siegfried.slice", "/siegfried.slice/mime.scope", "/gunther"]
    for group, weight in zip(groups, (300, 50, 1000)):
        files[f"sys/fs/cgroup{group}/cpu.weight"] = f"{weight}\n"
    files["sys/fs/cgroup/gunther/fafner"] = "1\n"
    files["proc/sys/kernel/sched_autogroup_enabled"] = "1\n"
    for tid in TIDS:
        files[f"proc/{tid}/autogroup"] = f"/autogroup-{tid % 3} nice 0\n"
    cgroups = ["/", groups[0], groups[1], groups[2], groups[2], "/"]
    snap["tasks"] = [{"tid": t, "comm": "Grendel", "cgroup": g, "allowed": "0-3"} for t, g in zip(TIDS, cgroups)]
    return json.dumps(snap)


def answers(path):
    """All that replays and reports count, without names."""
    db = sqlite3.connect(path)
    got = [db.execute(f"SELECT * FROM {what} ORDER BY 1, 2, 3").fetchall() for what in (
        "agreement", "verdict", "price", "difference", "miss", "unknown_input", "wakeup_count",
        "(SELECT run_id, id, cpu, prev_cpu, target_cpu, kind, sync, wakeup_dur, run_dur, waker_utid FROM wakeup)",
        "(SELECT waker_utid, wakee_utid, count, moved, mutual, waker_fanout, mean_run_dur FROM edge)",
        "(SELECT machine_id, cpu, core, llc, node FROM machine_cpu)", "machine_domain")]
    db.close()
    assert len(got[1]) > 300 and got[2], [len(g) for g in got]
    return got


def hidden(data, db_path):
    """Nothing of the original in the file's bytes."""
    for secret in SECRETS:
        assert secret.lower() not in data.lower(), secret
    for tid in TIDS:
        assert str(tid).encode() not in data, tid
        # As SQLite and as this machine store it.
        assert tid.to_bytes(4, "big") not in data and tid.to_bytes(4, "little") not in data, tid
    for name in KERNEL_NAMES:
        assert name in data, name
    for i in range(3):
        assert (2100000000 + i).to_bytes(4, "big") not in data, i
    db = sqlite3.connect(db_path)
    assert db.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    texts = [t for row in db.execute("SELECT file FROM run UNION SELECT file FROM machine") for t in row]
    assert all(re.fullmatch(r"(trace|machine)\d+", t) for t in texts), texts
    # Groups are numbered as tasks come with them.
    kept = [p for (p,) in db.execute("SELECT path FROM t_machine_file")]
    assert "config/CONFIG_SMT" in kept and "rewake/changed/task/4" in kept and "proc/1/autogroup" in kept, kept
    assert {"sys/fs/cgroup/g1/cpu.weight", "sys/fs/cgroup/g2/cpu.weight", "sys/fs/cgroup/g2/g3/cpu.weight"} <= set(kept)
    assert db.execute("SELECT content FROM t_machine_file WHERE path = 'rewake/changed/task/4'").fetchall() == [
        ("allowed 0-3 -> 1; cgroup /g2 -> /g1\n",)]
    cmdline = db.execute("SELECT value FROM machine_setting WHERE name = 'proc/cmdline'").fetchall()
    assert cmdline == [("isolcpus=15",)], cmdline
    db.close()


def main(rewake, root):
    root, rewake = pathlib.Path(root), str(pathlib.Path(rewake).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def run(*argv):
            done = subprocess.run([rewake, *argv], cwd=folder, capture_output=True, check=False)
            assert done.returncode in (0, 3), (argv, done.stderr)
            return done.stdout.decode(errors="replace")

        (folder / "nibelung.txt").write_bytes(trace())
        (folder / "nibelung.txt.machine.json").write_text(sidecar(root))
        run("import", "-q", "nibelung.txt", "-o", "in.db")
        for mode in "open", "calibrated":
            run("replay", "-q", "in.db", f"--mode={mode}", "-p", "prev", "-p", "linux,wa_idle=0", "-p", "linux")
        before = (folder / "in.db").read_bytes()
        for secret in SECRETS:
            assert secret in before, f"{secret}: the test must be able to find it"
        for tid in TIDS:
            assert tid.to_bytes(4, "big") in before and str(tid).encode() in before, tid

        out = run("anonymize", "in.db", "out.db")
        assert "thread ids" in out, out
        assert (folder / "in.db").read_bytes() == before
        hidden((folder / "out.db").read_bytes(), folder / "out.db")
        run("anonymize", "-q", "in.db", "again.db")
        assert (folder / "out.db").read_bytes() == (folder / "again.db").read_bytes()
        assert answers(folder / "in.db") == answers(folder / "out.db")
        # Once more makes no difference to what is shown.
        run("anonymize", "-q", "out.db", "twice.db")
        assert answers(folder / "in.db") == answers(folder / "twice.db")

        # The same policies over the new file answer the same, learning from names and groups as before.
        for shift in ([], ["--shift-time"]):
            run("anonymize", "-q", "-f", *shift, "in.db", "fresh.db")
            db = sqlite3.connect(folder / "fresh.db")
            db.executescript("".join(f"DELETE FROM t_{name};" for name in (
                "replay", "replay_count", "replay_price", "replay_edge", "verdict", "price")))
            first = db.execute("SELECT first_ts FROM run").fetchone()[0]
            db.close()
            for mode in "open", "calibrated":
                run("replay", "-q", "fresh.db", f"--mode={mode}", "-p", "prev", "-p", "linux,wa_idle=0", "-p", "linux")
            assert answers(folder / "in.db") == answers(folder / "fresh.db"), shift
            hidden((folder / "fresh.db").read_bytes(), folder / "fresh.db")
            assert (first < 60 * 10**9) == bool(shift), first
            assert (b"7261000050123" in (folder / "fresh.db").read_bytes()) == (not shift)
        pool = sqlite3.connect(folder / "out.db").execute(
            "SELECT name FROM task WHERE tid IN (1, 2) ORDER BY tid").fetchall()
        assert re.fullmatch(r"task[a-z]+1,task[a-z]+2", ",".join(n for (n,) in pool)), pool
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
