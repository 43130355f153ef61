#!/usr/bin/env python3
"""Every shipped report on runs that have little to say: nothing recorded, no topology, several runs' worth of names."""
import json
import pathlib
import subprocess
import sys
import tempfile


def run(*argv, code=0):
    done = subprocess.run(argv, capture_output=True, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, argv))[:200]}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode("utf-8", "backslashreplace")


HEAD = "# tracer: nop\n# rewake: release=6.1.192 clock=mono\n"
SWITCH = ("{comm:>16}-{pid:<7} [{cpu:03}] d..2.     1.{t:06}: sched_switch: prev_comm={comm} prev_pid={pid} prev_prio=120 "
          "prev_state={state} ==> next_comm={to} next_pid={to_pid} next_prio=120\n")
WAKING = "{comm:>16}-{pid:<7} [{cpu:03}] d..2.     1.{t:06}: sched_waking: comm={to} pid={to_pid} prio=120 target_cpu={target:03}\n"
WAKEUP = WAKING.replace("sched_waking", "sched_wakeup")


def without_topology(name):
    """Two tasks wake each other on two CPUs; name is what one of them is called."""
    text = HEAD
    text += SWITCH.format(comm="swapper/0", pid=0, cpu=0, t=0, state="R", to=name, to_pid=10)
    text += SWITCH.format(comm="swapper/1", pid=0, cpu=1, t=5, state="R", to="other", to_pid=20)
    text += SWITCH.format(comm="other", pid=20, cpu=1, t=50, state="S", to="swapper/1", to_pid=0)
    for t in range(100, 500, 100):
        text += WAKING.format(comm=name, pid=10, cpu=0, t=t, to="other", to_pid=20, target=1)
        text += WAKEUP.format(comm=name, pid=10, cpu=0, t=t + 5, to="other", to_pid=20, target=1)
        text += SWITCH.format(comm="swapper/1", pid=0, cpu=1, t=t + 20, state="R", to="other", to_pid=20)
        text += SWITCH.format(comm="other", pid=20, cpu=1, t=t + 60, state="S", to="swapper/1", to_pid=0)
    return text


def reports(rewake, db):
    lines = run(rewake, "report", db).splitlines()
    return [line.split()[0] for line in lines if not line.lstrip().startswith("-P ")]


def check_all(rewake, db):
    """Results of all of them."""
    return {name: json.loads(run(rewake, "report", "-f", "json", db, name)) for name in reports(rewake, db)}


def main(rewake):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        trace, db = folder / "t.txt", folder / "run.db"

        # Nothing but two times; no wakeup, so that lists are empty, and the reports say so.
        trace.write_text(HEAD + SWITCH.format(comm="swapper/0", pid=0, cpu=0, t=0, state="R", to="a", to_pid=1)
                         + SWITCH.format(comm="a", pid=1, cpu=0, t=9, state="S", to="swapper/0", to_pid=0))
        run(rewake, "import", "-q", trace, "-o", db, code=4)
        got = check_all(rewake, db)
        assert not got["latency"]["The longest single waits"]
        assert not got["wasted"]["Examined waits"] and not got["behind"]["The longest single ones"]
        assert [r["busy_ms"] for r in next(iter(got["cpus"].values()))] == [0.01], got["cpus"]

        # No sidecar: distances are unknown, never a guess.
        trace.write_text(without_topology("task"))
        run(rewake, "import", "-q", "-f", trace, "-o", db)
        run(rewake, "replay", "-q", db, "-p", "prev", "-p", "waker")
        got = check_all(rewake, db)
        # Nothing to price is none priced, not an unknown number.
        assert [(r["policy"], r["differ"], r["priced"], r["unpriced"], r["median_us"]) for r in
                got["price"]["Price of the different answers"]][0] == ("prev", 0, 0, 0, None), got["price"]
        by = {(r["by"], r["class"]): r["decisions"] for r in
              got["latency"]["Waits of decisions, by where the kernel put the wakee and what woke it"]}
        assert by[("all", "-")] == 4 and by[("from the waker", "unknown")] == 4, by
        assert by[("from its previous CPU", "same_cpu")] == 4, by
        classes = {r["class"]: r["waits"] for r in got["wasted"]["Examined waits"]}
        assert classes == {"all busy": 4}, classes
        assert {r["b_distance"] for r in json.loads(run(
            rewake, "report", "-f", "json", db, "differ", "-P", "a=waker", "-P", "b=prev"))[
                "By distance from the waker's CPU"]} == {None}

        # Names are data: pairs are told apart by them, whatever is in them.
        for name in "a'b\"; --", "<script>", "ünï", "x y":
            trace.write_text(without_topology(name))
            run(rewake, "import", "-q", "-f", trace, "-o", db)
            got = json.loads(run(rewake, "report", "-f", "json", db, "latency_pairs"))
            pair = got["Wakers and wakees by name, the longest waits in all first"][0]
            assert (pair["waker"], pair["wakee"], pair["p50_us"], pair["sum_ms"]) == (name, "other", 20.0, 0.08), pair
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
