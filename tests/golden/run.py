#!/usr/bin/env python3
"""One golden case: run its command in a scratch folder, compare what came out.

A case is a folder with
  cmd      shell text; $REWAKE is the program, the folder's files lie beside it
  stdout   what must appear there; missing: nothing may
  stderr   likewise
  exit     the exit code; missing: 0
Lines of the expected files may hold {*} for "anything within the line".
REWAKE_GOLDEN_WRITE=1 writes the files instead of comparing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def matches(want, got):
    want, got = want.split("\n"), got.split("\n")
    if len(want) != len(got):
        return False
    return all(re.fullmatch("[^\n]*".join(re.escape(p) for p in w.split("{*}")), g) for w, g in zip(want, got))


def main():
    program, case = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as tmp:
        for path in case.iterdir():
            if path.name not in ("cmd", "stdout", "stderr", "exit"):
                shutil.copy(path, tmp)
        env = dict(os.environ, REWAKE=program, LC_ALL="C", SAMPLES=str(case.parent.parent.parent / "samples"))
        done = subprocess.run(["sh", "-c", (case / "cmd").read_text()], cwd=tmp, env=env, capture_output=True,
                              timeout=120, check=False)
    got = {"stdout": done.stdout.decode("utf-8", "backslashreplace"),
           "stderr": done.stderr.decode("utf-8", "backslashreplace"), "exit": f"{done.returncode}\n"}
    default = {"stdout": "", "stderr": "", "exit": "0\n"}
    bad = False
    for name, text in got.items():
        path = case / name
        if os.environ.get("REWAKE_GOLDEN_WRITE"):
            if text != default[name]:
                path.write_bytes(text.encode())
            elif path.exists():
                path.unlink()
            continue
        want = path.read_bytes().decode() if path.exists() else default[name]
        if not matches(want, text):
            bad = True
            print(f"--- {name} expected\n{want}--- {name} got\n{text}---")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
