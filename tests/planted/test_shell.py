"""Mistakes planted in the reading of shell commands are found by running commands in bash."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fault import extended_fuzz, shell_fuzz
from tests.fault.test_extended_fuzz import PLANTED_SEED as EXTENDED_SEED
from tests.fault.test_extended_fuzz import folder as folder  # noqa: PLC0414 - a fixture
from tests.fault.test_shell_fuzz import PLANTED_SEED

pytestmark = [pytest.mark.fault, pytest.mark.timeout(900)]


@pytest.mark.parametrize("fault", shell_fuzz.FAULTS)
def test_a_planted_mistake_in_the_reading_is_found(tmp_path: Path, fault: str) -> None:
    with shell_fuzz.plant_mistake(fault):
        assert shell_fuzz.run(1500, seed=PLANTED_SEED, folder=tmp_path).escapes != []


@pytest.mark.parametrize("fault", extended_fuzz.FAULTS)
def test_a_planted_mistake_in_the_wider_reading_is_found(folder: Path, fault: str) -> None:
    with extended_fuzz.plant_mistake(fault):
        assert extended_fuzz.run(600, seed=EXTENDED_SEED, folder=folder).escapes != []
