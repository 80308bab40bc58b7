"""Run the server's own checks of submissions: validators of forms, and probes of secrets."""

from __future__ import annotations

import logging

import anyio

from askback.domain.record import Record
from askback.errors import Conflict
from askback.service.context import Services
from askback.service.lifecycle.settle import ConcurrentChange
from askback.service.requests.kinds import handlers_of

MAX_CONCURRENT = 32
"""Checks that run at the same time; waiting counts towards their timeout."""

_log = logging.getLogger(__name__)


async def run_checks(ctx: Services) -> None:
    """Check the submissions of this server, forever."""
    free_slots = anyio.Semaphore(MAX_CONCURRENT)

    async def check_and_release(record: Record) -> None:
        async with free_slots:
            await _check_safely(ctx, record)

    async with anyio.create_task_group() as tasks:
        async for record in ctx.submissions:
            tasks.start_soon(check_and_release, record)


async def _check_safely(ctx: Services, record: Record) -> None:
    """Run one check; if it fails, it ends by timeout."""
    try:
        await handlers_of(record).check(ctx, record)
    except (Conflict, ConcurrentChange):
        _log.info("the request %s ended while it was checked", record.id)
    except Exception:  # noqa: BLE001 - one check must not end those of others
        _log.exception("the check of %s was not brought to its end", record.id)
