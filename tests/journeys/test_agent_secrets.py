"""A secret is used without a question by the agents that a person gave it to, and by no other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Person, Team, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def agent_view(request: dict[str, Any]) -> dict[str, Any]:
    """An agent's view of a request, without the members that always differ."""
    return {name: request[name] for name in ("status", "revision", "secret")}


@requirement("N9")
async def test_another_agent_needs_a_grant_and_gets_no_information_before_it(
    team: Team, server: Any, thread: str
) -> None:
    own_request = request_of(await team.agent.need(thread, "A_KEY", default_scope="global"))
    await team.ada.hand_over(own_request["id"], {"A_KEY": "a-value"}, scope="global")
    second_request = (await team.agent.need(thread, "A_KEY", default_scope="global")).json()
    assert (second_request["status"], second_request["source"]) == ("answered", "existing")
    reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "stranger"})
    async with Person(server.url, reply.json()["token"]) as foreign_person:
        stored_request = request_of(await foreign_person.need("theirs", "A_KEY", default_scope="global"))
        unknown = request_of(await foreign_person.need("theirs", "NO_KEY", default_scope="global"))
        unknown["secret"]["names"] = ["A_KEY"]
        assert agent_view(stored_request) == agent_view(unknown)
        assert refusal(await foreign_person.lease("theirs", "A_KEY")) == (404, "not_granted")
        saved = await team.ada.http.get(f"/v1/requests/{stored_request['id']}/saved")
        assert saved.json() == {"saved": {"A_KEY": ["global"]}}
        assert (
            await foreign_person.http.get(f"/v1/requests/{stored_request['id']}/saved")
        ).status_code == 403
        await team.ada.hand_over(stored_request["id"], existing=["A_KEY"], scope="global")
        leased = (await foreign_person.lease("theirs", "A_KEY")).json()
        assert leased["secrets"]["A_KEY"]["value"] == "a-value"


@requirement("N9")
async def test_a_person_gives_and_takes_back_ahead(team: Team, thread: str) -> None:
    me = (await team.agent.http.get("/v1/session")).json()["principal"]["id"]
    body = (await team.ada.keep("A_KEY", "a-value", agents=[me])).json()
    request = (await team.agent.need(thread, "A_KEY", default_scope="global")).json()
    assert request["source"] == "existing"
    assert (await team.agent.lease(thread, "A_KEY")).status_code == 200
    url = f"/v1/secrets/{body['id']}/agents"
    assert (await team.ada.http.get(url)).json() == {"agents": [me]}
    await team.ada.http.put(url, json={"agents": []})
    assert refusal(await team.agent.lease(thread, "A_KEY")) == (404, "not_granted")
    request_of(await team.agent.need(thread, "A_KEY", default_scope="global"))
    unknown = await team.ada.http.put(url, json={"agents": ["agt_none"]})
    assert unknown.status_code == 422
