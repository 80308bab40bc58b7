"""A real server process for the client's tests: it can be stopped, killed and started again on the same port."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

from askback import AsyncClient
from tests.forks.process import Process, fork
from tests.limits import ROOMY_SETTING

TOKENS = {
    "requester": "client-requester",
    "requester/other": "client-other",
    "responder": "client-responder",
    "admin": "client-admin",
}


class ServerProcess:
    """`askback serve` on one port and one data folder."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = data
        self._process: Process | None = None

    def start(self) -> None:
        """Start, and return once requests are accepted."""
        tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
        arguments = ["serve", "--port", str(self.port), "--data-dir", str(self.data), "--ready-json"]
        environment = {**os.environ, "ASKBACK_BOOTSTRAP_TOKENS": tokens, **ROOMY_SETTING}
        self._process = fork(*arguments, environment=environment, stdin=0, stderr=2)
        assert self._process.stdout is not None
        assert json.loads(self._process.stdout.readline())["url"] == self.url

    def kill(self) -> None:
        """SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; returns the exit status."""
        return self._end(signal.SIGTERM)

    def client(self, role: str = "requester", **options: Any) -> AsyncClient:
        """A client with the token of a role."""
        return AsyncClient(self.url, TOKENS.get(role, "unknown-token"), **options)

    def _end(self, number: signal.Signals) -> int:
        if self._process is None:
            return 0
        process, self._process = self._process, None
        process.send_signal(number)
        status = process.wait(120)
        assert process.stdout is not None
        process.stdout.close()
        return status
