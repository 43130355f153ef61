#!/usr/bin/env python3
"""Examples of the manual pages work: those that need neither root nor files of the reader are run on the sample.

examples.py REWAKE ROOT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Recording needs root; the rest names files that only the reader has.
NOT_HERE = re.compile(r"^rewake (record|analyze -d)\b|mine\.so|/tmp/copied|perf\.data|make -j")


def examples(page):
    """Commands, and statements for a database, of the blocks below EXAMPLES."""
    text = page.read_text(encoding="utf-8")
    text = text.partition("\n# EXAMPLES\n")[2].partition("\n# ")[0]
    for block in re.findall(r"^```\n(.*?)^```$", text, flags=re.M | re.S):
        if block.startswith("select"):
            yield f'rewake query run.db "{block}"'
            continue
        lines = ""
        for line in block.splitlines():
            lines += line + "\n"
            if lines.count('"') % 2 == 0:
                yield lines.strip()
                lines = ""
        assert not lines, (page, lines)


def main():
    rewake, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    env = dict(os.environ, PATH=f"{rewake.parent}:{os.environ['PATH']}")
    ran, bad = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in "run", "here":
            shutil.copy(root / "samples/oltp.dat", f"{folder}/{name}.dat")

        def sidecars():
            for name in "run", "here", "there":
                shutil.copy(root / "samples/oltp.machine.json", f"{folder}/{name}.machine.json")

        def run(command):
            # What an import makes, all others find; and what one changed, none.
            sidecars()
            shutil.copy(f"{folder}/all.db", f"{folder}/run.db")
            if command.startswith("rewake import"):
                os.unlink(f"{folder}/run.db")
            return subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True,
                                  check=False)

        sidecars()
        subprocess.run(["rewake", "analyze", "run.dat", "-o", "all.db"], cwd=folder, env=env,
                       stdout=subprocess.DEVNULL, check=True)
        shutil.copy(f"{folder}/all.db", f"{folder}/here.db")
        for page in sorted((root / "src").rglob("*.scd")):
            for command in examples(page):
                assert command.startswith("rewake "), (page, command)
                if NOT_HERE.search(command):
                    continue
                done = run(command)
                ran += 1
                if done.returncode or done.stderr:
                    print(f"{page.name}: {command}\n{done.returncode}: {done.stderr}")
                    bad += 1
    assert ran > 15, ran
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
