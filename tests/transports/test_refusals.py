"""The same form again after a person refused it."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from askback.domain.limits import DEFAULTS
from tests.transports.conftest import ANSWER, Api, ask, create_request

pytestmark = pytest.mark.anyio


async def create_again(api: Api, who: str = "requester", **changes: Any) -> httpx2.Response:
    return await (await api.as_(who)).post("/v1/requests", json=ask(**changes))


async def decline_request(api: Api, reason: str) -> dict[str, Any]:
    request = await create_request(api)
    person = await api.as_("responder")
    reply = await person.post(f"/v1/requests/{request['id']}/decline", json={"reason": reason})
    assert reply.status_code == 200
    return reply.json()


@pytest.mark.parametrize("reason", ["refused", "dismissed"])
async def test_a_recently_refused_form_returns_its_outcome(api: Api, reason: str) -> None:
    request = await decline_request(api, reason)
    reply = await create_again(api)
    assert (reply.status_code, reply.json()) == (200, {**request, "repeated": True})
    reversed_form = {"fields": [dict(reversed(ask()["form"]["fields"][0].items()))], "title": "Lunch"}
    assert (await create_again(api, form=reversed_form)).json()["id"] == request["id"]


async def test_another_form_thread_or_agent_and_a_later_time_are_asked(api: Api) -> None:
    mine = await decline_request(api, "refused")
    agent = (await (await api.as_("requester/other")).get("/v1/session")).json()["principal"]["id"]
    let_in = {"agents": [mine["requester"]["id"], agent]}
    assert (await (await api.as_("admin")).put("/v1/threads/t1/access", json=let_in)).status_code == 200
    other = {**ask()["form"], "title": "Dinner"}
    for reply in (
        await create_again(api, form=other),
        await create_again(api, thread_id="t2"),
        await create_again(api, "requester/other"),
    ):
        assert (reply.status_code, reply.json()["status"]) == (201, "pending")
    api.clock.advance(seconds=DEFAULTS.refusal_s)
    assert (await create_again(api)).status_code == 201


async def test_a_form_that_was_answered_or_cancelled_is_asked_again(api: Api) -> None:
    request = await create_request(api)
    await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert (await create_again(api)).status_code == 201


async def test_a_retry_with_the_same_key_returns_the_first_request(api: Api) -> None:
    agent = await api.as_("requester", **{"Idempotency-Key": "k"})
    first_reply = await agent.post("/v1/requests", json=ask())
    await decline_request(api, "refused")
    retry_reply = await agent.post("/v1/requests", json=ask())
    assert (retry_reply.json()["id"], "repeated" in retry_reply.json()) == (first_reply.json()["id"], False)
