"""Open requests after a restart: they stay open or expire, by the setting."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback.errors import Unavailable
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Claim, Settlement
from askback.server.app import create_app
from askback.server.database_address import SettingsError
from askback.server.settings import load
from tests.requirements import requirement
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import Api, ManualClock, create_request
from tests.transports.test_resumes import pull_resumes

pytestmark = pytest.mark.anyio


class PersistentStore:
    """A store and a clock that outlive their servers."""

    def __init__(self, folder: Path, on_restart: str, store: TemporaryStore | None = None) -> None:
        self._settings = load({"ASKBACK_ON_RESTART": on_restart}, data_dir=folder)
        self._store, self._clock, self._tokens = store or TemporaryStore(), ManualClock(), dict[str, str]()

    @asynccontextmanager
    async def server(self) -> AsyncGenerator[Api]:
        """Run a server, some time after the one before."""
        self._clock.advance(seconds=60)
        app = create_app(self._settings, store=self._store, clock=self._clock)
        async with app.running():
            yield Api(app, self._clock, self._tokens)


async def status(api: Api, request: dict[str, Any]) -> str:
    return (await (await api.as_("responder")).get(f"/v1/requests/{request['id']}")).json()["status"]


@requirement("H8")
async def test_a_restart_expires_awaited_requests_if_configured(tmp_path: Path) -> None:
    persistent_store = PersistentStore(tmp_path, "expire")
    async with persistent_store.server() as api:
        awaited_requests = [
            await create_request(api),
            await create_request(api, "requester@acme", timeout_s=3600),
        ]
        durable = await create_request(api, delivery="resume")
    async with persistent_store.server() as api:
        with anyio.fail_after(120):
            while await api.app.services.store.open_requests() != [
                await api.app.services.store.get("default", durable["id"])
            ]:
                await anyio.sleep(0.01)
        fresh = await create_request(api)
        assert [await status(api, item) for item in (awaited_requests[0], durable, fresh)] == [
            "expired", "pending", "pending",
        ]  # fmt: skip
        api.clock.advance(seconds=10)
        assert [item["request_id"] for item in await pull_resumes(api)] == [awaited_requests[0]["id"]]


class Unwritable(TemporaryStore):
    """A store whose next few steps cannot be written."""

    failures = 0

    async def settle(
        self, settlement: Settlement, claim: Claim | None = None, effects: SideEffects = NOTHING
    ) -> Any:
        """Refuse, or take the step."""
        if self.failures:
            self.failures -= 1
            raise Unavailable("The disk is full.", retry_after=1)
        return await super().settle(settlement, claim, effects)


@requirement("H8")
async def test_a_store_that_cannot_be_written_at_the_start_is_tried_again(tmp_path: Path) -> None:
    store = Unwritable()
    persistent_store = PersistentStore(tmp_path, "expire", store)
    async with persistent_store.server() as api:
        awaited_requests = [await create_request(api), await create_request(api)]
    store.failures = 2
    async with persistent_store.server() as api:
        with anyio.fail_after(120):
            while await store.open_requests():
                await anyio.sleep(0.01)
        assert [await status(api, item) for item in awaited_requests] == ["expired", "expired"]


@requirement("B15")
async def test_a_use_that_could_not_be_shown_is_shown_when_the_call_is_repeated(tmp_path: Path) -> None:
    store = Unwritable()
    async with PersistentStore(tmp_path, "keep", store).server() as api:
        person = await api.as_("responder")
        call = {"tool": "deploy", "input": {"to": "prod"}}
        agent = await api.as_("requester")
        body = {"kind": "approval", "approval": call, "thread_id": "t1"}
        path = f"/v1/requests/{(await agent.post('/v1/requests', json=body)).json()['id']}"
        approved_reply = await person.post(f"{path}/answer", json={"revision": 1, "decision": "approve"})
        assert approved_reply.status_code == 200
        seen_items: list[str | None] = []
        for store.failures in (1, 0, 0):
            used_reply = await agent.post(f"{path}/consume", json={**call, "execution_id": "run-1"})
            assert used_reply.status_code == 200
            seen_items.append((await person.get(path)).json().get("used_at"))
        assert seen_items == [None, *[used_reply.json()["consumed_at"]] * 2]
        assert (await person.get("/v1/threads/t1")).json()["seq"] == 3  # created, answered, used once


@requirement("H8")
async def test_everything_stays_open_over_a_restart_otherwise(tmp_path: Path) -> None:
    persistent_store = PersistentStore(tmp_path, "keep")
    async with persistent_store.server() as api:
        request = await create_request(api)
    async with persistent_store.server() as api:
        assert await status(api, request) == "pending"


@requirement("H8")
def test_servers_that_share_a_database_end_nothing_when_they_start() -> None:
    postgres = {"ASKBACK_DATABASE_URL": "postgresql://db.example.com/askback", "ASKBACK_MASTER_KEYS": "off"}
    with pytest.raises(SettingsError, match="ASKBACK_ON_RESTART"):
        load({**postgres, "ASKBACK_ON_RESTART": "expire"})
    assert load({**postgres, "ASKBACK_ON_RESTART": "keep"}).on_restart == "keep"
