#!/usr/bin/env python3
"""Files of a host and its guest, made of one recording: on which clock their runs are, and what is kept of the session."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

OK, FAILED, MISUSED, DEGRADED = 0, 1, 2, 3
HOST, GUEST, STRANGER = 0x1111, 0x2222, 0x3333
VERSION, TRACEID, TIME_SHIFT, GUEST_OPTION = 9, 11, 12, 13
PAGE = 4096


def option(number, data):
    return struct.pack("<HI", number, len(data)) + data


def add_options(data, options):
    """A trace.dat of version 6 with more options behind the others; all behind them moves by whole pages."""
    at = data.rfind(b"options  \0")
    mark = data.find(b"flyrecord\0", at) + 10
    assert data[:12] == b"\x17\x08\x44tracing6\0" and at > 4 and mark > at
    cpus = struct.unpack_from("<I", data, at - 4)[0]
    more = b"".join(options)
    more += option(VERSION, bytes(-(len(more) + 6) % PAGE))
    places = [struct.unpack_from("<QQ", data, mark + 16 * cpu) for cpu in range(cpus)]
    table = b"".join(struct.pack("<QQ", place + len(more), size) for place, size in places)
    done = mark - 12
    return data[:done] + more + data[done:mark] + table + data[mark + 16 * cpus:], cpus


def time_shift(host, tables):
    data = struct.pack("<QII", host, 0, len(tables))
    for table in tables:
        data += struct.pack("<I", len(table))
        for column in 0, 1, 2:
            data += b"".join(struct.pack("<q", row[column]) for row in table)
    return option(TIME_SHIFT, data + bytes(8 * sum(map(len, tables))))


def guest(number, name, tids):
    return option(GUEST_OPTION, name + b"\0" + struct.pack("<QI", number, len(tids)) +
                  b"".join(struct.pack("<II", *pair) for pair in enumerate(tids)))


def main(rewake, root):
    def run(expected, *argv):
        done = subprocess.run([rewake, *map(str, argv)], capture_output=True, text=True, check=False)
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {done.stderr}"
        return done.stdout + done.stderr

    def rows(db, sql):
        return json.loads(run(OK, "query", "-f", "json", db, sql))

    runs = "select run_id, clock, first_ts, last_ts from run order by run_id"
    wakeups = "select cpu, kind, prev_cpu, run_cpu, run_dur from wakeup where run_id = {} order by id"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plain, db = folder / "plain.dat", folder / "run.db"
        subprocess.run(["trace-cmd", "convert", "--file-version", "6", "--compression", "none", "-i", pathlib.Path(root) / "samples/oltp.dat",
                        "-o", plain], capture_output=True, check=True)
        data = plain.read_bytes()
        (_, nr_cpus), shift = add_options(data, []), 123456789
        files = {
            "host.dat": [option(TRACEID, struct.pack("<Q", HOST)), guest(GUEST, b"vm-one", range(4711, 4711 + nr_cpus))],
            "guest.dat": [option(TRACEID, struct.pack("<Q", GUEST)), time_shift(HOST, [[(0, shift, 1), (10**18, shift, 1)]] * nr_cpus)],
            "stranger.dat": [option(TRACEID, struct.pack("<Q", STRANGER)), time_shift(0x4444, [[(0, shift, 1)]] * nr_cpus)],
            "part.dat": [option(TRACEID, struct.pack("<Q", GUEST)), time_shift(HOST, [[(0, shift, 1)]] * (nr_cpus - 1))],
        }
        for name, options in files.items():
            (folder / name).write_bytes(add_options(data, options)[0])
        host, client, stranger, part = (folder / name for name in files)

        # Each by itself is on its own clock, unless somebody asks.
        run(OK, "import", "-q", client, "-o", db)
        own = rows(db, runs)[0]
        assert own["clock"] == "local"
        session = rows(db, "select value from machine_setting where name = 'rewake/session'")
        assert session == [{"value": "id: 0x2222\nhost: 0x1111\nclock: own\ncorrections: 16"}], session
        run(OK, "import", "-q", "-f", "--ts-offset=host", client, "-o", db)
        there = rows(db, runs)[0]
        assert there == {"run_id": 1, "clock": "host:local", "first_ts": own["first_ts"] + shift, "last_ts": own["last_ts"] + shift}, there
        session = rows(db, "select value from machine_setting where name = 'rewake/session'")
        assert session == [{"value": "id: 0x2222\nhost: 0x1111\nclock: host\ncorrections: 16"}], session

        # Together: on the host's, in any order; only the guest of that host.
        for order in (host, client, stranger), (client, stranger, host):
            out = run(OK, "import", "-q", "-f", *order, "-o", db)
            assert out.count("whose guest it is") == 1 and f"{client}: its times are on the clock of {host}" in out, out
            for got, name in zip(rows(db, runs), order):
                moved = shift if name == client else 0
                assert (got["clock"], got["first_ts"]) == ("host:local" if moved else "local", own["first_ts"] + moved), (name, got)
        first = rows(db, wakeups.format(1))
        assert len(first) > 1500 and rows(db, wakeups.format(2)) == first and rows(db, wakeups.format(3)) == first
        kept = rows(db, "select value from machine_setting where name = 'rewake/guest/0x2222'")
        assert kept == [{"value": "name: vm-one\n" + "\n".join(f"{i}: {4711 + i}" for i in range(nr_cpus))}], kept

        # What is asked for is done instead.
        run(OK, "import", "-q", "-f", "--ts-offset=1000", host, client, "-o", db)
        assert [r["first_ts"] for r in rows(db, runs)] == [own["first_ts"] + 1000] * 2
        run(OK, "import", "-q", "-f", "--ts-offset=0", host, client, "-o", db)
        assert [(r["clock"], r["first_ts"]) for r in rows(db, runs)] == [("local", own["first_ts"])] * 2
        run(OK, "check", "--ts-offset=host", client)
        assert run(OK, "dump", "--ts-offset=host", client).startswith(str(own["first_ts"] + shift))

        # What cannot be: no host, a CPU without a correction, another format.
        text = folder / "note.txt"
        text.write_text("  task-1  [000] d..2. 1.000000001: sched_waking: comm=a pid=2 prio=120 target_cpu=000\n")
        for name, why in (host, "TIME_SHIFT"), (part, f"cpu={nr_cpus - 1}"), (text, "only a trace.dat"):
            out = run(FAILED, "import", "-q", "-f", "--ts-offset=host", name, "-o", folder / "no.db")
            assert why in out and not (folder / "no.db").exists(), out
        out = run(OK, "import", "-q", "-f", host, part, "-o", db)
        assert "its own clock" in out and [r["clock"] for r in rows(db, runs)] == ["local"] * 2, out
        run(MISUSED, "import", "--ts-offset=guest", client, "-o", folder / "other.db")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
