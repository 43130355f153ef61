"""Just enough of WebDriver to drive a headless Chromium; Python's own library only."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

PATIENCE = 120  # seconds: machines may be slow, and busy with other tests
KEYS = {"Enter": "\ue007", "Space": " ", "Tab": "\ue004", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015"}


def missing():
    """What a browser test lacks here, or None."""
    for name in ("chromium", "chromedriver"):
        if not shutil.which(name):
            return f"there is no {name} here"
    return None


def wait_until(ask, what):
    end = time.monotonic() + PATIENCE
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < end, f"{what}: not within {PATIENCE} s"
        time.sleep(0.05)


class Browser:
    def __init__(self, folder):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.session = None
        # A group of its own: whatever is left at the end is ended with it.
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       start_new_session=True, env=dict(os.environ, HOME=str(folder), TMPDIR=str(folder)))
        try:
            wait_until(self.is_up, "chromedriver")
            self.session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1300,900",
                    f"--user-data-dir={pathlib.Path(folder) / 'profile'}"]}}}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def is_up(self):
        try:
            return self.ask("GET", "/status")["ready"]
        except OSError:
            assert self.driver.poll() is None, "chromedriver ended"
            return False

    def ask(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            # Nobody's proxy is asked for what is on this machine.
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            return json.load(opener.open(request, timeout=PATIENCE))["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:600]}") from error

    def do(self, path, body):
        return self.ask("POST", f"/session/{self.session}{path}", body)

    def js(self, script, *arguments):
        return self.do("/execute/sync", {"script": script, "args": list(arguments)})

    def cdp(self, command, **parameters):
        return self.do("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self.do("/url", {"url": path.resolve().as_uri()})
        wait_until(lambda: self.js("return document.documentElement.dataset.ready || !document.getElementById('failed').hidden"), str(path))

    def find(self, css):
        return list(self.do("/element", {"using": "css selector", "value": css}).values())[0]

    def click(self, css):
        self.do(f"/element/{self.find(css)}/click", {})

    def type(self, css, text):
        self.do(f"/element/{self.find(css)}/value", {"text": text})

    def press(self, *names):
        """Keys on whatever has the focus."""
        actions = [{"type": kind, "value": KEYS[name]} for name in names for kind in ("keyDown", "keyUp")]
        self.do("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def logged(self, kind):
        return self.do("/se/log", {"type": kind})

    def close(self):
        if self.session:
            try:
                self.ask("DELETE", f"/session/{self.session}")
            except (OSError, AssertionError):
                pass
        try:
            os.killpg(self.driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.driver.wait()
