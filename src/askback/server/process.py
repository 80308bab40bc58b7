"""Runs an app with uvicorn on a bound socket until a signal stops it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import resource
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Generator

import uvicorn

from askback.server.app import App
from askback.server.http_protocol import IDLE_S, BoundedHttp
from askback.server.open_connections import OpenConnections, connection_limit, raise_descriptor_limit
from askback.server.websocket_protocol import AskbackWebSocket

BACKLOG = 2048
LINGER_S = 0.25
"""Seconds for responses that are being written when the server stops; then their connections are closed."""
GRACE_S = 3
"""Seconds for calls that are running then, so that they can store their results."""
DESCRIPTORS_S = 1.0
"""Seconds between two checks whether the process can open another file."""
LOG_INTERVAL_S = 60.0

log = logging.getLogger(__name__)


def run_server(app: App, listener: socket.socket, *, on_ready: Callable[[], Awaitable[None]]) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` is awaited once requests are accepted.

    Raises the errors of opening the store.
    """
    raise_descriptor_limit()
    config = uvicorn.Config(
        app,
        lifespan="off",
        loop="uvloop",
        http=BoundedHttp,
        ws=AskbackWebSocket,
        ws_max_size=app.services.limits.frame_bytes,
        ws_per_message_deflate=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_S,
        # Only for the client address, which is used to count wrong tokens.
        proxy_headers=bool(app.settings.trusted_proxies),
        forwarded_allow_ips=list(app.settings.trusted_proxies),
        timeout_keep_alive=int(IDLE_S),
        server_header=False,
        access_log=False,
        log_config=None,
    )

    async def run() -> None:
        async with app.running():
            watch = DescriptorWatch()
            watching = asyncio.create_task(watch.run())
            try:
                server = UvicornServer(config, on_ready=on_ready, end_connections=app.end_connections)
                server.server_state.connections = OpenConnections(
                    limit=connection_limit(), on_closed=watch.log_closed
                )
                await server.serve([listener])
            finally:
                watching.cancel()

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(run())


class UvicornServer(uvicorn.Server):
    """A uvicorn server that reports when it is ready, and ends streams before it stops."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        on_ready: Callable[[], Awaitable[None]],
        end_connections: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._end_connections = end_connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections and report it."""
        await super().startup(sockets)
        await self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, end lasting connections, and close those that remain after `LINGER_S`."""
        self._end_connections()
        asyncio.get_running_loop().call_later(LINGER_S, self._close_connections)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop in order on a signal, without raising it again: the store has to be closed first."""

        def stop(number: int, _frame: object) -> None:
            self.force_exit = self.should_exit and number == signal.SIGINT
            self.should_exit = True

        # Not `self.handle_exit`: if sse-starlette finds it, which `mcp` uses, it cuts off held calls before they reply.
        previous_handlers = {
            number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in previous_handlers.items():
                signal.signal(number, handler)

    def _close_connections(self) -> None:
        # uvicorn has closed the WebSockets (1012); their clients reconnect to the next server.
        for connection in list(self.server_state.connections):
            connection.transport.close()


class DescriptorWatch:
    """Logs, at most once a minute, that connections are closed or cannot be accepted, and which limit is reached.

    uvloop resets new connections if no descriptor is left, without an error.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._logged_at: float | None = None

    def check(self) -> None:
        """Try to open a descriptor, and log if none is left."""
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._log_limit(error.errno)

    async def run(self) -> None:
        """Check every second until cancelled."""
        while True:
            self.check()
            await asyncio.sleep(DESCRIPTORS_S)

    def log_closed(self) -> None:
        """Log that a connection was closed because there are too many."""
        self._log("too many connections: the oldest without a valid token or session are closed")

    def _log_limit(self, code: int) -> None:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        process_text = (
            f"of this process ({limit}; ulimit -n)" if code == errno.EMFILE else "of the system (fs.file-max)"
        )
        self._log(f"new connections are reset: the limit of open files {process_text} is reached. Raise it")

    def _log(self, message: str) -> None:
        now = self._clock()
        if self._logged_at is None or now - self._logged_at >= LOG_INTERVAL_S:
            self._logged_at = now
            log.error("%s", message)
