"""A forked process behaves like a newly started one, which is why so many tests may fork."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forks.process import fork


@pytest.mark.parametrize(
    ("arguments", "typed", "status"),
    [
        (["rules", "check"], b'{"command": "git push"}\n', 0),
        (["nonsense"], b"", 2),
    ],
)
def test_it_prints_the_same_as_a_newly_started_process(
    tmp_path: Path, arguments: list[str], typed: bytes, status: int
) -> None:
    environment = {"ASKBACK_DATA_DIR": str(tmp_path), "PATH": os.environ["PATH"], "COLUMNS": "100"}
    forked_process = fork(*arguments, environment=environment)
    text = forked_process.communicate(typed, timeout=120)
    new_process = subprocess.run(
        [sys.executable, "-m", "askback", *arguments],
        env=environment, input=typed, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert (forked_process.returncode, *text) == (
        new_process.returncode,
        new_process.stdout,
        new_process.stderr,
    )
    assert new_process.returncode == status


def test_a_signal_is_for_one_and_its_number_comes_back(tmp_path: Path) -> None:
    arguments = ("serve", "--port", "0", "--ready-json")
    first_process, second_process = (
        fork(*arguments, environment={"ASKBACK_DATA_DIR": str(tmp_path / name)}) for name in ("a", "b")
    )
    with first_process, second_process:
        for item in (first_process, second_process):
            assert item.stdout is not None
            assert item.stdout.readline()
        first_process.kill()
        assert first_process.wait(120) == -signal.SIGKILL
        assert second_process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            second_process.wait(0)
        second_process.terminate()
        assert second_process.wait(120) == 0
