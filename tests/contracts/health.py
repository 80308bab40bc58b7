"""The health of a store."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from askback.errors import Unavailable
from askback.ports.health import Counts
from askback.ports.store import Store
from tests.contracts.resumes import lease_resumes, resume, settled
from tests.contracts.samples import NOON, record, request_created
from tests.contracts.suite import StoreSuite
from tests.contracts.webhooks import DEAD, delivery, queued


class HealthContracts(StoreSuite):
    """Whether it can be written, and its backlog."""

    async def test_an_empty_store_has_nothing_waiting(self, store: Store) -> None:
        assert await store.counts(now_ms=NOON) == Counts()

    async def test_open_requests_are_counted_over_all_tenants(self, store: Store) -> None:
        for n, tenant in ((8, "main"), (9, "other")):
            row = record(n, tenant=tenant)
            await store.insert(row, request_created(row))
        await settled(store, resume(1), resume(2, requester="tok_2"), resume(3, requester="tok_2"))
        await lease_resumes(store, until=NOON + 60)
        hook = await queued(store, delivery(1), delivery(2), delivery(3))
        [first_delivery, *_] = await store.lease_deliveries(hook, now_ms=NOON, until_ms=NOON + 60, limit=9)
        await store.note_attempt(first_delivery, state=DEAD, next_at=NOON, note=None)
        assert await store.counts(now_ms=NOON) == Counts(
            {"form": 2}, resumes_waiting=2, resumes_leased=1, deliveries_waiting=2, deliveries_dead=1
        )
        assert (await store.counts(now_ms=NOON + 60)).resumes_waiting == 3

    @pytest.mark.usefixtures("impatient")
    async def test_a_store_that_cannot_be_written_is_reported_and_still_counted(self, tmp_path: Path) -> None:
        async with self.opened(tmp_path) as store:
            await store.check_writable()
            with self.outage(store, tmp_path):
                with pytest.raises(Unavailable):
                    await store.check_writable()
                assert await store.counts(now_ms=NOON) == Counts()
            await store.check_writable()

    async def test_the_schema_is_that_of_the_last_migration(self, store: Store) -> None:
        schema = store.schema()
        folder = files(f"askback.storage.{schema.database}") / "migrations"
        assert schema.version == max(
            int(item.name[:4]) for item in folder.iterdir() if item.name.endswith(".sql")
        )

    async def test_the_writer_reports_its_work(self, store: Store) -> None:
        pressure_before = store.pressure()
        row = record(1)
        await store.insert(row, request_created(row))
        pressure_after = store.pressure()
        assert pressure_after.changes - pressure_before.changes in (0, 1)  # none where there is no writer
        assert (
            pressure_after.groups - pressure_before.groups == pressure_after.changes - pressure_before.changes
        )
        assert pressure_after.queued == 0
