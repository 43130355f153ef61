"""A small trace written by hand, whose answers can be worked out on paper.

For the 16 CPUs of tests/golden/other_machine: 0 to 7 and 8 to 15 share a cache and are a node,
neighbours a core.  Two tasks are called "client" (11 on CPU 0, 12 on CPU 8), one "server" (20).
"""
import sqlite3

MS = 1000000


class Text:
    """Lines of the ftrace text format; times in us after 1 s."""

    def __init__(self):
        self.lines = ["# tracer: nop", "# rewake: release=6.1.192 clock=mono"]

    def add(self, us, cpu, comm, tid, flags, event):
        self.lines.append(f"{comm:>16}-{tid:<7} [{cpu:03d}] {flags} {1 + us // MS}.{us % MS:06d}: {event}")

    def switch(self, us, cpu, prev, prev_tid, state, next_, next_tid):
        self.add(us, cpu, prev if prev_tid else "<idle>", prev_tid, "d..2.",
                 f"sched_switch: prev_comm={prev} prev_pid={prev_tid} prev_prio=120 prev_state={state} ==> "
                 f"next_comm={next_} next_pid={next_tid} next_prio=120")

    def waking(self, us, cpu, waker, waker_tid, wakee, tid, prev_cpu, flags="d..2."):
        self.add(us, cpu, waker if waker_tid else "<idle>", waker_tid, flags,
                 f"sched_waking: comm={wakee} pid={tid} prio=120 target_cpu={prev_cpu:03d}")

    def migrate(self, us, cpu, waker, waker_tid, task, tid, orig, dest):
        self.add(us, cpu, waker, waker_tid, "d..2.",
                 f"sched_migrate_task: comm={task} pid={tid} prio=120 orig_cpu={orig} dest_cpu={dest}")

    def wakeup(self, us, cpu, waker, waker_tid, wakee, tid, target, flags="d..2."):
        self.add(us, cpu, waker if waker_tid else "<idle>", waker_tid, flags,
                 f"sched_wakeup: comm={wakee} pid={tid} prio=120 target_cpu={target:03d}")

    def __str__(self):
        return "\n".join(self.lines) + "\n"


def trace():
    """client 11 wakes server to CPU 1 (runs 10 us later) and to CPU 2 (30 us), client 12 to CPU 3 (20 us);
    an interrupt over client 11 wakes client 12 where it was (5 us).  server runs three times for 40, 30
    and 40 us."""
    t = Text()
    for cpu, name, tid in ((0, "client", 11), (1, "server", 20), (8, "client", 12)):
        t.switch(10 + cpu, cpu, f"swapper/{cpu}", 0, "R", name, tid)
    for cpu in 2, 3:
        t.switch(20 + cpu, cpu, f"swapper/{cpu}", 0, "R", "other", 28 + cpu)
        t.switch(40 + cpu, cpu, "other", 28 + cpu, "S", f"swapper/{cpu}", 0)
    t.switch(50, 1, "server", 20, "S", "swapper/1", 0)
    # 1: from CPU 0 to where it was, the sibling.
    t.waking(100, 0, "client", 11, "server", 20, 1)
    t.wakeup(102, 0, "client", 11, "server", 20, 1)
    t.switch(110, 1, "swapper/1", 0, "R", "server", 20)
    t.switch(150, 1, "server", 20, "S", "swapper/1", 0)
    # 2: by the interrupt on CPU 0, on the other node.
    t.switch(160, 8, "client", 12, "S", "swapper/8", 0)
    t.waking(200, 0, "client", 11, "client", 12, 8, "d.h2.")
    t.wakeup(201, 0, "client", 11, "client", 12, 8, "d.h2.")
    t.switch(205, 8, "swapper/8", 0, "R", "client", 12)
    # 3: from CPU 8 to CPU 3, the other node again.
    t.waking(300, 8, "client", 12, "server", 20, 1)
    t.migrate(301, 8, "client", 12, "server", 20, 1, 3)
    t.wakeup(302, 8, "client", 12, "server", 20, 3)
    t.switch(320, 3, "swapper/3", 0, "R", "server", 20)
    t.switch(350, 3, "server", 20, "S", "swapper/3", 0)
    # 4: from CPU 0 to CPU 2 of the same cache.
    t.waking(400, 0, "client", 11, "server", 20, 3)
    t.migrate(401, 0, "client", 11, "server", 20, 3, 2)
    t.wakeup(402, 0, "client", 11, "server", 20, 2)
    t.switch(430, 2, "swapper/2", 0, "R", "server", 20)
    t.switch(470, 2, "server", 20, "S", "swapper/2", 0)
    t.switch(480, 0, "client", 11, "S", "swapper/0", 0)
    return str(t)


# Everything that formats give a meaning to, and bytes that are no UTF-8.
EVIL = b'a"b\\c\n<x>&y;\xff\xc3\xa9,\x01'


def rename(path, tid, name):
    """Gives a task a name behind everybody's back, as bytes."""
    db = sqlite3.connect(path)
    with db:
        db.execute("UPDATE t_task SET comm = CAST(? AS TEXT) WHERE tid = ?", (name, tid))
    db.close()
