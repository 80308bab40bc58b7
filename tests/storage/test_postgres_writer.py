"""The writer of Postgres: groups, numbers with several servers, and connections lost at any moment."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from askback.domain.audit import verify_chain
from askback.domain.events import Event
from askback.errors import StoreUnusable, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.resumes import Resume
from askback.storage.postgres import Database, PostgresStore, queries
from askback.storage.postgres.connection import Timeouts
from askback.storage.postgres.kept_connection import KeptConnection
from tests.contracts.samples import answer, claim, entry, record, request_created, request_id
from tests.postgres_server import PostgresServer
from tests.storage.postgres_cut import cutter

pytestmark = pytest.mark.anyio
END_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture
async def database(postgres: PostgresServer) -> AsyncIterator[Database]:
    """A database that is up to date and empty."""
    name = await postgres.new()
    yield postgres.database(name)
    await postgres.drop(name)


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose name is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="askback-cut-") as folder:
        yield Path(folder)


@asynccontextmanager
async def open_stores(*databases: Database) -> AsyncIterator[Sequence[PostgresStore]]:
    """A store on each, as of so many servers."""
    stores = [PostgresStore(item) for item in databases]
    for store in stores:
        await store.open()
    yield stores
    for store in stores:
        await store.close()


async def put(store: PostgresStore, n: int, *, thread: str = "t1", effects: SideEffects = NOTHING) -> Outcome:
    """Store the n-th request, with a key."""
    row = record(n, thread=thread)
    return (await store.insert(row, request_created(row), claim(f"k{n}"), effects)).outcome


# Groups


async def test_changes_that_wait_share_a_commit_and_a_notice(database: Database) -> None:
    async with open_stores(database) as (store,):
        notices: list[object] = []
        line = await store.subscribe(notices.append)
        await asyncio.gather(*(put(store, n, thread=f"t{n % 7}") for n in range(600)))
        finished_pressure = store.pressure()
        await line.close()
    assert (finished_pressure.changes, finished_pressure.queued) == (600, 0)
    assert finished_pressure.groups <= 20
    assert len(notices) <= finished_pressure.groups


async def test_a_group_of_many_tenants_threads_and_steps_gets_each_its_own(database: Database) -> None:
    events: list[Event] = []
    store = PostgresStore(database, on_commit=events.extend)
    await store.open()
    old = [record(n, tenant=f"n{n % 3}", thread=f"t{n % 5}") for n in range(30)]
    new = [record(n, tenant=f"n{n % 3}", thread=f"t{n % 7}") for n in range(30, 60)]  # in two new threads too
    await asyncio.gather(*(store.insert(row, request_created(row)) for row in old))
    changes = await asyncio.gather(
        *(store.insert(row, request_created(row)) for row in new),
        *(store.settle(answer(row, row.id), claim(f"a{n}", tenant=row.tenant)) for n, row in enumerate(old)),
    )
    for row, change in zip([*new, *old], changes, strict=True):
        assert change is not None
        assert change.outcome is Outcome.APPLIED
        assert await store.get(row.tenant, row.id) == change.record
    for tenant in ("n0", "n1", "n2"):
        entries = [event for event in events if event.tenant == tenant]
        assert [event.position for event in entries] == list(range(1, 31))
        assert [event.text for event in entries] == [
            event.text for event in await store.tenant_events(tenant, after=0)
        ]
    await store.close()


async def test_a_step_with_a_resume_shares_its_group_with_new_requests(database: Database) -> None:
    resumes = [Resume(f"rsm_{n}", "main", "t1", "tok_1", request_id(n), 9, n == 1) for n in range(3)]
    async with open_stores(database) as (store,):
        await asyncio.gather(*(put(store, n) for n in range(3)))
        groups_before = store.pressure().groups
        await asyncio.gather(
            put(store, 9),
            *(
                store.settle(answer(record(n)), None, SideEffects(resumes=(resume,)))
                for n, resume in enumerate(resumes)
            ),
        )
        assert store.pressure().groups == groups_before + 1
        stored = [await store.resume_of("main", request_id(n)) for n in range(3)]
    assert [item and item.resume for item in stored] == resumes


async def test_a_statement_is_planned_once(database: Database) -> None:
    kept_connection = KeptConnection(database)
    connection = await kept_connection.connection()
    for _ in range(10):
        await connection.fetch(queries.SETTLE, *[[]] * 16)
    planned = await connection.fetchval(
        "SELECT custom_plans FROM pg_prepared_statements WHERE statement = $1", queries.SETTLE
    )
    await kept_connection.close()
    assert planned == 0


async def test_changes_of_one_row_are_made_in_the_order_in_which_they_came(database: Database) -> None:
    async with open_stores(database) as (store,):
        row = record(1)
        await store.insert(row, request_created(row))
        changes = await asyncio.gather(*(store.settle(answer(row, f"{n}")) for n in range(30)))
        assert [change.outcome for change in changes if change is not None] == [
            Outcome.APPLIED,
            *[Outcome.LOST] * 29,
        ]


async def test_a_caller_that_left_before_its_group_began_takes_its_change_along(database: Database) -> None:
    async with open_stores(database) as (store,):
        calls = [asyncio.ensure_future(put(store, n)) for n in range(20)]
        for call in calls[::2]:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert len(await store.list_requests("main")) == 10


async def test_closing_finishes_pending_work_and_refuses_later_calls(database: Database) -> None:
    store = PostgresStore(database)
    await store.open()
    calls = [asyncio.ensure_future(put(store, n)) for n in range(300)]
    await asyncio.sleep(0)
    await store.close()
    assert set(await asyncio.gather(*calls)) == {Outcome.APPLIED}
    for late_call in (put(store, 999), store.get("main", "x"), store.write(SideEffects())):
        with pytest.raises(Unavailable, match="closed"):
            await late_call
    await store.close()


# Several servers


async def test_a_reader_that_follows_the_positions_misses_nothing_while_three_servers_commit(
    database: Database,
) -> None:
    async with open_stores(database, database, database, database) as (*writers, reader):
        total = 240
        events: list[Event] = []

        async def follow() -> None:
            while len(events) < total:
                position = events[-1].position if events else 0
                events.extend(await reader.tenant_events("main", after=position, limit=7))

        with anyio.fail_after(120):
            writing = [put(writers[n % 3], n, thread=f"t{n % 4}") for n in range(total)]
            await asyncio.gather(follow(), *writing)
        assert [event.position for event in events] == list(range(1, total + 1))
        for thread in range(4):
            seqs = [event.seq for event in events if event.thread_id == f"t{thread}"]
            assert seqs == list(range(1, len(seqs) + 1))


async def test_three_servers_that_change_the_same_rows_lose_nothing_without_deadlock(
    database: Database,
) -> None:
    chance = random.Random(20261121)
    async with open_stores(database, database, database) as stores:
        rows = [record(n, thread=f"t{n % 5}") for n in range(60)]
        await asyncio.gather(*(stores[0].insert(row, request_created(row)) for row in rows))
        tries = [(store, row) for store in stores for row in rows]
        chance.shuffle(tries)
        with anyio.fail_after(120):
            changes = await asyncio.gather(
                *(
                    s.settle(answer(row, s.origin), None, SideEffects(audit=(entry(row.id),)))
                    for s, row in tries
                )
            )
        won = [
            change.record for change in changes if change is not None and change.outcome is Outcome.APPLIED
        ]
        assert sorted(record.id for record in won) == [row.id for row in rows]
        log = await stores[0].audit("main", limit=1_000)
        assert len(log) == 60
        assert verify_chain(log) == await stores[1].audit_head("main")


async def test_one_of_two_servers_with_the_same_idempotency_key_stores(database: Database) -> None:
    async with open_stores(database, database) as (one, two):
        for n in range(20):
            reply = await asyncio.gather(put(one, n), put(two, n))
            assert sorted(outcome.value for outcome in reply) == ["applied", "replayed"]


async def test_a_server_that_stops_in_the_middle_of_a_commit_is_cut_off(database: Database) -> None:
    async with open_stores(database) as (store,):
        await put(store, 1)
        frozen = await replace(database, patience=Timeouts(idle=300)).connect()
        await frozen.execute("BEGIN")
        await frozen.execute("UPDATE positions SET position = position + 1")
        with anyio.fail_after(120):
            assert await put(store, 2) is Outcome.APPLIED
        assert [event.position for event in await store.tenant_events("main", after=0)] == [1, 2]
        frozen.terminate()


# Trouble


async def test_a_connection_that_was_lost_while_idle_is_not_noticed(
    database: Database, postgres: PostgresServer
) -> None:
    async with open_stores(database) as (store,):
        await put(store, 1)
        intruder = await database.connect()
        await intruder.execute(END_OTHERS)
        await intruder.close()
        row = record(1)
        assert await store.get("main", row.id) == row
        assert await put(store, 2) is Outcome.APPLIED


async def test_a_change_in_progress_on_a_lost_connection_fails_and_is_not_stored(
    database: Database,
) -> None:
    async with open_stores(database) as (store,):
        await put(store, 1)
        intruder = await database.connect()
        await intruder.execute("SET idle_in_transaction_session_timeout = 0")
        await intruder.execute("BEGIN")
        await intruder.execute("LOCK TABLE requests IN SHARE MODE")
        calls = [asyncio.ensure_future(put(store, n)) for n in range(2, 30)]
        with anyio.fail_after(120):
            while not await intruder.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0.01)
        await intruder.execute(END_OTHERS)
        reply = await asyncio.gather(*calls, return_exceptions=True)
        await intruder.execute("ROLLBACK")
        await intruder.close()
        failed_numbers = [n for n, outcome in enumerate(reply, 2) if isinstance(outcome, Unavailable)]
        assert failed_numbers
        assert len(await store.list_requests("main", limit=99)) == 29 - len(failed_numbers)
        for n in failed_numbers:
            assert await put(store, n) is Outcome.APPLIED
        seqs = [event.seq for event in await store.thread_events("main", "t1", after=0)]
        assert seqs == list(range(1, 30))


@pytest.mark.parametrize(
    ("effects", "failing_call"),
    [(NOTHING, request_id(2).encode()), (SideEffects(audit=(entry(request_id(2)),)), b"COMMIT\0")],
    ids=["one call", "transaction"],
)
@pytest.mark.parametrize(("moment", "outcome"), [("before", Outcome.APPLIED), ("after", Outcome.REPLAYED)])
async def test_a_connection_lost_at_commit_reports_an_error_and_a_key_makes_the_retry_safe(
    database: Database,
    short_folder: Path,
    moment: str,
    outcome: Outcome,
    effects: SideEffects,
    failing_call: bytes,
) -> None:
    async with cutter(database, short_folder) as (address, cut), open_stores(address) as (store,):
        await put(store, 1)
        setattr(cut, moment, failing_call)
        with pytest.raises(Unavailable, match="not known whether"):
            await put(store, 2, effects=effects)
        assert await put(store, 2, effects=effects) is outcome
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1, 2]


async def test_a_database_that_is_gone_is_unavailable_until_it_is_back(postgres: PostgresServer) -> None:
    name = await postgres.new()
    database = postgres.database(name, Timeouts(connect=2_000))
    async with open_stores(database) as (store,):
        await put(store, 1)
        await postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS FALSE")
        await postgres.run(END_OTHERS.replace("current_database()", f"'{name}'"))
        for call in (put(store, 2), store.get("main", "x"), store.write(SideEffects())):
            with pytest.raises(Unavailable):
                await call
        with pytest.raises(StoreUnusable) as exc_info:
            await PostgresStore(database).open()
        assert database.url not in str(exc_info.value)
        await postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS TRUE")
        with anyio.fail_after(120):
            while True:
                try:
                    assert await put(store, 3) is Outcome.APPLIED
                    break
                except Unavailable:
                    await asyncio.sleep(0.02)
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1, 2]
    await postgres.drop(name)
