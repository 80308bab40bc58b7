"""A fault planted in the servers of the kill harness is found by the invariant that it breaks."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import anyio
import pytest

from tests.fault import kill, planted
from tests.fault.site import site
from tests.fault.troubles import cut_network_long

SEED = int(os.environ.get("FAULT_SEED", "20261120"))

pytestmark = [pytest.mark.anyio, pytest.mark.fault, pytest.mark.timeout(900)]


@pytest.mark.parametrize("fault", planted.INVARIANTS_BY_FAULT)
async def test_a_planted_fault_is_found(tmp_path: Path, fault: str) -> None:
    breaks, result = planted.INVARIANTS_BY_FAULT[fault], list[str]()
    with anyio.move_on_after(800):
        for turn in itertools.count():
            folder = tmp_path / str(turn)
            folder.mkdir()
            plan = kill.KillPlan(
                seed=SEED + turn, kills=1, agents=25, patience_s=5, fault=fault, everything=True
            )
            result = (await kill.run(folder, plan)).faults
            if breaks & {item.partition(" ")[0] for item in result}:
                return
    pytest.fail(f"{fault} was not found; found at last: {result}")


async def test_an_answer_that_is_acknowledged_before_it_is_stored_is_found_in_a_partition(
    tmp_path: Path,
) -> None:
    fault = "acknowledged before the commit, by servers that share"
    plan = kill.KillPlan(
        seed=SEED, kills=9, agents=24, hosts=4, servers=2, troubles=(cut_network_long,), fault=fault
    )
    with anyio.fail_after(500):
        async with site(servers=2) as running_site:
            report = await kill.run(tmp_path, plan, site=running_site)
    assert "I2" in {item.partition(" ")[0] for item in report.faults}, report
