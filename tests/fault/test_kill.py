"""SIGKILL at random moments: nothing acknowledged is lost, nothing is applied twice, every agent gets one outcome."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest

from tests.fault import kill
from tests.requirements import requirement

KILLS = int(os.environ.get("FAULT_KILLS", "25"))
SEED = int(os.environ.get("FAULT_SEED", "20261120"))
PLANTED = Path(__file__).with_name("planted.py")

pytestmark = [pytest.mark.anyio, pytest.mark.fault, pytest.mark.timeout(900)]


@requirement("G7", "H1", "H4", "H8")
async def test_killing_the_server_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    with anyio.fail_after(30 + KILLS * 5):
        ledger = await kill.run(tmp_path, kills=KILLS, agents=20, seed=SEED)
    assert ledger.faults == [], f"seed {SEED}"
    assert len(ledger.answered) >= KILLS, "too little happened to prove anything"
    assert set(ledger.outcomes) == set(ledger.created)


@pytest.mark.parametrize("fault", ["idempotency_in_memory", "acknowledge_before_commit", "last_writer_wins"])
async def test_a_planted_fault_is_caught(tmp_path: Path, fault: str) -> None:
    command = (sys.executable, str(PLANTED), fault)
    caught: list[str] = []
    with anyio.fail_after(120):
        for turn in range(5):
            folder = tmp_path / str(turn)
            folder.mkdir()
            ledger = await kill.run(folder, kills=4, agents=20, seed=SEED + turn, command=command)
            caught += ledger.faults
            if caught:
                break
    assert caught, f"{fault} went unnoticed"
