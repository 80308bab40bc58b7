"""`make soak`: kills without end, over SQLite and over Postgres in turn, for `SOAK_MINUTES`. Says each seed; ends with a fault.

`python -m tests.fault.soak SEED sqlite` (or `postgres`) plays one scene again.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import anyio

from tests.fault import kill
from tests.fault.crashing import running

KILLS = 50


async def scene(seed: int, *, postgres: bool) -> kill.Report:
    """Play one scene in a folder of its own, with a database that can crash where it is Postgres."""
    with tempfile.TemporaryDirectory(prefix="askback-soak-") as made:
        play = partial(kill.run, Path(made), kill.Scene(seed=seed, kills=KILLS))
        if not postgres:
            return await play()
        async with running() as server:
            name = await server.new()
            return await play(database_url=server.database(name).url, database=server)


def main() -> int:
    """Play scenes until the time is over; return how many faults were found."""
    given = sys.argv[1:]
    seed = int(given[0]) if given else time.time_ns() % 10**9
    kinds = given[1:] or ["sqlite", "postgres"]
    end = time.monotonic() + 60 * float(os.environ.get("SOAK_MINUTES", "60"))
    while True:
        for kind in kinds:
            print(f"seed {seed}, {kind}:", end=" ", flush=True)
            report = anyio.run(partial(scene, seed, postgres=kind == "postgres"))
            print(f"{report.kills} kills, {report.ended} ends, {report.went_on} resumes", flush=True)
            if report.faults:
                print(*report.faults, sep="\n")
                return 1
        if len(given) > 1 or time.monotonic() > end:
            return 0
        seed += 1


if __name__ == "__main__":
    sys.exit(main())
