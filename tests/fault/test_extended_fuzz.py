"""Commands that the built-in lists allow do exactly what was decided about under real bash."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fault import extended_fuzz
from tests.requirements import requirement

COMMANDS = int(os.environ.get("FUZZ_COMMANDS", "250")) // 5
SEED = int(os.environ.get("FAULT_SEED", "20261120"))
PLANTED_SEED = 3
"""A seed that finds each planted mistake soon."""

pytestmark = [
    pytest.mark.fault,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not all(map(shutil.which, ("bash", "find", "xargs"))), reason="needs bash and find"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder on the disk: the policy treats paths below /dev, such as the tests' memory disk, as devices."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made_folder:
        yield Path(made_folder)


@requirement("N7", "B4")
def test_nothing_that_looks_around_opens_or_runs_anything_else_under_real_bash(folder: Path) -> None:
    report = extended_fuzz.run(COMMANDS, seed=SEED, folder=folder)
    assert report.escapes == [], f"seed {SEED}"
    assert report.executed == COMMANDS, "too few commands were allowed to prove anything"


def test_a_planted_mistake_in_the_wider_reading_is_found(folder: Path) -> None:
    """`tests/planted` has all mistakes."""
    with extended_fuzz.plant_mistake("cd always succeeds"):
        assert extended_fuzz.run(600, seed=PLANTED_SEED, folder=folder).escapes != []
