"""Allowed commands do exactly what was decided about under real bash."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.fault import shell_fuzz
from tests.requirements import requirement

COMMANDS = int(os.environ.get("FUZZ_COMMANDS", "250"))
SEED = int(os.environ.get("FAULT_SEED", "20261120"))
PLANTED_SEED = 6
"""A seed that finds each planted mistake soon."""

pytestmark = [
    pytest.mark.fault,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash"),
]


@requirement("B4", "B5")
def test_no_allowed_command_does_anything_else_under_real_bash(tmp_path: Path) -> None:
    report = shell_fuzz.run(COMMANDS, seed=SEED, folder=tmp_path)
    assert report.escapes == [], f"seed {SEED}"
    assert report.executed == COMMANDS, "too few commands were allowed to prove anything"


def test_a_planted_mistake_in_the_reading_is_found(tmp_path: Path) -> None:
    """`tests/planted` has all mistakes."""
    with shell_fuzz.plant_mistake("patterns are letters"):
        assert shell_fuzz.run(1500, seed=PLANTED_SEED, folder=tmp_path).escapes != []
