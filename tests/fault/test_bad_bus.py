"""Nudges that are lost, doubled or out of order cost time, and nobody who waits is told twice or never."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
import pytest

from askback import AsyncClient, Form, Text
from askback.app import App, create_app
from askback.service import resumes
from askback.service.waits import Waits
from askback.service.webhooks import dispatch
from askback.testing.fake_courier import FakeCourier
from tests.requirements import requirement
from tests.service.test_watch import AGENT, BadBus, Collector, ask, services, settle
from tests.service.test_watch import opened as opened  # noqa: PLC0414 - its stores are closed here as well
from tests.temporary_store import TemporaryStore

pytestmark = [pytest.mark.anyio, pytest.mark.fault]

QUESTIONS = 30
WORKERS = 3
NEVER_S = 3600.0
HANG_S = 1.0
"""After that much time without anything new, nothing comes any more."""


@requirement("G5")
@pytest.mark.parametrize("seed", range(10))
async def test_every_wait_is_told_once_over_a_bus_that_misbehaves(seed: int) -> None:
    bus = BadBus(seed)
    ctx, store = await services(bus)
    waits, waiter = Waits(ctx), Collector(AGENT)
    ids = [f"req_{number}" for number in range(50)]
    for request_id in ids:
        await ask(store, request_id)
        await waits.look(request_id, waiter)
    for request_id in ids:
        await settle(store, request_id)
    told = len(waiter.outcomes)
    bus.mute = True
    await waits.patrol()
    assert told < len(ids), "nothing was lost, so nothing was proved"
    assert sorted(request_id for request_id, _ in waiter.outcomes) == sorted(ids)
    assert waits.count() == 0


@asynccontextmanager
async def misled(seed: int, courier: FakeCourier | None = None) -> AsyncGenerator[tuple[App, BadBus]]:
    """A server whose bus misbehaves."""
    bus = BadBus(seed)
    app = create_app(store=TemporaryStore(on_commit=bus.publish), bus=bus, courier=courier)
    async with app.running():
        yield app, bus


async def answered(app: App, agent: AsyncClient, count: int) -> list[str]:
    """Ask without waiting, and have everything answered; returns the ids."""
    form = Form(title="Lunch", fields=[Text(id="dish", label="Dish")])
    async with AsyncClient(app=app, token=await app.token("responder")) as person:
        asked = [await agent.create(form, thread_id="t1", delivery="resume") for _ in range(count)]
        for number, request in enumerate(asked):
            await person.answer(request, {"dish": f"{number}"})
    return [request.id for request in asked]


async def pulled(seed: int) -> tuple[Counter[str], list[str]]:
    """Have some workers take what comes until nothing does any more; return that, and what there was to come.

    Of the last ones the bus says nothing at all.
    """
    came = Counter[str]()
    async with misled(seed) as (app, bus), AsyncClient(app=app, token=await app.token("requester")) as agent:

        async def work() -> None:
            while True:
                for resume in await agent.pull_resumes(wait=30, limit=2):
                    came[resume.request_id] += 1
                    await agent.ack(resume)

        async with anyio.create_task_group() as tasks:
            for _ in range(WORKERS):
                tasks.start_soon(work)
            ids = await answered(app, agent, QUESTIONS)
            await _until(lambda: came.total() == len(ids))
            bus.mute = True
            ids += await answered(app, agent, WORKERS)
            await _until(lambda: came.total() == len(ids))
            tasks.cancel_scope.cancel()
    return came, ids


async def pushed(seed: int, *, begun: Callable[[], object] = lambda: None) -> tuple[Counter[str], list[str]]:
    """Have a webhook take what comes, likewise; `begun` is called when it has taken most of it."""
    courier = FakeCourier()
    async with (
        misled(seed, courier) as (app, bus),
        AsyncClient(app=app, token=await app.token("requester")) as agent,
        AsyncClient(app=app, token=await app.token("admin")) as admin,
    ):
        await admin.add_webhook("https://hooks.example.com/in")
        ids = await answered(app, agent, QUESTIONS)
        await _until(lambda: len(courier.posted) == len(ids))
        begun()
        ids += await answered(app, agent, 1)  # whoever takes this one pauses as was said then
        await _until(lambda: len(courier.posted) == len(ids))
        bus.mute = True
        ids += await answered(app, agent, WORKERS)
        await _until(lambda: len(courier.posted) == len(ids))
    return Counter(json.loads(posted.body)["data"]["request_id"] for posted in courier.posted), ids


async def _until(done: Callable[[], bool]) -> None:
    with anyio.move_on_after(HANG_S):
        while not done():
            await anyio.sleep(0.01)


@requirement("H5")
@pytest.mark.parametrize("seed", range(3))
async def test_every_resume_comes_to_one_worker_over_a_bus_that_misbehaves(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumes, "SAFETY_POLL_S", 0.05)
    came, ids = await pulled(seed)
    assert came == Counter(ids)


@requirement("G10")
@pytest.mark.parametrize("seed", range(3))
async def test_every_resume_is_pushed_once_over_a_bus_that_misbehaves(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "LOOK_S", 0.05)
    came, ids = await pushed(seed)
    assert came == Counter(ids)


async def test_a_server_that_trusts_its_bus_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resumes, "SAFETY_POLL_S", NEVER_S)
    came, ids = await pulled(0)
    assert came.total() < len(ids)
    monkeypatch.setattr(dispatch, "LOOK_S", 0.05)
    came, ids = await pushed(0, begun=lambda: monkeypatch.setattr(dispatch, "LOOK_S", NEVER_S))
    assert QUESTIONS <= came.total() < len(ids)
