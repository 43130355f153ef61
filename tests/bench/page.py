#!/usr/bin/env python3
"""How large the page of a run is, how long it takes to make, and how soon a headless Chromium has drawn it.

usage: page.py REWAKE RUN.db
"""
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "html"))
import webdriver  # noqa: E402 (the tests' own)


def main(rewake, db):
    lacking = webdriver.missing()
    if lacking:
        sys.exit(lacking)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = pathlib.Path(folder) / "page.html"
        begin = time.monotonic()
        subprocess.run([rewake, "export", db, "--html", page], check=True)
        print(f"made in:            {time.monotonic() - begin:.2f} s")
        print(f"size:               {page.stat().st_size / 1e6:.2f} MB")
        browser = webdriver.Browser(folder)
        try:
            times = []
            for _ in range(5):
                browser.open(page)
                # The scripts that draw run before the document is loaded, so that everything answers from then on.
                times.append(browser.js("const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd") / 1000)
            begin = time.monotonic()
            browser.click("#tasks th[data-key=ran] button")
            print(f"interactive within: {min(times):.2f} to {max(times):.2f} s, of {len(times)} times")
            print(f"sorted by a click:  {time.monotonic() - begin:.2f} s, WebDriver's own way there and back included")
        finally:
            browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
