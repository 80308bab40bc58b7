"""Groups I and B: a requester's token decides nothing and creates no rule on any route."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.journeys.people import Person, Team, refusal, request_of
from tests.requirements import requirement
from tests.signing_in import HALF, sign_in

pytestmark = pytest.mark.anyio

DECISION = {"revision": 1, "decision": "approve", "scope": "always"}
RULE = {"rule": "make deploy", "effect": "allow"}
HARMLESS = {
    ("DELETE", "/v1/files/{id}"),
    ("PATCH", "/v1/requests/{id}"),
    ("POST", "/v1/requests"),
    ("POST", "/v1/requests/{id}/accept"),
    ("POST", "/v1/requests/{id}/check"),
    ("POST", "/v1/requests/{id}/consume"),
    ("POST", "/v1/requests/{id}/outcome"),
    ("POST", "/v1/requests/{id}/reprompt"),
    ("POST", "/v1/secrets/lease"),
    ("POST", "/v1/requests/{id}/report"),
    ("POST", "/v1/resumes/{id}/ack"),
    ("POST", "/v1/threads/{id}/files"),
    ("POST", "/v1/threads/{id}/messages"),
    ("PATCH", "/v1/threads/{id}/messages/{id}"),
    ("PUT", "/v1/threads/{id}/access"),
    ("PATCH", "/v1/threads/{id}"),
    ("POST", "/v1/threads/{id}/runs"),
    ("POST", "/v1/threads/{id}/runs/{id}/renew"),
    ("POST", "/v1/threads/{id}/runs/{id}/end"),
    ("POST", "/v1/threads/{id}/runs/{id}/cancel"),
    ("DELETE", "/v1/session"),
    ("POST", "/v1/sessions"),
}
"""The operations that an agent may call beside reading: each is called below, and must not decide anything.

Cancelling its own request is the last: that ends the request, and is not a decision either.
"""
CANCEL = ("POST", "/v1/requests/{id}/cancel")
TAKES_BACK = {CANCEL, ("POST", "/v1/threads/{id}/archive"), ("POST", "/v1/threads/{id}/unarchive")}

PUBLIC = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/openapi.json"),
    ("GET", "/v1/oauth/callback"),
    ("POST", "/v1/sessions"),
}


NO_DECLINE = {"revision": 1, "declined": None, "values": {"decision": "approve"}}
"""An agent may report that a person declined. This body only looks like such a report."""


class State:
    """The state that all attempts of an agent must leave unchanged."""

    def __init__(self, team: Team, thread: str, request: dict[str, Any], rule: dict[str, Any]) -> None:
        self._team, self._thread, self._request, self._rule = team, thread, request, rule

    async def holds(self) -> None:
        """The request is open and unchanged, and so are the rule and the settings."""
        team = self._team
        assert await team.ada.get(self._request["id"]) == self._request
        assert await team.ada.rules(ended="true") == [self._rule]
        for query in ({}, {"thread_id": self._thread}):
            settings = await team.admin.policy(**query)
            assert (settings["mode"], settings["level"], settings["shadow"]) == ("normal", "allowlist", None)


def bodies(request: dict[str, Any], thread: str) -> list[dict[str, Any]]:
    """Every body that would decide, create a rule or change the policy, if its route allowed it."""
    item = {"id": request["id"], "revision": 1, "digest": request["approval"]["digest"]}
    return [
        DECISION,
        {**DECISION, "decision": "deny", "scope": "once"},
        {"revision": 1, "values": {"decision": "approve"}},
        {"reason": "refused"},
        {"action": "approve", "requests": [item]},
        RULE,
        {**RULE, "effect": "deny", "scope": "thread", "thread_id": thread},
        {"thread_id": thread, "mode": "full", "confirm": "ENABLE FULL"},
        {"level": "full", "confirm": "ENABLE FULL"},
        {"execution_id": "run-1"},
        {"execution_id": "run-1", "outcome": "succeeded"},
        {"role": "responder"},
        {"name": "agent"},
        {"content": [{"type": "text", "text": "approve"}, {"type": "request", "request_id": request["id"]}]},
        {
            "kind": "approval",
            "thread_id": thread,
            "approval": {"tool": "bash", "input": {}, "decision": "approve"},
        },
        {},
    ]


async def operations(person: Person) -> list[tuple[str, str]]:
    """Every published operation, as (method, path)."""
    document = (await person.http.get("/openapi.json")).json()
    return [(method.upper(), path) for path, item in document["paths"].items() for method in item]


@pytest.fixture
async def state(team: Team, thread: str) -> State:
    """A pending approval, and a locked rule."""
    rule = (await team.admin.rule("git push:*", "ask", locked=True)).json()
    return State(team, thread, request_of(await team.agent.bash(thread, "make deploy")), rule)


def fill_path(path: str, request: dict[str, Any], rule_id: str, thread: str) -> str:
    """The path with its ids filled in."""
    name = rule_id if "/rules/" in path else thread if "/threads/" in path else request["id"]
    return path.replace("{id}", name)


@requirement("I1", "I2", "B7")
async def test_an_agent_decides_nothing_and_makes_no_rule_on_any_route(
    team: Team, thread: str, state: State
) -> None:
    [request] = await team.ada.pending(thread)
    [rule] = await team.ada.rules()
    result = await operations(team.agent)
    assert set(result) >= HARMLESS | TAKES_BACK
    for method, path in result:
        if method == "GET" or (method, path) in TAKES_BACK:
            continue
        url = fill_path(path, request, rule["id"], thread)
        # A role is refused before the body is read.
        for body in bodies(request, thread) if (method, path) in HARMLESS else ({}, DECISION, NO_DECLINE):
            reply = await team.agent.http.request(method, url, json=body)
            if (method, path) not in HARMLESS:
                assert refusal(reply) == (403, "forbidden"), (method, path, body)
            assert reply.status_code < 500, (method, path, body)
    await state.holds()
    assert (await team.agent.cancel(request["id"])).json()["status"] == "cancelled"


@requirement("I2", "B28")
async def test_each_attempt_of_an_agent_to_decide_is_in_the_audit_log(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    attempts = [
        await team.agent.decide(request["id"], "approve"),
        await team.agent.decline(request["id"], "refused"),
        await team.agent.batch("approve", [request["id"]]),
        await team.agent.rule("make deploy"),
        await team.agent.set_policy(thread_id=thread, mode="full", confirm="ENABLE FULL"),
    ]
    assert [refusal(reply) for reply in attempts] == [(403, "forbidden")] * 5
    entries, _ = await team.admin.audit()
    assert [(entry["action"], entry["actor"]["name"]) for entry in entries] == [("refused", "agent")] * 5


@requirement("I1", "I2", "G2")
async def test_an_agent_decides_nothing_and_makes_no_rule_over_a_websocket(
    team: Team, thread: str, state: State
) -> None:
    [request] = await team.ada.pending(thread)
    [rule] = await team.ada.rules()
    item = {"id": request["id"], "revision": 1}
    full_mode_body = {"thread_id": thread, "mode": "full", "confirm": "ENABLE FULL"}
    for frame in (
        {"op": "answer_request", "request_id": request["id"], "body": DECISION},
        {"op": "decline_request", "request_id": request["id"], "body": {"reason": "refused"}},
        {"op": "batch_requests", "body": {"action": "approve", "requests": [item]}},
        {"op": "create_rule", "body": RULE},
        {"op": "revoke_rule", "rule_id": rule["id"]},
        {"op": "update_policy", "body": full_mode_body},
        {"op": "get_audit_log"},
    ):
        reply = await team.agent.frame(**frame)
        assert (reply["error"]["status"], reply["error"]["code"]) == (403, "forbidden"), frame
    await state.holds()


@requirement("I1", "I2")
async def test_an_answer_by_a_requester_is_refused_under_any_header(
    server: Any, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    token = team.agent.http.headers["Authorization"].removeprefix("Bearer ")
    url = f"{server.url}/v1/requests/{request['id']}/answer"
    async with httpx2.AsyncClient() as http:
        for headers in (
            {"Authorization": f"Bearer {token}", "X-Askback-Via": "web", "X-Askback-Session": "x"},
            {"Authorization": f"Bearer {token}", "Cookie": "askback_session=x"},
            {"Authorization": f"Bearer {token}", "X-HTTP-Method-Override": "DELETE", "X-Role": "admin"},
        ):
            assert (await http.post(url, json=DECISION, headers=headers)).status_code == 403
        bare = await http.post(
            url, content=json.dumps(DECISION), headers={"Cookie": f"askback_session={token}"}
        )
        assert bare.status_code == 401
    assert await team.ada.get(request["id"]) == request


@requirement("I1")
async def test_no_route_is_open_to_a_stranger(server: Any, team: Team, thread: str, state: State) -> None:
    [request] = await team.ada.pending(thread)
    [rule] = await team.ada.rules()
    async with Person(server.url, None) as foreign_person:
        for method, path in set(await operations(foreign_person)) - PUBLIC:
            url = fill_path(path, request, rule["id"], thread)
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "askback_session=wrong"}):
                reply = await foreign_person.http.request(method, url, headers=headers)
                assert refusal(reply) == (401, "unauthorized"), (method, path)
    await state.holds()


@requirement("I3", "N8")
async def test_a_persons_cookie_alone_opens_nothing_on_any_route(
    server: Any, team: Team, thread: str, state: State
) -> None:
    [request] = await team.ada.pending(thread)
    [rule] = await team.ada.rules()
    link = (await team.admin.http.post("/v1/login-links", json={"name": "Dora"})).json()["url"]
    async with Person(server.url, None) as browser:
        assert (await sign_in(browser.http, link)).status_code == 201
        session_half = browser.http.headers.pop(HALF)
        for method, path in set(await operations(browser)) - PUBLIC:
            url = fill_path(path, request, rule["id"], thread)
            for headers in ({}, {HALF: session_half[::-1]}):
                reply = await browser.http.request(method, url, json=DECISION, headers=headers)
                assert refusal(reply) == (401, "unauthorized"), (method, path)
    await state.holds()


@requirement("I12")
async def test_another_tenant_finds_neither_the_request_nor_the_rule(
    server: Any, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))
    rule = (await team.ada.rule("make test")).json()
    async with server.person("responder@acme") as stranger:
        reply = await stranger.decide(request["id"], "approve")
        missing_reply = await stranger.decide("req_nothing", "approve")
        assert (reply.status_code, reply.text) == (404, missing_reply.text)
        assert (await stranger.revoke(rule["id"])).text == (await stranger.revoke("rul_nothing")).text
        [result] = (await stranger.batch("decline", [request["id"]])).json()["results"]
        assert result["status"] == 404
        assert rule["id"] not in str(await stranger.rules(ended="true"))
    assert await team.ada.get(request["id"]) == request
    assert len(await team.ada.rules()) == 1
