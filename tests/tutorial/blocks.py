#!/usr/bin/env python3
"""Runs the commands of a document and compares what they print with what it shows.

blocks.py REWAKE ROOT DOCUMENT: blocks that begin with ```console hold lines "$ command", which "> " continues, each followed
by its output, errors included.  They run one after the other in one scratch folder, where samples is that of the project.
REWAKE_GOLDEN_WRITE=1 writes the outputs into the document instead.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def commands(block):
    """Pairs of a command's lines as they stand there and its output."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
    return found


def run(lines, folder, env):
    text = "\n".join(line[2:] for line in lines)
    done = subprocess.run(["bash", "-c", text], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, check=False)
    return [line.rstrip() for line in done.stdout.decode().splitlines()]


def main():
    rewake, root, document = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    text = document.read_text(encoding="utf-8")
    bad, ran = [], 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "samples").symlink_to(root / "samples")
        env = dict(os.environ, PATH=f"{rewake.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")

        def again(block):
            nonlocal ran
            out = []
            for lines, want in commands(block[1]):
                got = run(lines, folder, env)
                ran += 1
                if got != want:
                    bad.append((lines, want, got))
                out += lines + got
            return "```console\n" + "".join(line + "\n" for line in out) + "```"

        new = BLOCK.sub(again, text)
    assert ran > 0, "no commands"
    if os.environ.get("REWAKE_GOLDEN_WRITE"):
        document.write_text(new, encoding="utf-8")
        return
    for lines, want, got in bad:
        print("\n".join(lines), "--- shown", *want, "--- printed", *got, "---", sep="\n")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
