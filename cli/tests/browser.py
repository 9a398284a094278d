"""A headless Chromium, driven by the WebDriver protocol of chromedriver: only Python's own library is needed."""
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowDown": "\ue015", "ArrowUp": "\ue013"}


def missing():
    """What is not installed, or None."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        return "no Chromium is installed (Debian: apt-get install chromium chromium-driver)"
    return None if shutil.which("chromedriver") else "no chromedriver is installed (Debian: apt-get install chromium-driver)"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, profile, width=1920, height=1080):
        port = free_port()
        self.base, self.session = f"http://127.0.0.1:{port}", None
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait()
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                "goog:chromeOptions": {"args": arguments}}}})
            self.session = "/session/" + made["sessionId"]
            self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        except Exception:
            self.close()
            raise

    def wait(self):
        for _ in range(300):
            try:
                return self.call("GET", "/status")
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:1000]) from None

    def devtools(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self.call("POST", self.session + "/url", {"url": "about:blank"})
        self.log("performance")
        self.call("POST", self.session + "/url", {"url": "file://" + path})

    def js(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        """Each a key of KEYS or a text."""
        for key in keys:
            for c in [KEYS[key]] if key in KEYS else key:
                self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
                    {"type": "keyDown", "value": c}, {"type": "keyUp", "value": c}]}]})

    def click(self, selector):
        """Where the element's middle is: what covers it gets the click."""
        x, y = self.js("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'nearest'});"
                       "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", selector)
        self.call("POST", self.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def log(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def requests(self):
        """Addresses that were asked for since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
