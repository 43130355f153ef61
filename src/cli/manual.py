#!/usr/bin/env python3
"""Makes a manual page of its scdoc source and of what the program says itself.

manual.py SCDOC VERSION PAGE OUT [COMMAND… VERB]: COMMAND prints parts, each after a line "@NAME@" of its own; they go where PAGE has
the same line.  A part without a place, or a place without its part, is an error: no page is silent about an option.
"""
import os
import pathlib
import re
import subprocess
import sys

MARK = re.compile(r"^@([A-Z]+)@$", re.M)


def main():
    scdoc, version, page, out, *command = sys.argv[1:]
    text = pathlib.Path(page).read_text(encoding="utf-8").replace("@VERSION@", version)
    text = text.replace("@VERB@", command[-1] if command else "")
    parts = {}
    if command:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=dict(os.environ, LC_ALL="C"))
        _, *pieces = MARK.split(done.stdout.decode())
        parts = {name: body.strip("\n") for name, body in zip(pieces[::2], pieces[1::2])}
    places = MARK.findall(text)
    if sorted(places) != sorted(parts):
        sys.exit(f"{page}: has places for {sorted(places)}, but there are {sorted(parts)}")
    text = MARK.sub(lambda found: parts[found[1]], text)
    # scdoc dates a page with the day it was built on; equal sources are to give equal pages.
    done = subprocess.run([scdoc], input=text.encode(), stdout=subprocess.PIPE, check=True,
                          env=dict(os.environ, SOURCE_DATE_EPOCH="0"))
    # The header turns hyphenation on again; what is to be typed must not break at its hyphens.
    roff, headers = re.subn(rb'^(\.TH "[^"]*" "[^"]*") "1970-01-01"(.*)$', rb'\1 ""\2\n.nh\n.ad l', done.stdout,
                            flags=re.M)
    if headers != 1:
        sys.exit(f"{page}: scdoc made no header")
    roff = re.sub(rb"\\fB.*?\\fR", lambda bold: bold[0].replace(b"-", rb"\-"), roff)
    beside = pathlib.Path(out + ".new")
    beside.write_bytes(roff)
    beside.rename(out)


if __name__ == "__main__":
    main()
