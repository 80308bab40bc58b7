"""Roles: every role on every route, and the view of other people's requests."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from askback.wire.operations import OPERATIONS
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, BASE, Api, ask, create_request

pytestmark = pytest.mark.anyio

TEXT = {"content": [{"type": "text", "text": "hello"}]}
ALL_ROLES = {"requester", "responder", "admin"}
PEOPLE = {"responder", "admin"}

# (method, path, body, who may, status for those)
MATRIX: list[tuple[str, str, Any, set[str], int]] = [
    ("POST", "/v1/requests", ask(), {"requester"}, 201),
    ("GET", "/v1/requests", None, ALL_ROLES, 200),
    ("GET", "/v1/kinds", None, ALL_ROLES, 200),
    ("GET", "/v1/requests/{id}", None, ALL_ROLES, 200),
    ("GET", "/v1/requests/{id}/text", None, {"requester"}, 200),
    ("POST", "/v1/requests/{id}/answer", ANSWER, PEOPLE, 200),
    ("POST", "/v1/requests/{id}/files?field=dish&name=a", None, PEOPLE, 422),
    ("GET", "/v1/requests/{id}/files", None, ALL_ROLES, 200),
    ("GET", "/v1/files/{id}", None, ALL_ROLES, 404),
    ("GET", "/v1/files/{id}/preview", None, ALL_ROLES, 404),
    ("DELETE", "/v1/files/{id}", None, ALL_ROLES, 404),
    ("POST", "/v1/threads/{id}/files?name=a", None, {"requester"}, 422),
    ("GET", "/v1/requests/{id}/options?field=dish", None, PEOPLE, 422),
    ("POST", "/v1/requests/{id}/assign", {"assignees": None}, PEOPLE, 200),
    ("GET", "/v1/people", None, PEOPLE, 200),
    ("PUT", "/v1/requests/{id}/reminder", {"at": "2026-11-20T09:00:00Z"}, PEOPLE, 200),
    ("DELETE", "/v1/requests/{id}/reminder", None, PEOPLE, 204),
    ("GET", "/v1/reminders", None, PEOPLE, 200),
    ("GET", "/v1/requests/{id}/comments", None, PEOPLE, 200),
    ("POST", "/v1/requests/{id}/comments", {"text": "Ask Bob."}, PEOPLE, 201),
    ("DELETE", "/v1/requests/{id}/comments/{id}", None, PEOPLE, 404),
    ("GET", "/v1/conversations", None, PEOPLE, 200),
    ("POST", "/v1/markdown", {"texts": ["*a*"]}, PEOPLE, 200),
    ("GET", "/v1/missed", None, PEOPLE, 200),
    ("POST", "/v1/missed/seen", {"request_ids": ["req_x"]}, PEOPLE, 204),
    ("GET", "/v1/history", None, PEOPLE, 200),
    ("POST", "/v1/requests/{id}/decline", {"reason": "dismissed"}, PEOPLE, 200),
    ("POST", "/v1/requests/{id}/cancel", {"reason": "superseded"}, {"requester", "admin"}, 200),
    ("POST", "/v1/threads/{id}/messages", TEXT, ALL_ROLES, 201),
    (
        "PATCH",
        "/v1/threads/{id}/messages/{id}",
        {"tool_call_id": "c1", "status": "done"},
        ALL_ROLES,
        404,
    ),
    ("GET", "/v1/threads", None, ALL_ROLES, 200),
    ("GET", "/v1/threads/{id}", None, ALL_ROLES, 200),
    ("PATCH", "/v1/threads/{id}", {"title": "Lunch"}, ALL_ROLES, 200),
    ("POST", "/v1/threads/{id}/runs", {}, {"requester"}, 201),
    ("GET", "/v1/threads/{id}/runs", None, ALL_ROLES, 200),
    ("GET", "/v1/threads/{id}/runs/{id}", None, ALL_ROLES, 404),
    ("POST", "/v1/threads/{id}/runs/{id}/renew", {}, {"requester"}, 404),
    ("POST", "/v1/threads/{id}/runs/{id}/end", {}, ALL_ROLES, 404),
    ("POST", "/v1/threads/{id}/runs/{id}/cancel", {}, {"requester", "admin"}, 200),
    ("GET", "/v1/threads/{id}/events", None, ALL_ROLES, 200),
    ("GET", "/v1/threads/{id}/access", None, ALL_ROLES, 200),
    ("PUT", "/v1/threads/{id}/access", {"owner": "ada"}, {"requester", "admin"}, 200),
    ("POST", "/v1/threads/{id}/archive", None, ALL_ROLES, 200),
    ("POST", "/v1/threads/{id}/unarchive", None, ALL_ROLES, 200),
    ("GET", "/v1/threads/{id}/export", None, {"admin"}, 200),
    ("DELETE", "/v1/threads/{id}", None, {"admin"}, 204),
    ("GET", "/v1/events", None, PEOPLE, 200),
    ("GET", "/v1/session", None, ALL_ROLES, 200),
    ("DELETE", "/v1/session", None, ALL_ROLES, 204),
    ("GET", "/v1/sessions", None, PEOPLE, 200),
    ("DELETE", "/v1/sessions", None, PEOPLE, 200),
    ("DELETE", "/v1/sessions/{id}", None, PEOPLE, 404),
    ("POST", "/v1/session/addresses", {"path": "/v1/limits"}, set(), 201),  # for browser sessions alone
    ("POST", "/v1/login-links", {}, {"admin"}, 201),
    ("POST", "/v1/tokens", {"role": "requester"}, {"admin"}, 201),
    ("GET", "/v1/tokens", None, {"admin"}, 200),
    ("DELETE", "/v1/tokens/{id}", None, {"admin"}, 404),
    ("POST", "/v1/agents", {"name": "shop"}, {"admin"}, 201),
    ("GET", "/v1/agents", None, PEOPLE, 200),
    ("GET", "/v1/agents/{id}", None, PEOPLE, 404),
    ("POST", "/v1/agents/{id}/stop", None, PEOPLE, 404),
    ("POST", "/v1/agents/{id}/roots", {"path": "/srv/shop"}, PEOPLE, 404),
    ("DELETE", "/v1/agents/{id}/roots?path=/srv/shop", None, PEOPLE, 404),
    ("GET", "/v1/audit/entries", None, {"admin"}, 200),
    ("GET", "/v1/audit/verification", None, {"admin"}, 200),
    ("GET", "/v1/audit/export", None, {"admin"}, 200),
    ("GET", "/v1/limits", None, ALL_ROLES, 200),
    ("POST", "/v1/limits/reset", {"thread_id": "t1"}, {"admin"}, 200),
    ("POST", "/v1/requests/batch", {"action": "decline", "requests": [{"id": "req_x"}]}, PEOPLE, 200),
    ("POST", "/v1/requests/{id}/consume", {"execution_id": "x"}, {"requester"}, 409),
    ("POST", "/v1/requests/{id}/report", {"execution_id": "x", "outcome": "failed"}, {"requester"}, 404),
    ("POST", "/v1/requests/{id}/answering", {}, PEOPLE, 204),
    ("GET", "/v1/rules", None, PEOPLE, 200),
    ("POST", "/v1/rules", {"rule": "git status"}, PEOPLE, 201),
    ("GET", "/v1/rules/built-in", None, PEOPLE, 200),
    ("POST", "/v1/rules/try", {"rule": {"rule": "git status"}}, PEOPLE, 200),
    ("POST", "/v1/rules/preview", {"rule": {"rule": "git status"}}, PEOPLE, 200),
    ("GET", "/v1/rules/export", None, PEOPLE, 200),
    ("POST", "/v1/rules/import", {"rules": []}, {"admin"}, 200),
    ("DELETE", "/v1/rules/{id}", None, PEOPLE, 404),
    ("GET", "/v1/policy", None, PEOPLE, 200),
    ("POST", "/v1/policy", {"thread_id": "t1", "mode": "plan"}, PEOPLE, 200),
    ("GET", "/v1/audit", None, {"admin"}, 200),
    ("POST", "/v1/requests/{id}/reported-answer", ANSWER, {"requester"}, 200),
    ("POST", "/v1/requests/{id}/outcome", {"outcome": "done"}, {"requester"}, 409),
    ("POST", "/v1/requests/{id}/oauth/start", {}, PEOPLE, 409),
    ("POST", "/v1/requests/{id}/accept", {}, {"requester"}, 409),
    ("POST", "/v1/requests/{id}/reprompt", {"error_summary": "x"}, {"requester"}, 409),
    ("PATCH", "/v1/requests/{id}", {"error_summary": "x"}, {"requester"}, 200),
    ("POST", "/v1/requests/{id}/shown", {}, PEOPLE, 200),
    ("POST", "/v1/requests/{id}/check", {}, {"requester"}, 409),
    ("POST", "/v1/requests/{id}/ask-again", {}, PEOPLE, 200),
    ("POST", "/v1/requests/{id}/revoke", {}, PEOPLE, 409),
    ("GET", "/v1/resumes", None, {"requester"}, 200),
    ("GET", "/v1/threads/{id}/resumes", None, {"requester"}, 200),
    ("POST", "/v1/resumes/{id}/ack", {"attempt": 1}, {"requester"}, 404),
    ("POST", "/v1/secrets/lease", {"thread_id": "t1", "names": ["A_KEY"]}, {"requester", "runner"}, 404),
    ("GET", "/v1/secrets", None, PEOPLE, 200),
    ("POST", "/v1/secrets", {"name": "A_KEY", "value": "v", "scope": "global"}, PEOPLE, 201),
    ("DELETE", "/v1/secrets/{id}", None, PEOPLE, 404),
    ("GET", "/v1/secrets/{id}/agents", None, PEOPLE, 404),
    ("PUT", "/v1/secrets/{id}/agents", {"agents": "all"}, PEOPLE, 404),
    ("PUT", "/v1/secrets/{id}/agents/{agent}", None, PEOPLE, 404),
    ("DELETE", "/v1/secrets/{id}/agents/{agent}", None, PEOPLE, 404),
    ("GET", "/v1/requests/{id}/saved", None, PEOPLE, 200),
    ("POST", "/v1/secrets/rotate", {}, {"admin"}, 200),
    ("GET", "/metrics", None, set(), 200),
    ("GET", "/v1/webhooks", None, {"admin"}, 200),
    ("POST", "/v1/webhooks", {"url": "https://hooks.example.com/"}, {"admin"}, 201),
    ("PATCH", "/v1/webhooks/{id}", {"active": True}, {"admin"}, 404),
    ("DELETE", "/v1/webhooks/{id}", None, {"admin"}, 404),
    ("GET", "/v1/webhooks/{id}/deliveries", None, {"admin"}, 404),
    ("POST", "/v1/webhooks/{id}/test", None, {"admin"}, 404),
    ("GET", "/v1/server", None, {"admin"}, 200),
    ("POST", "/v1/webhooks/{id}/redeliver", {"delivery": "dlv_x"}, {"admin"}, 404),
]


def route(method: str, path: str) -> tuple[str, str]:
    """Return a route without its query and the names of its parameters."""
    return method, re.sub(r"\{\w+\}", "{}", path.partition("?")[0])


ROLES = {
    route(item.method, item.path): item.roles & ALL_ROLES
    for item in OPERATIONS.values()
    if not item.public and "http" in item.transports
}
# A responder may do these as the owner of the thread, or with a cookie; the callers of the matrix are neither.
MORE = {
    route(OPERATIONS[name].method, OPERATIONS[name].path)
    for name in ("erase_thread", "export_thread", "sign_address", "set_thread_access")
}


def test_the_matrix_has_every_route_with_the_roles_of_the_table() -> None:
    served = {route(method, path): allowed & ALL_ROLES for method, path, _, allowed, _ in MATRIX}
    assert served.keys() == ROLES.keys()
    assert {path: allowed for path, allowed in served.items() if path not in MORE} == {
        path: roles for path, roles in ROLES.items() if path not in MORE
    }


async def test_every_operation_on_a_hidden_thread_and_its_requests_is_a_404(api: Api) -> None:
    request = await create_request(api)
    agent, admin, person = [await api.as_(role) for role in ("requester", "admin", "responder")]
    tool = {"type": "tool", "tool_call_id": "c1", "name": "search", "status": "running"}
    message = await agent.post("/v1/threads/t1/messages", json={"content": [tool]})
    ids = {
        "thread_id": "t1",
        "request_id": request["id"],
        "run_id": (await agent.post("/v1/threads/t1/runs", json={})).json()["id"],
        "message_id": message.json()["id"],
    }
    comment = await admin.post(f"/v1/requests/{request['id']}/comments", json={"text": "Ask Bob."})
    ids["comment_id"] = comment.json()["id"]
    assert (await person.get("/v1/threads/t1")).status_code == 200
    assert (await admin.put("/v1/threads/t1/access", json={"owner": "ada"})).status_code == 200
    paths = {
        route(item.method, item.path): item.path for item in OPERATIONS.values() if "http" in item.transports
    }
    seen: dict[str, tuple[int, str | None]] = {}
    for method, path, body, allowed, _ in MATRIX:
        pattern = paths[route(method, path)]
        if ("{thread_id}" in pattern or "{request_id}" in pattern) and "responder" in allowed:
            _, _, query = path.partition("?")
            seen[f"{method} {pattern}"] = await _status(
                api, person, method, f"{pattern.format(**ids)}?{query}".rstrip("?"), body
            )
    assert len(seen) > 25
    assert {name: status for name, status in seen.items() if status != (404, "not_found")} == {}


AS_THINGS_STAND = (
    None,
    "invalid",
    "not_approved",
    "not_found",
    "not_resolving",
    "not_granted",
    "not_an_action",
    "no_provider",
)


@requirement("I1", "I2", "M2")
@pytest.mark.parametrize("role", ["requester", "responder", "admin", "nobody", "stranger"])
async def test_a_route_serves_its_roles_and_refuses_the_others(api: Api, role: str) -> None:
    wrong: list[object] = []
    for number, (method, path, body, allowed, status) in enumerate(MATRIX):
        tenant = f"tenant-{number}"
        request = await create_request(api, f"requester@{tenant}")
        await api.as_(f"responder@{tenant}")
        caller = await _caller(api, role, tenant)
        url = path.format(agent="agt_x", id="t1" if "threads" in path else request["id"])
        code, error = await _status(api, caller, method, url, body)
        if role in ("nobody", "stranger"):
            served = (code, error) == (401, "unauthorized")
        elif role in allowed:
            # An allowed operation can still fail for another reason than the role.
            served = code == status and error in AS_THINGS_STAND
        else:
            kept_request = (
                await (await api.as_(f"admin@{tenant}")).get(f"/v1/requests/{request['id']}")
            ).json()
            served = (code, error) == (403, "forbidden") and kept_request == request
        wrong += [] if served else [(method, path, code, error)]
        api.clock.advance(seconds=60)  # wrong tokens are counted by the minute
    assert wrong == []


@requirement("I2")
async def test_a_refused_attempt_is_recorded(api: Api) -> None:
    request = await create_request(api)
    agent = await api.as_("requester")
    for action, body in (("answer", ANSWER), ("decline", {"reason": "refused"})):
        refusal = await agent.post(f"/v1/requests/{request['id']}/{action}", json=body)
        assert refusal.status_code == 403
    me = (await agent.get("/v1/session")).json()["principal"]["id"]
    log = (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]
    attempts = [(e["actor"]["id"], e["attempted"], e["request_id"]) for e in log if e["action"] == "refused"]
    assert attempts == [
        (me, "answer_request", request["id"]),
        (me, "decline_request", request["id"]),
    ]


@requirement("I2")
@pytest.mark.parametrize("role", ["requester", "responder"])
async def test_the_record_of_a_refused_attempt_names_the_operation(api: Api, role: str) -> None:
    request_id = (await create_request(api))["id"]
    caller, admin = await api.as_(role), await api.as_("admin")
    names = {route(item.method, item.path): item.name for item in OPERATIONS.values()}
    attempts: dict[str, list[str]] = {}
    for method, path, body, allowed, _ in MATRIX:
        name = names[route(method, path)]
        if role not in allowed and name != "sign_address":  # that one needs a browser session, not a role
            url = path.format(agent="agt_x", id="t1" if "threads" in path else request_id)
            assert await _status(api, caller, method, url, body) == (403, "forbidden")
            [newest] = (await admin.get("/v1/audit/entries?limit=1")).json()["entries"]
            attempts[name] = [newest["action"], newest["attempted"]]
            api.clock.advance(seconds=60)  # only so many are recorded in a minute
    assert attempts == {name: ["refused", name] for name in attempts}


@requirement("I12")
async def test_the_request_of_another_looks_like_a_missing_one(api: Api) -> None:
    request = await create_request(api)
    outsiders = {
        "requester/other": ["", "/cancel"],
        "requester@acme": ["", "/cancel"],
        "responder@acme": ["", "/answer", "/decline"],
        "admin@acme": ["", "/answer", "/decline", "/cancel"],
    }
    bodies = {"/answer": ANSWER, "/decline": {"reason": "dismissed"}, "/cancel": {"reason": "admin"}}
    for who, steps in outsiders.items():
        caller = await api.as_(who, **{"X-Request-Id": "the-same-call"})
        for step in steps:
            seen_items = []
            for request_id in (request["id"], "req_00000000000000000000000000", "x", "%00", "é"):
                url = f"/v1/requests/{request_id}{step}"
                response = await (caller.post(url, json=bodies[step]) if step else caller.get(url))
                seen_items.append((response.status_code, response.text, sorted(response.headers.items())))
            assert seen_items == [seen_items[0]] * len(seen_items), who
            assert seen_items[0][0] == 404
    assert (await (await api.as_("requester")).get(f"/v1/requests/{request['id']}")).json() == request


@requirement("I12")
async def test_lists_threads_and_keys_stay_within_a_tenant_and_an_agent(api: Api) -> None:
    request = await create_request(api)
    for person in ("requester/other", "requester@acme", "responder@acme", "admin@acme"):
        caller = await api.as_(person)
        assert (await caller.get("/v1/requests")).json() == {"requests": [], "next_cursor": None}
        thread = await caller.get("/v1/threads/t1")
        assert thread.status_code == 404 if person == "requester/other" else thread.json()["requests"] == []
    other_reply = await (await api.as_("requester@acme")).post(
        "/v1/requests", json=ask(), headers={"Idempotency-Key": "k"}
    )
    own_reply = await (await api.as_("requester")).post(
        "/v1/requests", json=ask(), headers={"Idempotency-Key": "k"}
    )
    assert (other_reply.status_code, own_reply.status_code) == (201, 201)
    assert len({request["id"], other_reply.json()["id"], own_reply.json()["id"]}) == 3


async def test_a_token_made_by_an_admin_works_in_the_same_tenant(api: Api) -> None:
    reply = await (await api.as_("admin@acme")).post("/v1/tokens", json={"role": "responder", "name": "Bo"})
    client = api.client(headers={"Authorization": f"bearer {reply.json()['token']}"})
    body = (await client.get("/v1/session")).json()
    assert (body["principal"]["name"], body["principal"]["role"], body["session"]) == (
        "Bo",
        "responder",
        None,
    )
    await create_request(api, "requester@acme")
    assert len((await client.get("/v1/requests")).json()["requests"]) == 1


@pytest.mark.parametrize("role", ["root", "", 5, None, "Admin"])
async def test_a_token_of_an_unknown_role_is_refused(api: Api, role: object) -> None:
    refusal = await (await api.as_("admin")).post("/v1/tokens", json={"role": role})
    assert refusal.status_code == 422
    assert refusal.json()["error"]["field_errors"][0]["path"] == "role"


async def _caller(api: Api, role: str, tenant: str) -> httpx2.AsyncClient:
    if role == "nobody":
        return api.client()
    if role == "stranger":
        return api.client(headers={"Authorization": "Bearer not-known-here"})
    return await api.as_(f"{role}@{tenant}")


async def _status(
    api: Api, caller: httpx2.AsyncClient, method: str, url: str, body: Any
) -> tuple[int, str | None]:
    """Return the status and error code; a stream is left as soon as it has begun."""
    if url.endswith("/events"):
        return await stream_status(api, caller, url)
    response = await caller.request(method, url, json=body)
    error = response.json()["error"]["code"] if response.status_code >= 400 else None
    return response.status_code, error


async def stream_status(api: Api, caller: httpx2.AsyncClient, url: str) -> tuple[int, str | None]:
    import json

    sent: list[Any] = []
    incoming_messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        return incoming_messages.pop(0) if incoming_messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(k.lower().encode(), v.encode()) for k, v in caller.headers.items()]
    scope = {
        "type": "http", "method": "GET", "scheme": "http", "path": url, "raw_path": url.encode(),
        "query_string": b"", "headers": [*headers, (b"host", BASE.removeprefix("http://").encode())],
    }  # fmt: skip
    await api.app(scope, receive, send)
    status = sent[0]["status"]
    body = b"".join(m.get("body", b"") for m in sent)
    return status, json.loads(body)["error"]["code"] if status >= 400 else None
