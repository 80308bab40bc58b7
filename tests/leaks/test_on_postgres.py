"""Requirements E5 and H12 on Postgres: no value is in its tables, its write-ahead log, its own log, or a dump."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.keyhouse import ring
from tests.leaks.canary import Canary
from tests.leaks.crashes import check_values_in_transit, submissions_in_transit
from tests.leaks.evidence import leaks
from tests.leaks.handovers import submit_values
from tests.leaks.participants import participants
from tests.leaks.postgres import DatabaseFiles
from tests.leaks.serving import Serving
from tests.leaks.witness import Notes
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio]


@requirement("E5", "H12")
async def test_a_value_is_in_no_table_no_log_and_no_dump_of_postgres(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    kept_database_files = DatabaseFiles(postgres, await postgres.new())
    await kept_database_files.begin()
    settings = {"ASKBACK_DATABASE_URL": kept_database_files.url, "ASKBACK_MASTER_KEYS": ring("k1")}
    serving, notes, canaries = Serving(tmp_path, settings=settings), Notes(), list[Canary]()
    try:
        await serving.start()
        async with participants(serving, notes, canaries) as people:
            given = await submit_values(people)
            async with submissions_in_transit(people) as sent_bodies:
                serving.kill()
        await serving.start()
        async with participants(serving, notes, canaries) as people:
            given += await check_values_in_transit(people, sent_bodies)
        serving.stop()
    finally:
        serving.kill()
    traces = await kept_database_files.traces()
    assert leaks([*traces, *serving.traces(), *notes.recordings], canaries) == []
    # That these are the right places is shown by what else was written there, and that all is logged by a statement.
    for store_name in ("file of a table", "write-ahead log", "log of Postgres", "dump"):
        result = b"".join(data for name, data in traces if name == store_name)
        assert b"PLAIN" in result, store_name
        assert b"ab1.k1." in result, store_name
    leased = {leak.origin for leak in leaks((("lease", body) for body in notes.leases), canaries)}
    assert leased == {canary.origin for canary in canaries if any(canary.secret in value for value in given)}
