#!/usr/bin/env python3
"""explain --format json: what the views say of the decision, what replay answered, and what the text draws."""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import handmade

OK, FAILED, MISUSED = 0, 1, 2
POLICIES = ("linux", "vagin", "linux,scan=full", "prev")


class Case:
    def __init__(self, rewake, folder):
        self.rewake, self.folder = rewake, folder

    def run(self, expected, *argv, **more):
        done = subprocess.run([self.rewake, *argv], cwd=self.folder, check=False, stderr=subprocess.PIPE,
                              **{"stdout": subprocess.PIPE, **more})
        assert done.returncode == expected, f"{argv}: exit {done.returncode}, not {expected}: {done.stderr.decode()}"
        return (done.stdout or b"").decode(), done.stderr.decode()

    def explain(self, *argv):
        """The object, and the text for the same arguments."""
        policies = [a for p in POLICIES for a in ("-p", p)]
        out = self.run(OK, "explain", "run.db", *map(str, argv), *policies, "-f", "json")[0]
        return json.loads(out), self.run(OK, "explain", "run.db", *map(str, argv), *policies)[0]


def task(t):
    if t is None:
        return "?"
    return "the idle task" if t["idle_task"] else f"{t['name'] if t['name'] is not None else '?'} ({t['tid']})"


def steps_as_text(policy):
    lines, last = [], None
    for s in policy["steps"]:
        line = f"  {'' if s['step'] == last else s['step']:<20} {s['question']}"
        if s["cpu"] is not None:
            line += f" (CPU {s['cpu']})"
        if "relation" in s:
            line += f": {s['value']} {s['relation']} {s['limit']}"
        lines.append(line + ("? yes" if s["answer"] else "? no"))
        last = s["step"]
    return lines


def check(case, sql, wakeup_id):
    x, text = case.explain(wakeup_id, "--around", 2)
    assert list(x) == ["wakeup", "cpus", "elsewhere", "llcs", "policies", "kernel", "after", "around"], list(x)
    row = sql.execute("SELECT * FROM wakeup WHERE id = ?", (wakeup_id,)).fetchone()
    w = x["wakeup"]
    assert (w["id"], w["cpu"], w["prev_cpu"]) == (wakeup_id, row["cpu"], row["prev_cpu"]), w
    # Of a new task the policies are told that there is no such flag, which no event says.
    assert row["kind"] == "new" or (w["sync"], w["sync_source"]) == (None if row["sync"] is None else bool(row["sync"]), row["sync_source"]), w
    assert w["type"] == ("fork" if row["kind"] == "new" else "wakeup") and w["context"] == row["context"], w
    names = {t["utid"]: dict(t) for t in sql.execute("SELECT utid, tid, name FROM task")}
    for who in "waker", "wakee":
        assert {k: w[who][k] for k in ("utid", "tid", "name")} == names[row[who + "_utid"]], w[who]
        assert f"  {who} {task(w[who])}: wakee_flips " + (
            "?," if w[who]["wakee_flips"] is None else f"{w[who]['wakee_flips']} ({w[who]['wakee_flips_source']}),") in text
        for key in "wakee_flips", "recent_cpu", "load":
            assert (w[who][key] is None) == (w[who][key + "_source"] == "unknown"), w[who]

    # The rows of CPUs: as many as the text has, each with what it says.
    drawn = {int(line.split()[0]): line for line in text.split("  state\n")[1].split("\n\n")[0].splitlines()
             if line.split()[0].isdigit()}
    assert [c["cpu"] for c in x["cpus"]] == list(drawn), (x["cpus"], drawn)
    for c in x["cpus"]:
        line, state = drawn[c["cpu"]], c["state"]
        said = {"idle": "idle", "runs": f"runs {task(c['running'])}", None: "not seen yet",
                "leaves_idle": "about to leave its idle task"}[state]
        assert said in line and ("a wakeup on its way" in line) == bool(c["pending"]), (c, line)
        assert (c["state_source"] == "unknown") == (state is None) == (c["tasks"] is None), c
        assert line.split()[5:7] == [str(c[k]) if c[k] is not None else "?" for k in ("load", "util")], (c, line)
        marks = {"waker": "waker", "previous": "previous", "recent": "recent", "kernel": "kernel's choice"}
        after = line.split("<- ")[1].split(", ") if "<- " in line else []
        assert [marks[r] for r in c["roles"]] + ([] if c["allowed"] else ["not allowed"]) == after, (c, line)
    elsewhere = x["elsewhere"]
    assert (f"elsewhere: {elsewhere['idle']} idle, {elsewhere['others']} others" in text) == any(elsewhere.values())

    # The answers: those of replay, by the steps of the text.
    assert [(p["policy"] + ("," + p["params"] if p["params"] else "")) for p in x["policies"]] == list(POLICIES)
    for p in x["policies"]:
        v = sql.execute("SELECT v.* FROM verdict v JOIN replay r USING (replay_id) WHERE wakeup_id = ? AND r.policy = ? AND "
                        "r.params = ?", (wakeup_id, p["policy"], p["params"])).fetchone()
        agrees = None if v["agrees"] is None else bool(v["agrees"])
        assert (p["cpu"], p["reason"], p["agrees"]) == (v["cpu"], v["reason"], agrees), (p, tuple(v))
        assert p["detail"] in (v["detail"], None) and ",".join(p["unknown"]) == (v["unknown"] or ""), (p, v["unknown"])
        assert "\n".join(steps_as_text(p)) in text, steps_as_text(p)
        assert p["steps"] or p["policy"] == "prev", p

    # The kernel, and what came of it.
    assert x["kernel"]["cpu"] == row["target_cpu"], x["kernel"]
    after = x["after"]
    assert [after[k] for k in ("wakeup_dur_ns", "run_dur_ns", "run_cpu")] == [
        row[k] for k in ("wakeup_dur", "run_dur", "run_cpu")], (after, tuple(row))
    assert text.count("meanwhile there: ") == len(after["meanwhile"]), text
    for ran in after["meanwhile"]:
        assert f"    meanwhile there: {task(ran['task'])} for " in text, ran

    decided = "SELECT id FROM wakeup WHERE kind IN ('decision', 'new') AND id"
    ids = [r[0] for r in sql.execute(f"{decided} < ? ORDER BY id DESC LIMIT 2", (wakeup_id,))][::-1] + [wakeup_id] + [
        r[0] for r in sql.execute(f"{decided} > ? ORDER BY id LIMIT 2", (wakeup_id,))]
    assert [d["id"] for d in x["around"]] == ids and [d["id"] for d in x["around"] if d["here"]] == [wakeup_id]
    lines = text.split("\ndecisions around it\n")[1].splitlines()
    for d, line in zip(x["around"], lines, strict=True):
        assert f"{d['id']}  " in line and f"{task(d['waker'])} wakes {task(d['wakee'])}:" in line, (d, line)


def main(rewake, root):
    with tempfile.TemporaryDirectory() as folder:
        case = Case(str(pathlib.Path(rewake).resolve()), pathlib.Path(folder))
        case.run(OK, "import", "-q", pathlib.Path(root) / "samples/oltp.dat", "--probe=flags", "-o", "run.db")
        case.run(OK, "replay", "-q", "run.db", *[a for p in POLICIES for a in ("-p", p)])
        sql = sqlite3.connect(case.folder / "run.db")
        sql.row_factory = sqlite3.Row
        with_unknown, waited, forked = (sql.execute(q).fetchone()[0] for q in (
            "SELECT MIN(wakeup_id) FROM verdict JOIN wakeup ON id = wakeup_id WHERE unknown LIKE '%,%' AND kind = 'decision'",
            "SELECT id FROM decision ORDER BY run_dur DESC LIMIT 1",
            "SELECT MIN(wakeup_id) FROM verdict JOIN wakeup ON id = wakeup_id WHERE kind = 'new'"))
        for wakeup_id in 10, 500, 1000:
            found = sql.execute("SELECT MIN(wakeup_id) FROM verdict JOIN wakeup ON id = wakeup_id WHERE wakeup_id >= ? AND "
                                "kind = 'decision'", (wakeup_id,)).fetchone()[0]
            check(case, sql, found)
        for wakeup_id in with_unknown, waited, forked:
            check(case, sql, wakeup_id)

        # Picks, as in text.
        begin = sql.execute("SELECT MIN(first_ts) FROM task").fetchone()[0]
        x, _ = case.explain("--task", "backend", "--at", "300ms")
        assert x["wakeup"]["wakee"]["name"] == "backend" and x["wakeup"]["since_begin_ns"] >= 300000000, x["wakeup"]
        assert x["wakeup"]["ts"] == begin + x["wakeup"]["since_begin_ns"] and "around" not in x
        tid = x["wakeup"]["wakee"]["tid"]
        y, _ = case.explain("--task", tid, "--at", "300ms")
        assert y["wakeup"]["wakee"]["tid"] == tid, y["wakeup"]
        sql.close()

        # Nothing on stdout unless it is whole.
        for argv in (["99999999"], ["--task", "nobody"], ["-p", "nonsense"]):
            out, err = case.run(MISUSED, "explain", "run.db", *argv, "-f", "json")
            assert not out and err, argv
        _, err = case.run(MISUSED, "explain", "run.db", "-f", "xml")
        assert "--format=xml: one of text, json" in err, err
        with open("/dev/full", "wb") as full:
            case.run(FAILED, "explain", "run.db", "500", "-f", "json", stdout=full)
            case.run(FAILED, "explain", "run.db", "500", stdout=full)

        # Names of any bytes.
        handmade.rename(case.folder / "run.db", tid, b'a"\xff\n')
        out, _ = case.run(OK, "explain", "run.db", "--task", str(tid), "-f", "json")
        assert json.loads(out)["wakeup"]["wakee"]["name"] == 'a"\ufffd\n', out
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
