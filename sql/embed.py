#!/usr/bin/env python3
"""Turns SQL files into a C table of name and text, or the reports among them into their registry.

usage: embed.py files|reports ROOT OUTPUT FILE…
The order of the files is kept.  Runs at build time only.
A report's line "-- include: PART" stands for report_part/PART.sql.
"""
import os
import re
import sys


def literal(text):
    """A C string literal, one line of it per line of text."""
    out = []
    for line in text.splitlines(keepends=True):
        escaped = "".join(
            {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}.get(c)
            or (c if 32 <= ord(c) < 127 else "".join(f"\\{b:03o}" for b in c.encode()))
            for c in line)
        # "??" would be read as a trigraph by a strict compiler.
        out.append('\t "' + escaped.replace("??", '?""?') + '"')
    return "\n".join(out) or '\t ""'


def with_parts(text, parts):
    """The report with what it includes in its place; an unknown part is a KeyError."""
    return re.sub(r"^-- include: (.*)\n", lambda m: parts["report_part/" + m[1]], text, flags=re.M)


def main():
    what, root, output, *paths = sys.argv[1:]
    entries = []
    for path in paths:
        name = os.path.relpath(path, root).removesuffix(".sql")
        with open(path, encoding="utf-8") as f:
            entries.append((name, f.read()))
    with open(output, "w", encoding="utf-8") as out:
        if what == "files":
            out.write('#include "store/store.h"\n\nconst struct rwk_sql_file rwk_sql_files[] = {\n')
            for name, text in entries:
                out.write(f"\t{{\"{name}\",\n{literal(text)}}},\n")
            out.write("\t{0},\n};\n")
        else:
            out.write('#include "report/registry.h"\n\nconst struct rwk_report rwk_reports[] = {\n')
            for name, text in entries:
                if not name.startswith("report/"):
                    continue
                first = text.splitlines()[0]
                if not first.startswith("-- "):
                    sys.exit(f"{name}: the first line must be a comment that says what it answers")
                about = literal(first[3:]).strip()
                text = with_parts(text, dict(entries))
                short = name.removeprefix("report/")
                out.write(f"\t{{\"{short}\", {about},\n{literal(text)}}},\n")
            out.write("\t{0},\n};\n")


main()
