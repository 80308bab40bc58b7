"""The same job with LangGraph, DBOS, Chainlit and FastMCP: asked, shown, answered, and the agent continues.

LangGraph and DBOS keep the question and the answer durably, behind a bare WebSocket server; Chainlit and FastMCP bring
their own and keep nothing. None of them checks the person or the answer.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import uvloop

from bench.measure import emit, latency
from bench.peers.driver import BODY, conversations, pages
from bench.peers.environments import ROOT, python
from bench.servers import Databases

DEGREES = {1: 8, 64: 1}
"""The number of concurrent conversations, and their share of the round trips."""
WARM = 5
"""How often each page of Chainlit is asked before the measurement."""
PATIENCE_S = 60


@contextmanager
def run_program(*command: object, cwd: Path = ROOT) -> Generator[subprocess.Popen[str]]:
    """Run a program until the block ends."""
    words = [str(word) for word in command]
    process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def measure_over_socket(peer: str, store: str, total: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure a peer behind `bench.peers.transport`; on SQLite DBOS polls once a second, so fewer are enough."""
    with Databases() as databases:
        for at_once, part in DEGREES.items():
            with (
                databases.new(store) as url,
                run_program(python(peer), "-m", f"bench.peers.{peer}_engine", url) as process,
            ):
                assert process.stdout is not None
                address = process.stdout.readline().strip()
                polls = peer == "dbos" and store == "sqlite"
                turns = total // part // (8 if polls else 1)
                cpu_before = _cpu(process)
                samples, seconds = uvloop.run(conversations(address, at_once, turns))
                cpu = (_cpu(process) - cpu_before) / (turns + at_once)
            yield f"{peer}_{store}_at_once_{at_once}", _figures(samples, seconds, cpu, durable=True)


def chainlit(total: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure Chainlit, in a separate folder for its files."""
    for at_once, part in DEGREES.items():
        turns = total // part // at_once
        with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as probe:
            folder, port = Path(name), probe.getsockname()[1]
            probe.close()
            shutil.copy(Path(__file__).with_name("chainlit_app.py"), folder / "server/app.py")
            task = {"content": json.dumps(BODY), "turns": turns, "warm": WARM}
            (folder / "question.json").write_text(json.dumps(task))
            command = [
                python("chainlit"),
                "-m",
                "chainlit",
                "run",
                "server/app.py",
                "--headless",
                "--port",
                port,
            ]
            with run_program(*command, "--host", "127.0.0.1", cwd=folder) as process:
                wait_for_port(port)
                cpu_before = _cpu(process)
                samples, seconds = uvloop.run(pages(port, at_once))
                cpu = (_cpu(process) - cpu_before) / (len(samples) + at_once * WARM)
        yield f"chainlit_at_once_{at_once}", _figures(samples, seconds, cpu, durable=False)


def fastmcp(total: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure FastMCP with its own client, in both modes."""
    module = [python("fastmcp"), "-m", "bench.peers.fastmcp_tools"]
    for tool in ("elicit", "input_required"):
        for at_once, part in DEGREES.items():
            turns = total // part
            with run_program(*module, "serve") as process:
                assert process.stdout is not None
                url = process.stdout.readline().strip()
                wait_for_port(int(url.rpartition(":")[2].partition("/")[0]))
                cpu_before = _cpu(process)
                driver_command = [*module, "drive", url, tool, at_once, turns]
                result = subprocess.run(
                    [str(word) for word in driver_command], cwd=ROOT, check=True, capture_output=True
                )
                cpu = (_cpu(process) - cpu_before) / (turns + max(10, at_once))
            outcome = json.loads(result.stdout.splitlines()[-1])
            figures = _figures(outcome["samples"], outcome["seconds"], cpu, durable=False)
            yield f"fastmcp_{tool}_at_once_{at_once}", figures


def _cpu(process: subprocess.Popen[str]) -> float:
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system


def wait_for_port(port: int) -> None:
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < end, "the server did not come up"
            time.sleep(0.05)
        else:
            return


def _figures(samples: list[float], seconds: float, cpu: float, *, durable: bool) -> dict[str, Any]:
    return {
        "cycles_s": round(len(samples) / seconds, 1),
        "server_cpu_us": round(cpu * 1e6, 1),
        **latency(samples),
        "durable": durable,
    }


def main() -> None:
    """Measure each peer, `--repeat` times, interleaved."""
    measured = {
        **{
            f"{peer}-{store}": lambda total, peer=peer, store=store: measure_over_socket(peer, store, total)
            for peer in ("langgraph", "dbos")
            for store in ("sqlite", "postgres")
        },
        "chainlit": chainlit,
        "fastmcp": fastmcp,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", default=",".join(measured), help="peers, separated by commas")
    parser.add_argument(
        "--total", type=int, default=640, help="round trips with 64 conversations; an eighth of them with one"
    )
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    for _ in range(args.repeat):
        for name in args.peer.split(","):
            for case, figures in measured[name](args.total):
                emit("peers", case, **figures)


if __name__ == "__main__":
    main()
