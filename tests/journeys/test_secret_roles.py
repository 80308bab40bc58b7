"""Groups E and I: every role on every route about secrets, and the view of a stranger."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from tests.journeys.people import Person, Team, leased_values, refusal, request_of
from tests.requirements import requirement
from tests.signing_in import HALF, sign_in

pytestmark = pytest.mark.anyio

VALUE = "canary-8c1f0a77d5"

FORBIDDEN = (403, "forbidden")
NOBODYS = "00000000000000000000000000"
"""The end of an unknown id."""

# The status for each caller on each route: the requester that asked, a second one, people, an admin, a
# runner, the operator.
MATRIX: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/v1/requests"): {"agent": 201, "other": 201},
    ("POST", "/v1/requests/{request}/answer"): {"ada": 200, "admin": 200},
    ("POST", "/v1/requests/{request}/decline"): {"ada": 200, "admin": 200},
    ("POST", "/v1/requests/{tried}/accept"): {"agent": 200, "other": (404, "not_found")},
    ("POST", "/v1/requests/{tried}/reprompt"): {"agent": 200, "other": (404, "not_found")},
    ("POST", "/v1/secrets/lease"): {"agent": 200, "other": (404, "not_granted"), "runner": 200},
    ("GET", "/v1/secrets"): {"ada": 200, "admin": 200},
    ("POST", "/v1/secrets"): {"ada": 201, "admin": 201},
    ("DELETE", "/v1/secrets/{secret}"): {"ada": 204, "admin": 204},
    ("POST", "/v1/secrets/rotate"): {"admin": 200, "operator": 200},
}
CALLERS = ("agent", "other", "ada", "admin", "runner", "operator")


def body_of(path: str, thread: str) -> Any:
    """A valid body for the route, if it has one."""
    if path.endswith("/requests"):
        return {
            "kind": "secret",
            "thread_id": thread,
            "secret": {"names": ["NEW_KEY"], "reason": "to call it"},
        }
    bodies = {
        "answer": {"revision": 1, "secrets": {"A_KEY": VALUE}},
        "decline": {"reason": "dismissed"},
        "reprompt": {"error_summary": "It does not hold."},
        "lease": {"thread_id": thread, "names": ["GIVEN_KEY"]},
        "secrets": {"name": "A_KEY", "value": VALUE, "scope": "global"},
    }
    return bodies.get(path.rpartition("/")[2], {})


class SecretThread:
    """A thread in which a secret was given, one is asked for, and one is being tried."""

    def __init__(self, team: Team, thread: str, callers: dict[str, Person], ids: dict[str, str]) -> None:
        self.team, self.thread, self.callers, self.ids = team, thread, callers, ids

    async def call(self, who: str, method: str, path: str, **ids: str) -> httpx2.Response:
        """Call a route as somebody."""
        url = path.format(**{**self.ids, **ids})
        http = self.callers[who].http
        named = {"X-Request-Id": "the-same-call"}  # otherwise each reply has a different id
        return await http.request(method, url, json=body_of(path, self.thread), headers=named)


@pytest.fixture
async def secret_thread(server: Any, team: Team, thread: str) -> AsyncIterator[SecretThread]:
    """The thread and all callers."""
    async with AsyncExitStack() as stack:

        async def join(**body: Any) -> Person:
            reply = await team.admin.http.post("/v1/tokens", json=body)
            return await stack.enter_async_context(Person(server.url, reply.json()["token"]))

        lease = {"names": ["*"], "threads": ["*"]}
        left = json.loads((server.data / "server.json").read_text())
        callers = {
            "agent": team.agent,
            "other": await join(role="requester", name="other"),
            "ada": team.ada,
            "admin": team.admin,
            "runner": await join(role="runner", name="ci", lease=lease),
            "operator": await stack.enter_async_context(Person(server.url, left["operator_token"])),
            "stranger": await stack.enter_async_context(server.person("responder@acme")),
            "stranger's agent": await stack.enter_async_context(server.person("requester@acme")),
        }
        given_request = request_of(await team.agent.need(thread, "GIVEN_KEY"))
        other = (await callers["other"].http.get("/v1/session")).json()["principal"]["id"]
        let_in = await team.agent.http.put(
            f"/v1/threads/{quote(thread, safe='')}/access", json={"agents": [other]}
        )
        assert let_in.status_code == 200, let_in.text
        await team.ada.hand_over(given_request["id"], {"GIVEN_KEY": VALUE})
        tried_request = request_of(await team.agent.need(thread, "TRIED_KEY", probe=True))
        await team.ada.hand_over(tried_request["id"], {"TRIED_KEY": VALUE})
        request = request_of(await team.agent.need(thread, "A_KEY"))
        [secret] = await team.ada.list_secrets()
        ids = {"request": request["id"], "tried": tried_request["id"], "secret": secret["id"]}
        yield SecretThread(team, thread, callers, ids)


@requirement("I1", "I2", "E5")
@pytest.mark.parametrize(("method", "path"), MATRIX)
async def test_a_route_serves_its_roles_and_refuses_the_others(
    secret_thread: SecretThread, method: str, path: str
) -> None:
    for person in sorted(CALLERS, key=lambda item: item in MATRIX[method, path]):
        expected = MATRIX[method, path].get(person, FORBIDDEN)
        reply = await secret_thread.call(person, method, path)
        if not isinstance(expected, int):
            assert refusal(reply) == expected, person
        elif path.startswith("/v1/requests/") or method == "DELETE":
            # A repeated operation is refused for another reason than the role.
            assert reply.status_code in (expected, 404, 409), (person, reply.text)
        else:
            assert reply.status_code == expected, (person, reply.text)
        assert (VALUE in reply.text) == ("lease" in path and reply.status_code == 200)


@requirement("I2")
async def test_each_forbidden_attempt_is_logged_without_the_sent_values(
    secret_thread: SecretThread,
) -> None:
    tried = [
        await secret_thread.call("agent", "POST", "/v1/requests/{request}/answer"),
        await secret_thread.call("agent", "POST", "/v1/secrets"),
        await secret_thread.call("agent", "GET", "/v1/secrets"),
        await secret_thread.call("ada", "POST", "/v1/secrets/lease"),
        await secret_thread.call("admin", "POST", "/v1/secrets/lease"),
        await secret_thread.call("ada", "POST", "/v1/secrets/rotate"),
    ]
    assert [refusal(reply) for reply in tried] == [FORBIDDEN] * 6
    entries, _ = await secret_thread.team.admin.audit()
    attempts = [
        (entry["actor"]["name"], entry["attempted"]) for entry in entries if entry["action"] == "refused"
    ]
    assert [who for who, _ in attempts] == ["agent", "agent", "agent", "ada", "admin", "ada"]
    assert VALUE not in str(entries)


@requirement("I12", "E5")
async def test_another_tenants_ids_look_like_ids_that_there_are_not(secret_thread: SecretThread) -> None:
    absent = {"request": f"req_{NOBODYS}", "tried": f"req_{NOBODYS}", "secret": f"sec_{NOBODYS}"}
    for who, method, path in (
        ("stranger", "POST", "/v1/requests/{request}/answer"),
        ("stranger", "POST", "/v1/requests/{request}/decline"),
        ("stranger", "DELETE", "/v1/secrets/{secret}"),
        ("stranger's agent", "POST", "/v1/requests/{tried}/accept"),
        ("stranger's agent", "POST", "/v1/requests/{tried}/reprompt"),
        ("other", "POST", "/v1/requests/{tried}/accept"),
    ):
        theirs, nobodys = [await secret_thread.call(who, method, path, **ids) for ids in ({}, absent)]
        assert (theirs.status_code, theirs.text) == (404, nobodys.text), (who, path)
        headers, expected = ({**reply.headers, "date": ""} for reply in (theirs, nobodys))
        assert headers == expected
    stranger = secret_thread.callers["stranger"]
    assert not {"GIVEN_KEY", "TRIED_KEY"} & {item["name"] for item in await stranger.list_secrets()}
    agent = secret_thread.callers["stranger's agent"]
    for request_id in (secret_thread.ids["tried"], absent["tried"]):
        assert refusal(await agent.lease(secret_thread.thread, "TRIED_KEY", request_id=request_id)) == (
            404,
            "not_found",
        )
    own_request = request_of(await agent.need(secret_thread.thread, "GIVEN_KEY"))
    assert own_request["secret"]["present"] == {}


@requirement("I3")
async def test_a_persons_cookie_alone_keeps_gives_and_erases_nothing(
    server: Any, secret_thread: SecretThread
) -> None:
    link = await secret_thread.team.admin.login_link("Dora")
    async with Person(server.url, None) as browser:
        assert (await sign_in(browser.http, link)).status_code == 201
        session_half = browser.http.headers.pop(HALF)
        secret_thread.callers["browser"] = browser
        writes = (
            ("POST", "/v1/requests/{request}/answer", 200),
            ("POST", "/v1/secrets", 201),
            ("DELETE", "/v1/secrets/{secret}", 204),
        )
        for method, path, _ in writes:
            assert refusal(await secret_thread.call("browser", method, path)) == (401, "unauthorized")
        browser.http.headers[HALF] = session_half
        for method, path, done in writes:
            assert (await secret_thread.call("browser", method, path)).status_code == done
        refused_reply = await secret_thread.call("browser", "POST", "/v1/secrets/lease")
        assert refusal(refused_reply) == FORBIDDEN


@requirement("E19", "E25")
async def test_no_route_gives_a_saved_value_to_anybody_but_the_lease(secret_thread: SecretThread) -> None:
    document = (await secret_thread.team.ada.http.get("/openapi.json")).json()
    reads = [path for path, item in document["paths"].items() if "get" in item and "events" not in path]
    assert "/v1/secrets" in reads
    for caller, person in secret_thread.callers.items():
        for path in reads:
            ids = (
                [secret_thread.thread]
                if "threads" in path
                else [secret_thread.ids["request"], secret_thread.ids["tried"]]
            )
            for name in ids if "{id}" in path else [""]:
                reply = await person.http.get(path.replace("{id}", name))
                assert VALUE not in reply.text, (caller, path)
    seq = (await secret_thread.team.ada.http.get(f"/v1/threads/{secret_thread.thread}")).json()["seq"]
    events = [event async for event in secret_thread.team.ada.events(secret_thread.thread, until=seq)]
    assert (len(events), VALUE in str(events)) == (seq, False)
    assert leased_values(await secret_thread.team.agent.lease(secret_thread.thread, "GIVEN_KEY")) == {
        "GIVEN_KEY": VALUE
    }
