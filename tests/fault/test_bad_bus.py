"""Lost, doubled or reordered notifications cost time, and every waiter gets its outcome exactly once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
import pytest

from askback import AsyncClient, Form, Text
from askback.server.app import App, create_app
from askback.service.delivery import resumes
from askback.service.delivery.waits import ConnectionWaits
from askback.service.local_state.waiting import ChangeSignal
from askback.service.webhooks import dispatch
from askback.testing.fake_webhook_client import FakeWebhookClient
from tests.requirements import requirement
from tests.service.test_watch import AGENT, BadBus, Collector, ask, services, settle
from tests.service.test_watch import close_stores as close_stores  # noqa: PLC0414 - its stores are closed here as well
from tests.temporary_store import TemporaryStore

pytestmark = [pytest.mark.anyio, pytest.mark.fault]

QUESTIONS = 30
WORKERS = 3
NEVER_S = 3600.0
HANG_S = 60.0
"""The time without news after which nothing more is expected."""


@requirement("G5")
@pytest.mark.parametrize("seed", range(10))
async def test_every_wait_is_notified_once_over_a_faulty_bus(seed: int) -> None:
    bus = BadBus(seed)
    ctx, store = await services(bus)
    connection_waits, waiter = ConnectionWaits(ctx), Collector(AGENT)
    ids = [f"req_{number}" for number in range(50)]
    for request_id in ids:
        await ask(store, request_id)
        await connection_waits.wait_for(request_id, waiter)
    for request_id in ids:
        await settle(store, request_id)
    outcome_count = len(waiter.outcomes)
    bus.mute = True
    await connection_waits.poll()
    assert outcome_count < len(ids), "nothing was lost, so nothing was proved"
    assert sorted(request_id for request_id, _ in waiter.outcomes) == sorted(ids)
    assert connection_waits.count() == 0


class Idle(ChangeSignal):
    """A signal that counts its open waits."""

    count = 0

    async def wait(self, seconds: float = NEVER_S) -> None:
        """Return like a `ChangeSignal`."""
        idle = not self._event.is_set()
        Idle.count += idle
        try:
            await super().wait(seconds)
        finally:
            Idle.count -= idle


@pytest.fixture(autouse=True)
def count_waiters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the waiters for a resume, and for a delivery."""
    monkeypatch.setattr(Idle, "count", 0)
    monkeypatch.setattr(resumes, "ChangeSignal", Idle)
    monkeypatch.setattr(dispatch, "ChangeSignal", Idle)


async def silence_bus(bus: BadBus, workers: int) -> None:
    """Silence the bus from now on, and return once all workers wait for it."""
    bus.mute = True
    with anyio.fail_after(120):
        await anyio.sleep(0.01)  # a worker that was just notified no longer waits
        while Idle.count < workers:
            await anyio.sleep(0.01)


@asynccontextmanager
async def bad_bus_server(
    seed: int, webhook_client: FakeWebhookClient | None = None
) -> AsyncGenerator[tuple[App, BadBus]]:
    """A server whose bus misbehaves."""
    bus = BadBus(seed)
    app = create_app(store=TemporaryStore(on_commit=bus.publish), bus=bus, webhook_client=webhook_client)
    async with app.running():
        yield app, bus


async def answer_requests(app: App, agent: AsyncClient, count: int) -> list[str]:
    """Ask without waiting, and answer everything; returns the ids."""
    form = Form(title="Lunch", fields=[Text(id="dish", label="Dish")])
    async with AsyncClient(app=app, token=await app.token("responder")) as person:
        requests = [
            await agent.requests.create(form, thread_id="t1", delivery="resume") for _ in range(count)
        ]
        for number, request in enumerate(requests):
            await person.requests.answer(request, {"dish": f"{number}"})
    return [request.id for request in requests]


async def pull_resumes(seed: int) -> tuple[Counter[str], list[str]]:
    """Let some workers take resumes until no more arrive; return them, and the expected ones.

    The bus sends no notification for the last ones.
    """
    received_counts = Counter[str]()
    async with (
        bad_bus_server(seed) as (app, bus),
        AsyncClient(app=app, token=await app.token("requester")) as agent,
    ):

        async def work() -> None:
            while True:
                for resume in await agent.resumes.pull(wait=30, limit=2):
                    received_counts[resume.request_id] += 1
                    await agent.resumes.ack(resume)

        async with anyio.create_task_group() as tasks:
            for _ in range(WORKERS):
                tasks.start_soon(work)
            ids = await answer_requests(app, agent, QUESTIONS)
            await wait_for_arrivals(received_counts.total, len(ids))
            await silence_bus(bus, WORKERS)
            ids += await answer_requests(app, agent, WORKERS)
            await wait_for_arrivals(received_counts.total, len(ids))
            tasks.cancel_scope.cancel()
    return received_counts, ids


async def push_messages(
    seed: int, *, on_start: Callable[[], object] = lambda: None
) -> tuple[Counter[str], list[str]]:
    """Let a webhook take the messages in the same way; `on_start` is called once it has taken most of them."""
    webhook_client = FakeWebhookClient()
    async with (
        bad_bus_server(seed, webhook_client) as (app, bus),
        AsyncClient(app=app, token=await app.token("requester")) as agent,
        AsyncClient(app=app, token=await app.token("admin")) as admin,
    ):
        await admin.webhooks.create("https://hooks.example.com/in")
        ids = await answer_requests(app, agent, QUESTIONS)
        await wait_for_arrivals(lambda: len(webhook_client.posted), len(ids))
        on_start()
        ids += await answer_requests(app, agent, 1)  # the worker that takes this one pauses as planned
        await wait_for_arrivals(lambda: len(webhook_client.posted), len(ids))
        await silence_bus(bus, 1)
        ids += await answer_requests(app, agent, WORKERS)
        await wait_for_arrivals(lambda: len(webhook_client.posted), len(ids))
    return Counter(json.loads(posted.body)["data"]["request_id"] for posted in webhook_client.posted), ids


async def wait_for_arrivals(count_arrivals: Callable[[], int], count: int) -> None:
    """Return once this many have arrived, or nothing new for `HANG_S`."""
    so_far = -1
    while so_far < count_arrivals() < count:
        so_far = count_arrivals()
        with anyio.move_on_after(HANG_S):
            while count_arrivals() == so_far:
                await anyio.sleep(0.01)


@requirement("H5")
@pytest.mark.parametrize("seed", range(3))
async def test_every_resume_reaches_one_worker_over_a_faulty_bus(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumes, "SAFETY_POLL_S", 0.05)
    received_counts, ids = await pull_resumes(seed)
    assert received_counts == Counter(ids)


@requirement("G10")
@pytest.mark.parametrize("seed", range(3))
async def test_every_resume_is_pushed_once_over_a_bus_that_misbehaves(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "POLL_S", 0.05)
    received_counts, ids = await push_messages(seed)
    assert received_counts == Counter(ids)
