#!/usr/bin/env python3
"""The page of export --html in a headless Chromium: it opens from disk, asks nobody, sorts, filters and can be used by keyboard."""
import json
import sys
import tempfile

import runs
import webdriver

SKIP = 77

TABLE = """
const rows = [...document.querySelectorAll(`${arguments[0]} tbody tr`)].map((row) => [...row.children].map((cell) => cell.textContent));
const heads = [...document.querySelectorAll(`${arguments[0]} thead th`)];
return {rows, keys: heads.map((h) => h.dataset.key), sorts: heads.map((h) => h.getAttribute("aria-sort"))};
"""


class Page:
    def __init__(self, browser):
        self.browser = browser

    def table(self, css):
        found = self.browser.js(TABLE, css)
        return {"sort": {k: s for k, s in zip(found["keys"], found["sorts"]) if s},
                "rows": [dict(zip(found["keys"], row)) for row in found["rows"]]}

    def column(self, css, key):
        return [row[key] for row in self.table(css)["rows"]]

    def text(self, css):
        return self.browser.js("return document.querySelector(arguments[0]).textContent", css)

    def count(self, css):
        return self.browser.js("return document.querySelectorAll(arguments[0]).length", css)

    def focus(self, css):
        self.browser.js("document.querySelector(arguments[0]).focus({focusVisible: true})", css)

    def has_focus(self, css):
        return self.browser.js("return document.activeElement === document.querySelector(arguments[0])", css)


def number(text):
    return int(text.replace(",", ""))


def check_silent(browser):
    """Nothing was complained of, and nothing was asked for but the page itself."""
    assert browser.js("return document.getElementById('failed').hidden"), browser.js("return document.getElementById('failed').textContent")
    logged = browser.logged("browser")
    assert not logged, logged
    for entry in browser.logged("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            url = message["params"].get("request", message["params"])["url"]
            assert url.startswith(("file:", "data:", "about:", "chrome:")), url
    assert browser.js("return performance.getEntriesByType('resource').length") == 0


def check_sorting(browser, page):
    table = "#policies > .table"
    assert page.table(table)["sort"] == {"replay": "ascending"}
    before = page.column(table, "differ")
    browser.click(f"{table} th[data-key=differ] button")
    after = page.column(table, "differ")
    assert after == sorted(before, key=number, reverse=True) and after != before, (before, after)
    assert page.table(table)["sort"] == {"differ": "descending"}
    browser.click(f"{table} th[data-key=differ] button")
    assert page.column(table, "differ") == after[::-1] and page.table(table)["sort"] == {"differ": "ascending"}
    # By keyboard: to the next head with Tab, sorted with Enter, turned round with the space bar.
    page.focus(f"{table} th[data-key=differ] button")
    browser.press("Tab")
    assert page.has_focus(f"{table} th[data-key=with_unknown] button")
    browser.press("Enter")
    down = [number(n) for n in page.column(table, "with_unknown")]
    assert down == sorted(down, reverse=True) and page.table(table)["sort"] == {"with_unknown": "descending"}, down
    browser.press("Space")
    assert [number(n) for n in page.column(table, "with_unknown")] == sorted(down)
    # Unknown comes last, whichever way.
    for _ in range(2):
        browser.click("#tasks th[data-key=p99] button")
        shown = page.column("#tasks", "p99")
        assert shown[-1] == "–" and shown[0] != "–", shown


def check_filter(browser, page):
    everything = len(page.table("#tasks")["rows"])
    browser.type("#tasks input[type=search]", "BACKend")
    names = page.column("#tasks", "name")
    assert names and set(names) == {"backend"} and len(names) < everything, names
    assert page.text("#tasks .count").startswith(f"{len(names)} of "), page.text("#tasks .count")


def check_choices(browser, page):
    """Radio buttons, the policy in detail, the graph and the heat map, with keys only."""
    classes = page.column("#waits > div > .table", "name")
    assert classes[0] == "all" and "same cache" in classes, classes
    page.focus("#waits input[value=waker]")
    browser.press("Right", "Right")
    assert page.column("#waits > div > .table", "name") == ["all", "stayed", "moved"]
    assert page.count("#waits .strip") == 3

    assert "vagin" in page.text("#policy p")
    page.focus("#choose-policy")
    browser.press("Up")
    assert page.text("#policy p").startswith("prev: the previous CPU"), page.text("#policy p")

    page.focus("#graph .node")
    chosen = page.text("#graph .node text")
    browser.press("Enter")
    assert browser.js("return document.querySelector('#graph .node').getAttribute('aria-pressed')") == "true"
    pairs = page.table("#graph .table")["rows"]
    assert pairs and all(chosen in (p["from"], p["to"]) for p in pairs), (chosen, pairs)
    browser.press("Enter")
    assert len(page.table("#graph .table")["rows"]) > len(pairs)
    nodes = page.count("#graph .node")
    page.focus("#heaviest")
    browser.press("Left", "Left", "Left")
    assert page.count("#graph .node") < nodes
    browser.click("#fold")
    assert page.count("#graph .node") > 1

    page.focus("#cpus .cells")
    assert page.text("#cpus .readout").startswith("CPU 0, 0 ns + "), page.text("#cpus .readout")
    browser.press("Down", "Right", "Right")
    assert page.text("#cpus .readout").startswith("CPU 1, 4.00 ms + 2.00 ms"), page.text("#cpus .readout")
    browser.click("#cpus input[value=decisions]")
    assert page.count("#cpus .cells path[class^=h]") == 11


def check_themes(browser, page):
    def back():
        return browser.js("return getComputedStyle(document.body).backgroundColor")
    assert back() == "rgb(255, 255, 255)", back()
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert back() == "rgb(17, 22, 28)", back()
    heat = browser.js("return getComputedStyle(document.querySelector('#cpus path.h0')).fill")
    assert heat == "rgb(26, 37, 48)", heat
    # On paper it is light, and wide enough for all columns.
    browser.cdp("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert back() == "rgb(255, 255, 255)" and browser.js("return getComputedStyle(document.querySelector('nav')).display") == "none"
    browser.cdp("Emulation.setDeviceMetricsOverride", width=718, height=1000, deviceScaleFactor=1, mobile=False)
    wide = browser.js("const most = document.querySelector('main').clientWidth + 1;"
                      "return [...document.querySelectorAll('main table')].filter((t) => t.offsetWidth > most).map((t) => t.textContent.slice(0, 60))")
    assert not wide, wide
    browser.cdp("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "light"}])
    for width in (360, 900):
        browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        webdriver.wait_until(lambda: browser.js("return document.querySelector('#cpus .cells').clientWidth <= innerWidth"), "following the window")
        assert browser.js("return document.documentElement.scrollWidth <= innerWidth"), width
    browser.cdp("Emulation.clearDeviceMetricsOverride")


def check_sample(browser, page, made):
    browser.open(made.page(made.sample()))
    assert browser.js("return document.title") == "oltp.dat – rewake"
    assert "No loss" in page.text("#trust") and "first_switch" in page.text("#trust")
    assert page.count("#policies .row") == 12 and page.count("#graph .node") > 5 and page.count("#waits .strip") > 3
    assert browser.js("return document.getElementById('choose-run').hidden")
    check_sorting(browser, page)
    check_filter(browser, page)
    check_choices(browser, page)
    check_themes(browser, page)
    check_silent(browser)


def check_hostile(browser, page, made):
    """Names are shown as they are, spelled out where they would hide; they make no element and run nothing."""
    browser.open(made.page(made.hostile()))
    names = page.column("#tasks", "name")
    assert set(names) >= set(runs.SHOWN), set(runs.SHOWN) - set(names)
    assert set(page.column("#graph .table", "to")) & set(runs.SHOWN)
    assert page.text("h1") == "script>", page.text("h1")
    assert page.count("main img, main b:not(.figure b), main script, iframe, object") == 0
    assert browser.js("return window.pwned === undefined")
    assert runs.SHOWN[1] in browser.js("document.getElementById('choose-policy').value = '3';"
                                       "document.getElementById('choose-policy').dispatchEvent(new Event('change'));"
                                       "return document.getElementById('policy').textContent")
    check_silent(browser)


def check_poor(browser, page, made):
    """Runs of which little is known: the page says what is missing, and unknown time is not drawn as idle."""
    browser.open(made.page(made.small()))
    assert "No policy has been replayed" in page.text("#policies") and "cache or a node is not known" in page.text("#graph")
    assert "topology unknown" in page.text("#about") and "is not known" in page.text("#trust")
    check_silent(browser)

    browser.open(made.page(made.lossy()))
    assert "207 events lost in 1 gap: CPU 2" in page.text("#trust .bad"), page.text("#trust")
    assert browser.js("const bad = document.querySelector('#trust .bad').getBoundingClientRect(); return bad.top > 0 && bad.bottom < innerHeight")
    assert page.count("#cpus .cells rect.gap") == 1
    rows = {r["cpu"]: r for r in page.table("#cpus > .table")["rows"]}
    assert (rows["2"]["busy"], rows["2"]["idle"], rows["2"]["dark"], rows["2"]["lost"]) == ("90.0 µs", "115 µs", "395 µs", "207"), rows["2"]
    page.focus("#cpus .cells")
    browser.press("Down", "Down", *["Right"] * 120)
    assert "nothing is known: neither idle nor busy" in page.text("#cpus .readout"), page.text("#cpus .readout")
    assert browser.js("return document.querySelector('#cpus .unknown-time').getAttribute('d').length") > 1000
    check_silent(browser)

    browser.open(made.page(made.empty()))
    assert "holds no event" in page.text("#trust") and "Nobody was woken" in page.text("#graph")
    assert page.count("svg.cells, .strip, .node") == 0
    check_silent(browser)

    for first, last in ((-2 ** 63, 2 ** 63 - 1), (10 ** 9 + 1000, 10)):
        browser.open(made.page(made.absurd(first, last)))
        assert page.text("h1") == "small.txt"
        check_silent(browser)

    browser.open(made.page(made.two()))
    assert page.text("h1") == "oltp.dat" and not browser.js("return document.getElementById('choose-run').hidden")
    page.focus("#run")
    browser.press("Down")
    assert page.text("h1") == "second.dat" and "No policy has been replayed" in page.text("#policies"), page.text("h1")
    # Nothing is known of it although it lasted: every CPU is unknown all the time.
    assert page.count("#cpus .cells path[class^=h][d*=M]") == 0
    page.focus("#run")
    browser.press("Up")
    assert page.text("h1") == "oltp.dat" and page.count("#graph .node") > 5
    check_silent(browser)


def main(rewake, root):
    lacking = webdriver.missing()
    if lacking:
        print(f"skipped: {lacking}")
        return SKIP
    # Chromium may still be writing there when it is told to end.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = runs.Runs(rewake, root, folder)
        browser = webdriver.Browser(made.folder)
        try:
            page = Page(browser)
            check_sample(browser, page, made)
            check_hostile(browser, page, made)
            check_poor(browser, page, made)
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
