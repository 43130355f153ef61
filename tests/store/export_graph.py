#!/usr/bin/env python3
"""The waker graph as DOT and GraphML: exact values on a trace worked by hand, thresholds, folding, and names of
any bytes, as Graphviz and an XML parser read them."""
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import handmade

NS = "{http://graphml.graphdrawing.org/xmlns}"
DOT = """digraph wakers {
	graph [label="t.txt: who wakes whom; 2 of 2 pairs, 4 of 4 wakings", labelloc=t, charset="UTF-8"];
	n0 [label="client\\n2 tasks", shape=box, kind=task, tasks=2, tid=11, made=3, received=1];
	n1 [label="server\\ntid 20", shape=box, kind=task, tasks=1, tid=20, made=0, received=3];
	n3 [label="hardirq", shape=diamond, kind=hardirq, made=1, received=0];
	n0 -> n1 [label="3\\nwait 20.0 us\\nsmt 33 %, llc 33 %, remote 33 %", penwidth=1.5, weight=1, count=3, \
decisions=3, moved=2, d_same_cpu=0, d_smt=1, d_llc=1, d_node=0, d_remote=1, d_unknown=0, median_wait_ns=20000, \
max_wait_ns=30000, mutual=0];
	n3 -> n0 [label="1\\nwait 5.0 us\\nremote 100 %", penwidth=1.0, weight=1, count=1, decisions=1, moved=0, \
d_same_cpu=0, d_smt=0, d_llc=0, d_node=0, d_remote=1, d_unknown=0, median_wait_ns=5000, max_wait_ns=5000, mutual=0];
}
"""


def run(*argv, **more):
    done = subprocess.run(argv, capture_output=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{argv}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


class Graph:
    """What a reader of GraphML makes of it, each value by its declared type."""

    def __init__(self, text):
        types = {"string": str, "long": int, "double": float, "boolean": {"true": True, "false": False}.__getitem__}
        root = xml.fromstring(text)
        keys = {k.get("id"): (k.get("for"), k.get("attr.name"), types[k.get("attr.type")]) for k in root.iter(NS + "key")}
        graph = root.find(NS + "graph")
        assert graph.get("edgedefault") == "directed"

        def data(element, of):
            found = {}
            for d in element.findall(NS + "data"):
                key = keys[d.get("key")]
                assert key[0] == of and key[1] not in found, d.get("key")
                found[key[1]] = key[2](d.text or "")
            return found

        self.data = data(graph, "graph")
        ids = {n.get("id"): data(n, "node") for n in graph.findall(NS + "node")}
        self.nodes = list(ids.values())
        self.edges = [(ids[e.get("source")], ids[e.get("target")], data(e, "edge")) for e in graph.findall(NS + "edge")]
        # No node without an edge.
        assert len(self.nodes) == len({id(n) for a, b, _ in self.edges for n in (a, b)})

    def pairs(self, *names):
        return [(a["label"], b["label"], *(e.get(n) for n in names)) for a, b, e in self.edges]


def main(rewake, root):
    root, rewake = pathlib.Path(root), str(pathlib.Path(rewake).resolve())
    sys.stdout.reconfigure(errors="backslashreplace")
    with tempfile.TemporaryDirectory() as folder:
        db = pathlib.Path(folder) / "r.db"
        (pathlib.Path(folder) / "t.txt").write_text(handmade.trace())
        run(rewake, "import", "-q", "t.txt", "-m", root / "tests/golden/other_machine/m16.json", "-o", db, cwd=folder)

        def dot(*options):
            text = run(rewake, "export", db, "--dot", "-", *options).decode()
            if shutil.which("dot"):
                xml.fromstring(run("dot", "-Tsvg", input=text.encode()))
            return text

        def graph(*options):
            return Graph(run(rewake, "export", db, "--graphml", "-", *options))

        assert dot() == DOT, dot()
        g = graph()
        assert g.data == {"title": "t.txt: who wakes whom; 2 of 2 pairs, 4 of 4 wakings", "file": "t.txt", "all_pairs": 2,
                          "all_wakings": 4, "gaps": 0, "lost": 0}, g.data
        assert g.nodes == [
            {"label": "client", "kind": "task", "tid": 11, "tasks": 2, "pcpu_kthread": False, "made": 3, "received": 1},
            {"label": "server", "kind": "task", "tid": 20, "tasks": 1, "pcpu_kthread": False, "made": 0, "received": 3},
            {"label": "hardirq", "kind": "hardirq", "made": 1, "received": 0}], g.nodes
        # moved is known of all, sync of none: the text has no probe.
        assert g.edges[0][2] == {
            "count": 3, "context_unknown": 0, "decisions": 3, "moved": 2, "moved_known": 3, "sync_known": 0, "d_same_cpu": 0,
            "d_smt": 1, "d_llc": 1, "d_node": 0, "d_remote": 1, "d_unknown": 0, "share_same_cpu": 0, "share_smt": 0.333333,
            "share_llc": 0.333333, "share_node": 0, "share_remote": 0.333333, "share_unknown": 0, "waits": 3,
            "median_wait_ns": 20000, "max_wait_ns": 30000, "mutual": False}, g.edges[0]

        # A node per task: the median of two is the lower one.
        g = graph("--no-fold")
        assert g.pairs("count", "median_wait_ns", "d_smt", "d_remote") == [
            ("client", "server", 2, 10000, 1, 0), ("hardirq of CPU 0", "client", 1, 5000, 0, 1),
            ("client", "server", 1, 20000, 0, 1)], g.pairs("count", "median_wait_ns", "d_smt", "d_remote")
        assert [n["tid"] for n in g.nodes if n["kind"] == "task"] == [11, 20, 12], g.nodes
        assert [n["cpu"] for n in g.nodes if n["kind"] == "hardirq"] == [0], g.nodes

        # What thresholds leave out is told, and counts with the nodes that stay.
        for options in (["--min-count", "2"], ["--top", "1"]):
            g = graph(*options)
            assert g.pairs("count") == [("client", "server", 3)], g.pairs("count")
            assert g.data["all_pairs"] == 2 and "1 of 2 pairs, 3 of 4 wakings" in g.data["title"], g.data
            assert g.nodes[0]["received"] == 1, g.nodes
            assert "1 of 2 pairs" in dot(*options)
        assert not graph("--min-count", "100").edges

        # Names of any bytes, and unknown ones, which are nobody's double.
        handmade.rename(db, 20, handmade.EVIL)
        handmade.rename(db, 11, None)
        handmade.rename(db, 12, None)
        label = 'a"b\\\\c\\n<x>&y;\\xffé,\\x01'
        g = graph()
        assert g.pairs("count") == [("?", label, 2), ("hardirq", "?", 1), ("?", label, 1)], g.pairs("count")
        text = dot()
        assert '[label="a\\"b\\\\\\\\c\\\\n<x>&amp;y;\\\\xffé,\\\\x01\\ntid 20"' in text, text
        if shutil.which("dot"):
            svg = xml.fromstring(run("dot", "-Tsvg", input=text.encode()))
            shown = [t.text for t in svg.iter("{http://www.w3.org/2000/svg}text")]
            assert label in shown, shown
        else:
            print("without Graphviz")

        # A run in which nothing happened.
        with sqlite3.connect(db) as handle:
            handle.execute("DELETE FROM t_wakeup")
        handle.close()
        g = graph()
        assert not g.nodes and g.data["title"] == "t.txt: who wakes whom; 0 of 0 pairs, 0 of 0 wakings", g.data
        dot()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
