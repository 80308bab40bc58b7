"""`make soak`: kills for `SOAK_MINUTES`: over SQLite, over Postgres, two servers on one, and a crowd.

The conversations of other systems are played over SQLite and Postgres, and the server is killed before each step at
which nothing is connected. It prints each seed, and stops at a fault. `python -m tests.fault.soak SEED sqlite` (or
`postgres`, `servers`, `crowd`, `conversations`) repeats one plan.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import anyio

from tests import postgres_server
from tests.compat.golden.player import Player
from tests.compat.golden.server import CONVERSATIONS, GoldenServer
from tests.compat.golden.values import Mismatch
from tests.fault import crowd, kill
from tests.fault.site import site
from tests.fault.troubles import CRASHES, PARTITIONS

KILLS = 50
PLANS = {
    "sqlite": kill.KillPlan(seed=0, kills=KILLS),
    "postgres": kill.KillPlan(seed=0, kills=KILLS, troubles=CRASHES),
    "servers": kill.KillPlan(seed=0, kills=KILLS, servers=2, hosts=6, troubles=(*CRASHES, *PARTITIONS)),
}


CROWD = 10_000
PATIENCE_S = 60.0
KINDS = (*PLANS, "crowd", "conversations")


class Outcome(NamedTuple):
    """The faults found, and the number of events."""

    faults: Sequence[str]
    summary: str


async def run_plan(seed: int, kind: str) -> Outcome:
    """Run one plan in a separate folder. A crowd does not use the seed."""
    with tempfile.TemporaryDirectory(prefix="askback-soak-") as folder:
        if kind == "crowd":
            findings = await crowd.run(Path(folder), CROWD, patience_s=PATIENCE_S)
            return Outcome(findings.faults, f"{CROWD} waits of {findings.bytes_per_wait:.0f} bytes")
        plan = replace(PLANS[kind], seed=seed)
        if plan.troubles:
            async with site(plan.servers) as running_site:
                report = await kill.run(Path(folder), plan, site=running_site)
        else:
            report = await kill.run(Path(folder), plan)
    return Outcome(report.faults, f"{report.kills} kills, {report.ended} ends, {report.went_on} resumes")


def converse_twice() -> Outcome:
    """Play all golden conversations with kills, over each database."""
    with (
        tempfile.TemporaryDirectory(prefix="askback-soak-") as folder,
        postgres_server.start_server() as postgres,
    ):
        database = postgres.database(anyio.run(postgres.new)).url
        faults = [
            *anyio.run(converse, Path(folder) / "sqlite", ""),
            *anyio.run(converse, Path(folder) / "pg", database),
        ]
    return Outcome(faults, f"{len(CONVERSATIONS)} conversations over each database")


async def converse(folder: Path, database: str) -> list[str]:
    """Play all golden conversations with kills; return where they differ."""
    folder.mkdir()
    server, faults = GoldenServer(folder, CONVERSATIONS, database=database), list[str]()
    for name, conversation in CONVERSATIONS.items():
        server.start()
        try:
            await Player(server, name, kills=True).play(conversation["steps"])
        except Mismatch as fault:
            faults.append(f"{name} {database}: {fault}")
    server.end()
    return faults


def main() -> int:
    """Carry out plans until the time is over; return the number of faults found."""
    given = sys.argv[1:]
    seed = int(given[0]) if given else time.time_ns() % 10**9
    kinds = given[1:] or list(KINDS)
    end = time.monotonic() + 60 * float(os.environ.get("SOAK_MINUTES", "60"))
    while True:
        for kind in kinds:
            print(f"seed {seed}, {kind}:", end=" ", flush=True)
            outcome = converse_twice() if kind == "conversations" else anyio.run(run_plan, seed, kind)
            print(outcome.summary, flush=True)
            if outcome.faults:
                print(*outcome.faults, sep="\n")
                return 1
        if len(given) > 1 or time.monotonic() > end:
            return 0
        seed += 1


if __name__ == "__main__":
    sys.exit(main())
