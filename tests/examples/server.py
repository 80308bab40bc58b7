"""Run the examples, and the server that they find."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forks.process import Process, fork

EXAMPLES = Path(__file__).parents[2] / "examples"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ASKBACK_")}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("server")
    arguments = ("serve", "--port", "0", "--data-dir", str(folder), "--ready-json")
    process = fork(*arguments, environment=ENVIRONMENT, stdin=0, stderr=2)
    assert process.stdout is not None
    assert process.stdout.readline()
    yield folder
    process.terminate()
    process.communicate(timeout=120)


class Running:
    """A running example; its output is text."""

    def __init__(self, process: Process | subprocess.Popen[bytes]) -> None:
        self._process = process
        self.send_signal = process.send_signal

    @property
    def returncode(self) -> int | None:
        """Its status, once it has ended."""
        return self._process.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until it has ended; return its output and its error output."""
        out, err = self._process.communicate(timeout=timeout)
        return out.decode(), err.decode()


def run(example: str, data: Path, *arguments: str, **settings: str) -> Running:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**ENVIRONMENT, "ASKBACK_DATA_DIR": str(data), "PATH": path, **settings}
    if example.endswith(".sh"):
        command = ["sh", str(EXAMPLES / example), *arguments]
        pipe = subprocess.PIPE
        return Running(subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, cwd=data))
    program = str(EXAMPLES / example)
    return Running(fork(*arguments, program=program, environment=environment, folder=data, stdin=0))
