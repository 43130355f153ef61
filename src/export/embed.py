#!/usr/bin/env python3
"""Turns the page's sources and the browser library into a C file of two texts: before and after the data.

usage: embed.py OUTPUT PAGE.html STYLE.css… LIBRARY.js FILE.js…
In the page, <!-- style -->, <!-- policy -->, <!-- data --> and <!-- scripts --> are replaced.  Runs at build time only.
"""
import base64
import hashlib
import sys

WIDTH = 100  # bytes per line of the literal


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def literal(text):
    data = text.encode()
    lines = []
    for at in range(0, len(data), WIDTH):
        # Three digits each, so that no digit that follows is taken for one of them; "?" as well: no trigraphs.
        lines.append('\t"' + "".join(
            chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data[at:at + WIDTH]) + '"')
    return "\n".join(lines)


def element(name, text):
    """The element, and what a content security policy has to know of it to allow it."""
    if f"</{name}" in text.lower() or "<!--" in text:
        sys.exit(f"embed.py: the text of a {name} would end it")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"<{name}>{text}</{name}>", f"'sha256-{digest}'"


def main():
    output, page, *rest = sys.argv[1:]
    library, *sources = [path for path in rest if path.endswith(".js")]
    css, css_hash = element("style", "".join(read(path) for path in rest if path.endswith(".css")))
    lib, lib_hash = element("script", read(library))
    js, js_hash = element("script", '"use strict";\n' + "".join(map(read, sources)))
    # Nothing may be fetched and nothing but these scripts may run, whatever the data hold.
    policy = f"default-src 'none'; img-src data:; style-src {css_hash}; script-src {lib_hash} {js_hash}"
    text = read(page)
    for mark, value in ("style", css), ("scripts", f"{lib}\n{js}"), ("policy", policy):
        before, after = text.split(f"<!-- {mark} -->")
        text = before + value + after
    before, after = text.split("<!-- data -->")
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include "export/html_page.h"\n\nconst struct rwk_html_page rwk_html_page = {\n')
        out.write(f"\t.before =\n{literal(before)},\n\t.after =\n{literal(after)},\n}};\n")


main()
