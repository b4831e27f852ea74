"""A headless Chromium for tests, spoken to over two pipes in the DevTools protocol: no driver, no port.

Whatever it is asked to load from anywhere but a file is refused and written down.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
AXE = Path(__file__).parent / "accessibility" / "node_modules" / "axe-core" / "axe.min.js"

_FLAGS = (
    *("--headless", "--remote-debugging-pipe", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
    ),
    *("--hide-scrollbars", "--force-color-profile=srgb", "--proxy-server=127.0.0.1:9", "--lang=en"),
)
_PATIENCE = 60.0

Answer = dict[str, Any]


def chromium() -> str | None:
    """Where a Chromium is, None where there is none."""
    wanted = os.environ.get("CHROMIUM")
    return wanted or next((found for name in NAMES if (found := shutil.which(name))), None)


class Chromium:
    """One process with one page; ``events`` are what the page told since it was opened."""

    def __init__(self, program: str, folder: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # Out of the way of 3 and 4, the numbers under which the browser looks for its pipes.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (to_browser, from_browser)]

        def place() -> None:
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        flags = [*_FLAGS, f"--user-data-dir={folder}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        self._process = subprocess.Popen(
            [program, *flags, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=place,  # noqa: PLW1509 - the tests' processes have one thread
            env=os.environ | {"HOME": str(folder)},
        )
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        self.events: list[Answer] = []
        self._left = b""
        self._number = 0
        self._session = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._write)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)

    def open(
        self,
        page: Path,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        script: bool = True,
        anchor: str = "",
        media: str = "",
    ) -> None:
        """Load ``page`` anew; ``media`` is ``print`` or empty."""
        self._ask("Emulation.setScriptExecutionDisabled", value=not script)
        self.resize(width, height)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self._ask("Emulation.setEmulatedMedia", media=media, features=features)
        for address in ("about:blank", page.as_uri() + anchor):
            self.events.clear()
            self._ask("Page.navigate", url=address)
            self._until("Page.loadEventFired")

    def resize(self, width: int, height: int) -> None:
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        told = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise AssertionError(told["exceptionDetails"])
        return told["result"].get("value")

    def press(self, key: str) -> None:
        """One key, as the keyboard sends it."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "Escape": 27, "Tab": 9, " ": 32}.get(key, 0)
        self._ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
        self._ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        for letter in text:
            self.press(letter)

    def picture(self, target: Path, *, whole: bool = True) -> None:
        """A PNG of the page as it looks now."""
        told = self._ask(
            "Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole)
        )
        target.write_bytes(base64.b64decode(told["data"]))

    def _clip(self, whole: bool) -> Answer:
        if not whole:
            return {}
        size = self._ask("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def outline(self) -> list[str]:
        """What a screen reader is told: the role of everything on the page, in order."""
        told = self._ask("Accessibility.getFullAXTree")["nodes"]
        return [node["role"]["value"] for node in told if not node["ignored"]]

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self._ask("Page.printToPDF", preferCSSPageSize=True)["data"])

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, exceptions, and every request but that for the page itself."""
        time.sleep(0.1)
        self._ask("Page.getLayoutMetrics")  # what was told until now comes before this answer
        found = []
        for event in self.events:
            told = event["params"]
            match event["method"]:
                case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                    found.append(told["entry"]["text"])
                case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                    found.append(str(told["args"]))
                case "Runtime.exceptionThrown":
                    found.append(str(told["exceptionDetails"]))
                case "Network.requestWillBeSent" if told["type"] != "Document":
                    found.append(told["request"]["url"])
        return found

    def _ask(self, method: str, **params: Any) -> Answer:
        self._number += 1
        message: Answer = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            told = self._hear()
            if told.get("id") == self._number:
                if "error" in told:
                    raise AssertionError(f"{method}: {told['error']}")
                result: Answer = told["result"]
                return result

    def _until(self, method: str) -> None:
        while not any(event["method"] == method for event in self.events):
            self._hear()

    def _hear(self) -> Answer:
        """The next message; those without an answer's number are kept as events."""
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._left:
            if not select.select([self._read], [], [], max(0.0, end - time.monotonic()))[0]:
                raise AssertionError("the browser does not answer")
            more = os.read(self._read, 1 << 20)
            if not more:
                raise AssertionError("the browser has ended")
            self._left += more
        line, self._left = self._left.split(b"\0", 1)
        told: Answer = json.loads(line)
        if "id" not in told:
            self.events.append(told)
        return told
