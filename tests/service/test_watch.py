"""A watcher's stream has no gap and no duplicate, even if the bus loses or reorders notifications."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Sequence

import anyio
import anyio.lowlevel
import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.domain.access import AccessLevel
from askback.domain.events import Event, EventDraft
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.errors import Forbidden, NotFound
from askback.ports.bus import Activity, Bus, PersonalChange
from askback.ports.store import Principal, Settlement
from askback.server.system import SystemClock, SystemIds
from askback.service.context import Services
from askback.service.delivery.subscriptions import Subscription, Subscriptions
from askback.service.delivery.waits import ConnectionWaits
from askback.vault.envelope import LockedVault
from tests.temporary_store import TemporaryStore

pytestmark = pytest.mark.anyio

PERSON = Principal("usr_1", "main", "responder", "Ann")
AGENT = Principal("tok_1", "main", "requester", "agent")


class Collector:
    """A reader that records its events."""

    def __init__(self, principal: Principal = PERSON) -> None:
        self.principal = principal
        self.events: list[Event] = []
        self.outcomes: list[tuple[str, str]] = []
        self.levels: list[tuple[str, AccessLevel]] = []
        self._changed = anyio.Event()

    def push(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()

    async def drain(self) -> None:
        return

    def on_hidden(self, subscription: Subscription) -> None:
        raise AssertionError("nobody here loses a thread")

    def on_request_hidden(self) -> None:
        raise AssertionError("no request here is hidden from its agent")

    def on_activity(self, activity: Activity) -> None:
        """Learn nothing."""

    def on_change(self, change: PersonalChange) -> None:
        """Nothing was changed."""

    def on_access_change(self, thread_id: str, level: AccessLevel) -> None:
        self.levels.append((thread_id, level))
        self._changed.set()

    def on_settled(self, request_id: str, wire: str) -> None:
        self.outcomes.append((request_id, wire))
        self._changed.set()

    async def until(self, true: Callable[[], bool]) -> None:
        with anyio.fail_after(120):
            while not true():
                self._changed = anyio.Event()
                await self._changed.wait()


class BadBus(InProcessBus):
    """A bus that loses, duplicates and reorders events."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.delayed_events: list[Event] = []
        self.mute = False

    def publish(self, events: Sequence[Event]) -> None:
        if self.mute:
            return
        out = self.delayed_events + [
            event for event in events for _ in range(self.random.choice((0, 1, 1, 2)))
        ]
        self.random.shuffle(out)
        cut = self.random.randrange(len(out) + 1)
        self.delayed_events = out[cut:]
        super().publish(out[:cut])


@pytest.fixture(autouse=True)
async def close_stores() -> AsyncIterator[None]:
    """Close the stores of a test at its end."""
    yield
    while OPENED:
        await OPENED.pop().close()


OPENED: list[TemporaryStore] = []


async def open_store(store: TemporaryStore) -> TemporaryStore:
    """Open a store until the test ends."""
    await store.open()
    OPENED.append(store)
    return store


async def services(bus: Bus) -> tuple[Services, TemporaryStore]:
    store = await open_store(TemporaryStore(on_commit=bus.publish))
    return Services(store, bus, SystemClock(), SystemIds(), LockedVault()), store


async def say(store: TemporaryStore, n: int, *, thread: str = "t1", tenant: str = "main") -> None:
    draft = EventDraft("message.added", tenant, thread, 0, None, f'{{"id":"m{n}","content":[]}}')
    await store.add_message(f"m-{tenant}-{thread}-{n}", draft.data, draft)


async def ask(
    store: TemporaryStore, request_id: str, *, principal: Principal = AGENT, thread: str = "t1"
) -> None:
    spec = f'{{"id":"{request_id}","requester":{{"id":"{principal.id}","name":"a"}}}}'
    state = '{"status":"pending","revision":1}'
    record = Record(
        request_id,
        principal.tenant,
        thread,
        "form",
        principal.id,
        Status.PENDING,
        1,
        0,
        None,
        Spec(spec),
        State(state),
    )
    await store.insert(
        record, EventDraft("request.created", principal.tenant, thread, 0, request_id, state, principal.id)
    )


async def settle(store: TemporaryStore, request_id: str, *, thread: str = "t1", tenant: str = "main") -> None:
    state = '{"status":"answered","revision":1,"answer":{"values":{"a":"\\"request\\":"}}}'
    record = await store.get(tenant, request_id)
    assert record is not None
    event = EventDraft("request.answered", tenant, thread, 0, request_id, state, record.requester)
    pending = frozenset({Status.PENDING})
    await store.settle(Settlement(tenant, request_id, pending, 1, Status.ANSWERED, State(state), event))


@pytest.mark.requirement("G3", "G5")
@pytest.mark.parametrize("seed", range(20))
async def test_a_thread_streams_without_gap_or_double_over_a_bus_that_misbehaves(seed: int):
    bus = BadBus(seed)
    ctx, store = await services(bus)
    subscriptions, reader = Subscriptions(ctx), Collector()
    for n in range(5):
        await say(store, n)
    subscription = await subscriptions.open(PERSON, reader, thread_id="t1", after=2)
    for n in range(5, 60):
        await say(store, n)
        if bus.random.random() < 0.3:
            await anyio.lowlevel.checkpoint()
    bus.mute = True
    await say(store, 60)
    subscriptions.poll()  # the poll finds events lost at the very end
    await reader.until(lambda: len(reader.events) >= 59)
    subscription.close()
    assert [e.seq for e in reader.events] == list(range(3, 62))


@pytest.mark.parametrize("seed", range(10))
async def test_the_inbox_gets_every_request_event_in_order_over_a_bus_that_misbehaves(seed: int):
    bus = BadBus(seed)
    ctx, store = await services(bus)
    subscriptions, reader = Subscriptions(ctx), Collector()
    await say(store, 0)
    subscription = await subscriptions.open(PERSON, reader, thread_id=None, after=None)
    await say(store, 1, tenant="acme")  # another tenant's event: a gap in the positions
    for n in range(20):
        await ask(store, f"req_{n}", thread=f"t{n % 3}")
        await say(store, n + 1)
    subscriptions.poll()
    await reader.until(lambda: len(reader.events) >= 20)
    subscription.close()
    assert [e.request_id for e in reader.events] == [f"req_{n}" for n in range(20)]


async def test_without_a_cursor_the_stream_begins_at_the_next_event():
    ctx, store = await services(InProcessBus())
    subscriptions, reader = Subscriptions(ctx), Collector()
    for n in range(3):
        await say(store, n)
    subscription = await subscriptions.open(PERSON, reader, thread_id="t1", after=None)
    assert subscription.cursor == 3
    await say(store, 3)
    await reader.until(lambda: bool(reader.events))
    assert [e.seq for e in reader.events] == [4]


async def test_a_closed_watcher_leaves_nothing_behind():
    bus = InProcessBus()
    ctx, store = await services(bus)
    subscriptions, reader = Subscriptions(ctx), Collector()
    open_subscriptions = [
        await subscriptions.open(PERSON, reader, thread_id="t1", after=0) for _ in range(10)
    ]
    for subscription in open_subscriptions:
        subscription.close()
    await say(store, 0)
    assert (subscriptions.count(), bus.topic_count(), reader.events) == (0, 0, [])


async def test_an_agent_does_not_see_requests_of_another_agent_in_its_thread():
    ctx, store = await services(InProcessBus())
    subscriptions, reader = Subscriptions(ctx), Collector()
    other_principal = Principal("tok_2", "main", "requester", "other")
    await ask(store, "req_1")
    await ask(store, "req_2", principal=other_principal)
    await say(store, 1)
    await subscriptions.open(AGENT, reader, thread_id="t1", after=0)
    await reader.until(lambda: len(reader.events) >= 2)
    assert [e.seq for e in reader.events] == [1, 3]


async def test_an_agent_may_not_open_the_inbox():
    ctx, _ = await services(InProcessBus())
    subscriptions = Subscriptions(ctx)
    with pytest.raises(Forbidden):
        await subscriptions.open(AGENT, Collector(), thread_id=None, after=None)
    assert subscriptions.count() == 0


async def test_a_wait_is_notified_once_and_then_removed():
    bus = InProcessBus()
    ctx, store = await services(bus)
    connection_waits, waiter = ConnectionWaits(ctx), Collector(AGENT)
    await ask(store, "req_1")
    await connection_waits.wait_for("req_1", waiter)
    await connection_waits.wait_for("req_1", waiter)
    await settle(store, "req_1")
    await waiter.until(lambda: bool(waiter.outcomes))
    assert [i for i, _ in waiter.outcomes] == ["req_1"]
    assert waiter.outcomes[0][1] == (await store.get("main", "req_1")).wire  # type: ignore[union-attr]
    assert connection_waits.count() == 0
    connection_waits.close()
    assert bus.topic_count() == 0


async def test_a_lost_nudge_is_found_by_the_poll():
    bus = BadBus(1)
    ctx, store = await services(bus)
    connection_waits, waiter = ConnectionWaits(ctx), Collector(AGENT)
    for n in range(300):
        await ask(store, f"req_{n}")
        await connection_waits.wait_for(f"req_{n}", waiter)
    bus.mute = True
    await settle(store, "req_7")
    assert waiter.outcomes == []
    await connection_waits.poll()
    assert [i for i, _ in waiter.outcomes] == ["req_7"]
    assert connection_waits.count() == 299
    connection_waits.close()


async def test_a_request_that_is_settled_or_not_yours_is_not_watched():
    ctx, store = await services(InProcessBus())
    connection_waits, waiter = ConnectionWaits(ctx), Collector(AGENT)
    await ask(store, "req_1")
    await settle(store, "req_1")
    await ask(store, "req_2", principal=Principal("tok_2", "main", "requester", "other"))
    assert (await connection_waits.wait_for("req_1", waiter)).settled
    for unknown in ("req_2", "req_nope"):
        with pytest.raises(NotFound):
            await connection_waits.wait_for(unknown, waiter)
    assert connection_waits.count() == 0


class RemoteStore(TemporaryStore):
    """A store whose reads suspend, like one in another process."""

    def __init__(self, *, on_commit: Callable[[Sequence[Event]], None]) -> None:
        super().__init__(on_commit=on_commit)
        self.asked_event, self.go_on = anyio.Event(), anyio.Event()

    async def get(self, tenant: str, request_id: str) -> Record | None:
        record = await super().get(tenant, request_id)
        self.asked_event.set()
        await self.go_on.wait()
        return record


async def test_an_outcome_that_comes_while_a_wait_is_being_checked_does_not_reach_a_stranger():
    bus = InProcessBus()
    store = RemoteStore(on_commit=bus.publish)
    await open_store(store)
    connection_waits = ConnectionWaits(Services(store, bus, SystemClock(), SystemIds(), LockedVault()))
    strangers = [
        Collector(Principal("tok_2", "main", "requester", "other")),
        Collector(Principal("usr_9", "acme", "responder", "Eve")),
    ]
    await ask(store, "req_1")

    async def look(waiter: Collector) -> None:
        with pytest.raises(NotFound):
            await connection_waits.wait_for("req_1", waiter)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            for stranger in strangers:
                tasks.start_soon(look, stranger)
                await store.asked_event.wait()
                store.asked_event = anyio.Event()
            state = '{"status":"answered","revision":1}'
            event = EventDraft("request.answered", "main", "t1", 0, "req_1", state, AGENT.id)
            pending = frozenset({Status.PENDING})
            await store.settle(Settlement("main", "req_1", pending, 1, Status.ANSWERED, State(state), event))
            store.go_on.set()
    assert [stranger.outcomes for stranger in strangers] == [[], []]
    assert connection_waits.count() == 0
