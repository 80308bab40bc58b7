"""The shared parts of all measurements: the closed loop, its statistics, and one JSON line for each case.

A line has `cal`, the speed of the machine at that moment: compare it before comparing two runs. Only the standard
library is used here, so that peers measure in the same way in their own environments.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any


async def closed_loop(
    workers: int, total: int, cycle: Callable[[int], Awaitable[None]]
) -> tuple[list[float], float]:
    """Let `workers` tasks run `cycle(i)` until `total` are done; return the latencies and the time, in seconds."""
    turns = iter(range(total))
    latencies: list[float] = []

    async def work() -> None:
        for i in turns:
            call_started_at = time.perf_counter()
            await cycle(i)
            latencies.append(time.perf_counter() - call_started_at)

    started_at = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(workers)))
    return latencies, time.perf_counter() - started_at


def latency(samples: Sequence[float]) -> dict[str, float]:
    """Median and tails in milliseconds of samples in seconds."""
    ordered = sorted(samples)
    return {
        "p50_ms": round(statistics.median(ordered) * 1e3, 3),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)] * 1e3, 3),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)] * 1e3, 3),
    }


def calibrate() -> dict[str, float]:
    """Measure a bare Python loop and a bare flush, to distinguish a slower run from a slower machine."""
    started_at = time.perf_counter()
    for _ in range(400_000):
        pass
    loop = time.perf_counter() - started_at
    with tempfile.NamedTemporaryFile(dir=os.environ.get("BENCH_TMP")) as file:
        flushes: list[float] = []
        for _ in range(50):
            file.write(b"x" * 8192)
            file.flush()
            started_at = time.perf_counter()
            os.fdatasync(file.fileno())
            flushes.append(time.perf_counter() - started_at)
    return {
        "py_loop_ms": round(loop * 1e3, 2),
        "fdatasync_us": round(statistics.median(flushes) * 1e6, 1),
        "load": round(os.getloadavg()[0], 2),
    }


def emit(bench: str, case: str, **figures: Any) -> None:
    """Print one measured case as a JSON line, and append it to `BENCH_OUT` if that is set."""
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "cal": calibrate()}
    line = json.dumps({"bench": bench, "case": case, **figures, **machine})
    print(line, flush=True)
    if output_file := os.environ.get("BENCH_OUT"):
        with Path(output_file).open("a") as file:
            file.write(line + "\n")
