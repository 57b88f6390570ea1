"""Headless Chromium, driven over the DevTools protocol on a pipe: pages as a user's browser shows them."""

import itertools
import json
import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.narrowing import not_none

BINARY = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")


class Left(Exception):
    """The page was left for another one while a script ran in it."""


class Page:
    """One tab. ``requests`` are the addresses it asked for, ``problems`` its console errors and exceptions."""

    def __init__(self, to_chromium: int, from_chromium: int):
        self._out, self._in, self._pending = to_chromium, from_chromium, b""
        self._ids = itertools.count(1)
        self._session: str | None = None
        self.requests: list[str] = []
        self.problems: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, timeout: float = 60, **params: Any) -> dict[str, Any]:
        """One DevTools command and its result."""
        message = {"id": next(self._ids), "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        for answer in self._messages(timeout):
            if answer.get("id") == message["id"]:
                if re.search("navigated|context", answer.get("error", {}).get("message", "")):
                    raise Left(method)
                assert "error" not in answer, answer
                return answer["result"]
        raise TimeoutError(method)

    def open(self, url: str, width: int = 1400, height: int = 900, dark: bool = False) -> None:
        """Go to a page and let it load."""
        self.requests.clear()
        self.problems.clear()
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.resize(width, height)
        self.call("Page.navigate", url=url)
        self.wait_for("document.readyState == 'complete'")

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, code: int, kinds: tuple[str, str] = ("rawKeyDown", "keyUp"), **more: Any) -> None:
        """Press a key, given its Windows code, and let it go."""
        for kind in kinds:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def wait_for(self, condition: str, timeout: float = 60) -> Any:
        """Wait until a JavaScript expression is true, and return its value."""
        give_up = time.monotonic() + timeout
        while time.monotonic() < give_up:
            with suppress(Left):
                if value := self.evaluate(condition):
                    return value
            self.settle(0.25)
        raise TimeoutError(f"{condition}\n{self.evaluate('document.body.innerText')[:2000]}")

    def settle(self, seconds: float) -> None:
        """Let the page work, and note what it asks for."""
        for _ in self._messages(seconds):
            pass

    def _messages(self, seconds: float) -> Iterator[dict[str, Any]]:
        give_up = time.monotonic() + seconds
        while True:
            while b"\0" in self._pending:
                raw, _, self._pending = self._pending.partition(b"\0")
                message = json.loads(raw)
                self._note(message)
                yield message
            left = give_up - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                return
            self._pending += os.read(self._in, 1 << 20)

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"])[:1000])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.problems.append(json.dumps(params["args"])[:1000])


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A page of a new headless Chromium with an empty profile in the folder ``profile``."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()

    def pipes() -> None:  # Chromium reads commands from descriptor 3 and answers on 4
        spare = [os.dup(to_read), os.dup(from_write)]
        spare = [os.dup2(end, end + 20) for end in spare]
        os.dup2(spare[0], 3)
        os.dup2(spare[1], 4)

    process = subprocess.Popen(
        [not_none(BINARY), *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}"],
        preexec_fn=pipes,
        close_fds=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Page(to_write, from_read)
    finally:
        process.terminate()
        process.wait(30)
        for end in (to_read, to_write, from_read, from_write):
            os.close(end)
