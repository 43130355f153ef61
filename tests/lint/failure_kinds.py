#!/usr/bin/env python3
"""Every kind of failure in tests/failure_kinds.tsv has a test that exists and runs, or is open for a reason."""
import pathlib
import re
import sys

LAST = {"T": 13, "L": 16, "W": 16, "S": 6, "I": 9, "X": 22}


def quoted(path):
    """The words in quotes of a meson.build."""
    return set(re.findall(r"'([^'\n]+)'", path.read_text()))


def check_test(root, test):
    """What is wrong with a test's name, or None."""
    suite, _, name = test.partition("/")
    name, _, case = name.partition(":")
    if suite == "unit":
        path = root / "unit" / f"{name}.c"
        if not path.exists() or name not in quoted(root / "unit/meson.build"):
            return "no such program"
        source = path.read_text()
        if not re.search(rf"^static void {case}\(", source, re.M):
            return "no such case"
        listed = source.partition("CMUnitTest")[2]
        return None if re.search(rf"\(\s*{case}\b", listed) else "the case is never run"
    if suite == "golden":
        listed = name in quoted(root / "golden/meson.build")
        return None if listed and (root / "golden" / name / "cmd").exists() else "no such case"
    if suite == "store":
        listed = name in quoted(root / "store/meson.build")
        return None if listed and (root / "store" / f"{name}.py").exists() else "no such script"
    if suite in ("live", "bench"):
        path = root / suite / f"{name}.sh"
        if not path.exists():
            return "no such script"
        wanted = f'begin "{case.replace("_", " ")}"'
        lines = [line.strip() for line in path.read_text().splitlines()]
        return None if not case or wanted in lines else "no such case"
    return "no such suite"


def check(root):
    bad, seen, covered, still_open = [], set(), 0, []
    for number, line in enumerate((root / "failure_kinds.tsv").read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 4 or not all(columns):
            bad.append(f"line {number}: not four columns")
            continue
        kind, state, tests, _ = columns
        if kind in seen:
            bad.append(f"{kind}: there twice")
        seen.add(kind)
        if state == "open":
            still_open.append(kind)
            continue
        if state != "covered":
            bad.append(f"{kind}: neither covered nor open")
        covered += 1
        for test in tests.split():
            wrong = check_test(root, test)
            if wrong:
                bad.append(f"{kind}: {test}: {wrong}")
    wanted = {f"{group}{n}" for group, last in LAST.items() for n in range(1, last + 1)}
    bad += [f"{kind}: missing" for kind in sorted(wanted - seen)]
    bad += [f"{kind}: not a kind of failure" for kind in sorted(seen - wanted)]
    return bad, covered, still_open


def main():
    bad, covered, still_open = check(pathlib.Path(sys.argv[1]) / "tests")
    print("\n".join(bad + [f"{covered} kinds covered, {len(still_open)} open: {', '.join(still_open)}"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
