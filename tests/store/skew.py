#!/usr/bin/env python3
"""A clock that is apart: a recording, one CPU of which is shifted, is put right again by import --skew=auto."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

EVENT = re.compile(r"(\d+) \[(\d+)\] \S+ (\S+) tid=(\d+) flags=(0x\w+) ?(.*)")
OK, FAILED, MISUSED, DEGRADED = 0, 1, 2, 3


def field(fields, name):
    return re.search(rf"(?:^| ){name}=(\S*)", fields)[1].replace("\\x20", "_")


def text_of(event):
    """One line of dump as one of the kernel's text."""
    ts, cpu, name, tid, flags, f = event
    if name == "sched_switch":
        body = (f"prev_comm={field(f, 'prev_comm')} prev_pid={field(f, 'prev')} prev_prio=120 "
                f"prev_state={field(f, 'state')} ==> next_comm={field(f, 'next_comm')} next_pid={field(f, 'next')} next_prio=120")
    elif name == "sched_migrate_task":
        body = f"comm={field(f, 'comm')} pid={field(f, 'pid')} prio=120 orig_cpu={field(f, 'orig')} dest_cpu={field(f, 'dest')}"
    else:
        body = f"comm={field(f, 'comm')} pid={field(f, 'pid')} prio=120 target_cpu={int(field(f, 'target')):03}"
    irq = "h" if int(flags, 16) & 8 else "s" if int(flags, 16) & 16 else "."
    return f"  task-{tid}  [{cpu:03}] d.{irq}2. {ts // 10**9}.{ts % 10**9:09}: {name}: {body}\n"


def write(path, events, cpus, shift):
    """The events with the clocks of some CPUs shifted, in the order of what clocks say."""
    moved = [(e[0] + (shift if e[1] in cpus else 0), *e[1:]) for e in events]
    moved.sort(key=lambda e: e[0])
    path.write_text("# tracer: nop\n# rewake: release=6.18.15 clock=local\n" + "".join(map(text_of, moved)))


def main(rewake, root):
    def run(expected, *argv):
        done = subprocess.run([rewake, *map(str, argv)], capture_output=True, text=True, check=False)
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {done.stderr}"
        return done.stdout + done.stderr

    def rows(db, sql):
        return json.loads(run(OK, "query", "-f", "json", db, sql))

    wakeups = "select wakee_utid, waker_utid, cpu, prev_cpu, target_cpu, kind, wakeup_cpu, run_cpu, censor from wakeup order by wakee_utid, id"
    shifted = "select cpu, skew_ns, skew_low_ns, skew_high_ns from run_cpu where skew_ns <> 0"
    counts = "select name, count from anomaly where name in ('impossible_order', 'wakeup_without_waking', 'waking_without_wakeup')"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        dump = run(OK, "dump", pathlib.Path(root) / "samples/oltp.dat")
        events = [(int(m[1]), int(m[2]), m[3], m[4], m[5], m[6]) for m in map(EVENT.fullmatch, dump.splitlines())
                  if m[3].startswith("sched_")]
        good = folder / "good.txt"
        write(good, events, [], 0)
        run(OK, "import", "-q", good, "-o", folder / "good.db")
        expected = rows(folder / "good.db", wakeups)
        assert len(expected) > 1500 and rows(folder / "good.db", counts) == []
        assert json.loads(run(OK, "check", "-f", "json", good))["order"] == {"skew": "none", "impossible": 0, "cpu_pairs": 0}

        for cpu, shift in (3, 200000), (3, -200000), (2, 150000):
            trace, db, raw = folder / "skewed.txt", folder / "auto.db", folder / "raw.db"
            write(trace, events, [cpu], shift)

            found = json.loads(run(DEGRADED, "check", "-f", "json", trace))
            off = [c for c in found["cpu"] if c["to_shift"]]
            assert found["order"]["skew"] == "found" and found["order"]["impossible"] > 10, found["order"]
            assert [c["cpu"] for c in off] == [cpu], off
            assert off[0]["to_shift_low"] <= -shift <= off[0]["to_shift_high"], (shift, off)

            # As it is: wrong, counted, told.
            out = run(DEGRADED, "import", "-q", "-f", trace, "-o", raw)
            assert "--skew" in out, out
            assert rows(raw, wakeups) != expected
            assert {r["name"]: r["count"] for r in rows(raw, counts)}["impossible_order"] == found["order"]["impossible"]

            # Put right, and on record.
            out = run(DEGRADED, "import", "-q", "-f", "--skew=auto", trace, "-o", db)
            assert "shifted" in out, out
            assert rows(db, counts) == [], rows(db, counts)
            got = rows(db, wakeups)
            differ = sum(a != b for a, b in zip(got, expected))
            assert len(got) == len(expected) and differ <= len(expected) // 200, (cpu, shift, differ)
            kept = rows(db, shifted)
            assert len(kept) == 1 and kept[0]["cpu"] == cpu and kept[0]["skew_ns"] == off[0]["to_shift"], kept
            assert kept[0]["skew_low_ns"] <= -shift <= kept[0]["skew_high_ns"], kept
            assert "Clocks shifted" in run(OK, "report", db, "summary")

            # By hand, exactly: nothing differs from the recording with sound clocks.
            run(DEGRADED, "import", "-q", "-f", f"--skew={cpu}:{-shift}", trace, "-o", db)
            assert rows(db, wakeups) == expected and rows(db, counts) == []
            run(OK, "check", f"--skew={cpu}:{-shift}", trace)

        # Far apart, one CPU or half of them (every second: half a package): found within what is told of it.
        for shift in 2000000, -2000000, 50000000, -50000000, 3000000000, -3000000000:
            for cpus in [7], [1], [1, 3, 5, 7]:
                write(trace, events, cpus, shift)
                out = run(DEGRADED, "import", "-q", "-f", "--skew=auto", trace, "-o", db)
                kept = rows(db, shifted)
                assert [k["cpu"] for k in kept] == cpus, (shift, cpus, kept)
                assert all(k["skew_low_ns"] <= -shift <= k["skew_high_ns"] and abs(k["skew_ns"] + shift) < 100000 for k in kept), kept
                assert rows(db, "select count from anomaly where name = 'impossible_order'") == [], (shift, cpus)
                got = rows(db, wakeups)
                differ = sum(a != b for a, b in zip(got, expected))
                assert len(got) == len(expected) and differ <= len(expected) // 50, (cpus, shift, differ)

        # Clocks of two packages whose tasks wake none of the other, of clocks that drift, and of no trace with skew.
        for cpus in [4, 5, 6, 7], []:
            write(trace, events, cpus, 3000000000)
            run(OK, "import", "-q", "-f", "--skew=auto", trace, "-o", db)
            assert rows(db, shifted) == []
        # A shift that leads to before all times is none.
        begin, cpu = events[0][:2]
        early = [(e[0] - begin - 50000, *e[1:]) for e in events]
        assert all(e[0] > 0 for e in early if e[1] != cpu)
        write(trace, early, [cpu], 50000000)
        out = run(DEGRADED, "import", "-q", "-f", "--skew=auto", trace, "-o", db)
        assert "(too-far): nothing was shifted" in out, out
        assert "before 0" in run(DEGRADED, "check", "--skew=auto", trace)
        assert rows(db, shifted) == []
        trace.write_text("# rewake: release=6.18.15 clock=local\n" + "".join(map(text_of, sorted(
            ((e[0] + (e[0] - begin) // 100 if e[1] in (1, 3) else e[0], *e[1:]) for e in events), key=lambda e: e[0]))))
        out = run(DEGRADED, "import", "-q", "-f", "--skew=auto", trace, "-o", db)
        assert "nothing was shifted" in out, out
        assert rows(db, shifted) == []
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
