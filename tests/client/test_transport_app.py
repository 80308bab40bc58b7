"""An app in the same process: it runs while it has clients, and a client that gives up does not stop its start."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback.client.transport_app import AppFailed, AppTransport
from askback.server.app import create_app
from askback.server.settings import load


class SlowApp:
    """An app that starts when it is told to, by raising `error` or by completing its startup."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.go = asyncio.Event()
        self.starts = self.ends = 0
        self._error = error

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "lifespan"
        await receive()
        self.starts += 1
        await self.go.wait()
        if self._error is not None:
            raise self._error
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.ends += 1
        await send({"type": "lifespan.shutdown.complete"})

    async def token(self, role: str) -> str:
        return role


async def abort_start(transport: AppTransport) -> None:
    """Begin to start the app, and leave before it has started."""
    with anyio.move_on_after(0.01):
        await transport.token()


async def test_a_client_after_an_abandoned_one_waits_for_the_start():
    app = SlowApp()
    await abort_start(AppTransport(app, None))
    second_app_transport = AppTransport(app, None)
    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(second_app_transport.token)
            await anyio.wait_all_tasks_blocked()
            assert (app.starts, second_app_transport._lifespan) == (1, None)  # pyright: ignore[reportPrivateUsage]
            app.go.set()
        await second_app_transport.close()
    assert (app.starts, app.ends) == (1, 1)


@pytest.mark.parametrize("error", [ValueError("no disk"), asyncio.CancelledError()])
async def test_a_client_after_an_abandoned_one_gets_the_startup_error(error: BaseException):
    app = SlowApp(error)
    await abort_start(AppTransport(app, None))
    app.go.set()
    with anyio.fail_after(120), pytest.raises(AppFailed, match="The app failed at startup"):
        await AppTransport(app, None).token()


async def test_a_cancelled_app_ends_its_threads(tmp_path: Path):
    threads = set(threading.enumerate())
    started = anyio.Event()

    async def run() -> None:
        async with create_app(load({}, data_dir=tmp_path)).running():
            started.set()
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await started.wait()
        tasks.cancel_scope.cancel()
    ending = [item for item in set(threading.enumerate()) - threads if item.name.startswith("askback")]
    for thread in ending:
        await anyio.to_thread.run_sync(thread.join, 30)
    assert [thread.name for thread in ending if thread.is_alive()] == []
