#!/usr/bin/env python3
"""Every include of src/ must follow the arrows of src/README.md; foreign libraries stay in their room."""
import pathlib
import re
import sys

ALLOWED = {
    "base": [],
    "event": ["base"],
    "machine": ["base", "event"],
    "record": ["base"],
    "decode": ["base", "event"],
    "model": ["base", "event"],
    "timeline": ["base", "event", "model"],
    "check": ["base", "event", "decode", "model", "timeline"],
    "graph": ["base", "event", "timeline"],
    "policy": ["base"],
    "replay": ["base", "event", "model", "policy", "timeline"],
    "store": ["base", "event", "machine", "timeline", "graph", "policy", "replay"],
    "report": ["base", "store"],
    "explain": ["base", "policy", "timeline", "report"],
    "export": ["base", "store", "report"],
    "cli": ["base", "event", "machine", "record", "decode", "model", "timeline", "check", "graph", "policy",
            "replay", "store", "report", "explain", "export"],
}
FOREIGN = {
    "jansson.h": ["machine", "explain"],
    "archive.h": ["decode", "record"],
    "archive_entry.h": ["decode", "record"],
    "tracefs.h": ["record"],
    "tracefs/tracefs.h": ["record"],
    "bpf/btf.h": ["record"],
    "bpf/libbpf.h": ["record"],
    "trace-cmd/trace-cmd.h": ["decode"],
    "trace-cmd.h": ["decode"],
    "event-parse.h": ["decode", "record"],
    "traceevent/event-parse.h": ["decode"],
    "traceevent/kbuffer.h": ["decode"],
    "kbuffer.h": ["decode"],
    "babeltrace2/babeltrace.h": ["decode"],
    "lzma.h": ["decode"],
    "zstd.h": ["decode", "record"],
    "zlib.h": ["decode", "machine"],
    "sqlite3.h": ["store"],
    "protobuf-c/protobuf-c.h": ["export"],
}
# A policy is written as an outside one would be: only these may look further.
POLICY_HOST = {"registry.c", "registry.h", "instance.c", "sweep.c", "sweep.h"}
PUBLIC_ONLY = re.compile(r"rewake/[a-z_]+\.h$")


def check(root):
    bad = []
    for path in sorted((root / "src").rglob("*.[ch]")):
        room = path.relative_to(root / "src").parts[0]
        if room not in ALLOWED:
            bad.append(f"{path}: room {room} is not in src/README.md's table")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+([<"])([^>"]+)[>"]', line)
            if not found:
                continue
            quote, name = found.groups()
            where = f"{path.relative_to(root)}:{number}"
            if quote == "<":
                if name in FOREIGN and room not in FOREIGN[name]:
                    bad.append(f"{where}: {name} belongs to {' and '.join(FOREIGN[name])}")
                if name.startswith("rewake/") and not PUBLIC_ONLY.match(name):
                    bad.append(f"{where}: {name} is no public header")
                continue
            if name == "config.h":
                continue
            other = name.split("/")[0]
            if other == room or name.startswith(room + "/"):
                continue
            if other not in ALLOWED[room]:
                bad.append(f"{where}: {room} may not use {name}")
            elif room == "policy" and path.name not in POLICY_HOST:
                bad.append(f"{where}: a policy sees public headers only, not {name}")
    for path in sorted((root / "include").rglob("*.h")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"', line)
            if found:
                bad.append(f"{path.relative_to(root)}:{number}: public headers include public headers only")
    return bad


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) if problems else "layers: ok")
    sys.exit(1 if problems else 0)
