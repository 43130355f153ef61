#!/usr/bin/env python3
"""Recordings as archives: whole, packed, from a pipe, cut and hostile."""
import gzip
import io
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile

OK, FAILED, MISUSED, DEGRADED = 0, 1, 2, 3
CHUNK_PAGES = 3


class Sample:
    """The parts of a recording, out of a trace.dat version 6, where they lie one after the other."""

    def __init__(self, path):
        self.data = path.read_bytes()
        assert self.data.startswith(b"\x17\x08\x44tracing6\0\0\x08"), "not version 6, little-endian, 64 bits"
        self.at = 14
        self.page_size = self.number("<I")
        self.view = {}
        for name in "header_page", "header_event":
            assert self.string() == name
            self.view[f"events/{name}"] = self.block("<Q")
        for _ in range(self.number("<I")):
            self.keep("ftrace", self.block("<Q"))
        for _ in range(self.number("<I")):
            system = self.string()
            for _ in range(self.number("<I")):
                self.keep(system, self.block("<Q"))
        self.block("<I")  # kallsyms
        self.view["printk_formats"] = self.block("<I")
        names = self.block("<Q")
        nr_cpus = self.number("<I")
        self.clock = "mono"  # what converting says is another buffer's
        assert self.string() == "options  "
        while self.number("<H"):
            self.block("<I")
        assert self.string() == "flyrecord"
        self.view["trace_clock"] = f"[{self.clock}]\n".encode()
        self.names = names
        places = [(self.number("<Q"), self.number("<Q")) for _ in range(nr_cpus)]
        self.cpu = {cpu: self.data[at:at + size] for cpu, (at, size) in enumerate(places) if size}

    def number(self, form):
        value = struct.unpack_from(form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def block(self, form):
        size = self.number(form)
        self.at += size
        return self.data[self.at - size:self.at]

    def string(self):
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at:end].decode(), end + 1
        return text

    def keep(self, system, text):
        name = text.split(b"\n")[0].removeprefix(b"name: ").decode()
        self.view[f"events/{system}/{name}/format"] = text

    def members(self, sidecar):
        """As a recorder would send them."""
        head = (f"version: 1\nclock: {self.clock}\npage_size: {self.page_size}\nbyte_order: little\nlong: 8\n"
                "architecture: x86_64\n")
        yield "rewake-recording", head.encode()
        yield "machine-start.json", sidecar
        for name, text in self.view.items():
            yield f"tracing/{name}", text
        size = CHUNK_PAGES * self.page_size
        for nth in range(max(len(p) for p in self.cpu.values()) // size + 1):
            for cpu, pages in self.cpu.items():
                if chunk := pages[nth * size:(nth + 1) * size]:
                    yield f"cpu{cpu}/{nth:010}", chunk
        yield "tracing/saved_cmdlines", self.names
        yield "machine.json", sidecar
        yield "complete", "".join(f"cpu{cpu} {len(pages)}\n" for cpu, pages in self.cpu.items()).encode()


def tar(members, form=tarfile.USTAR_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in members:
            if isinstance(name, tarfile.TarInfo):
                archive.addfile(name, io.BytesIO(data))
                continue
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


class Case:
    def __init__(self, rewake, folder):
        self.rewake, self.folder = rewake, folder

    def run(self, expected, *argv, stdin=b""):
        done = subprocess.run([self.rewake, *argv], capture_output=True, check=False, input=stdin)
        err = done.stderr.decode(errors="replace")
        wanted = expected if isinstance(expected, tuple) else (expected,)
        assert done.returncode in wanted, f"{argv}: exit {done.returncode}, not {expected}: {err}"
        return done.returncode, done.stdout.decode(), err

    def import_bytes(self, expected, data, name="a.tar", stdin=False):
        path, db = self.folder / name, self.folder / "a.db"
        path.write_bytes(data)
        before = sorted(p.name for p in self.folder.parent.rglob("*"))
        code, _, err = self.run(expected, "import", "-q", "-f", "-" if stdin else path, "-o", db,
                                stdin=data if stdin else b"")
        rows = self.run(OK, "query", "--format", "csv", db, "select * from wakeup")[1] if code in (OK, DEGRADED) else ""
        db.unlink(missing_ok=True)
        after = sorted(p.name for p in self.folder.parent.rglob("*"))
        assert before == after, f"left behind: {set(after) ^ set(before)}"
        path.unlink()
        return rows, err


def hostile(good):
    """What must be refused, and a word of the reason."""
    first, rest = good[:1], good[1:]
    chunk = next(i for i, (name, _) in enumerate(good) if name.startswith("cpu"))
    page = good[chunk][1]

    def put(*more, at=chunk):
        return tar(good[:at] + list(more) + good[at:])

    yield tar(rest + first), "its first member is not"
    yield tar([("data.txt", b"x")]), "its first member is not"
    yield tar([special("rewake-recording", tarfile.SYMTYPE, "/etc/passwd")] + rest), "its first member is not"
    for name in "../out.dat", "/tmp/out.dat", "tracing/events/../../../x/format", "cpu0/..":
        yield put((name, page)), "leads outside"
    for kind in tarfile.SYMTYPE, tarfile.LNKTYPE:
        yield put(special("cpu0/0000000000", kind, "/etc/passwd")), "no plain file"
    for kind in tarfile.DIRTYPE, tarfile.FIFOTYPE:
        yield put(special("tracing", kind)), "no plain file"
    for name in "machine-start.json", "tracing/events/header_page", "tracing/trace_clock":
        yield put((name, b"{}")), "there twice"
    yield put(good[chunk], at=chunk + 1), "there twice"
    yield put(("cpu0/0000000777", page)), "are missing"
    yield put(("cpu5/0000000000", page + b"x")), "whole number of pages"
    yield put(("tracing/events/sched/huge/format", bytes(2 << 20))), "too large"
    yield tar(good + [("cpu0/0000000099", page)]), "after the end"
    for head in (b"", b"version: 1\n", b"version: x\n", b"version: 1\nclock: ../x\npage_size: 4096\nbyte_order: little\nlong: 8\n",
                 b"version: 1\nclock: mono\npage_size: 0\nbyte_order: little\nlong: 8\n", bytes(5000)):
        yield tar([("rewake-recording", head)] + rest), "rewake-recording"
    yield tar([("rewake-recording", good[0][1].replace(b"version: 1", b"version: 2"))] + rest), "newer"
    yield tar([("rewake-recording", good[0][1].replace(b"little", b"big"))] + rest), "byte order"
    yield tar(good[:chunk]), "no events"
    yield tar([m for m in good if not m[0].startswith("cpu")]), "no events"
    yield b"\x28\xb5\x2f\xfd" + bytes(600), "cannot"


def main(rewake, root):
    samples = pathlib.Path(root) / "samples"
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top) / "in"
        folder.mkdir()
        case = Case(rewake, folder)
        plain = folder / "plain.dat"
        subprocess.run(["trace-cmd", "convert", "-i", samples / "oltp.dat", "-o", plain, "--file-version", "6"],
                       check=True, capture_output=True)
        sidecar = (samples / "oltp.machine.json").read_bytes()
        good = list(Sample(plain).members(sidecar))
        plain.unlink()
        db = folder / "want.db"
        case.run(OK, "import", "-q", samples / "oltp.dat", "-o", db)
        want = case.run(OK, "query", "--format", "csv", db, "select * from wakeup")[1]
        db.unlink()

        whole = tar(good)
        for data in (whole, gzip.compress(whole),
                     subprocess.run(["zstd", "-qc"], input=whole, capture_output=True, check=True).stdout,
                     tar(good, tarfile.PAX_FORMAT)):
            rows, err = case.import_bytes(OK, data)
            assert rows == want and not err, err
        rows, err = case.import_bytes(OK, whole, stdin=True)
        assert rows == want, "not the same from standard input"
        rows, err = case.import_bytes(OK, tar(good[:3] + [("later", b"x" * 100000)] + good[3:]))
        assert rows == want and "1 members" in err, err
        zst = subprocess.run(["zstd", "-qc"], input=whole, capture_output=True, check=True).stdout
        rows, err = case.import_bytes(OK, zst, stdin=True)
        assert rows == want, "not the same from standard input, packed"
        _, err = case.import_bytes(FAILED, b"no archive", stdin=True)
        assert "standard input" in err, err
        # What is packed, or comes through a pipe, and is no archive: the decoder's.
        trace = (samples / "oltp.dat").read_bytes()
        for data in trace, gzip.compress(trace):
            for stdin in False, True:
                rows, err = case.import_bytes((OK, DEGRADED), data, name="a.bin", stdin=stdin)
                assert rows.count("\n") == want.count("\n"), err

        # Without its sidecar, and without what came last.
        rows, err = case.import_bytes(DEGRADED, tar(good[:-3]))
        assert "not all of the recording is there" in err and rows == want, err
        rows, err = case.import_bytes(DEGRADED, tar(good[:-1] + [("complete", b"cpu0 1\n")]))
        assert "other pages" in err, err

        # Cut anywhere: what is there is imported, or there is none; nothing is left behind.
        first = whole.index(b"cpu0/0000000000") if b"cpu0/0000000000" in whole else whole.index(b"cpu1/0000000000")
        codes = set()
        for size in [*range(0, len(whole), len(whole) // 7), first + 512 + 100, first + 512 + 5000]:
            rows, err = case.import_bytes((FAILED, DEGRADED), whole[:size])
            codes.add(bool(rows))
            assert bool(rows) == ("not all of the recording" in err), err
            assert not rows or set(rows.splitlines()[:1]) == set(want.splitlines()[:1])
        assert codes == {False, True}

        for data, why in hostile(good):
            _, err = case.import_bytes(FAILED, data)
            assert why in err and len(err) < 1000, f"{why}: {err}"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
