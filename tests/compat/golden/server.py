"""The server for golden conversations: it can be killed, and each conversation has a tenant."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterable
from pathlib import Path

from tests.forks.process import Process, fork
from tests.journeys.keyhouse import ring
from tests.limits import ROOMY_SETTING

ROLES = {
    "requester": "requester",
    "requester2": "requester/second",
    "responder": "responder",
    "responder2": "responder/second",
    "admin": "admin",
}
"""Who a step may be played `as`, with the role and name of their token."""
FOLDER = Path(__file__).parents[3] / "vectors" / "compat"
CONVERSATIONS = {
    f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*/*.json"))
}


class GoldenServer:
    """`askback serve` on one port and one data folder, with tokens for each conversation."""

    def __init__(self, data: Path, conversations: Iterable[str], *, database: str = "") -> None:
        """Use the database of the data folder, or the Postgres at the URL `database`."""
        self._data = data
        postgres = {"ASKBACK_DATABASE_URL": database, "ASKBACK_MASTER_KEYS": ring("one")}
        self._settings = postgres if database else {}
        self._tenants = {name: f"golden{i}" for i, name in enumerate(conversations)}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: Process | None = None

    def token(self, conversation: str, who: str) -> str:
        """Return the token of someone in a conversation."""
        return f"{self._tenants[conversation]}-{who}"

    def start(self) -> None:
        """Start, unless it runs, and return once requests are accepted."""
        if self._process is not None:
            return
        tokens = [
            f"{role}@{tenant}:{tenant}-{who}"
            for tenant in self._tenants.values()
            for who, role in ROLES.items()
        ]
        environment = {
            **os.environ,
            "ASKBACK_BOOTSTRAP_TOKENS": ",".join(tokens),
            **ROOMY_SETTING,
            **self._settings,
        }
        arguments = ["serve", "--port", str(self.port), "--data-dir", str(self._data), "--ready-json"]
        self._process = fork(*arguments, environment=environment, stdin=0, stderr=2)
        assert self._process.stdout is not None
        assert json.loads(self._process.stdout.readline())["url"] == self.url

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End the process, by default without a warning."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(number)
            process.wait(120)
            assert process.stdout is not None
            process.stdout.close()
