"""A thread is exported completely, and erased without a trace; old threads are erased automatically."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askback.domain.limits import Limits
from askback.ports.threads import ThreadConfig
from askback.server.app import create_app
from askback.server.settings import load
from askback.service.threads import erase
from askback.vault.envelope import Envelope
from askback.vault.keys import KEY_BYTES, KeyRing
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock, ask

pytestmark = pytest.mark.anyio

MARK = "Xq7-marked-"
DAY_S = 24 * 3600


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """A server with readable files and a vault."""
    clock = ManualClock()
    vault = Envelope(KeyRing({"k": secrets.token_bytes(KEY_BYTES)}))
    app = create_app(
        load({}, data_dir=tmp_path),
        clock=clock,
        vault=vault,
        limits=Limits(max_submissions_per_minute=1_000_000),
    )
    async with app.running():
        yield Api(app, clock)


async def fill(api: Api, thread: str, word: str, *, rounds: int = 1) -> list[str]:
    """Ask, answer and talk in a thread, so that `word` is in all texts of a person there."""
    agent, person, request_ids = await api.as_("requester"), await api.as_("responder"), []
    for number in range(rounds):
        body = ask(thread_id=thread)
        body["form"] = {**body["form"], "title": f"Lunch {number}"}
        asked_body = (await agent.post("/v1/requests", json=body)).json()
        values = {"revision": 1, "values": {"dish": f"{word}{number} {'soup ' * 40}"}}
        assert (await person.post(f"/v1/requests/{asked_body['id']}/answer", json=values)).status_code == 200
        text = {"content": [{"type": "text", "text": f"{word}said {number}"}]}
        assert (await person.post(f"/v1/threads/{thread}/messages", json=text)).status_code == 201
        request_ids.append(asked_body["id"])
    return request_ids


async def hand_over(api: Api, thread: str, value: str) -> None:
    need = {"kind": "secret", "thread_id": thread, "secret": {"names": ["A_KEY"], "reason": "to try"}}
    asked_body = (await (await api.as_("requester")).post("/v1/requests", json=need)).json()
    body = {"revision": 1, "secrets": {"A_KEY": value}, "scope": "session"}
    reply = await (await api.as_("responder")).post(f"/v1/requests/{asked_body['id']}/answer", json=body)
    assert reply.status_code == 200, reply.text


def files_with_word(api: Api, word: str) -> set[str]:
    """The files of the server that have a word in them."""
    files = [path for path in api.app.settings.data_dir.rglob("*") if path.is_file()]
    return {path.name for path in files if word.encode() in path.read_bytes()}


@requirement("H11")
async def test_nothing_of_an_erased_thread_is_left_in_any_file(api: Api) -> None:
    for number in range(4):  # other conversations, whose rows are mixed with this one's
        await fill(api, f"other {number}", "Kept-", rounds=8)
        await fill(api, "t1", MARK, rounds=8)
    await hand_over(api, "t1", "the value")
    open_one = (await (await api.as_("requester")).post("/v1/requests", json=ask())).json()
    assert files_with_word(api, MARK)
    sealed = (await api.app.services.store.sealed_after(""))[0].sealed
    assert files_with_word(api, sealed)
    admin = await api.as_("admin")
    assert (await admin.delete("/v1/threads/t1")).status_code == 204
    assert files_with_word(api, MARK) == files_with_word(api, sealed) == set()
    assert files_with_word(api, "Kept-")
    assert (await admin.get(f"/v1/requests/{open_one['id']}")).status_code == 404
    thread = (await admin.get("/v1/threads/t1")).json()
    assert (thread["messages"], thread["requests"]) == ([], [])
    assert (await admin.get("/v1/threads/other%200")).json()["requests"]
    assert (await admin.delete("/v1/threads/t1")).status_code == 204
    assert (await admin.delete("/v1/threads/never")).status_code == 404
    log = (await admin.get("/v1/audit")).json()
    assert log["head"]["seq"] == len(log["entries"])
    assert "thread.erased" in [entry["action"] for entry in log["entries"]]


@requirement("H11")
async def test_an_export_has_everything_but_secrets(api: Api) -> None:
    ids = await fill(api, "t1", MARK, rounds=3)
    await fill(api, "t2", "Kept-")
    await hand_over(api, "t1", "the value")
    agent, admin = await api.as_("requester"), await api.as_("admin")
    call = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": {"n": 1}}}
    approval = (await agent.post("/v1/requests", json=call)).json()
    approve = {"revision": 1, "decision": "approve"}
    await (await api.as_("responder")).post(f"/v1/requests/{approval['id']}/answer", json=approve)
    await agent.post(f"/v1/requests/{approval['id']}/consume", json={"execution_id": "x"})
    rule = {"rule": "bash(make test)", "scope": "thread", "thread_id": "t1", "why": "It is fast."}
    rules = [(await admin.post("/v1/rules", json=rule)).json()]
    rules.insert(0, (await admin.post("/v1/rules", json={**rule, "rule": "bash(make)"})).json())
    rules[0] = (await admin.delete(f"/v1/rules/{rules[0]['id']}")).json()
    await admin.post("/v1/rules", json={**rule, "thread_id": "t2"})
    await admin.post("/v1/policy", json={"thread_id": "t1", "retention_days": 7})
    await admin.post("/v1/policy", json={"max_pending": 9})
    reply = await admin.get("/v1/threads/t1/export")
    assert reply.status_code == 200
    findings: dict[str, Any] = reply.json()
    thread = (await admin.get("/v1/threads/t1")).json()
    assert findings["messages"] == thread["messages"]
    assert findings["requests"] == thread["requests"]
    assert {*ids, approval["id"]} < {request["id"] for request in findings["requests"]}
    assert [event["seq"] for event in findings["events"]] == list(range(1, findings["seq"] + 1))
    assert [execution["request_id"] for execution in findings["executions"]] == [approval["id"]]
    log = (await admin.get("/v1/audit")).json()["entries"]
    assert findings["settings"] == {"retention_days": 7}
    ids_and_reasons = [(item["id"], item.get("revoked_at"), item["why"]) for item in findings["rules"]]
    assert ids_and_reasons == [(item["id"], item.get("revoked_at"), "It is fast.") for item in rules]
    assert findings["audit"] == [e for e in log if e.get("thread_id") == "t1"]
    assert "the value" not in reply.text
    assert "Kept-" not in reply.text


@requirement("H11")
async def test_the_owner_of_a_thread_exports_and_erases_it_and_nobody_else_does(api: Api) -> None:
    await fill(api, "t1", MARK)
    admin = await api.as_("admin")
    await admin.put("/v1/threads/t1/access", json={"owner": "ada", "others": "all"})
    reply = await admin.post("/v1/tokens", json={"role": "responder", "name": "Ada", "user": "ada"})
    ada = api.client(headers={"Authorization": f"Bearer {reply.json()['token']}"})
    other_client = await api.as_("responder")
    for method, path in (("GET", "/v1/threads/t1/export"), ("DELETE", "/v1/threads/t1")):
        assert (await other_client.request(method, path)).status_code == 403
        assert (await ada.request(method, path)).status_code in (200, 204)


@requirement("H11")
async def test_threads_go_when_they_are_as_old_as_was_set(api: Api) -> None:
    admin, ctx = await api.as_("admin"), api.app.services
    for thread in ("old", "kept longer", "open"):
        await fill(api, thread, MARK)
    await (await api.as_("requester")).post("/v1/requests", json=ask(thread_id="open"))
    longer = {"thread_id": "kept longer", "retention_days": 30}
    assert (await admin.post("/v1/policy", json=longer)).status_code == 200
    api.clock.advance(seconds=7 * DAY_S)
    await fill(api, "new", MARK)
    assert await erase.erase_expired(ctx, None) == 0
    api.clock.advance(seconds=2)
    assert await erase.erase_expired(ctx, 7) == 1
    left = {t: len((await admin.get(f"/v1/threads/{t}")).json()["requests"]) for t in ("old", "new", "open")}
    assert left == {"old": 0, "new": 1, "open": 2}
    assert await erase.erase_expired(ctx, 7) == 0
    api.clock.advance(seconds=24 * DAY_S)
    assert await erase.erase_expired(ctx, 7) == 2
    assert (await admin.get("/v1/threads/kept%20longer")).json()["requests"] == []


class Meanwhile:
    """The store of a server, where an agent asks in each thread just before its settings are read."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def __getattr__(self, name: str) -> Any:
        return getattr(self._api.app.services.store, name)

    async def thread_config(self, tenant: str, thread_id: str) -> ThreadConfig:
        """Ask, then read."""
        await (await self._api.as_("requester")).post("/v1/requests", json=ask(thread_id=thread_id))
        return await self._api.app.services.store.thread_config(tenant, thread_id)


@requirement("H11")
async def test_a_thread_in_which_an_agent_asks_while_old_threads_are_erased_is_kept(api: Api) -> None:
    await fill(api, "old", MARK)
    api.clock.advance(seconds=8 * DAY_S)
    assert await erase.erase_expired(replace(api.app.services, store=Meanwhile(api)), 7) == 0  # type: ignore[arg-type]  # it delegates
    requests = (await (await api.as_("admin")).get("/v1/threads/old")).json()["requests"]
    assert [request["status"] for request in requests] == ["answered", "pending"]
