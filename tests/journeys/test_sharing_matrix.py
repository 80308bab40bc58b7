"""K3: every access level on every route and every kind, over HTTP and the WebSocket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.journeys.people import Person, Team
from tests.journeys.sharing import LEVELS, SHARED, SharedThread, share, shared
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Made = dict[str, str]


@dataclass(frozen=True)
class Act:
    """An operation: the level that it needs, its request, and its calls over both transports."""

    needs: str
    make: Callable[[SharedThread], Awaitable[Made]]
    call: tuple[str, str, Any]
    frame: dict[str, Any] | None = None


async def arrange_nothing(_shared_thread: SharedThread) -> Made:
    return {}


def asking(kind: str) -> Callable[[SharedThread], Awaitable[Made]]:
    """Create a request of a kind."""

    async def make(shared_thread: SharedThread) -> Made:
        request = await shared_thread.fresh(kind)
        a, b = request.get("secret", {}).get("names", ("", ""))
        return {"request": request["id"], "a": a, "b": b}

    return make


async def arrange_rule(shared_thread: SharedThread) -> Made:
    rule = await shared_thread.team.admin.rule("make", scope="thread", thread_id=shared_thread.thread)
    return {"rule": rule.json()["id"]}


async def store_secret(shared_thread: SharedThread) -> Made:
    secret = await shared_thread.team.admin.keep("S_KEY", "value", "session", thread_id=shared_thread.thread)
    return {"secret": secret.json()["id"]}


ANSWERS = {
    "form": {"revision": 1, "values": {"q": "a"}},
    "approval": {"revision": 1, "decision": "approve"},
    "secret": {"revision": 1, "secrets": {"{a}": "a-value", "{b}": "b-value"}},
}
LEAST = {"form": "prompt", "approval": "all", "secret": "prompt"}
TEXT = {"content": [{"type": "text", "text": "hello"}]}
HERE = {"thread_id": "{thread}"}
RULE = {"rule": "npm test", "scope": "thread", "thread_id": "{thread}"}
MODE = {"thread_id": "{thread}", "mode": "plan"}
SECRET = {"name": "N_KEY", "value": "value", "scope": "session", "thread_id": "{thread}"}
BATCH = {"action": "decline", "requests": [{"id": "{request}", "revision": 1}]}

ACTS: dict[str, Act] = {
    "read the thread": Act(
        "view", arrange_nothing, ("GET", "/v1/threads/{thread}", None), {"op": "get_thread", **HERE}
    ),
    "read who may do what": Act(
        "view",
        arrange_nothing,
        ("GET", "/v1/threads/{thread}/access", None),
        {"op": "get_thread_access", **HERE},
    ),
    "watch": Act(
        "view", arrange_nothing, ("GET", "/v1/threads/{thread}/events", None), {"op": "subscribe", **HERE}
    ),
    "read its mode": Act(
        "view", arrange_nothing, ("GET", "/v1/policy?thread_id={thread}", None), {"op": "get_policy", **HERE}
    ),
    "write": Act(
        "prompt",
        arrange_nothing,
        ("POST", "/v1/threads/{thread}/messages", TEXT),
        {"op": "post_message", **HERE, "body": TEXT},
    ),
    "make a rule": Act(
        "all", arrange_nothing, ("POST", "/v1/rules", RULE), {"op": "create_rule", "body": RULE}
    ),
    "end a rule": Act(
        "all", arrange_rule, ("DELETE", "/v1/rules/{rule}", None), {"op": "revoke_rule", "rule_id": "{rule}"}
    ),
    "set its mode": Act(
        "all", arrange_nothing, ("POST", "/v1/policy", MODE), {"op": "update_policy", "body": MODE}
    ),
    "set a secret of it": Act("all", arrange_nothing, ("POST", "/v1/secrets", SECRET)),
    "erase a secret of it": Act(
        "all",
        store_secret,
        ("DELETE", "/v1/secrets/{secret}", None),
        {"op": "erase_secret", "secret_id": "{secret}"},
    ),
    "share it": Act(
        "owner",
        arrange_nothing,
        ("PUT", "/v1/threads/{thread}/access", SHARED),
        {"op": "set_thread_access", **HERE, "body": SHARED},
    ),
}
for kind, body in ANSWERS.items():
    url, get = "/v1/requests/{request}", {"op": "get_request", "request_id": "{request}"}
    dismiss = {"reason": "dismissed"}
    ACTS |= {
        f"read a {kind}": Act("view", asking(kind), ("GET", url, None), get),
        f"be shown a {kind}": Act(
            "view", asking(kind), ("POST", f"{url}/shown", {}), {**get, "op": "mark_shown"}
        ),
        f"answer a {kind}": Act(
            LEAST[kind],
            asking(kind),
            ("POST", f"{url}/answer", body),
            None if kind == "secret" else {**get, "op": "answer_request", "body": body},
        ),
        f"decline a {kind}": Act(
            LEAST[kind],
            asking(kind),
            ("POST", f"{url}/decline", dismiss),
            {**get, "op": "decline_request", "body": dismiss},
        ),
        f"decline a {kind} among others": Act(
            LEAST[kind],
            asking(kind),
            ("POST", "/v1/requests/batch", BATCH),
            {"op": "batch_requests", "body": BATCH},
        ),
    }


@pytest.fixture
async def shared_thread(server: Any, team: Team, thread: str) -> AsyncIterator[SharedThread]:
    """The thread and everybody."""
    async with shared(server.url, team, thread) as shared_thread:
        yield shared_thread


def fill_template(template: Any, names: dict[str, str]) -> Any:
    """Put ids into the places of a body or an address."""
    if isinstance(template, str):
        return template.format(**names) if "{" in template else template
    if isinstance(template, dict):
        return {fill_template(key, names): fill_template(value, names) for key, value in template.items()}
    return [fill_template(value, names) for value in template] if isinstance(template, list) else template


async def over_http(
    person: Person, call: tuple[str, str, Any], names: dict[str, str]
) -> tuple[int, str | None]:
    """The status and the error code; a batch's are those of its one request."""
    method, path, body = fill_template(list(call), names)
    if path.endswith("/events"):
        async with person.http.stream(method, path) as stream:
            await stream.aread() if stream.status_code >= 400 else None
            return stream.status_code, stream.json()["error"]["code"] if stream.status_code >= 400 else None
    reply = await person.http.request(method, path, json=body)
    body_json = reply.json() if reply.content else {}
    [body_json] = body_json.get("results", [body_json])
    status = body_json["status"] if isinstance(body_json.get("status"), int) else reply.status_code
    return status, body_json["error"]["code"] if "error" in body_json else None


async def over_socket(person: Person, frame: dict[str, Any], names: dict[str, str]) -> tuple[int, str | None]:
    """The same of a frame."""
    said_frame = await person.frame(**fill_template(frame, names))
    [result] = said_frame.get("ok", {}).get("results", [{}])
    error = said_frame.get("error") or result.get("error")
    return (said_frame.get("error") or {"status": result.get("status", 200)})["status"], error and error[
        "code"
    ]


@requirement("K3")
@pytest.mark.parametrize("name", ACTS)
async def test_a_level_permits_exactly_the_operations_of_the_table(
    shared_thread: SharedThread, name: str
) -> None:
    act = ACTS[name]
    needed = LEVELS.index(act.needs)
    for rank, level in enumerate(LEVELS):
        person = shared_thread.people[level]
        for frame in (None, act.frame) if act.frame else (None,):
            names = {"thread": shared_thread.thread, **await act.make(shared_thread)}
            going = over_http(person, act.call, names) if frame is None else over_socket(person, frame, names)
            status, error = await going
            if rank >= needed:
                assert (status < 300, error) == (True, None), (level, frame)
            elif level == "none" or "secret of it" in name and "erase" in name:
                assert (status, error) == (404, "not_found"), (level, frame)
            else:
                assert (status, error) == (403, "forbidden"), (level, frame)


@requirement("K3")
async def test_attempts_that_a_level_forbids_are_in_the_audit_log(shared_thread: SharedThread) -> None:
    request = await shared_thread.fresh("approval")
    for level in ("view", "prompt"):
        assert (await shared_thread.people[level].decide(request["id"], "approve")).status_code == 403
    assert (await shared_thread.people["none"].decide(request["id"], "approve")).status_code == 404
    entries, _ = await shared_thread.team.admin.audit()
    attempts = [
        (entry["actor"]["user"], entry["request_id"]) for entry in entries if entry["action"] == "refused"
    ]
    assert attempts == [("user-view", request["id"]), ("user-prompt", request["id"])]
    assert (await shared_thread.team.agent.get(request["id"]))["status"] == "pending"


@requirement("K3")
async def test_an_agent_starts_a_thread_for_a_person_once_and_may_repeat_the_call(
    shared_thread: SharedThread,
) -> None:
    agent, thread = shared_thread.team.agent, shared_thread.thread
    assert (await share(agent, thread)).status_code == 200
    assert (await share(agent, thread, owner="somebody-else")).status_code == 403
    for other in (shared_thread.owners_agent, shared_thread.strangers_agent):
        assert (await share(other, f"{thread}-2", owner="somebody-else")).status_code == 403
    assert (await share(shared_thread.owners_agent, f"{thread}-2", owner="user-owner")).status_code == 200
    assert (await share(shared_thread.people["view"], f"{thread}-3", owner="user-view")).status_code == 403
    assert (await share(shared_thread.people["owner"], thread, owner="user-view")).status_code == 200
    assert (await share(shared_thread.people["owner"], thread)).status_code == 404


@requirement("K3")
async def test_an_agent_of_one_person_is_let_in_as_that_person_is(shared_thread: SharedThread) -> None:
    own_owners_agent, foreign_strangers_agent, thread = (
        shared_thread.owners_agent,
        shared_thread.strangers_agent,
        shared_thread.thread,
    )
    request = await own_owners_agent.ask(thread, {"fields": [{"id": "q", "type": "text", "label": "Q"}]})
    assert request.status_code == 201
    for reply in (
        await foreign_strangers_agent.ask(thread, {"fields": [{"id": "q", "type": "text", "label": "Q"}]}),
        await foreign_strangers_agent.bash(thread, "git push"),
        await foreign_strangers_agent.need(thread, "A_KEY"),
        await foreign_strangers_agent.http.post(f"/v1/threads/{thread}/messages", json=TEXT),
        await foreign_strangers_agent.http.get(f"/v1/threads/{thread}"),
        await foreign_strangers_agent.http.get(f"/v1/threads/{thread}/access"),
    ):
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    assert (await own_owners_agent.http.get(f"/v1/threads/{thread}")).json()["access"] == {"level": "prompt"}


@pytest.mark.parametrize(
    ("access", "path"),
    [
        ({}, "owner"),
        ({"owner": ""}, "owner"),
        ({"owner": "x" * 201}, "owner"),
        ({"owner": "ada", "others": "owner"}, "others"),
        ({"owner": "ada", "people": {"bob": "none"}}, "people.bob"),
        ({"owner": "ada", "people": {"bob\u202e": "view"}}, "people"),
        ({"owner": "ada", "people": {f"p{n}": "view" for n in range(51)}}, "people"),
        ({"owner": "ada", "group": "x"}, "group"),
    ],
)
async def test_an_access_that_makes_no_sense_is_refused_by_its_path(
    team: Team, thread: str, access: dict[str, Any], path: str
) -> None:
    refusal = await team.admin.http.put(f"/v1/threads/{thread}/access", json=access)
    assert refusal.status_code == 422
    assert [error["path"] for error in refusal.json()["error"]["field_errors"]] == [path]
    shown_body = (await team.admin.http.get(f"/v1/threads/{thread}/access")).json()
    assert shown_body == {"owner": None, "others": "all", "people": {}}
