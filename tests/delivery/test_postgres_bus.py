"""Servers notify each other through Postgres: the contracts of a bus, with every event committed by another server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import anyio
import asyncpg
import pytest

from askback.delivery.multi_server_bus import MultiServerBus
from askback.domain.events import Event
from askback.ports.bus import (
    Activity,
    Bus,
    FeedItem,
    Listener,
    Notice,
    PersonalChange,
    tenant_topic,
    thread_topic,
)
from askback.storage.postgres import Database, PostgresStore
from askback.testing.bus_contracts import BusContracts
from tests.contracts.samples import answer, message, message_added, record, request_created
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(postgres: PostgresServer) -> AsyncIterator[Database]:
    """A database that is up to date and empty."""
    name = await postgres.new()
    yield postgres.database(name)
    await postgres.drop(name)


class Server:
    """A store and its bus, as in a server."""

    def __init__(self, database: Database, *, poll_s: float = 60.0) -> None:
        self.store = PostgresStore(database, on_commit=lambda events: self.bus.publish(events))
        self.bus = MultiServerBus(self.store, origin=self.store.origin, poll_s=poll_s)

    async def open(self) -> None:
        await self.store.open()
        await self.bus.open()

    async def close(self) -> None:
        await self.bus.close()
        await self.store.close()


@pytest.fixture
async def servers(database: Database) -> AsyncIterator[tuple[Server, Server]]:
    """Two servers on one database."""
    pair = Server(database), Server(database)
    for server in pair:
        await server.open()
    yield pair
    for server in pair:
        await server.close()


class EventListener:
    """The events of a listener, which can be awaited."""

    def __init__(self, bus: Bus, topic: str) -> None:
        self.events: list[Event] = []
        self._more = anyio.Event()
        bus.listen(topic, self._hear)

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        self._more.set()

    async def count(self, number: int) -> list[Event]:
        """Return the events, once there are this many."""
        with anyio.fail_after(120):
            while len(self.events) < number:
                self._more = anyio.Event()
                await self._more.wait()
        return self.events


class FromElsewhere:
    """A bus whose events are all committed by another server, as equal copies of the published ones."""

    def __init__(self, database: Database) -> None:
        self._here, self._there = Server(database), Server(database)
        self._given: list[Event] = []
        self._heard = 0
        self._left: list[str] = []
        self._sent_ids: list[str] = []
        self._foreign_events: list[tuple[str, str | None]] = []
        self._there_are: list[tuple[str, str | None]] = []
        self._more = anyio.Event()

    async def open(self) -> None:
        await self._here.open()
        await self._there.open()
        self._all = EventListener(self._here.bus, tenant_topic("main"))
        self._here.bus.on_dismissal(self._hear_of)
        self._here.bus.on_arrival(self._hear_of_arrival)

    async def close(self) -> None:
        await self._there.close()
        await self._here.close()

    def publish(self, events: Sequence[Event]) -> None:
        self._given += events

    def listen(self, topic: str, listener: Listener) -> Callable[[], None]:
        return self._here.bus.listen(topic, listener)

    def dismiss(self, principal_id: str) -> None:
        self._left.append(principal_id)

    def on_dismissal(self, end: Callable[[str], None]) -> None:
        self._here.bus.on_dismissal(end)

    def arrive(self, tenant: str, thread_id: str | None) -> None:
        self._foreign_events.append((tenant, thread_id))

    def on_arrival(self, notify: Callable[[str, str | None], None]) -> None:
        self._here.bus.on_arrival(notify)

    def report(self, activity: Activity) -> None:
        self._there.bus.report(activity)

    def on_activity(self, notify: Callable[[Activity], None]) -> None:
        self._here.bus.on_activity(notify)

    def tell_person(self, change: PersonalChange) -> None:
        self._there.bus.tell_person(change)

    def on_personal_change(self, notify: Callable[[PersonalChange], None]) -> None:
        self._here.bus.on_personal_change(notify)

    def _hear_of_arrival(self, tenant: str, thread_id: str | None) -> None:
        self._there_are.append((tenant, thread_id))
        self._more.set()

    def _hear_of(self, principal_id: str) -> None:
        self._sent_ids.append(principal_id)
        self._more.set()

    async def wait_for_arrival(self) -> None:
        with anyio.fail_after(120):
            for principal_id in self._left:
                self._there.bus.dismiss(principal_id)
                while principal_id not in self._sent_ids:
                    self._more = anyio.Event()
                    await self._more.wait()
            for position in self._foreign_events:
                self._there.bus.arrive(*position)
                while position not in self._there_are:
                    self._more = anyio.Event()
                    await self._more.wait()
        given, self._given = self._given, []
        for event in given:
            if event.request_id is None:
                draft = message_added(message(), tenant=event.tenant, thread=event.thread_id)
                await self._there.store.add_message(f"m{event.seq}", message(), draft)
            else:
                row = replace(record(1, tenant=event.tenant, thread=event.thread_id), id=event.request_id)
                draft = request_created(row)
                await self._there.store.insert(row, draft)
        self._heard += len(given)
        await self._all.count(self._heard)


class TestBusOfPostgres(BusContracts):
    @pytest.fixture(autouse=True)
    def _use(self, database: Database) -> None:
        self.database = database

    def make_bus(self) -> Bus:
        return FromElsewhere(self.database)

    async def wait_until_delivered(self, bus: Bus) -> None:
        assert isinstance(bus, FromElsewhere)
        await bus.wait_for_arrival()


async def say(server: Server, n: int, *, thread: str = "t1") -> None:
    await server.store.add_message(f"m{n}", message(), message_added(message(), thread=thread))


async def test_a_commit_reaches_the_listeners_of_its_server_once_and_before_the_caller(
    servers: tuple[Server, Server],
) -> None:
    first_server, second_server = servers
    event_listener, other_event_listener = (
        EventListener(first_server.bus, thread_topic("main", "t1")),
        EventListener(second_server.bus, thread_topic("main", "t1")),
    )
    for n in range(1, 4):
        await say(first_server, n)
        assert [event.seq for event in event_listener.events] == list(range(1, n + 1))
    assert await other_event_listener.count(3) == event_listener.events
    await say(second_server, 4)
    await event_listener.count(4)
    assert [event.seq for event in event_listener.events] == [1, 2, 3, 4]


async def test_concurrent_commits_of_two_servers_reach_both_in_commit_order(
    servers: tuple[Server, Server],
) -> None:
    inboxes = [EventListener(server.bus, tenant_topic("main")) for server in servers]
    await asyncio.gather(*(say(servers[n % 2], n, thread=f"t{n % 3}") for n in range(120)))
    heard = [await inbox.count(120) for inbox in inboxes]
    assert heard[0] == heard[1] == list(await servers[0].store.tenant_events("main", after=0))
    assert [event.position for event in heard[0]] == list(range(1, 121))


async def test_an_answer_at_one_server_reaches_the_other(servers: tuple[Server, Server]) -> None:
    first_server, second_server = servers
    row = record(1)
    event_listener = EventListener(first_server.bus, tenant_topic("main"))
    await first_server.store.insert(row, request_created(row))
    change = await second_server.store.settle(answer(row))
    assert change is not None
    [ask_event, answer_event] = await event_listener.count(2)
    assert (ask_event.settles, answer_event.settles, answer_event.request_id) == (False, True, row.id)
    assert [ask_event, answer_event] == list(await second_server.store.thread_events("main", "t1", after=0))


async def test_a_server_with_a_lost_listen_connection_catches_up(
    servers: tuple[Server, Server], database: Database
) -> None:
    first_server, second_server = servers
    event_listener = EventListener(first_server.bus, tenant_topic("main"))
    await say(second_server, 1)
    await event_listener.count(1)
    intruder = await asyncpg.connect(database.url)
    await intruder.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"
    )
    await intruder.close()
    for n in range(2, 6):
        await say(second_server, n)
    assert [event.seq for event in await event_listener.count(5)] == [1, 2, 3, 4, 5]


async def test_a_new_server_gets_only_later_events(
    servers: tuple[Server, Server], database: Database
) -> None:
    await say(servers[0], 1)
    late_server = Server(database)
    await late_server.open()
    event_listener = EventListener(late_server.bus, tenant_topic("main"))
    await say(servers[1], 2)
    assert [event.seq for event in await event_listener.count(1)] == [2]
    await late_server.close()


async def test_foreign_notifications_are_ignored(servers: tuple[Server, Server], database: Database) -> None:
    event_listener = EventListener(servers[0].bus, tenant_topic("main"))
    intruder = await asyncpg.connect(database.url)
    for payload in ("", "no json", "[]", '{"a":1}', '["x","main","one","two"]'):
        await intruder.execute("SELECT pg_notify('askback', $1)", payload)
    await intruder.close()
    await say(servers[1], 1)
    assert [event.seq for event in await event_listener.count(1)] == [1]


async def test_a_notice_names_the_server_the_tenant_and_the_positions(database: Database) -> None:
    feed_items: list[FeedItem] = []
    server = Server(database)
    await server.open()
    finished_event = anyio.Event()

    def hear(feed_item: FeedItem) -> None:
        feed_items.append(feed_item)
        if isinstance(feed_item, Notice) and feed_item.last_position == 3:
            finished_event.set()

    subscription = await server.store.subscribe(hear)
    await asyncio.gather(*(say(server, n) for n in range(1, 4)))
    with anyio.fail_after(120):
        await finished_event.wait()
    notices = [news for news in feed_items if isinstance(news, Notice)]
    assert {(notice.origin, notice.tenant) for notice in notices} == {(server.store.origin, "main")}
    assert [n for notice in notices for n in range(notice.first_position, notice.last_position + 1)] == [
        1,
        2,
        3,
    ]
    assert await server.store.positions() == {"main": 3}
    await subscription.close()
    await server.close()


async def test_an_activity_reaches_the_other_server(database: Database) -> None:
    present_server, there_server = Server(database), Server(database)
    for server in (present_server, there_server):
        await server.open()
    received_activities, arrival_event = list[Activity](), anyio.Event()

    def hear(activity: Activity) -> None:
        received_activities.append(activity)
        arrival_event.set()

    there_server.bus.on_activity(hear)
    sent_activity = Activity("", "main", "t1", "req_1", "usr_1", "bob", "Bob Müller", active=True)
    present_server.bus.report(sent_activity)
    with anyio.fail_after(120):
        await arrival_event.wait()
    assert received_activities == [replace(sent_activity, origin=present_server.store.origin)]
    for server in (present_server, there_server):
        await server.close()


async def test_an_error_of_a_receiver_is_not_taken_for_a_foreign_notification(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server(database)
    await server.open()
    reported: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()

    def handle(_loop: object, context: dict[str, Any]) -> None:
        if not reported.done():
            reported.set_result(context["exception"])

    def fail(_: FeedItem) -> None:
        raise ValueError("of the receiver")

    asyncio.get_running_loop().set_exception_handler(handle)
    subscription = await server.store.subscribe(fail)
    await say(server, 1)
    with anyio.fail_after(120):
        assert str(await reported) == "of the receiver"
    assert "not from askback" not in caplog.text
    await subscription.close()
    await server.close()
