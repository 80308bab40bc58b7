"""The archive: open requests are cancelled, new ones refused, and it can be undone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.errors import Unavailable
from askback.ports.bus import Bus
from askback.ports.store import Change
from askback.server.app import create_app
from askback.service.jobs import recovery
from tests.requirements import requirement
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import Api, ManualClock, ask, create_request

pytestmark = pytest.mark.anyio

TEXT = {"content": [{"type": "text", "text": "hello"}]}


async def refusal_of(api: Api, who: str, path: str, body: Any) -> tuple[int, str]:
    reply = await (await api.as_(who)).post(path, json=body)
    return reply.status_code, reply.json().get("error", {}).get("code", "")


@requirement("H9", "M9")
async def test_archiving_cancels_open_requests_and_ends_their_waits(api: Api) -> None:
    first_request, second_request = await create_request(api), await create_request(api)
    agent, ends = await api.as_("requester"), []

    async def wait(request: dict[str, Any]) -> None:
        with anyio.fail_after(120):
            reply = await agent.get(f"/v1/requests/{request['id']}", params={"wait": 30})
        ends.append((reply.json()["status"], reply.json()["reason"]))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait, first_request)
        tasks.start_soon(wait, second_request)
        await anyio.wait_all_tasks_blocked()
        finished_reply = await (await api.as_("admin")).post("/v1/threads/t1/archive")
    assert finished_reply.status_code == 200
    assert set(finished_reply.json()["cancelled"]) == {first_request["id"], second_request["id"]}
    assert ends == [("cancelled", "thread_archived")] * 2
    events = await api.app.services.store.thread_events("default", "t1", after=2)
    assert [event.type for event in events] == ["thread.archived", "request.cancelled", "request.cancelled"]


@requirement("H9")
async def test_an_archived_thread_takes_nothing_new_until_it_is_taken_out(api: Api) -> None:
    await create_request(api)
    admin = await api.as_("admin")
    first_body = (await admin.post("/v1/threads/t1/archive")).json()
    second_body = (await admin.post("/v1/threads/t1/archive")).json()
    assert second_body == {**first_body, "cancelled": []}
    no = (409, "thread_archived")
    assert await refusal_of(api, "requester", "/v1/requests", ask()) == no
    approval = {
        "kind": "approval",
        "thread_id": "t1",
        "approval": {"tool": "bash", "input": {"command": "ls"}},
    }
    assert await refusal_of(api, "requester", "/v1/requests", approval) == no
    assert await refusal_of(api, "responder", "/v1/threads/t1/messages", TEXT) == no
    assert (await admin.get("/v1/threads/t1")).json()["archived_at"] == first_body["archived_at"]
    assert (await admin.post("/v1/threads/t1/unarchive")).json() == {"id": "t1", "archived_at": None}
    assert (await refusal_of(api, "responder", "/v1/threads/t1/messages", TEXT))[0] == 201
    log = (await admin.get("/v1/audit")).json()["entries"]
    entries = [e["action"] for e in log if e["action"].startswith("thread.")]
    assert entries == ["thread.archived", "thread.unarchived"]


class InterruptedStore(TemporaryStore):
    """A store that lets something happen between two steps of the archiving call."""

    meanwhile: Callable[[], Awaitable[None]] | None = None

    async def settle(self, *args: Any, **options: Any) -> Change | None:
        change = await super().settle(*args, **options)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return change


@requirement("H9")
@pytest.mark.parametrize("how", ["archive", "message"])
async def test_requests_created_after_an_archiving_are_not_cancelled_by_it(how: str) -> None:
    bus, clock = InProcessBus(), ManualClock()
    store = InterruptedStore(on_commit=bus.publish)
    async with running(store, clock, {}, bus) as api:
        first_request, second_request = await create_request(api), await create_request(api)
        admin, new_requests = await api.as_("admin"), list[dict[str, Any]]()

        async def meanwhile() -> None:
            clock.advance(seconds=1)
            if how == "archive":
                await admin.post("/v1/threads/t1/unarchive")
            new_requests.append(await create_request(api))

        store.meanwhile = meanwhile
        if how == "archive":
            reply = await admin.post("/v1/threads/t1/archive")
        else:
            body = {"free_text": "cancel_pending"}
            assert (await admin.post("/v1/policy", json=body)).status_code == 200
            reply = await (await api.as_("responder")).post("/v1/threads/t1/messages", json=TEXT)
        assert reply.is_success
        ids = {first_request["id"], second_request["id"], new_requests[0]["id"]}
        agent = await api.as_("requester")
        assert [item["id"] for item in await pending(agent) if item["id"] in ids] == [new_requests[0]["id"]]


class DiesOverIt(TemporaryStore):
    """A store whose server dies before any request is cancelled; the next server finds it in that state."""

    has_died = False

    async def settle(self, *args: Any, **options: Any) -> Change | None:
        if not self.has_died:
            raise Unavailable("gone")
        return await super().settle(*args, **options)


@requirement("H9", "M9")
async def test_an_archiving_begun_by_a_dead_server_is_finished_by_another() -> None:
    bus, clock, tokens = InProcessBus(), ManualClock(), dict[str, str]()
    store = DiesOverIt(on_commit=bus.publish)
    async with running(store, clock, tokens, bus) as api:
        open_ones = {(await create_request(api))["id"], (await create_request(api))["id"]}
        started_reply = await (await api.as_("admin")).post("/v1/threads/t1/archive")
        assert started_reply.status_code == 503
    store.has_died = True
    async with running(store, clock, tokens, bus) as api:
        await recovery.promote_and_deliver(api.app.services)
        agent = await api.as_("requester")
        assert {item["id"] for item in await pending(agent)} == open_ones  # the archiving may not be over
        clock.advance(seconds=6)
        with anyio.fail_after(120):
            (first, *_) = open_ones
            ended_request = (await agent.get(f"/v1/requests/{first}", params={"wait": 30})).json()
            while await pending(agent) or await store.archiving(before_ms=clock.now_ms()):
                await anyio.sleep(0.01)
        assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "thread_archived")


async def pending(agent: httpx2.AsyncClient) -> list[dict[str, Any]]:
    reply = await agent.get("/v1/requests", params={"thread_id": "t1", "status": "pending"})
    return reply.json()["requests"]


@asynccontextmanager
async def running(
    store: TemporaryStore, clock: ManualClock, tokens: dict[str, str], bus: Bus
) -> AsyncGenerator[Api]:
    app = create_app(store=store, clock=clock, bus=bus)
    async with app.running():
        yield Api(app, clock, tokens)


@requirement("H9")
async def test_only_the_owner_of_a_thread_may_archive_it(api: Api) -> None:
    shared = {"owner": "ada", "others": "all"}
    await (await api.as_("admin")).put("/v1/threads/t1/access", json=shared)
    assert await refusal_of(api, "responder", "/v1/threads/t1/archive", None) == (403, "forbidden")
    assert (await refusal_of(api, "admin", "/v1/threads/t1/archive", None))[0] == 200
    hidden = {"owner": "ada", "others": "none"}
    await (await api.as_("admin")).put("/v1/threads/t2/access", json=hidden)
    assert await refusal_of(api, "responder", "/v1/threads/t2/archive", None) == (404, "not_found")
