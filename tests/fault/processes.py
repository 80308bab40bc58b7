"""The processes of the kill harness: servers and hosts of agents, which can be killed and started again.

They are forked from one process with all imports done, so that a restart takes a tenth of a second. Each
holds a pipe to the process that started it, and ends when that one ends.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import anyio

from askback.cli.serve import bind
from askback.delivery.multi_server_bus import MultiServerBus
from askback.domain.limits import Limits
from askback.server import batching_transport
from askback.server.app import App, create_app
from askback.server.database_address import PostgresAddress
from askback.server.process import run_server
from askback.server.settings import Settings, load
from askback.service.webhooks import deliver, dispatch
from askback.storage.postgres import Database, PostgresStore
from tests.fault import planted
from tests.fault.pace import DELIVERY_LEASE_S, DELIVERY_LOOK_S, LIMITS, PARTING_S, PATIENCE, POLL_S
from tests.fault.webhook_client import LoopbackWebhookClient

REQUESTER, RESPONDER, ADMIN, METRICS = "kill-requester", "kill-responder", "kill-admin", "kill-metrics-reader"
MASTER_KEY = f"k1:{'A' * 43}="
START_S = 120

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "tests.fault.processes",
        "askback.client.async_client",
        "askback.client.transport_websocket",
        "httpx2",
        "asyncpg",
    ]
)


class Killable:
    """A process that reports when it is ready, and can be killed and restarted."""

    def __init__(self, target: Callable[..., None], *arguments: Any, log: Path) -> None:
        self._target = target
        self._arguments = arguments
        self._log = log
        self._process: ForkServerProcess | None = None
        self._line: Connection | None = None

    async def start(self) -> None:
        """Start, and return once it is ready."""
        mine, its = _FORKS.Pipe()
        self._process = _FORKS.Process(
            target=_run, args=(self._target, its, self._log, *self._arguments), daemon=True
        )
        await anyio.to_thread.run_sync(self._process.start)
        its.close()
        self._line = mine
        ready = await anyio.to_thread.run_sync(mine.poll, START_S)
        try:
            assert ready
            mine.recv()
        except (AssertionError, EOFError):
            raise AssertionError(f"a process did not come up: {self._log.read_text()[-2000:]}") from None

    def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is flushed, no connection is closed in order."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            process.close()
        if self._line is not None:
            self._line.close()

    def ask_to_stop(self) -> None:
        """Ask it to stop."""
        assert self._line is not None
        self._line.send("stop")

    @property
    def memory(self) -> int:
        """Its memory, in bytes."""
        assert self._process is not None
        statm = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii")
        return int(statm.split()[1]) * os.sysconf("SC_PAGESIZE")

    @property
    def sockets(self) -> int:
        """The number of its open sockets."""
        assert self._process is not None
        return sum(map(_is_socket, Path(f"/proc/{self._process.pid}/fd").iterdir()))

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._process is None or not self._process.is_alive()


class Server(Killable):
    """`askback serve` on one port and one database, with a fault planted in it if one is named."""

    def __init__(
        self,
        data: Path,
        *,
        database_url: str | None = None,
        fault: str | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        environ = {
            "ASKBACK_PORT": str(port),
            "ASKBACK_DATA_DIR": str(data),
            "ASKBACK_DATABASE_URL": database_url or "",
            "ASKBACK_BOOTSTRAP_TOKENS": f"requester:{REQUESTER},responder:{RESPONDER},admin:{ADMIN}",
            "ASKBACK_MASTER_KEYS": MASTER_KEY,
            "ASKBACK_METRICS_TOKEN": METRICS,
        }
        super().__init__(serve, environ, fault, limits, log=data / "server.log")


def _is_socket(descriptor: Path) -> bool:
    """Return whether a descriptor of a process is a socket, and was not closed meanwhile."""
    try:
        return os.readlink(descriptor).startswith("socket:")
    except FileNotFoundError:
        return False


def serve(line: Connection, environ: Mapping[str, str], fault: str | None, limits: Limits) -> None:
    """Serve like `askback serve`, with limits for a test."""
    if fault is not None:
        planted.plant(fault)
    settings = load(environ)

    async def ready() -> None:
        line.send("ready")

    batching_transport.PATIENCE_S = PARTING_S
    for module in (deliver, dispatch):
        vars(module)["LEASE_S"] = DELIVERY_LEASE_S
    dispatch.POLL_S = DELIVERY_LOOK_S
    stop_with_parent(line, lambda: None)
    run_server(_app(settings, limits), bind(settings), on_ready=ready)


def _app(settings: Settings, limits: Limits) -> App:
    if not isinstance(settings.database, PostgresAddress):
        return create_app(settings, limits=limits, webhook_client=LoopbackWebhookClient())
    store = PostgresStore(
        Database(settings.database.url, PATIENCE), on_commit=lambda events: bus.publish(events)
    )
    bus = MultiServerBus(store, origin=store.origin, poll_s=POLL_S)
    return create_app(
        settings,
        store=store,
        bus=bus,
        clock=store.clock,
        limits=limits,
        webhook_client=LoopbackWebhookClient(),
    )


def stop_with_parent(line: Connection, stop: Callable[[], object]) -> None:
    """Call `stop`, in a separate thread, when asked to; end at once when the starting process is gone."""

    def listen() -> None:
        try:
            while True:
                line.recv()
                stop()
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()


def _run(target: Callable[..., None], line: Connection, log: Path, *arguments: Any) -> None:
    with log.open("ab", buffering=0) as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    target(line, *arguments)
