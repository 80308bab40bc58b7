"""Measure round trips of one version of askback: a case for each line of input, a line of figures for each.

`bench.compare` runs this file by its path, with the source tree of a version as the working folder and on `PYTHONPATH`:
server, client and persons are all of that version. With `--instructions` the server runs under valgrind's callgrind,
and the figures are the instructions of a round trip in place of times.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import uvloop

from askback import Form
from bench import roundtrip, servers
from bench.payload import questionnaire

_numbers = count()
_TOTALS = re.compile(rb"^totals: (\d+)", re.MULTILINE)
IDLE_S = 5.0
_LOOP = "01"
"""The number of the thread of the event loop."""


def with_new_labels(i: int) -> Form:
    """Return the form of the benchmark with new labels."""
    form, number = questionnaire(i), next(_numbers)
    fields = [field.model_copy(update={"label": f"{field.label} {number}"}) for field in form.fields or ()]
    return form.model_copy(update={"fields": fields})


FORMS = {"repeated": questionnaire, "new": with_new_labels}


class Instructions:
    """Counts the instructions of a server, in place of its CPU time.

    The count begins with the first question, so a start under valgrind takes seconds and not minutes. What the server
    does in the same time without requests is not in the count: the slower the machine, the more often its clocks fire.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started_at: dict[int, float] = {}
        self.loop = 0.0
        """Millions of them by the event loop."""

    def million_instructions(self, server: servers.Server) -> float:
        """Return how many million instructions a server has executed since the last question."""
        pid = server.process.pid
        if pid not in self._started_at:
            _control("--instr=on", pid)
            self._started_at[pid] = time.monotonic()
            return 0.0
        total, loop = self._dump(pid)
        seconds = time.monotonic() - self._started_at[pid]
        time.sleep(IDLE_S)
        idle_count, idle_loop = self._dump(pid)
        self.loop += loop - idle_loop / IDLE_S * seconds
        return total - idle_count / IDLE_S * seconds

    def _dump(self, pid: int) -> tuple[float, float]:
        """Return the millions of instructions since the last dump, and those of the event loop."""
        _control("--dump", pid)
        total = loop = 0.0
        for dump in self._folder.glob(f"{pid}.*-*"):
            executed = sum(map(int, _TOTALS.findall(dump.read_bytes()))) / 1e6
            dump.unlink()
            total += executed
            if dump.name.endswith(f"-{_LOOP}"):
                loop += executed
        return total, loop


def _control(action: str, pid: int) -> None:
    subprocess.run(["callgrind_control", action, str(pid)], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def _counting_instructions() -> Generator[Instructions]:
    """Start servers under callgrind, and count their instructions, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        instructions = Instructions(Path(folder))
        python = Path(folder) / "python"
        options = (
            f"--tool=callgrind --instr-atstart=no --separate-threads=yes --callgrind-out-file={folder}/%p"
        )
        python.write_text(f'#!/bin/sh\nexec valgrind {options} {shlex.quote(sys.executable)} "$@"\n')
        python.chmod(0o700)
        old_executable, cpu_seconds = sys.executable, servers.Server.cpu_seconds
        sys.executable = str(python)  # `servers.serve` starts servers with it
        servers.Server.cpu_seconds = lambda self: instructions.million_instructions(self)
        try:
            yield instructions
        finally:
            sys.executable, servers.Server.cpu_seconds = old_executable, cpu_seconds


def main() -> None:
    """Measure `{"backend", "fields", "at_once", "total"}` until the input ends."""
    counts = "--instructions" in sys.argv
    with servers.Databases() as databases:
        for line in sys.stdin:
            case = json.loads(line)
            roundtrip.questionnaire = FORMS[case["fields"]]
            backend = case["backend"]
            with (
                databases.new(backend) as url,
                _counting_instructions() if counts else nullcontext() as instructions,
                servers.serve(url, servers=servers.STORES[backend]) as site,
            ):
                figures: dict[str, Any] = uvloop.run(
                    roundtrip.case(site, databases, case["at_once"], case["total"])
                )
            if instructions is not None:
                figures = {
                    "instructions_k": round(figures["server_cpu_us"] / 1000),
                    "loop_instructions_k": round(instructions.loop / case["total"] * 1000),
                }
            print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
