"""`make soak`: kills without end, for `SOAK_MINUTES`: over SQLite, over Postgres, and two servers on one. Says each seed.

It ends with a fault. `python -m tests.fault.soak SEED sqlite` (or `postgres`, or `servers`) plays one scene again.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import anyio

from tests.fault import kill
from tests.fault.site import site
from tests.fault.troubles import CRASHES, PARTITIONS

KILLS = 50
KINDS = {
    "sqlite": kill.Scene(seed=0, kills=KILLS),
    "postgres": kill.Scene(seed=0, kills=KILLS, troubles=CRASHES),
    "servers": kill.Scene(seed=0, kills=KILLS, servers=2, hosts=6, troubles=(*CRASHES, *PARTITIONS)),
}


async def play(seed: int, kind: str) -> kill.Report:
    """Play one scene in a folder of its own."""
    scene = replace(KINDS[kind], seed=seed)
    with tempfile.TemporaryDirectory(prefix="askback-soak-") as made:
        if not scene.troubles:
            return await kill.run(Path(made), scene)
        async with site(scene.servers) as place:
            return await kill.run(Path(made), scene, site=place)


def main() -> int:
    """Play scenes until the time is over; return how many faults were found."""
    given = sys.argv[1:]
    seed = int(given[0]) if given else time.time_ns() % 10**9
    kinds = given[1:] or list(KINDS)
    end = time.monotonic() + 60 * float(os.environ.get("SOAK_MINUTES", "60"))
    while True:
        for kind in kinds:
            print(f"seed {seed}, {kind}:", end=" ", flush=True)
            report = anyio.run(play, seed, kind)
            print(f"{report.kills} kills, {report.ended} ends, {report.went_on} resumes", flush=True)
            if report.faults:
                print(*report.faults, sep="\n")
                return 1
        if len(given) > 1 or time.monotonic() > end:
            return 0
        seed += 1


if __name__ == "__main__":
    sys.exit(main())
