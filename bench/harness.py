"""What every benchmark here shares: a real server, the payload, the closed loop, one JSON line a case.

A line carries `cal`, how fast the machine was at that moment: compare it before comparing two runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from askback import Boolean, Form, Multiselect, Number, Option, Select, Text

ANSWER = {
    "env": "staging",
    "replicas": 3,
    "features": ["dark", "search"],
    "email": "ada@example.org",
    "confirm": True,
}


def questionnaire(i: int) -> Form:
    """About 1 kB of JSON: what an agent really asks."""
    return Form(
        title="Deployment details",
        description=f"I need a few details before I deploy build {i}.",
        submit_label="Deploy",
        initial_values={"replicas": 2, "env": "staging"},
        fields=[
            Select(
                id="env",
                label="Environment",
                required=True,
                options=[
                    Option(label="Staging (safe)", value="staging"),
                    Option(label="Production", value="prod"),
                    Option(label="Preview per branch", value="preview"),
                ],
            ),
            Number(id="replicas", label="Replicas", min=1, max=20, step=1, required=True),
            Multiselect(
                id="features",
                label="Feature flags",
                options=[
                    Option(label="New checkout", value="checkout"),
                    Option(label="Dark mode", value="dark"),
                    Option(label="Beta search", value="search"),
                ],
            ),
            Text(
                id="email",
                label="Notify",
                pattern="[^@]+@[^@]+",
                max_length=120,
                placeholder="you@example.org",
                description="Who gets the report once the deployment is done.",
            ),
            Boolean(id="confirm", label="Run the migrations first", required=True),
        ],
    )


@dataclass
class Server:
    """A running `askback serve`."""

    process: subprocess.Popen[bytes]
    url: str
    requester: str
    responder: str

    def cpu_seconds(self) -> float:
        """CPU time that the server has used so far, user and system."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def rss_bytes(self) -> int:
        """Resident memory of the server."""
        return psutil.Process(self.process.pid).memory_info().rss


@contextmanager
def serve() -> Iterator[Server]:
    """Run a server on a fresh SQLite file in `BENCH_TMP` (the disk to measure) until the block ends."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_TMP")) as data:
        command = [
            sys.executable,
            "-m",
            "askback",
            "serve",
            "--port",
            "0",
            "--ready-json",
            "--data-dir",
            data,
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            yield Server(process, ready["url"], ready["requester_token"], ready["responder_token"])
        finally:
            process.terminate()
            process.wait(10)


async def closed_loop(
    workers: int, total: int, cycle: Callable[[int], Awaitable[None]]
) -> tuple[list[float], float]:
    """Let `workers` tasks run `cycle(i)` until `total` are done; return the latencies and the time, in seconds."""
    turns = iter(range(total))
    latencies: list[float] = []

    async def work() -> None:
        for i in turns:
            began = time.perf_counter()
            await cycle(i)
            latencies.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(workers)))
    return latencies, time.perf_counter() - began


def latency(samples: Sequence[float]) -> dict[str, float]:
    """Median and tails in milliseconds of samples in seconds."""
    ordered = sorted(samples)
    return {
        "p50_ms": round(statistics.median(ordered) * 1e3, 3),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)] * 1e3, 3),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)] * 1e3, 3),
    }


def calibrate() -> dict[str, float]:
    """Measure a bare Python loop and a bare flush, so that two runs can be told apart from two machines."""
    began = time.perf_counter()
    for _ in range(400_000):
        pass
    loop = time.perf_counter() - began
    with tempfile.NamedTemporaryFile(dir=os.environ.get("BENCH_TMP")) as file:
        flushes: list[float] = []
        for _ in range(50):
            file.write(b"x" * 8192)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            flushes.append(time.perf_counter() - began)
    return {
        "py_loop_ms": round(loop * 1e3, 2),
        "fdatasync_us": round(statistics.median(flushes) * 1e6, 1),
        "load": round(os.getloadavg()[0], 2),
    }


def emit(bench: str, case: str, **figures: Any) -> None:
    """Print one measured case as a JSON line, and append it to `BENCH_OUT` when that is set."""
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "cal": calibrate()}
    line = json.dumps({"bench": bench, "case": case, **figures, **machine})
    print(line, flush=True)
    if out := os.environ.get("BENCH_OUT"):
        with Path(out).open("a") as file:
            file.write(line + "\n")
