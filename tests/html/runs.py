"""Databases of every kind that a page is made of, and the pages themselves."""
import json
import pathlib
import re
import sqlite3
import subprocess

# Names that end elements, run as scripts, hide, reorder, or are no text at all.
HOSTILE = [b"</script><script>window.pwned=1</script>", b"<img src=x onerror=window.pwned=1>", b"<!--<script>", b"q\"uo'te&amp;",
           b"line\nbreak\ttab", b"\xe2\x80\xaeoltp\xe2\x80\xac", b"bad\xff\xfe\xc0\xaf", b"\xe2\x80\xa8 sep", b"nul\x00byte", b"back\\slash",
           b"zero\xe2\x80\x8bwidth", b"]]>", b"${pwned}`", b"__proto__", b"constructor"]
# The same as a page shows them.
SHOWN = ["</script><script>window.pwned=1</script>", "<img src=x onerror=window.pwned=1>", "<!--<script>", "q\"uo'te&amp;",
         "line\\nbreak\\ttab", "\\u{202e}oltp\\u{202c}", "bad\\xff\\xfe\\xc0\\xaf", "\\u{2028} sep", "nul\\x00byte", "back\\\\slash",
         "zero\\u{200b}width", "]]>", "${pwned}`", "__proto__", "constructor"]


class Runs:
    def __init__(self, rewake, root, folder):
        self.rewake = str(pathlib.Path(rewake).resolve())
        self.root, self.folder = pathlib.Path(root), pathlib.Path(folder)
        self.text = (self.root / "tests/golden/lost_in_the_middle/small.txt").read_text()

    def run(self, *argv, expected=(0,)):
        done = subprocess.run([self.rewake, *argv], capture_output=True, check=False)
        assert done.returncode in expected, f"{argv}: exit {done.returncode}: {done.stderr.decode()}"
        return done.stdout

    def from_text(self, name, text, *options):
        trace, db = self.folder / f"{name}.txt", self.folder / f"{name}.db"
        trace.write_text(text)
        self.run("import", "--quiet", "--force", trace, "-o", db, *options, expected=(0, 3, 4))
        return db

    def sample(self):
        """The sample with three replays."""
        db = self.folder / "sample.db"
        if not db.exists():
            self.run("import", "--quiet", self.root / "samples/oltp.dat", "-o", db)
            self.run("replay", "--quiet", db, "-p", "linux", "-p", "prev", "-p", "vagin")
        return db

    def small(self):
        """Neither topology nor replays."""
        return self.from_text("small", self.text)

    def lossy(self):
        """CPU 2 lost events between 215 and 400 us, when it is not known what it did."""
        lines = self.text.splitlines(keepends=True)
        return self.from_text("lossy", "".join(lines[:10] + ["CPU:2 [LOST 207 EVENTS]\n"] + lines[10:]))

    def empty(self):
        """A trace that holds no event."""
        return self.from_text("empty", "# tracer: nop\n")

    def hostile(self):
        """The sample with names that mean harm."""
        db = self.folder / "hostile.db"
        db.write_bytes(self.sample().read_bytes())
        with sqlite3.connect(db) as connection:
            tasks = [row[0] for row in connection.execute(
                "SELECT DISTINCT wakee_utid FROM t_edge WHERE wakee_utid > 0 ORDER BY count DESC")]
            assert len(tasks) >= len(HOSTILE), tasks
            for utid, name in zip(tasks, HOSTILE):
                connection.execute("UPDATE t_task SET comm = CAST(? AS TEXT) WHERE utid = ?", (name, utid))
            connection.execute("UPDATE t_run SET file = CAST(? AS TEXT), release = CAST(? AS TEXT)", (HOSTILE[0], HOSTILE[6]))
            connection.execute("UPDATE t_policy SET summary = CAST(? AS TEXT) WHERE name = 'vagin'", (HOSTILE[1],))
            connection.execute("UPDATE t_anomaly SET help = CAST(? AS TEXT)", (HOSTILE[0],))
        connection.close()
        return db

    def two(self):
        """A second run beside the sample, of which there is nothing but that it was."""
        db = self.folder / "two.db"
        db.write_bytes(self.sample().read_bytes())
        with sqlite3.connect(db) as connection:
            columns = [row[1] for row in connection.execute("PRAGMA table_info(t_run)")]
            values = ", ".join({"id": "2", "file": "'second.dat'"}.get(c, c) for c in columns)
            connection.execute(f"INSERT INTO t_run SELECT {values} FROM t_run WHERE id = 1")
        connection.close()
        return db

    def absurd(self, first, last):
        """The small run, said to have lasted from first to last."""
        db = self.small()
        with sqlite3.connect(db) as connection:
            connection.execute("UPDATE t_run SET first_ts = ?, last_ts = ?", (first, last))
            connection.execute("UPDATE t_run_cpu SET last_ts = ?", (last,))
        connection.close()
        return db

    def page(self, db, *options):
        path = self.folder / f"{db.stem}.html"
        self.run("export", db, "--html", path, *options)
        return path


def data_of(page):
    """The data of a page, tables as lists of dictionaries."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert len(found) == 1, len(found)

    def unpack(value):
        if isinstance(value, dict) and set(value) == {"columns", "rows"}:
            return [dict(zip(value["columns"], row)) for row in value["rows"]]
        return value
    data = json.loads(found[0])
    for run in data["runs"]:
        for key in list(run):
            run[key] = unpack(run[key])
    return data
