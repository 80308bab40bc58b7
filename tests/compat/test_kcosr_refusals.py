"""Refusals of kcosr's operations and WebSocket, with the reason and the path, without a change."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compat.test_kcosr import FORM
from tests.compat.test_kcosr_page import FIELD, INTERACT, RESPONSE, page
from tests.requirements import requirement
from tests.transports.conftest import Api, api, shared_api

__all__ = ["api", "shared_api"]

pytestmark = pytest.mark.anyio
ASK = "/compat/kcosr/api/plugins/questions/operations/ask"
PICK = {
    "id": "r",
    "type": "radio",
    "label": "R",
    "options": [{"label": "X", "value": "x"}, {"label": "Y", "value": "y"}],
}
WRONG_CALLS: list[tuple[Any, str, str, str]] = [
    ([], "", "wrong_type", "Arguments must be an object"),
    ({}, "schema", "missing_required", "schema is required and must be an object"),
    ({"schema": []}, "schema", "wrong_type", "schema is required and must be an object"),
    ({"schema": FORM, "mode": "later"}, "mode", "unknown_value", 'mode must be "sync" or "async"'),
    (
        {"schema": FORM, "onTimeout": 1},
        "onTimeout",
        "wrong_type",
        'onTimeout must be "error", "async", or "cancel"',
    ),
    ({"schema": FORM, "timeoutMs": 0}, "timeoutMs", "below_min", "timeoutMs must be a positive number"),
    ({"schema": FORM, "prompt": 1}, "prompt", "wrong_type", "prompt must be a string"),
    ({"schema": FORM, "validate": 1}, "validate", "wrong_type", "validate must be a boolean"),
    ({"schema": FORM, "autoResume": "no"}, "autoResume", "wrong_type", "autoResume must be a boolean"),
]
WRONG_FORMS: list[tuple[Any, str, str, str]] = [
    ({"fields": [FIELD, FIELD]}, ".fields[1].id", "duplicate_id", "Duplicate field id: a"),
    (
        {"fields": [{**PICK, "options": []}]},
        ".fields[0].options",
        "option_required",
        'Field "r" requires options',
    ),
    (
        {"sections": [{"id": "s", "fields": [FIELD, {"id": "r", "type": "select", "label": "R"}]}]},
        ".sections[0].fields[1].options",
        "option_required",
        'Field "r" requires options',
    ),
    (
        {"fields": [{**FIELD, "pattern": "["}]},
        ".fields[0].pattern",
        "invalid_pattern",
        'Invalid pattern for field "a"',
    ),
    ({"fields": []}, ".fields", "no_fields", ""),
    ({"fields": [FIELD], "sections": [{"id": "s", "fields": [PICK]}]}, "", "fields_and_sections", ""),
    ({"fields": [{**FIELD, "type": "file"}]}, ".fields[0].type", "unknown_type", ""),
    ({"fields": [{**FIELD, "type": "rows", "rows": []}]}, ".fields[0].rows", "constraint_not_allowed", ""),
    ({"fields": [{**FIELD, "sensitive": True}]}, ".fields[0].sensitive", "constraint_not_allowed", ""),
    ({"fields": [{"id": "a", "type": "text"}]}, ".fields[0].label", "missing_required", ""),
    ({"fields": [{**FIELD, "minLength": 5, "maxLength": 2}]}, ".fields[0].minLength", "contradiction", ""),
    (
        {"fields": [{**FIELD, "type": "number", "pattern": "1"}]},
        ".fields[0].pattern",
        "constraint_not_allowed",
        "",
    ),
    (
        {"fields": [{**FIELD, "type": "date", "minLength": 1}]},
        ".fields[0].minLength",
        "constraint_not_allowed",
        "",
    ),
    ({"fields": [{**PICK, "defaultValue": "z"}]}, ".fields[0].defaultValue", "default_not_in_options", ""),
    ({"fields": [{**PICK, "options": ["x"]}]}, ".fields[0].options[0]", "wrong_type", ""),
    (
        {"fields": [{**PICK, "options": [{"label": "X"}]}]},
        ".fields[0].options[0].value",
        "missing_required",
        "",
    ),
    (
        {"fields": [{**PICK, "options": [{"value": "x"}]}]},
        ".fields[0].options[0].label",
        "missing_required",
        "",
    ),
    ({"type": "page", "fields": [FIELD]}, ".type", "unknown_type", ""),
    (
        {"sections": [{"id": "s", "fields": [FIELD]}, {"id": "s", "fields": [PICK]}]},
        ".sections[1].id",
        "duplicate_id",
        "",
    ),
    ({"fields": [PICK], "initialValues": {"r": "z"}}, ".initialValues.r", "invalid_initial_value", ""),
    *[
        ({"fields": [{**FIELD, "id": id_}]}, ".fields[0].id", "reserved_id", "")
        for id_ in ("__proto__", "constructor", "prototype", "toString", "hasOwnProperty")
    ],
    *[
        ({"fields": [{**FIELD, "pattern": pattern}]}, ".fields[0].pattern", "unsafe_pattern", "")
        for pattern in (r"^(\w+\s?)*$", "(a+)+", "^(?:(?:a+)+)+$")
    ],
    ({"fields": [{**FIELD, "required": ""}]}, ".fields[0].required", "wrong_type", ""),
    ({"fields": [{**FIELD, "maxLength": ""}]}, ".fields[0].maxLength", "wrong_type", ""),
    ({"fields": [{**PICK, "options": ""}]}, ".fields[0].options", "wrong_type", ""),
]
WRONG_INTERACTIONS: list[tuple[Any, str, str]] = [
    ({"type": None}, "type", "wrong_type"),
    ({"type": "question"}, "type", "unknown_type"),
    ({"type": "input"}, "inputSchema", "missing_required"),
    *[
        ({"type": "input", "inputSchema": FORM, key: "x"}, key, "unknown_field")
        for key in ("thread_id", "message_id", "form", "values", "note")
    ],
    *[
        ({"type": "input", "prompt": prompt, "inputSchema": {**FORM, **more}}, path, code)
        for prompt, more, path, code in (
            ("a\u202e", {}, "prompt", "control_chars"),
            ("a\u202e", {"description": "b"}, "prompt", "control_chars"),
            ("a", {"description": "b\u202e"}, "inputSchema.description", "control_chars"),
            ("a" * 40_000, {}, "prompt", "too_long"),
            ("a", {"description": "b" * 40_000}, "inputSchema.description", "too_long"),
        )
    ],
    ({"type": "approval", "inputSchema": FORM}, "type", "unknown_type"),
    ({"type": "approval", "prompt": "x"}, "toolName", "missing_required"),
    ({"type": "approval", "toolName": "x", "approvalScopes": ["ever"]}, "approvalScopes[0]", "unknown_value"),
    ({"type": "input", "inputSchema": FORM, "presentation": "page"}, "presentation", "unknown_value"),
    ({"type": "input", "inputSchema": FORM, "errorSummary": None}, "errorSummary", "wrong_type"),
    ({"type": "input", "inputSchema": None}, "inputSchema", "wrong_type"),
    ({"type": "input", "inputSchema": FORM, "fieldErrors": {"a": "a\0b"}}, "fieldErrors.a", "control_chars"),
    (
        {"type": "input", "inputSchema": FORM, "fieldErrors": {"no\\e": "x"}},
        'fieldErrors["no\\\\e"]',
        "unknown_field",
    ),
    ({"type": "input", "inputSchema": FORM, "fieldErrors": {"a": 5}}, "fieldErrors.a", "wrong_type"),
    (
        {"type": "input", "inputSchema": FORM, "completedView": {"showInputs": "yes"}},
        "completedView.showInputs",
        "wrong_type",
    ),
]


async def stored_requests(api: Api) -> list[Any]:
    return (await (await api.as_("responder")).get("/v1/requests")).json()["requests"]


@pytest.mark.parametrize(("body", "path", "code", "text"), WRONG_CALLS)
async def test_wrong_arguments_are_refused_in_the_source_s_words(
    shared_api: Api, body: Any, path: str, code: str, text: str
) -> None:
    agent = await shared_api.as_("requester", **{"x-session-id": "s1"})
    reply = await agent.post(ASK, json=body)
    error_body = reply.json()
    assert (reply.status_code, error_body["code"], error_body["error"]) == (400, "invalid_arguments", text)
    assert (error_body["details"]["issues"][0]["path"], error_body["details"]["issues"][0]["code"]) == (
        path,
        code,
    )
    assert await stored_requests(shared_api) == []


@requirement("F2", "F3")
@pytest.mark.parametrize(("form", "path", "code", "text"), WRONG_FORMS)
async def test_a_wrong_questionnaire_is_refused_with_its_path(
    shared_api: Api, form: Any, path: str, code: str, text: str
) -> None:
    agent = await shared_api.as_("requester", **{"x-session-id": "s1"})
    asked_reply = await agent.post(ASK, json={"schema": form, "mode": "sync"})
    interaction = await agent.post(INTERACT, json={"type": "input", "inputSchema": form})
    for reply, name in ((asked_reply, "schema"), (interaction, "inputSchema")):
        assert (reply.status_code, reply.json()["code"]) == (400, "invalid_arguments")
        issues = [(issue["path"], issue["code"]) for issue in reply.json()["details"]["issues"]]
        assert (f"{name}{path}", code) in issues
        if text:
            assert reply.json()["error"] == text
        else:
            assert reply.json()["error"].startswith(f"{name} is invalid: ")
    assert await stored_requests(shared_api) == []


@pytest.mark.parametrize(("body", "path", "code"), WRONG_INTERACTIONS)
async def test_a_wrong_interaction_is_refused_with_its_path(
    shared_api: Api, body: Any, path: str, code: str
) -> None:
    reply = await (await shared_api.as_("requester")).post(INTERACT, json=body)
    issue = reply.json()["details"]["issues"][0]
    assert (reply.status_code, issue["path"], issue["code"]) == (400, path, code)
    about = "inputSchema is invalid" if path.startswith("inputSchema") else path
    assert reply.json()["error"] == f"{about}: {issue['message']}"
    assert await stored_requests(shared_api) == []


@pytest.mark.parametrize(
    "pattern", [r"^[a-z]+(,[a-z]+)*$", r"^\w+([.-]\w+)*@\w+\.\w{2,}$", "^(?:[A-Z][a-z]+ ?)+$", "(ab+)+"]
)
async def test_an_unambiguous_pattern_is_accepted(api: Api, pattern: str) -> None:
    agent = await api.as_("requester", **{"x-session-id": "s1"})
    reply = await agent.post(ASK, json={"schema": {"fields": [{**FIELD, "pattern": pattern}]}})
    assert reply.json()["ok"] is True, reply.text


async def test_a_wrong_call_for_the_transcript_is_refused_with_its_path(api: Api) -> None:
    person = await api.as_("responder")
    for body, path in (({}, "sessionId"), ({"sessionId": "s1", "afterCursor": 5}, "afterCursor")):
        reply = await person.post("/compat/kcosr/api/plugins/sessions/operations/events", json=body)
        assert (reply.status_code, reply.json()["code"]) == (400, "invalid_arguments")
        assert reply.json()["details"]["issues"][0]["path"] == path


async def test_a_response_to_an_unknown_interaction_is_refused(api: Api) -> None:
    socket, agent = await page(api), await api.as_("requester")
    secret = {"kind": "secret", "thread_id": "s1", "secret": {"names": ["A_KEY"], "reason": "x"}}
    request_id = (await agent.post("/v1/requests", json=secret)).json()["id"]
    socket.raw(
        json.dumps({**RESPONSE, "callId": request_id, "interactionId": f"{request_id}.1", "action": "cancel"})
    )
    assert (await socket.frame())["code"] == "interaction_not_found"
    assert [item["status"] for item in await stored_requests(api)] == ["pending"]
    await socket.leave()


@requirement("B8", "F10", "F16")
async def test_a_response_that_does_not_fit_changes_nothing(api: Api) -> None:
    socket, agent = await page(api), await api.as_("requester")
    for body in (
        {"type": "input", "toolCallId": "tc", "inputSchema": {"fields": [FIELD]}},
        {
            "type": "approval",
            "toolCallId": "tc",
            "toolName": "deploy",
            "prompt": "x",
            "approvalScopes": ["once"],
        },
    ):
        request_json = (await agent.post(f"{INTERACT}?wait=0", json=body)).json()["result"]
        assert [(await socket.frame())["type"] for _ in range(2)] == ["transcript_event"] * 2
        frame = {**RESPONSE, "interactionId": request_json["interactionId"]}
        stale = {
            **frame,
            "interactionId": request_json["interactionId"].replace(".1", ".2"),
            "action": "submit",
        }
        for bad, path in (
            ({**frame, "action": "cancel", "input": {"a": "x"}}, "input"),
            ({**frame, "action": "submit", "input": {"nope": 1}}, "input.nope"),
            ({**frame, "action": "submit", "input": []}, "input"),
            ({**frame, "action": "submit"}, "input"),
            ({**frame, "action": "deny", "approvalScope": "always"}, "approvalScope"),
            ({**frame, "action": "cancel", "reason": "a\0b"}, "reason"),
            ({**frame, "action": "approve", "approvalScope": "always"}, ""),
            ({**frame, "action": "approve", "input": {"a": "x"}}, "input"),
            (stale, None),
        ):
            socket.raw(json.dumps(bad))
            error = await socket.frame()
            assert error["type"] == "error"
            assert path is not None or error["code"] in ("interaction_not_found", "invalid_client_message")
            assert not path or error["details"]["issues"][0]["path"] in (path, "action", "")
    assert [item["status"] for item in await stored_requests(api)] == ["pending", "pending"]
    await socket.leave()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["s1", "req_1.1", "submit"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(
    "sessionId callId interactionId action input answers questionnaireRequestId mask subscriptions enabled text "
    "protocolVersion schema fields inputSchema prompt".split()
)
TYPES = st.sampled_from(
    "hello subscribe unsubscribe ping text_input tool_interaction_response questionnaire_submit questionnaire_cancel "
    "set_interaction_mode set_modes control".split()
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(frames=st.lists(st.tuples(TYPES, st.dictionaries(NAMES, JSON, max_size=6)), min_size=1, max_size=5))
async def test_any_message_leaves_the_connection_open(api: Api, frames: list[Any]) -> None:
    socket = await page(api)
    for type_, members in frames:
        socket.raw(json.dumps({**members, "type": type_}))
    socket.raw(json.dumps({"type": "ping", "nonce": "last"}))
    while (frame := await socket.frame())["type"] != "pong" or frame.get("nonce") != "last":
        assert frame.get("code") != "internal", frame
    await socket.leave()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(body=st.dictionaries(NAMES, JSON, max_size=5) | JSON)
async def test_any_body_is_answered_without_a_server_error(api: Api, body: Any) -> None:
    agent = await api.as_("requester", **{"x-session-id": "s1"})
    for path in (ASK, INTERACT):
        assert (await agent.post(path, json=body)).status_code in (200, 400)
