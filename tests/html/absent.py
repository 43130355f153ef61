#!/usr/bin/env python3
"""A program that was built without the page says so, and leaves no file."""
import pathlib
import subprocess
import sys
import tempfile

import runs


def main(rewake, root):
    with tempfile.TemporaryDirectory() as folder:
        made = runs.Runs(rewake, root, folder)
        path = made.folder / "page.html"
        done = subprocess.run([rewake, "export", made.small(), "--html", path], capture_output=True, check=False)
        assert done.returncode == 1, done
        assert b"built without the page" in done.stderr and b"node-d3" in done.stderr, done.stderr
        assert not path.exists() and [p.name for p in pathlib.Path(folder).glob("page*")] == []
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
