#!/usr/bin/env python3
"""What is in the page of export --html, without a browser: its numbers, its bounds, and that nothing breaks out of it."""
import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile

import runs

CPUS = "Time of each CPU; unknown: before its first event, and where events were lost"


def check_small(made):
    """A trace that can be worked out on paper: who was on which CPU for how long, and what is unknown."""
    run = runs.data_of(made.page(made.lossy()))["runs"][0]
    assert run["run"][0]["dur"] == 600000 and run["run"][0]["bin_ns"] == 2000, run["run"]
    sums = {}
    for cell in run["heat"]:
        assert 0 <= cell["busy"] + cell["idle"] <= 2000, cell
        busy, idle = sums.get(cell["cpu"], (0, 0))
        sums[cell["cpu"]] = (busy + cell["busy"], idle + cell["idle"])
    # CPU 0 is first seen at 10 us, 2 at 210 us and not from 215 to 400 us, 3 at 310 us.
    assert sums == {0: (590000, 0), 1: (100000, 500000), 2: (90000, 115000), 3: (290000, 0)}, sums
    assert {t["name"]: t["ran"] for t in run["tasks"]} == {"waker": 590000, "wakee": 190000, "child": 290000}, run["tasks"]
    assert run["gaps"] == [{"cpu": 2, "bin": 200, "from_bin": 107, "gaps": 1, "lost": 207}], run["gaps"]
    assert [c["lost"] for c in run["cpus"]] == [0, 0, 207, 0], run["cpus"]
    assert run["policies"] == [] and run["prices"] == []


def check_sample(made):
    """The page's sums are those of the database."""
    db = made.sample()
    page = made.page(db)
    data = runs.data_of(page)
    run = data["runs"][0]

    def rows(sql):
        return json.loads(made.run("query", "--format", "json", db, sql))
    decisions = rows("SELECT COUNT(*) AS n, COUNT(target_cpu) AS placed, SUM(moved) AS moved, SUM(run_dur) AS wait, "
                     "MAX(run_dur) AS longest FROM decision")[0]
    assert run["run"][0]["nr_decisions"] == decisions["n"]
    assert sum(c["decisions"] for c in run["heat"]) == decisions["placed"]
    assert sum(c["moved"] for c in run["heat"]) == decisions["moved"]
    for facet in ("all", "waker", "prev", "moved", "context", "sync"):
        mine = [w for w in run["waits"] if w["facet"] == facet]
        assert sum(w["count"] for w in mine) == decisions["n"], facet
        assert sum(w["sum"] or 0 for w in mine) == decisions["wait"], facet
        assert max(w["max"] or 0 for w in mine) == decisions["longest"], facet
    for wait in run["waits"]:
        # A bin is a sixteenth of a power of two wide.
        if wait["lo"] is not None and wait["lo"] >= 16:
            assert wait["lo"] <= wait["max"] < wait["lo"] + 2 ** (wait["lo"].bit_length() - 5), wait
    busy = {r["cpu"]: r["busy"] for r in rows(
        "SELECT s.cpu, SUM(coalesce(s.dur, r.last_ts - s.ts)) AS busy FROM slice s JOIN task t ON t.utid = s.utid "
        "JOIN run r ON r.run_id = s.run_id WHERE t.idle_cpu IS NULL GROUP BY s.cpu")}
    for cpu, time in busy.items():
        assert sum(c["busy"] for c in run["heat"] if c["cpu"] == cpu) == time, cpu
    report = json.loads(made.run("report", "--format", "json", db, "cpus", "-P", "top=1000000"))
    for cpu in report[CPUS]:
        assert abs(cpu["busy_ms"] + cpu["idle_ms"] + cpu["unknown_ms"] - run["run"][0]["dur"] / 1e6) < 0.02, cpu
        assert abs(cpu["busy_ms"] - busy[cpu["cpu"]] / 1e6) < 0.01, cpu
    lossy = json.loads(made.run("report", "--format", "json", made.lossy(), "cpus"))[CPUS]
    # What is left of the 600 us in check_small().
    assert [(c["cpu"], c["unknown_ms"]) for c in lossy] == [(0, 0.01), (1, 0.0), (2, 0.4), (3, 0.31)], lossy
    ran = {(t["name"], t["tid"]): t for t in run["tasks"]}
    assert len(ran) == len(run["tasks"]) == run["run"][0]["nr_tasks"]
    for task in report["Tasks that ran most"]:
        mine = ran[task["task"], task["tid"]]
        assert [task[k] for k in ("runs", "cpus", "preempted")] == [mine[k] for k in ("runs", "cpus", "preempted")], (task, mine)
        assert abs(task["ran_ms"] - mine["ran"] / 1e6) < 0.01 and task["longest_ms"] <= task["ran_ms"], (task, mine)
    summary = json.loads(made.run("report", "--format", "json", db, "summary"))
    assert {r["item"]: r["value"] for r in summary["Run"]}["tasks"] == len(ran), summary["Run"]
    prices = rows("SELECT replay_id, COUNT(*) AS n, COUNT(extra_dur) AS priced, SUM(extra_dur > 0) AS worse FROM price GROUP BY 1")
    for price in prices:
        policy = next(p for p in run["policies"] if p["replay"] == price["replay_id"])
        assert (policy["asked"], policy["priced"], policy["worse"]) == (price["n"], price["priced"], price["worse"]), policy
        assert sum(b["count"] for b in run["prices"] if b["replay"] == price["replay_id"]) == price["priced"]
        assert sum(p["differ"] for p in run["price_pairs"] if p["replay"] == price["replay_id"]) == price["n"]
    assert run["all_wakings"] == run["run"][0]["nr_wakeups"] == sum(p["count"] for p in run["pairs"])
    assert made.run("export", db, "--html", "-") == page.read_bytes(), "the same run gave other bytes"


def check_closed(made):
    """Nothing in the data ends an element, and the page allows its own scripts only."""
    page = made.page(made.hostile())
    raw = page.read_bytes()
    text = raw.decode("utf-8", "strict")
    assert text.lower().count("<script") == text.lower().count("</script") == 3
    block = text[text.index('id="data">') + 10:]
    block = block[:block.index("</script>")]
    assert not re.search("[<>&]", block)
    assert not re.search("[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", block)
    run = runs.data_of(page)["runs"][0]
    names = {t["name"] for t in run["tasks"]}
    assert names >= set(runs.SHOWN), set(runs.SHOWN) - names
    assert {n["name"] for n in run["nodes"]} & set(runs.SHOWN)
    assert run["run"][0]["file"] == runs.SHOWN[0] and run["run"][0]["release"] == runs.SHOWN[6]

    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy, policy
    for tag in ("style", "script"):
        for body in re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S):
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy, f"a {tag} is not allowed"
            text = text.replace(body, "", 1)
    assert len(re.findall(r"<script>", text)) == 2 and len(re.findall(r"<style>", text)) == 1
    # What is left of the page names no other file.
    for name, value in re.findall(r'\b(src|href|action|data)="([^"]*)"', text.replace(block, "")):
        assert value.startswith("#") or value == "data:,", (name, value)


def check_bounds(made):
    """However long a run is, and whatever its times are, the page stays small."""
    line = "          <idle>-0       [{cpu:03d}] d..2.     {ts}: sched_switch: prev_comm={a} prev_pid={p} prev_prio=120 " \
           "prev_state=S ==> next_comm={b} next_pid={n} next_prio=120\n"
    text = "# tracer: nop\n"
    for cpu in range(200):
        text += line.format(cpu=cpu, ts=f"{1 + cpu}.000000", a=f"swapper/{cpu}", p=0, b=f"t{cpu}", n=100 + cpu)
    for cpu in range(200):
        text += line.format(cpu=cpu, ts=f"{900000 + cpu}.000000", a=f"t{cpu}", p=100 + cpu, b=f"swapper/{cpu}", n=0)
    page = made.page(made.from_text("long", text))
    run = runs.data_of(page)["runs"][0]
    assert run["run"][0]["bin_ns"] == 10 ** 13, run["run"]
    assert 200 * 90 <= len(run["heat"]) <= 30000, len(run["heat"])
    assert page.stat().st_size < 2e6, page.stat().st_size
    for first, last in ((-2 ** 63, 2 ** 63 - 1), (0, 2 ** 63 - 1), (10 ** 9 + 1000, 10), (10 ** 9, 10 ** 9)):
        page = made.page(made.absurd(first, last))
        assert page.stat().st_size < 1e6 and len(runs.data_of(page)["runs"][0]["heat"]) <= 4 * 600, (first, last)
    two = runs.data_of(made.page(made.two()))["runs"]
    assert [r["id"] for r in two] == [1, 2] and two[1]["heat"] == [] and two[1]["run"][0]["file"] == "second.dat"
    assert [r["id"] for r in runs.data_of(made.page(made.two(), "--run", "2"))["runs"]] == [2]
    run = runs.data_of(made.page(made.empty()))["runs"][0]
    assert run["run"][0]["dur"] is None and run["heat"] == [] and run["waits"] == [] and run["pairs"] == []


def check_scripts(root):
    """Names become text, never markup: no call that parses a string."""
    for path in sorted((root / "src/export/html").glob("*.js")):
        found = re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.html\(|\beval\b|new Function|setTimeout\(\s*[\"'`]"
                          r"|Math\.random|Date\b|fetch\(|XMLHttpRequest|import\(", path.read_text())
        assert not found, f"{path.name}: {found[0]}"


# ---- colours ----

def light_of(colour):
    def linear(c):
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
    return [linear(int(colour[i:i + 2], 16) / 255) for i in (1, 3, 5)]


def contrast(a, b):
    x, y = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (light_of(a), light_of(b)))
    return (y + 0.05) / (x + 0.05)


# How the world looks with the cones of one kind missing (Viénot, Brettel and Mollon 1999), in linear light.
BLIND = {
    "nobody": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}


def lab(rgb):
    """CIE L*a*b* of linear light."""
    x, y, z = (sum(m * c for m, c in zip(row, rgb)) for row in (
        (0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0178, 0.1096, 0.8726)))
    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (max(0, x), max(0, y), max(0, z))]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def seen(colour, matrix):
    rgb = light_of(colour)
    return lab([sum(m * c for m, c in zip(row, rgb)) for row in matrix])


def apart(a, b, matrix):
    return sum((p - q) ** 2 for p, q in zip(seen(a, matrix), seen(b, matrix))) ** 0.5


def check_colours(root):
    css = (root / "src/export/html/colours.css").read_text()
    light, dark = css.split("@media screen and (prefers-color-scheme: dark)")
    for theme, text in ("light", light), ("dark", dark):
        c = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text))
        for back in ("back", "panel", "warn-back", "bad-back", "fine-back"):
            assert contrast(c["text"], c[back]) >= 7, (theme, back)
        for ink in ("soft", "link"):
            for back in ("back", "panel"):
                assert contrast(c[ink], c[back]) >= 4.5, (theme, ink, back, contrast(c[ink], c[back]))
        distances = [name for name in c if name.startswith("d-")]
        for mark in ["mark", "mark-2", "good", "bad", "even", "lost", "warn-line", "bad-line", "fine-line", "hatch", *distances]:
            assert contrast(c[mark], c["back"]) >= 3, (theme, mark, contrast(c[mark], c["back"]))
        assert len(distances) == 6
        for who, matrix in BLIND.items():
            for i, a in enumerate(distances):
                for b in distances[:i]:
                    assert apart(c[a], c[b], matrix) >= 15, (theme, who, a, b, apart(c[a], c[b], matrix))
            assert apart(c["good"], c["bad"], matrix) >= 40, (theme, who)
            steps = [seen(c[f"h{i}"], matrix)[0] for i in range(11)]
            assert steps == sorted(steps, reverse=theme == "light"), (theme, who, steps)


def main(rewake, root):
    with tempfile.TemporaryDirectory() as folder:
        made = runs.Runs(rewake, root, folder)
        check_scripts(made.root)
        check_colours(made.root)
        check_small(made)
        check_sample(made)
        check_closed(made)
        check_bounds(made)
        missing = subprocess.run([rewake, "export", made.sample(), "--run", "3", "--html", made.folder / "x.html"],
                                 capture_output=True, check=False)
        assert missing.returncode == 2 and not (made.folder / "x.html").exists(), missing
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
