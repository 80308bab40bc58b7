"""Two servers on one Postgres, cut off from it and from each other, wait or refuse, and report nothing wrong."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from tests.fault import kill
from tests.fault.pace import LIMITS
from tests.fault.partition import Cut, run_partition, start_two_servers
from tests.fault.relay import Relay
from tests.fault.site import on, site
from tests.fault.troubles import CRASHES, PARTITIONS
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

KILLS = int(os.environ.get("FAULT_KILLS", "5"))
SEED = int(os.environ.get("FAULT_SEED", "20261122"))
BRIEF_S, LONG_S = 0.3, LIMITS.resume_lease_s + 0.2
"""Shorter than any timeout, and longer than leases and a server's timeouts for its database."""


def refuse(wire: Relay) -> None:
    """End all connections, and refuse new ones."""
    wire.refuses = True
    wire.cut()


def accept(wire: Relay) -> None:
    """Accept connections again."""
    wire.refuses = False


CUTS = {
    "reset": Cut(refuse, accept, BRIEF_S),
    "brief hole": Cut(Relay.stand_still, Relay.go_on, BRIEF_S),
    "forgetful hole": Cut(Relay.stand_still, Relay.restart, LONG_S),
}

pytestmark = [pytest.mark.anyio, pytest.mark.fault, pytest.mark.timeout(900)]


@requirement("H3", "H4", "H5", "H10")
@pytest.mark.parametrize("how", CUTS)
async def test_a_wait_at_a_partitioned_server_gets_the_answer_of_the_other(
    tmp_path: Path, postgres: PostgresServer, how: str
) -> None:
    with anyio.fail_after(500):
        async with on(postgres, servers=2) as server, start_two_servers(tmp_path, server) as pair:
            await run_partition(pair, server.wires[0], CUTS[how])
    assert pair.faults == []


@requirement("H3", "H4", "H5", "H10")
async def test_two_servers_lose_and_repeat_nothing_under_database_faults(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(500 + KILLS * 15):
        async with site(servers=2) as running_site:
            troubles = (*CRASHES, *PARTITIONS)
            plan = kill.KillPlan(
                seed=SEED, kills=KILLS * 3 // 4, hosts=4, agents=24, servers=2, troubles=troubles
            )
            report = await kill.run(tmp_path, plan, site=running_site)
    assert report.faults == [], f"seed {SEED}"
    assert report.troubles.total() >= 2
    assert report.went_on > 0
