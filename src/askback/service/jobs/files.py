"""Erase unused files, step by step: dropped ones, and uploads that have stopped."""

from __future__ import annotations

import logging

import anyio

from askback.errors import Unavailable
from askback.service.context import Services

INTERVAL_S = 30.0

log = logging.getLogger(__name__)


async def run_file_sweep(ctx: Services) -> None:
    """Sweep forever; a store that cannot be written is tried again at the next sweep."""
    while True:
        try:
            await sweep_files(ctx)
        except Unavailable:
            log.warning("unused files are kept for now: the store cannot be written")
        except Exception:
            log.exception("unused files could not be erased; it is tried again")
        await anyio.sleep(INTERVAL_S)


async def sweep_files(ctx: Services) -> int:
    """Erase unused files and return the number of steps; each is small, so that writers never wait long."""
    steps = 0
    while await ctx.store.purge_files(before_ms=ctx.clock.now_ms() - ctx.limits.file_upload_s * 1000):
        steps += 1
    return steps
