#!/usr/bin/env python3
"""export --perfetto, read back by a decoder of its own: slices, wakings, flows and answers are those of SQL."""
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile

import handmade

NOBODY = 0x40000000
NAMES = {1: "category", 2: "event", 3: "key", 29: "value"}


def run(*argv, **more):
    done = subprocess.run(argv, capture_output=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{argv}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def fields(data):
    """Field number → values in order, as the wire has them: integers or bytes."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 1:
            value = struct.unpack_from("<Q", data, at)[0]
            at += 8
        else:
            assert tag & 7 == 2, tag
            size = varint()
            value = data[at:at + size]
            assert len(value) == size
            at += size
        found.setdefault(tag >> 3, []).append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Trace:
    """What a reader makes of the packets."""

    def __init__(self, data):
        self.release, self.prios = None, []
        self.switches, self.wakings, self.new, self.freed, self.events = [], [], [], [], []
        self.tracks, names = {}, {n: {} for n in NAMES.values()}
        whole = fields(data)
        assert set(whole) == {1}
        for number, raw in enumerate(whole[1]):
            packet = fields(raw)
            if 10 in packet and packet[10] == [1]:
                # One sequence refers to names, from its first packet on.
                assert packet[13] == [1 if number == 0 else 2], packet
            for field, values in fields(packet[12][0]).items() if 12 in packet else ():
                for value in map(fields, values):
                    assert value[1][0] not in names[NAMES[field]]
                    names[NAMES[field]][value[1][0]] = value[2][0].decode()
            if 45 in packet:
                self.release = fields(fields(packet[45][0])[1][0])[3][0].decode()
            if 60 in packet:
                track = fields(packet[60][0])
                self.tracks[track[1][0]] = track[2][0].decode()
                assert track.get(5, [1]) == [1]
            if 1 in packet:
                self.kernel(fields(packet[1][0]))
            if 11 in packet:
                self.track_event(packet[8][0], fields(packet[11][0]), names)

    def kernel(self, bundle):
        cpu, (event,) = bundle[1][0], map(fields, bundle[2])
        ts = event[1][0]
        if 4 in event:
            sw = fields(event[4][0])
            assert event[2] == sw[2]
            self.switches.append((ts, cpu, sw[2][0], sw[4][0], sw[6][0], sw[1][0].decode(), sw[5][0].decode()))
            self.prios.append((ts, cpu, sw[6][0], signed(sw[7][0]) if 7 in sw else None))
        elif 240 in event:
            self.freed.append((ts, fields(event[240][0])[2][0]))
        else:
            waking = fields((event.get(20) or event[114])[0])
            (self.wakings if 20 in event else self.new).append(
                (ts, cpu, event[2][0], waking[2][0], waking.get(5, [None])[0], event.get(5, [0])[0],
                 signed(waking[3][0]) if 3 in waking else None))

    def track_event(self, ts, event, names):
        def note(raw):
            n = fields(raw)
            key = names["key"][n[1][0]]
            if 11 in n:
                entries = [note(e) for e in n[11]]
                assert len(dict(entries)) == len(entries)
                return key, dict(entries)
            if 17 in n:
                return key, names["value"][n[17][0]]
            return key, bool(n[2][0]) if 2 in n else n[4][0]

        assert event[11][0] in self.tracks
        notes = [note(raw) for raw in event.get(4, [])]
        assert len(dict(notes)) == len(notes)
        self.events.append({
            "ts": ts, "type": event[9][0], "track": self.tracks[event[11][0]],
            "name": names["event"][event[10][0]] if 10 in event else None,
            "categories": [names["category"][i] for i in event.get(3, [])],
            "from": event.get(47, []), "to": event.get(48, []), "notes": dict(notes)})

    def on(self, what):
        return [e for e in self.events if e["track"].endswith(what)]

    def slices(self):
        """(ts, dur, cpu, tid) from the switches, those of nobody left out."""
        open_, found = {}, []
        for ts, cpu, prev, _, next_, _, _ in sorted(self.switches, key=lambda s: s[0]):
            if cpu in open_:
                begin, tid = open_[cpu]
                assert tid == prev, (cpu, ts, tid, prev)
                found.append((begin, ts - begin, cpu, tid))
            open_[cpu] = (ts, next_)
        found += [(begin, None, cpu, tid) for cpu, (begin, tid) in open_.items()]
        return sorted((s for s in found if s[3] < NOBODY), key=repr)


def export(rewake, db):
    data = run(rewake, "export", db, "--perfetto", "-")
    assert data == run(rewake, "export", db, "--perfetto", "-"), "the same input, another output"
    return Trace(data)


def check_against_sql(trace, db):
    """Everything that the trace tells is what the views say, and nothing is missing."""
    sql = sqlite3.connect(db)
    # Zero-length slices of who was there at the first switch of a CPU have no beginning in a trace.
    rows = sql.execute("SELECT s.ts, s.dur, s.cpu, t.tid FROM slice s JOIN task t USING (utid) WHERE NOT "
                       "(begin_unknown AND dur = 0 AND s.id = (SELECT MIN(id) FROM slice m WHERE m.cpu = s.cpu))")
    assert trace.slices() == sorted(rows, key=repr)
    rows = sql.execute("SELECT s.ts, s.cpu, t.tid, s.prio FROM slice s JOIN task t USING (utid) WHERE NOT (begin_unknown AND "
                       "dur = 0 AND s.id = (SELECT MIN(id) FROM slice m WHERE m.cpu = s.cpu)) ORDER BY s.id")
    assert [p for p in trace.prios if p[2] < NOBODY] == list(rows)
    flags = {"hardirq": 8, "softirq": 16, "nmi": 64}
    for kinds, found in (("<> 'new'", trace.wakings), ("= 'new'", trace.new)):
        rows = [(ts, cpu, NOBODY + cpu if waker is None else waker, wakee, target, flags.get(context, 0), prio)
                for ts, cpu, waker, wakee, target, context, prio in sql.execute(
                    "SELECT w.ts, w.cpu, a.tid, b.tid, IIF(w.kind = 'new', w.target_cpu, w.prev_cpu), w.context, w.prio FROM wakeup w "
                    f"LEFT JOIN task a ON a.utid = w.waker_utid LEFT JOIN task b ON b.utid = w.wakee_utid WHERE w.kind {kinds} "
                    "ORDER BY w.id")]
        assert found == rows, kinds

    wakes = trace.on(" wakes")
    sql.row_factory = sqlite3.Row
    answers = {}
    for v in sql.execute("SELECT v.*, r.params FROM verdict v JOIN replay r USING (replay_id) ORDER BY wakeup_id, replay_id"):
        label = v["policy"] + ("," + v["params"] if v["params"] else "")
        answers.setdefault(v["wakeup_id"], {})[label] = {
            key: bool(v[column]) if key == "agrees" else v[column] for key, column in (
                ("cpu", "cpu"), ("reason", "reason"), ("detail", "detail"), ("agrees", "agrees"), ("unknown", "unknown"),
                ("price", "price"), ("wait_ns", "wait_dur"), ("kernel_wait_ns", "kernel_wait_dur"))
            if v[column] is not None}
    rows = list(sql.execute("SELECT w.*, t.name AS wakee, t.tid AS wakee_tid FROM wakeup w JOIN task t ON t.utid = w.wakee_utid "
                            "ORDER BY w.id"))
    assert len(wakes) == len(rows)
    for event, row in zip(wakes, rows):
        notes, flow = event["notes"], [row["id"]] if row["run_dur"] is not None else []
        assert (event["ts"], event["track"], event["type"], event["from"]) == (
            row["ts"], f"CPU {row['cpu']} wakes", 3, flow), (event, tuple(row))
        for key, column in (("wakeup", "id"), ("kind", "kind"), ("kind_source", "kind_source"), ("prev_cpu", "prev_cpu"),
                            ("target_cpu", "target_cpu"), ("target_source", "target_source"), ("sync", "sync"),
                            ("context", "context"), ("sync_source", "sync_source"), ("wait_ns", "run_dur"),
                            ("run_cpu", "run_cpu"), ("wakeup_dur_ns", "wakeup_dur"), ("censor", "censor"),
                            ("wakee_tid", "wakee_tid"), ("wakee", "wakee")):
            assert notes.get(key) == row[column], (key, notes, row[column])
        expected = answers.get(row["id"])
        assert notes.get("verdicts") == expected, (notes, expected)
        differs = any(a.get("agrees") is False for a in (expected or {}).values())
        assert event["categories"] == [row["kind"]] + ["differs"] * differs, event
    runs = [(e["ts"], e["track"], e["to"], e["notes"]) for e in trace.on(" runs woken")]
    assert runs == [(r["ts"] + r["run_dur"], f"CPU {r['run_cpu']} runs woken", [r["id"]], {"wakeup": r["id"]})
                    for r in rows if r["run_dur"] is not None]
    sql.close()


def check_by_hand(rewake, root, folder):
    (folder / "t.txt").write_text(handmade.trace())
    db = folder / "t.db"
    run(rewake, "import", "-q", "t.txt", "-m", root / "tests/golden/other_machine/m16.json", "-o", db, cwd=folder)
    run(rewake, "replay", "-q", db, "-p", "prev", "-p", "waker")
    trace = export(rewake, db)
    check_against_sql(trace, db)
    assert trace.release == "6.1.192"
    us = 1000
    assert [s for s in trace.slices() if s[3] == 20] == [
        (1000011 * us, 39 * us, 1, 20), (1000110 * us, 40 * us, 1, 20), (1000320 * us, 30 * us, 3, 20),
        (1000430 * us, 40 * us, 2, 20)]
    assert trace.wakings[:2] == [(1000100 * us, 0, 11, 20, 1, 0, 120), (1000200 * us, 0, 11, 12, 8, 8, 120)]
    third = trace.on(" wakes")[2]
    assert (third["name"], third["categories"]) == ("server", ["decision", "differs"])
    assert {p: (a["cpu"], a["agrees"]) for p, a in third["notes"]["verdicts"].items()} == {
        "prev": (1, False), "waker": (8, False)}, third

    # The bytes of names and parameters, and the same policy twice.
    handmade.rename(db, 20, handmade.EVIL)
    run(rewake, "replay", "-q", db, "-p", "prev", "--kernel", "v5.9")
    third = export(rewake, db).on(" wakes")[2]
    assert third["name"] == third["notes"]["wakee"] == 'a"b\\\\c\\n<x>&y;\\xffé,\\x01', third
    assert list(third["notes"]["verdicts"]) == ["prev #1", "waker", "prev #3"], third


def check_gaps(rewake, folder):
    """Where events are lost nobody is on the CPU; a thread id that comes back is another thread."""
    t = handmade.Text()
    t.switch(10, 0, "swapper/0", 0, "R", "a", 5)
    t.switch(20, 0, "a", 5, "X", "b", 6)
    t.waking(25, 0, "b", 6, "again", 5, 1)
    t.switch(30, 1, "swapper/1", 0, "R", "again", 5)
    t.lines.append("CPU:0 [LOST 7 EVENTS]")
    t.switch(80, 0, "c", 7, "R+", "b", 6)
    t.switch(90, 1, "again", 5, "I", "swapper/1", 0)
    (folder / "g.txt").write_text(str(t))
    db = folder / "g.db"
    done = subprocess.run([rewake, "import", "-q", "g.txt", "-o", db], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 3, done.stderr
    trace = export(rewake, db)
    check_against_sql(trace, db)
    us = 1000
    on_0 = [(ts // us - 1000000, prev, state, next_) for ts, cpu, prev, state, next_, _, _ in trace.switches if cpu == 0]
    assert on_0 == [(10, 0, 0, 5), (20, 5, 16, 6), (25, 6, 512, NOBODY), (80, NOBODY, 1, 7), (80, 7, 256, 6)], on_0
    assert {s[5] for s in trace.switches if s[2] == NOBODY} == {"(not observed)"}
    assert trace.freed == [(1000025 * us, 5)], trace.freed
    assert [s[3] for s in trace.switches if s[2] == 5 and s[1] == 1] == [128]
    lost = trace.on(" lost events")
    assert [(e["ts"], e["type"], e["name"], e["notes"]) for e in lost] == [
        (1000025 * us, 1, "lost", {"count": 7}), (1000080 * us, 2, None, {})], lost


def check_round_trip(rewake, db, folder):
    """rewake reads Perfetto's traces, too: of its own it makes the same slices and wakings."""
    run(rewake, "export", db, "--perfetto", folder / "own.pftrace")
    run(rewake, "import", "-q", folder / "own.pftrace", "-o", folder / "own.db")
    for sql in ("SELECT s.ts, s.dur, s.cpu, t.tid, t.name, s.prio, s.end_state FROM slice s JOIN task t USING (utid) "
                "WHERE dur IS NULL OR dur > 0 ORDER BY s.ts, s.cpu",
                "SELECT w.ts, w.cpu, w.context, a.tid, b.tid, w.prio, IIF(w.kind = 'new', 0, w.prev_cpu) FROM wakeup w "
                "LEFT JOIN task a ON a.utid = w.waker_utid JOIN task b ON b.utid = w.wakee_utid ORDER BY w.id"):
        mine, own = ([tuple(r) for r in sqlite3.connect(f).execute(sql)] for f in (db, folder / "own.db"))
        assert len(mine) > 1000 and mine == own, [pair for pair in zip(mine, own) if pair[0] != pair[1]][:3]


def main(rewake, root):
    root, rewake = pathlib.Path(root), str(pathlib.Path(rewake).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_by_hand(rewake, root, folder)
        check_gaps(rewake, folder)
        # A recorded run, with a policy that has parameters.
        db = folder / "run.db"
        run(rewake, "import", "-q", root / "samples/oltp.dat", "-o", db)
        run(rewake, "replay", "-q", db, "-p", "linux", "-p", "linux,scan=full", "-p", "vagin")
        check_against_sql(export(rewake, db), db)
        check_round_trip(rewake, db, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
