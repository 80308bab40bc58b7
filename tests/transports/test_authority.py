"""The author of an answer can lose access before the agent continues with it."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

from typing import Any

import pytest

from askback.service.delivery import authorship
from askback.service.jobs import deadlines
from askback.testing.fake_webhook_client import FakeWebhookClient
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, create_request
from tests.transports.hooks import api, create_webhook, sweep, webhook_client  # noqa: F401 - fixtures
from tests.transports.test_resumes import pull_resumes

pytestmark = pytest.mark.anyio


async def ask_and_answer(api: Api, who: str, how: str = "answer", body: Any = ANSWER) -> dict[str, Any]:
    """Ask in a thread without an owner, and let somebody settle it."""
    request = await create_request(api, delivery="resume")
    reply = await (await api.as_(who)).post(f"/v1/requests/{request['id']}/{how}", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def share(api: Api, **access: Any) -> None:
    body = {"owner": "ada", **access}
    assert (await (await api.as_("admin")).put("/v1/threads/t1/access", json=body)).status_code == 200


async def withheld_entries(api: Api) -> list[tuple[str, str]]:
    """The audit entries about it: the request, and its author."""
    entries = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    records = [entry for entry in entries if entry["action"] == "resume.withheld"]
    return [(record["request_id"], record["settled_by"]["name"]) for record in records]


@requirement("K9")
@pytest.mark.parametrize(("how", "body"), [("answer", ANSWER), ("decline", {"reason": "refused"})])
async def test_a_message_of_an_author_without_access_is_delivered_when_access_returns(
    api: Api, how: str, body: Any
) -> None:
    request = await ask_and_answer(api, "responder/bob", how, body)
    await share(api, others="view")
    for _ in range(2):
        assert await pull_resumes(api) == []
        api.clock.advance(seconds=6)
    assert await withheld_entries(api) == [(request["id"], "bob")]
    await share(api, others="prompt")
    assert [item["request"] for item in await pull_resumes(api)] == [request]


@requirement("K9")
async def test_an_unacknowledged_resume_is_withheld_too(api: Api) -> None:
    request = await ask_and_answer(api, "responder/bob")
    assert len(await pull_resumes(api)) == 1
    await share(api, others="view")
    for _ in range(2):
        api.clock.advance(seconds=61)
        assert await pull_resumes(api) == []
    assert await withheld_entries(api) == [(request["id"], "bob")]


async def test_a_server_remembers_only_so_many_withheld_resumes(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authorship, "MAX_WITHHELD", 2)
    for _ in range(3):
        await ask_and_answer(api, "responder/bob")
    await share(api, others="view")
    assert await pull_resumes(api) == []
    assert (len(await withheld_entries(api)), len(api.app.services.withheld_resumes)) == (3, 2)


@requirement("K9")
async def test_a_withheld_resume_does_not_block_later_ones(api: Api) -> None:
    await ask_and_answer(api, "responder/bob")
    heard = await ask_and_answer(api, "admin")
    await share(api, others="view")
    assert [item["request"] for item in await pull_resumes(api, limit=1)] == [heard]


@requirement("K9")
async def test_a_withheld_resume_is_not_pushed_either(api: Api, webhook_client: FakeWebhookClient) -> None:
    await create_webhook(api)
    request = await ask_and_answer(api, "responder/bob")
    await share(api)
    await sweep(api)
    await sweep(api, after_s=61)
    assert webhook_client.posted == []
    assert await withheld_entries(api) == [(request["id"], "bob")]
    await share(api, others="prompt")
    assert await sweep(api, after_s=6) == 1
    assert len(webhook_client.posted) == 1


@requirement("K9")
@pytest.mark.parametrize("who", ["admin", "responder/owner"])
async def test_the_message_of_an_author_with_access_is_delivered(api: Api, who: str) -> None:
    request = await ask_and_answer(api, who)
    await share(api, owner=request["settled_by"]["id"])
    [resume] = await pull_resumes(api)
    assert resume["request"] == request
    assert await withheld_entries(api) == []
    assert request["settled_by"].get("role") == ("admin" if who == "admin" else None)


@requirement("K9")
async def test_a_resume_without_an_author_needs_no_access_check(api: Api) -> None:
    await create_request(api, delivery="resume", timeout_s=1)
    await share(api, others="none")
    api.clock.advance(seconds=2)
    await deadlines.sweep(api.app.services)
    assert len(await pull_resumes(api)) == 1


@requirement("K9")
@pytest.mark.parametrize("who", ["admin", "responder/bob"])
async def test_a_cancellation_is_always_delivered(api: Api, who: str) -> None:
    request = await create_request(api, delivery="resume")
    archived_reply = await (await api.as_(who)).post("/v1/threads/t1/archive", json={})
    assert archived_reply.json()["cancelled"] == [request["id"]]
    await share(api, others="none")
    assert [item["request_id"] for item in await pull_resumes(api)] == [request["id"]]
    assert await withheld_entries(api) == []
