"""Erase unused files, step by step: dropped ones, and uploads that have stopped."""

from __future__ import annotations

from askback.service.context import Services
from askback.service.repeat import repeat

INTERVAL_S = 30.0


async def run_file_sweep(ctx: Services) -> None:
    """Sweep forever; errors are logged, and the next sweep tries again."""
    await repeat(lambda: sweep_files(ctx), interval_s=INTERVAL_S, failure="unused files are kept for now")


async def sweep_files(ctx: Services) -> int:
    """Erase unused files and return the number of steps; each is small, so that writers never wait long."""
    steps = 0
    while await ctx.store.purge_files(before_ms=ctx.clock.now_ms() - ctx.limits.file_upload_s * 1000):
        steps += 1
    return steps
