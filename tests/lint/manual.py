#!/usr/bin/env python3
"""Manual pages as a reader sees them: rendered without warnings, saying of each verb what --help says, silent about nothing.

manual.py REWAKE ROOT FOLDER: FOLDER has the pages as they were built.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ENV = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80", MANROFFOPT="")


def run(*command):
    done = subprocess.run(command, capture_output=True, env=ENV, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.decode(), done.stderr.decode()


def sections(text):
    """The text below each heading, headings begin in the first column."""
    parts = re.split(r"^([A-Z][A-Z ]+)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def squeeze(text):
    """Without what wrapping and fonts change."""
    return re.sub(r"\s+|`", "", text).replace("\u2010", "-").replace("\u2019", "'")


def rendered(folder, name):
    page = folder / name
    assert page.exists(), f"no page {name}"
    text, warnings = run("man", "--warnings", "-E", "UTF-8", "-l", str(page))
    assert not warnings, (name, warnings)
    if shutil.which("mandoc"):
        run("mandoc", "-T", "lint", "-W", "error", str(page))
    return text


def check_verb(program, folder, verb):
    usage, _ = run(program, verb, "--help")
    lines = usage.removeprefix("usage: ").split("\n")
    nr_synopsis = next(i for i, line in enumerate(lines) if i and not line.startswith("       "))
    first = next(i for i, line in enumerate(lines) if line.startswith("  -") or line.startswith("      --"))
    last = next(i for i, line in enumerate(lines) if line.startswith("  -h, --help"))
    page = sections(rendered(folder, f"rewake-{verb}.1"))
    assert squeeze(page["SYNOPSIS"]) == squeeze("".join(lines[:nr_synopsis])), (verb, page["SYNOPSIS"])
    about = squeeze("".join(lines[nr_synopsis:first]))
    assert squeeze(page["DESCRIPTION"]).startswith(about), (verb, page["DESCRIPTION"], about)
    options = squeeze("".join(lines[first:last + 1]))
    assert squeeze(page["OPTIONS"]).startswith(options), (verb, page["OPTIONS"], options)
    # After the options: what else help says, a list under its title, and the exit codes.
    rest = squeeze("".join(lines[last + 1:]))
    lists = [name for name in page if name not in KNOWN]
    said = squeeze(page["OPTIONS"]).removeprefix(options)
    for name in lists:
        said += squeeze(name.capitalize() + ":" + page[name])
    said += "exit:" + squeeze(page["EXIT STATUS"])
    assert said == rest, (verb, said, rest)


KNOWN = {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SIGNALS", "FILES", "EXAMPLES", "SEE ALSO"}


def check_schema(program, folder):
    page = squeeze(sections(rendered(folder, "rewake-schema.5"))["VIEWS"])
    schema, _ = run(program, "schema")
    assert page == squeeze(re.sub(r"^(\w+): ", r"\1", schema, flags=re.M)), "rewake-schema(5) and rewake schema differ"


def members(header):
    """What a policy can read or has to fill: members of structs, names of enums."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for kind, name, body in re.findall(r"(struct|enum) (rwk_\w+) \{(.*?)\n\};", text, flags=re.S):
        if kind == "enum":
            yield from (w for w in re.findall(r"\b(RWK_\w+)", body) if not w.endswith("COUNT"))
            continue
        for line in body.split(";"):
            function = re.search(r"\(\*(\w+)\)", line)
            if function:
                yield function[1]
            elif line.strip():
                declared = re.sub(r"\[[^]]*\]", "", line.strip())
                yield from (w.split()[-1].lstrip("*") for w in declared.split(","))


def check_policy(root, folder):
    page = rendered(folder, "rewake-policy.7")
    for name in "policy.h", "wakeup.h":
        for member in members((root / "include/rewake" / name).read_text()):
            # 'ctx', 'nr', 'all': a word of its own, not a part of another one.
            assert re.search(rf"(?<!\w){member}(?!\w)", page), f"rewake-policy(7) says nothing of {member} of {name}"


def main():
    program, root, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if not shutil.which("man"):
        print("man is not installed")
        sys.exit(77)
    words, _ = run(program, "help", "--as=words")
    verbs = [line.split("\t")[1] for line in words.splitlines() if line.startswith("name\t")]
    assert len(verbs) > 10, verbs
    for verb in verbs:
        check_verb(program, folder, verb)
    overview = squeeze(sections(rendered(folder, "rewake.1"))["VERBS"])
    shown, _ = run(program, "--help")
    for verb in verbs:
        summary = shown.split(f"  rewake {verb} ")[-1].split("\n      ")[1].split("\n")[0]
        assert squeeze(f"rewake-{verb}(1) {summary}") in overview, verb
    check_schema(program, folder)
    check_policy(root, folder)


if __name__ == "__main__":
    main()
