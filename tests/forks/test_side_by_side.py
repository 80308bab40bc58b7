"""Tests that run in forked processes are each run once, and everything that goes wrong is reported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.side_by_side import SideBySide

def pytest_configure(config):
    config.pluginmanager.register(SideBySide(3))
"""
TESTS = """
import os, warnings
from pathlib import Path
import pytest

@pytest.fixture(scope="session", autouse=True)
def shared(tmp_path_factory):
    yield
    Path("ended", str(os.getpid())).touch()

@pytest.fixture
def broken():
    yield
    raise RuntimeError("the end of the fixture failed")

@pytest.mark.parametrize("number", range(40))
def test_passes(number, tmp_path):
    (tmp_path / "only-here").touch()
    with Path("ran", str(number)).open("x") as file:
        file.write(str(os.getpid()))

def test_fails():
    print("printed before it failed")
    assert 1 + 1 == 3

def test_fails_at_its_end(broken): ...

def test_warns():
    warnings.warn("this is deprecated")

@pytest.mark.skip(reason="not today")
def test_is_skipped(): ...
"""


def _pytest(folder: Path, tests: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(tests)
    for name in ("ran", "ended"):
        (folder / name).mkdir()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-ra",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(folder),
        ".",
    ]
    ended = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120, check=False
    )  # fmt: skip
    return ended.returncode, ended.stdout + ended.stderr


def test_each_test_runs_once_in_one_of_the_processes_and_every_failure_is_shown(tmp_path: Path) -> None:
    status, text = _pytest(tmp_path, TESTS)
    assert status == 1, text
    assert "1 failed, 42 passed, 1 skipped, 1 warning, 1 error" in text
    for part in ("assert (1 + 1) == 3", "printed before it failed", "the end of the fixture failed"):
        assert part in text
    assert "this is deprecated" in text
    assert "not today" in text
    assert len(list((tmp_path / "ran").iterdir())) == 40
    processes = {path.name for path in (tmp_path / "ended").iterdir()}
    assert len(processes) == 3
    assert {path.read_text() for path in (tmp_path / "ran").iterdir()} <= processes


def test_a_process_that_dies_fails_the_run_and_its_test_is_named(tmp_path: Path) -> None:
    status, text = _pytest(tmp_path, "import os\ndef test_dies(): os.kill(os.getpid(), 9)\n")
    assert status == 2, text
    assert "a process ended with -9 in ['test_it.py::test_dies']" in text


def test_a_fault_in_a_module_is_reported_and_nothing_runs(tmp_path: Path) -> None:
    status, text = _pytest(tmp_path, "def test_passes(): ...\nimport nothing_of_this_name\n")
    assert status == 2, text
    assert "1 error during collection" in text
