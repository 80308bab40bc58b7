"""Repeat a job of the server."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import NoReturn

import anyio

from askback.errors import Unavailable

log = logging.getLogger(__name__)


async def repeat(job: Callable[[], Awaitable[object]], *, interval_s: float, failure: str) -> NoReturn:
    """Run a job forever, with a pause after each run; an error is logged with `failure` and does not end it."""
    while True:
        try:
            await job()
        except Unavailable:
            log.warning("%s: the store cannot be used; it is tried again", failure)
        except Exception:
            log.exception("%s; it is tried again", failure)
        await anyio.sleep(interval_s)
