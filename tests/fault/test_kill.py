"""SIGKILL at random moments: nothing acknowledged is lost, nothing is applied twice, every waiter gets one outcome."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from tests.fault import kill
from tests.fault.site import site
from tests.fault.troubles import CRASHES
from tests.requirements import requirement

KILLS = int(os.environ.get("FAULT_KILLS", "4"))
SEED = int(os.environ.get("FAULT_SEED", "20261120"))

pytestmark = [pytest.mark.anyio, pytest.mark.fault, pytest.mark.timeout(900)]


@requirement("G7", "H1", "H2", "H4", "H5", "H8")
async def test_killing_the_server_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    with anyio.fail_after(500 + KILLS * 5):
        report = await kill.run(tmp_path, kill.KillPlan(seed=SEED, kills=KILLS))
    assert report.faults == [], f"seed {SEED}"
    assert report.kills >= KILLS
    assert report.answered_count >= KILLS, "too little happened to prove anything"
    assert report.went_on > 0


@requirement("H1", "H4", "H5", "H8")
async def test_a_crash_of_postgres_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    with anyio.fail_after(500 + KILLS * 10):
        async with site() as running_site:
            plan = kill.KillPlan(seed=SEED, kills=KILLS // 2, agents=25, troubles=CRASHES)
            report = await kill.run(tmp_path, plan, site=running_site)
    assert report.faults == [], f"seed {SEED}"
    assert report.troubles.total() > 0
    assert report.went_on > 0


async def test_an_answer_that_is_acknowledged_before_it_is_stored_is_found(tmp_path: Path) -> None:
    """`tests/planted` has all faults."""
    fault = "acknowledged before the commit"
    plan = kill.KillPlan(seed=SEED, kills=1, agents=25, patience_s=5, fault=fault, everything=True)
    with anyio.fail_after(120):
        report = await kill.run(tmp_path, plan)
    assert "I2" in {item.partition(" ")[0] for item in report.faults}
