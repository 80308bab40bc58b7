"""A real server with the most verbose log, in separate folders, so that all its traces can be searched."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import anyio

from tests.limits import ROOMY_SETTING

SERVE = (sys.executable, "-m", "askback", "serve")
TOKENS: Mapping[str, str] = {
    role: f"leaks-{role.replace('/', '-').replace('@', '-')}"
    for role in ("requester", "requester/other", "responder", "responder/bob", "admin", "responder@acme")
}


PROBE = """
import logging
from askback.ports.probe import HOLDS, fails

log = logging.getLogger("crm")

class Crm:
    async def probe(self, secrets):
        [(name, secret)] = secrets.items()
        value = secret.reveal()
        log.debug("trying %s", value)
        log.debug(f"trying {value}")
        if name == "BREAKS":
            raise RuntimeError(f"no route with {value}")
        return fails({name: f"The CRM refuses {value}."}) if name == "FAILS" else HOLDS

crm = Crm()
"""
"""A package's careless probe: it repeats its values in its log, its verdicts and its errors."""


class Serving:
    """A server process over a folder that outlives it, with the probe `crm` of an installed package."""

    def __init__(
        self, folder: Path, *, command: tuple[str, ...] = SERVE, settings: Mapping[str, str] | None = None
    ) -> None:
        self.place = folder
        self.database = folder / "data" / "askback.db"
        self.url = ""
        self._command = command
        self._settings = settings or {}
        self._process: subprocess.Popen[bytes] | None = None
        self._start_count = 0
        for name in ("data", "home", "tmp", "log", "packages"):
            (folder / name).mkdir(mode=0o700)
        self._install(folder / "packages")

    @staticmethod
    def _install(folder: Path) -> None:
        info = folder / "leaks_probe-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: leaks-probe\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[askback.probes]\ncrm = leaks_probe:crm\n")
        (folder / "leaks_probe.py").write_text(PROBE)

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start a process, and return once it accepts requests."""
        self._start_count += 1
        given = {name: value for name, value in os.environ.items() if not name.startswith("ASKBACK_")}
        environ = {
            **given,
            "HOME": str(self.place / "home"),
            "TMPDIR": str(self.place / "tmp"),
            "PYTHONPATH": os.pathsep.join(
                filter(None, (str(self.place / "packages"), given.get("PYTHONPATH")))
            ),
            "ASKBACK_LOG_LEVEL": "debug",
            "PYTHONDEVMODE": "1",
            "ASKBACK_BOOTSTRAP_TOKENS": ",".join(f"{role}:{token}" for role, token in TOKENS.items()),
            **ROOMY_SETTING,
            **self._settings,
        }
        with open(self._log("stderr"), "wb") as errors:
            self._process = subprocess.Popen(
                [*self._command, "--port", "0", "--data-dir", str(self.database.parent), "--ready-json"],
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environ,
                # It has to turn core dumps off itself, even if they are on in the starting process.
                preexec_fn=_allow_core_dumps,
            )
        assert self._process.stdout is not None
        with anyio.fail_after(120):
            ready = await anyio.to_thread.run_sync(self._process.stdout.readline)
        assert ready, self._log("stderr").read_text()
        self._log("stdout").write_bytes(ready)
        self.url = json.loads(ready)["url"]

    def kill(self) -> None:
        """End the process by SIGKILL: nothing is finished, nothing is flushed."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Let the process end in good order."""
        self._end(signal.SIGTERM)

    def _end(self, signals: signal.Signals) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signals)
        self._process.wait(120)
        assert self._process.stdout is not None
        with self._process.stdout as remaining_stdout, open(self._log("stdout"), "ab") as log:
            log.write(remaining_stdout.read())

    def _log(self, stream: str) -> Path:
        return self.place / "log" / f"{stream}-{self._start_count}"

    def traces(self) -> Iterator[tuple[str, bytes]]:
        """Every current file, by its path: databases, logs, the home folder and temporary files."""
        for path in sorted(self.place.rglob("*")):
            name = str(path.relative_to(self.place))
            yield f"file {name}", name.encode()
            if path.is_file():
                yield f"file {name}", path.read_bytes()

    def back_up(self) -> None:
        """Copy the database in each way in which people do, while the server runs or after."""
        folder = self.database.parent / f"backup-{self._start_count}"
        folder.mkdir()
        with (
            closing(sqlite3.connect(self.database)) as database,
            closing(sqlite3.connect(folder / "online.db")) as online,
        ):
            database.execute("VACUUM INTO ?", (str(folder / "vacuum.db"),))
            database.backup(online)
        for path in self.database.parent.glob(f"{self.database.name}*"):
            shutil.copy(path, folder / path.name.replace("askback", "copy"))


def _allow_core_dumps() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def read_process_files() -> Iterator[tuple[str, bytes]]:
    """The arguments and the environment of every process of this machine that may be looked at."""
    for folder in Path("/proc").glob("[0-9]*"):
        for part in ("cmdline", "environ"):
            try:
                yield f"{part} of a process", (folder / part).read_bytes()
            except OSError:  # it has ended, or is somebody else's
                continue
