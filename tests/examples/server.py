"""Run the examples, and the server that they find."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forks.process import fork

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


def run(example: str, data: Path, *arguments: str, token: str | None = None) -> subprocess.Popen[str]:
    program = "sh" if example.endswith(".sh") else sys.executable
    command = [program, str(EXAMPLES / example), *arguments]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**ENVIRONMENT, "ASKBACK_DATA_DIR": str(data), "PATH": path}
    environment |= {} if token is None else {"ASKBACK_TOKEN": token}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=data
    )
