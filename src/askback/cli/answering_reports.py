"""While a person answers in the terminal, show who else is answering the request, and report this person to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress

from askback.cli.language import language
from askback.cli.terminal import Terminal
from askback.client import AsyncClient
from askback.domain.request import InputRequest
from askback.errors import AskbackError
from askback.messages import translate

REPORT_INTERVAL_S = 5.0
"""Seconds between two reports."""
COUNTS_S = 10.0
"""How long a report is valid."""
STOP_S = 1.0
"""The time limit of the report that the person has stopped."""
TYPING_S = 60.0
"""How long after a line the person counts as typing the next one: a terminal delivers only whole lines."""


@asynccontextmanager
async def answering(client: AsyncClient, terminal: Terminal, request: InputRequest) -> AsyncGenerator[None]:
    """Report and show who is answering a request, until the block ends.

    A lost or refused report does not affect the answer.
    """
    terminal.typed.clear()
    reporter = _Reporter(client, terminal, request)
    tasks = [
        asyncio.create_task(reporter.run()),
        asyncio.create_task(_show_others(client, terminal, request)),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await reporter.stop()


class _Reporter:
    """Tells the server that this person is answering, from the first line on."""

    def __init__(self, client: AsyncClient, terminal: Terminal, request: InputRequest) -> None:
        self._client = client
        self._terminal = terminal
        self._request = request
        self._active = False

    async def run(self) -> None:
        clock = asyncio.get_running_loop()
        typed_at = 0.0
        while True:
            if clock.time() > typed_at + TYPING_S:
                await self._terminal.typed.wait()
            if self._terminal.typed.is_set():
                self._terminal.typed.clear()
                typed_at = clock.time()
            await self._report(active=True)
            await asyncio.sleep(REPORT_INTERVAL_S)

    async def stop(self) -> None:
        """Withdraw the report, unless that takes long: it is valid for ten seconds at most."""
        if self._active:
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await self._report(active=False)

    async def _report(self, *, active: bool) -> None:
        self._active = active
        with suppress(AskbackError):
            await self._client.mark_answering(self._request, active=active)


async def _show_others(client: AsyncClient, terminal: Terminal, request: InputRequest) -> None:
    clock = asyncio.get_running_loop()
    shown_until = dict[str, float]()
    with suppress(AskbackError):
        async with aclosing(client.answering(request.thread_id)) as reports:
            async for report in reports:
                if report.request_id != request.id:
                    continue
                if report.active and shown_until.get(report.by.id, 0.0) < clock.time():
                    terminal.notice(f"{translate('ui.answering.single', language(), names=report.by.name)}.")
                shown_until[report.by.id] = clock.time() + COUNTS_S if report.active else 0.0
