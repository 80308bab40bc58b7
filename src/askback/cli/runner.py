"""Runs an app on uvicorn, on a socket that is bound already, until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Awaitable, Callable, Generator

import uvicorn

from askback.app import App
from askback.cli.descriptors import DescriptorWatch
from askback.cli.http_protocol import IDLE_S, BoundedHttp
from askback.cli.ws_protocol import AskbackWebSocket

BACKLOG = 2048
LINGER_S = 0.25
GRACE_S = 3


def run_server(app: App, listener: socket.socket, *, ready: Callable[[], Awaitable[None]]) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is awaited once requests are accepted.

    Raises what opening the store raises.
    """
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
        # Only for the address of a client, by which wrong tokens are counted.
        proxy_headers=bool(app.settings.trusted_proxies),
        forwarded_allow_ips=list(app.settings.trusted_proxies),
        timeout_keep_alive=int(IDLE_S),
        server_header=False,
        access_log=False,
        log_config=None,
    )

    async def run() -> None:
        async with app.running():
            watch = asyncio.create_task(DescriptorWatch().run())
            try:
                await Server(config, ready=ready).serve([listener])
            finally:
                watch.cancel()

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(run())


class Server(uvicorn.Server):
    """uvicorn that says when it is ready, and lets go of streams before it stops."""

    def __init__(self, config: uvicorn.Config, *, ready: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept, then say so."""
        await super().startup(sockets)
        await self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, let answers under way finish, cut what has no end: streams and long polls."""
        asyncio.get_running_loop().call_later(LINGER_S, self._cut)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Turn signals into an orderly end, and not raise them again: the store is still to be closed."""
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _cut(self) -> None:
        # uvicorn has told the WebSockets (1012); all these clients come back to the next server.
        for connection in list(self.server_state.connections):
            connection.transport.close()
