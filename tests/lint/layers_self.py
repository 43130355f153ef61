#!/usr/bin/env python3
"""The layer check itself: a wrong arrow must be found."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import layers  # noqa: E402

CASES = [
    ("src/base/x.c", '#include "event/event.h"\n', True),
    ("src/store/x.c", '#include "decode/decoder.h"\n', True),
    ("src/model/x.c", "#include <sqlite3.h>\n", True),
    ("src/policy/x.c", '#include "base/diag.h"\n', True),
    ("src/policy/linux/x.c", '#include "policy/linux/walk.h"\n', False),
    ("src/policy/registry.c", '#include "base/diag.h"\n', False),
    ("src/cli/x.c", '#include "store/store.h"\n', False),
    ("src/nowhere/x.c", "", True),
]

for name, text, wrong in CASES:
    with tempfile.TemporaryDirectory() as tmp:
        root = pathlib.Path(tmp)
        (root / "include").mkdir()
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(text)
        if bool(layers.check(root)) != wrong:
            sys.exit(f"{name} with {text!r}: expected {'a' if wrong else 'no'} complaint")
print("layers self test: ok")
