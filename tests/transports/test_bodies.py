"""Invalid bodies: refused in one format, read no further than needed."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from inspect import isabstract
from itertools import product
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

import askback.chat.tools  # noqa: F401 - the application does not import its models
from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.transports.http import DRAIN_BYTES
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, LIMITS, Api, ask, create_request

pytestmark = pytest.mark.anyio

JUNK: tuple[Any, ...] = (None, True, 1, 1.5, "x", [], {}, [1], [[]], {"a": 1})
MALFORMED = {
    b"": "empty_body",
    b"   ": "empty_body",
    b"{": "malformed_json",
    b"{'a': 1}": "malformed_json",
    b'{"a": 1,}': "malformed_json",
    b'{"kind": "form"} x': "malformed_json",
    b"\xef\xbb\xbf{}": "malformed_json",
    b"\xff\xfe{}": "invalid_utf8",
    b'{"kind": "\xc3\x28"}': "invalid_utf8",
    b'{"kind": "form", "kind": "form"}': "duplicate_key",
    b'{"timeout_s": NaN}': "non_finite_number",
    b'{"timeout_s": 1e999}': "non_finite_number",
    b'{"timeout_s": ' + b"9" * 400 + b"}": "number_too_large",
    b'{"thread_id": "\\ud800"}': "lone_surrogate",
    b"[" * 20_000: "too_deep",
    b"[" * 33 + b"]" * 33: "too_deep",
    b"[]": "wrong_type",
    b'"ask"': "wrong_type",
    b"null": "wrong_type",
    b"5": "wrong_type",
}


@requirement("M1")
@pytest.mark.parametrize(("body", "code"), MALFORMED.items(), ids=lambda v: repr(v)[:24])
async def test_malformed_json_is_refused_by_its_own_code(shared_api: Api, body: bytes, code: str) -> None:
    agent = await shared_api.as_("requester")
    refusal = await agent.post("/v1/requests", content=body)
    assert refusal.status_code == 422
    error = refusal.json()["error"]
    assert error["code"] == "invalid"
    assert [e["code"] for e in error["field_errors"]] == [code]
    assert (await agent.get("/v1/requests")).json()["requests"] == []


def models(base: type[BaseModel] = Model) -> Iterator[type[BaseModel]]:
    for model in base.__subclasses__():
        yield model
        yield from models(model)


@requirement("M1")
def test_a_fault_in_a_member_of_a_body_is_named() -> None:
    for model in dict.fromkeys(model for model in models() if not isabstract(model)):
        for member, junk in product(model.model_fields, JUNK):
            body = {member: junk}
            try:
                model.model_validate(body)
            except ValidationError as error:
                wrong = {item["loc"][0] for item in error.errors() if item["loc"]}
                with pytest.raises(Faults) as exc_info:
                    parse(model, body)
                named = {re.split(r"[.\[]", fault.path)[0] for fault in exc_info.value.faults}
                assert named == wrong, (model, body)


async def test_every_route_that_takes_a_body_refuses_the_same_junk(api: Api) -> None:
    request = await create_request(api)
    routes = {
        "responder": [f"/v1/requests/{request['id']}/answer", f"/v1/requests/{request['id']}/decline"],
        "requester": [f"/v1/requests/{request['id']}/cancel", "/v1/threads/t1/messages"],
        "admin": ["/v1/login-links", "/v1/tokens"],
    }
    for role, paths in routes.items():
        caller = await api.as_(role)
        for path in paths:
            for body in (b"", b"{", b"[]", b"null", b'{"nope": 1}'):
                refusal = await caller.post(path, content=body)
                assert refusal.status_code == 422, (path, body, refusal.text)
                assert refusal.json()["error"]["field_errors"], (path, body)
    unchanged_reply = await (await api.as_("responder")).get(f"/v1/requests/{request['id']}")
    assert unchanged_reply.json() == request


@requirement("G14", "L5", "M2")
async def test_a_body_over_the_limit_is_refused_and_one_at_the_limit_is_read(api: Api) -> None:
    agent = await api.as_("requester")
    reply = await agent.post("/v1/requests", content=b" " * (LIMITS.body_bytes + 1))
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")
    text = str(ask()).replace("'", '"').replace("True", "true").encode()
    padded = await agent.post("/v1/requests", content=text.ljust(LIMITS.body_bytes))
    assert padded.status_code == 201


@requirement("L5")
async def test_an_endless_body_is_refused_once_a_bounded_part_of_it_was_dropped(api: Api) -> None:
    await api.as_("requester")
    chunks = 0

    async def receive() -> dict[str, Any]:
        nonlocal chunks
        chunks += 1
        return {"type": "http.request", "body": b"x" * 1024, "more_body": True}

    status, _ = await raw(api, receive, path="/v1/requests")
    assert (status, chunks) == (413, (LIMITS.body_bytes + DRAIN_BYTES) // 1024 + 1)


async def test_a_declared_length_over_the_limit_is_refused_unread(api: Api) -> None:
    await api.as_("requester")

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body was read")

    status, _ = await raw(api, receive, path="/v1/requests", headers=[(b"content-length", b"9" * 30)])
    assert status == 413


async def test_a_client_that_leaves_in_the_middle_changes_nothing(api: Api) -> None:
    agent = await api.as_("requester")
    messages = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    assert await raw(api, receive, path="/v1/requests") == (None, b"")
    assert (await agent.get("/v1/requests")).json()["requests"] == []


async def test_a_refusal_never_repeats_the_sent_values(api: Api) -> None:
    request = await create_request(api)
    canary = "CANARY-5f1c"
    agent, person = await api.as_("requester"), await api.as_("responder")
    bodies = [
        ask(form={"title": canary * 99, "fields": [{"id": "a", "type": canary, "label": "A"}]}),
        ask(form={"fields": [{"id": "a", "type": "text", "label": "A", "min": canary, "required": canary}]}),
        ask(kind=canary, run_id=[canary], agent={"name": 5, "tool": {canary: canary}}),
        ask(timeout_s=canary),
        canary,
        [canary],
    ]
    for body in bodies:
        refusal = await agent.post("/v1/requests", json=body)
        assert refusal.status_code == 422
        assert canary not in refusal.text
    path = f"/v1/requests/{request['id']}"
    for answer in ({**ANSWER, "revision": canary}, {"revision": 1, "values": {"dish": [canary]}}, canary):
        refusal = await person.post(f"{path}/answer", json=answer)
        assert refusal.status_code == 422
        assert canary not in refusal.text
    refusal = await person.post(f"{path}/decline", json={"reason": canary})
    assert refusal.status_code == 422
    assert canary not in refusal.text


Receive = Callable[[], Awaitable[dict[str, Any]]]


async def raw(
    api: Api, receive: Receive, *, path: str, headers: list[tuple[bytes, bytes]] | None = None
) -> tuple[int | None, bytes]:
    """Call the app directly, as the requester; return its status and body."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (b"host", b"127.0.0.1"),
            (b"authorization", f"Bearer {api.tokens['requester']}".encode()),
            *(headers or []),
        ],
    }
    await api.app(scope, receive, send)
    status = next((m["status"] for m in sent if m["type"] == "http.response.start"), None)
    return status, b"".join(m.get("body", b"") for m in sent)


@requirement("L4")
async def test_a_streamed_message_has_an_end(api: Api) -> None:
    agent, path = await api.as_("requester"), "/v1/threads/t1/messages"
    reply = await agent.post(path, json={"content": [{"type": "text", "text": ""}]})
    piece = {"append_to": reply.json()["id"], "text": "x" * 3_000}
    for _ in range(LIMITS.message_bytes // 3_000):
        assert (await agent.post(path, json=piece)).status_code == 200
    over = await agent.post(path, json=piece)
    [fault] = over.json()["error"]["field_errors"]
    assert (fault["path"], fault["code"]) == ("text", "too_long")
    [message] = (await agent.get("/v1/threads/t1")).json()["messages"]
    assert len(message["content"][0]["text"]) == LIMITS.message_bytes // 3_000 * 3_000


@pytest.mark.parametrize(
    ("who", "path", "body", "fault_path"),
    [
        ("requester", "/v1/threads/a%00b/archive", {}, "thread_id"),
        ("requester", "/v1/threads/a%0Ab/unarchive", {}, "thread_id"),
        ("requester", "/v1/threads/t1/messages", {"append_to": "a\0b", "text": "x"}, "append_to"),
        ("requester", "/v1/requests/{id}/report", {"execution_id": "e", "outcome": "failed"}, "note"),
        ("requester", "/v1/requests/{id}/cancel", {}, "note"),
        ("responder", "/v1/requests/{id}/decline", {"reason": "refused"}, "note"),
        ("responder", "/v1/requests/{id}/answer", {"revision": 1, "decision": "deny"}, "note"),
    ],
)
async def test_control_characters_are_refused_with_their_path(
    api: Api, who: str, path: str, body: dict[str, Any], fault_path: str
) -> None:
    expected = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": {}}}
    request = (await (await api.as_("requester")).post("/v1/requests", json=expected)).json()
    sent = {**body, "note": "a\0b"} if fault_path == "note" else body
    reply = await (await api.as_(who)).post(path.format(id=request["id"]), json=sent)
    assert reply.status_code == 422
    assert [fault["path"] for fault in reply.json()["error"]["field_errors"]] == [fault_path]
