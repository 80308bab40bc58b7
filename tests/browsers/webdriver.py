"""Firefox and WebKitGTK by W3C WebDriver: the commands have the same bodies in both, the way to the browser differs.

Firefox is spoken to by Marionette, the protocol that geckodriver translates WebDriver into: each frame is
`<length>:<JSON>` on a socket. It takes geckodriver out of the way, which Debian does not package. WebKitGTK has
`WebKitWebDriver`, which speaks HTTP. What the browsers complain about is read as their developer tools show it:
from Firefox's console service. WebKitGTK shows its console to nobody, so a script in the page listens from the first
command on; what a page complained about before that is not seen.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from glob import glob
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import httpx2

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
WEBKIT = shutil.which("WebKitWebDriver")
MINIBROWSER = next(iter(glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")), None)
XVFB = shutil.which("Xvfb")
START_S = 60
WAIT_MS = 20_000
PAGES = 3

COMMANDS = {
    "WebDriver:NewSession": "POST /session",
    "WebDriver:SetTimeouts": "POST /session/{session}/timeouts",
    "WebDriver:Navigate": "POST /session/{session}/url",
    "WebDriver:ExecuteScript": "POST /session/{session}/execute/sync",
    "WebDriver:ExecuteAsyncScript": "POST /session/{session}/execute/async",
    "WebDriver:ElementClick": "POST /session/{session}/element/{id}/click",
    "WebDriver:ElementSendKeys": "POST /session/{session}/element/{id}/value",
}
"""Each command by the name of Marionette and the address of WebDriver."""

_FIND = """
const [selector, words, done] = arguments;
const all = (root) => [...root.querySelectorAll("*")].flatMap((element) =>
  [element, ...(element.shadowRoot ? all(element.shadowRoot) : [])]);
const look = () => {
  const found = all(document).find((element) => element.matches(selector) && element.checkVisibility() && element.ariaDisabled !== "true"
    && (element.getAttribute("aria-label") ?? element.innerText ?? element.textContent).includes(words));
  if (found) done(found); else setTimeout(look, 50);
};
look();
"""
"""The first element in view, in shadow roots too, that matches, says the words and is not disabled."""


class WebDriverError(Exception):
    """The browser refused a command; the text is its own."""


class Connection(Protocol):
    """How commands come to a browser, and what it complained about."""

    def call(self, command: str, body: dict[str, Any]) -> Any:
        """Run a command and return its value."""
        ...

    def complaints(self) -> list[str]:
        """Return what the pages have complained about."""
        ...

    def close(self) -> None:
        """End the browser."""
        ...


class Window:
    """The only window of a browser."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        connection.call("WebDriver:SetTimeouts", {"script": WAIT_MS})

    def go(self, url: str) -> None:
        """Open a page."""
        self._connection.call("WebDriver:Navigate", {"url": url})

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a function with this body returns."""
        return self._connection.call("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})

    def find(self, selector: str, words: str = "") -> str:
        """Wait for an element in view that says `words`, in shadow roots too; return its id."""
        body = {"script": _FIND, "args": [selector, words]}
        last_error = ""
        for _ in range(PAGES):  # A page that leads to another one ends the search in it.
            try:
                if found := self._connection.call("WebDriver:ExecuteAsyncScript", body):
                    return found[ELEMENT]
            except WebDriverError as error:
                last_error = str(error)
                if "imed out" in last_error:
                    break
        raise AssertionError(
            f"no {selector} says {words!r} on {self.run('return location.href')}: {last_error}"
        )

    def click(self, selector: str, words: str = "") -> None:
        """Click an element."""
        self._connection.call("WebDriver:ElementClick", {"id": self.find(selector, words)})

    def write(self, selector: str, text: str) -> None:
        """Type into an element."""
        self._connection.call("WebDriver:ElementSendKeys", {"id": self.find(selector), "text": text})

    def complaints(self) -> list[str]:
        """Return what the pages have complained about."""
        return self._connection.complaints()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()


class Program:
    """A program with a folder of its own, which may have files; what it prints is kept."""

    def __init__(self, *command: str, files: Mapping[str, str] | None = None, **environment: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="askback-browser-")
        for name, text in (files or {}).items():
            Path(self.folder, name).write_text(text, encoding="utf-8")
        self.console_lines: list[str] = []
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            [word.replace("{folder}", self.folder) for word in command],
            env={**os.environ, "HOME": self.folder, "TMPDIR": self.folder, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, pattern: str) -> str:
        """Wait until it prints a line like this; return the part in parentheses."""

        def matching_line() -> str | None:
            return next(
                (result[1] for line in self.console_lines if (result := re.search(pattern, line))), None
            )

        with self._news:
            result = self._news.wait_for(matching_line, START_S)
        assert result, f"no {pattern!r} in {self.console_lines}"
        return result

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(10)
        self._reader.join(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._news:
                self.console_lines.append(line.rstrip())
                self._news.notify_all()


_PREFERENCES = 'user_pref("dom.security.trusted_types.enabled", true);'
"""Firefox ESR 140 has trusted types, which the pages require, but turns them off by itself."""


class Marionette:
    """Firefox without windows."""

    _COMPLAINTS = """
        const storage = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage);
        const said = storage.getEvents().filter(({ level }) => ["warn", "error"].includes(level));
        return [
          ...Services.console.getMessageArray().map(String),
          ...said.map(({ arguments: words }) => words.join(" ")),
        ].filter((text) => text.includes(arguments[0]));
    """

    def __init__(self, origin: str) -> None:
        assert FIREFOX is not None
        self._origin = origin
        self._program = Program(
            *(FIREFOX, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"),
            *("--profile", "{folder}"),
            files={"user.js": _PREFERENCES},
            MOZ_CRASHREPORTER_DISABLE="1",
        )
        port = self._program.wait_for(r"Listening on port (\d+)")
        self._socket = socket.create_connection(("127.0.0.1", int(port)), timeout=START_S)
        self._replies = self._socket.makefile("rb")
        self._read()
        self.call("WebDriver:NewSession", {"capabilities": {}})

    def call(self, command: str, body: dict[str, Any]) -> Any:
        """Run a command and return its value."""
        frame = json.dumps([0, 1, command, body]).encode()
        self._socket.sendall(b"%d:%s" % (len(frame), frame))
        _, _, error, value = self._read()
        if error:
            raise WebDriverError(error["message"])
        return value["value"] if isinstance(value, dict) and list(value) == ["value"] else value

    def complaints(self) -> list[str]:
        """Return what the console has about the pages of the server."""
        self.call("Marionette:SetContext", {"value": "chrome"})
        console_entries = self.call(
            "WebDriver:ExecuteScript", {"script": self._COMPLAINTS, "args": [self._origin]}
        )
        self.call("Marionette:SetContext", {"value": "content"})
        return console_entries

    def close(self) -> None:
        """End the browser."""
        self._socket.close()
        self._program.close()

    def _read(self) -> Any:
        length = b""
        while (byte := self._replies.read(1)) != b":":
            assert byte, f"Firefox has ended: {self._program.console_lines}"
            length += byte
        return json.loads(self._replies.read(int(length)))


class WebKit:
    """MiniBrowser, the browser of WebKitGTK, on a screen that nobody sees."""

    _RECORD = """
        if (!window.complaints) {
          window.complaints = [];
          const note = (text) => window.complaints.push(String(text));
          addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
            note(`${violatedDirective} ${blockedURI}`));
          addEventListener("error", ({ message }) => note(message));
          addEventListener("unhandledrejection", ({ reason }) => note(reason));
          for (const level of ["warn", "error"]) console[level] = (...words) => note(words.join(" "));
        }
        return window.complaints;
    """

    def __init__(self, _origin: str) -> None:
        assert WEBKIT is not None
        assert XVFB is not None
        self._screen = Program(XVFB, "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp")
        display = self._screen.wait_for(r"^(\d+)$")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._driver = Program(
            *(WEBKIT, f"--port={port}"),
            DISPLAY=f":{display}",
            GDK_BACKEND="x11",
            WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1",
            LIBGL_ALWAYS_SOFTWARE="1",
        )
        self._http = httpx2.Client(
            base_url=f"http://127.0.0.1:{port}",
            transport=httpx2.HTTPTransport(retries=10),
            timeout=START_S,
        )
        options = {"webkitgtk:browserOptions": {"binary": MINIBROWSER, "args": ["--automation"]}}
        self._session = ""
        session = self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": options}})
        self._session = session["sessionId"]

    def call(self, command: str, body: dict[str, Any]) -> Any:
        """Run a command and return its value."""
        if command == "WebDriver:ExecuteAsyncScript":
            self.complaints()
        method, path = COMMANDS[command].split()
        reply = self._http.request(method, path.format(session=self._session, **body), json=body)
        value = reply.json()["value"]
        if reply.status_code != 200:
            raise WebDriverError(value["message"])
        return value

    def complaints(self) -> list[str]:
        """Return the errors and warnings of the open page."""
        return self.call("WebDriver:ExecuteScript", {"script": self._RECORD, "args": []})

    def close(self) -> None:
        """End the browser."""
        self._http.request("DELETE", f"/session/{self._session}")
        self._http.close()
        self._driver.close()
        self._screen.close()
