"""The jobs of a server are repeated, whatever happens to one run."""

from __future__ import annotations

import logging

import anyio
import pytest

from askback.errors import Unavailable
from askback.service.repeat import repeat

pytestmark = pytest.mark.anyio


async def test_a_job_that_fails_is_logged_and_runs_again(caplog: pytest.LogCaptureFixture) -> None:
    outcomes: list[Exception | None] = [Unavailable("full"), OSError("broken"), None]
    third_run = anyio.Event()

    async def job() -> None:
        if (error := outcomes.pop(0)) is not None:
            raise error
        third_run.set()
        await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:

        async def run() -> None:
            await repeat(job, interval_s=0, failure="old threads are kept")

        tasks.start_soon(run)
        with anyio.fail_after(120):
            await third_run.wait()
        tasks.cancel_scope.cancel()
    assert [(entry.levelno, entry.getMessage(), bool(entry.exc_info)) for entry in caplog.records] == [
        (logging.WARNING, "old threads are kept: the store cannot be used; it is tried again", False),
        (logging.ERROR, "old threads are kept; it is tried again", True),
    ]
