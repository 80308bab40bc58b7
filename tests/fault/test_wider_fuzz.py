"""What the ready-made lists read of bash does under real bash what was decided about, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.fault import wider_fuzz
from tests.requirements import requirement

COMMANDS = int(os.environ.get("FUZZ_COMMANDS", "250")) // 5
SEED = int(os.environ.get("FAULT_SEED", "20261120"))
PLANTED_SEED = 3
"""Finds each planted mistake soon, at every run."""

pytestmark = [
    pytest.mark.fault,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not all(map(shutil.which, ("bash", "find", "xargs"))), reason="needs bash and find"),
]


@requirement("N7", "B4")
def test_nothing_that_looks_around_opens_or_runs_anything_else_under_real_bash(tmp_path: Path) -> None:
    report = wider_fuzz.run(COMMANDS, seed=SEED, folder=tmp_path)
    assert report.escapes == [], f"seed {SEED}"
    assert report.executed == COMMANDS, "too few commands were allowed to prove anything"


@pytest.mark.parametrize("fault", wider_fuzz.FAULTS)
def test_a_planted_mistake_in_the_wider_reading_is_found(tmp_path: Path, fault: str) -> None:
    with wider_fuzz.planted(fault):
        report = wider_fuzz.run(600, seed=PLANTED_SEED, folder=tmp_path)
    assert report.escapes != []
