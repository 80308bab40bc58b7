"""The WebSocket of kcosr/assistant's page: its versions, its masks, its messages, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.transports import sockets
from tests.transports.conftest import Api, api

__all__ = ["api"]

pytestmark = pytest.mark.anyio
INTERACT = "/compat/kcosr/api/sessions/s1/interactions"
FIELD = {"id": "a", "type": "text", "label": "A"}
RESPONSE = {"type": "tool_interaction_response", "sessionId": "s1", "callId": "tc"}
SUBMIT = {"type": "questionnaire_submit", "sessionId": "s1", "questionnaireRequestId": "req_1", "answers": {}}
NOT_SUBSCRIBED = "for a session that this connection is not subscribed to"
WRONG_FRAMES: list[tuple[Any, str, str]] = [
    ("{", "invalid_json", "Client message was not valid JSON"),
    ("[]", "invalid_client_message", "Client message validation failed"),
    ({}, "invalid_client_message", "Client message validation failed"),
    ({"type": "dance"}, "invalid_client_message", "Client message validation failed"),
    ({"type": "ping", "nonce": None}, "invalid_client_message", "Client message validation failed"),
    (
        {"type": "subscribe", "sessionId": "s1", "mask": None},
        "invalid_client_message",
        "Client message validation failed",
    ),
    *[
        (
            {"type": "subscribe", "sessionId": "s1", "mask": mask},
            "invalid_client_message",
            "Client message validation failed",
        )
        for name in ("serverMessageTypes", "chatEventTypes", "toolNames", "messagePhases")
        for mask in ({name: None}, {name: []}, {name: [""]}, {name: "user_message"}, {name: [None]})
    ],
    *[
        ({"type": "hello", **members}, "invalid_client_message", "Client message validation failed")
        for members in (
            {"protocolVersion": 0},
            {"protocolVersion": "5"},
            {"protocolVersion": 2.5},
            {"interaction": {}},
            {"interaction": {"supported": True}},
            {"interaction": {"supported": 1, "enabled": True}},
            {"subscriptions": [{}]},
            {"subscriptions": [1]},
            {"subscriptions": [{"sessionId": "s1", "mask": None}]},
            {"subscriptions": {"sessionId": "s1"}},
        )
    ],
    ({"type": "hello"}, "duplicate_hello", "hello has already been received"),
    ({"type": "hello", "protocolVersion": 2}, "duplicate_hello", "hello has already been received"),
    (
        {"type": "subscribe", "sessionId": " "},
        "invalid_session_id",
        "Subscription session id must not be empty",
    ),
    ({"type": "subscribe", "sessionId": "s" * 201}, "not_found", "There is no such thread."),
    (
        {"type": "unsubscribe", "sessionId": ""},
        "invalid_session_id",
        "Unsubscription session id must not be empty",
    ),
    ({**SUBMIT, "sessionId": " "}, "invalid_session_id", "Session id must not be empty"),
    ({**SUBMIT, "sessionId": "s2"}, "invalid_session_id", f"Cannot submit a questionnaire {NOT_SUBSCRIBED}"),
    (
        {**SUBMIT, "questionnaireRequestId": " "},
        "invalid_questionnaire_request_id",
        "Questionnaire request id must not be empty",
    ),
    (SUBMIT, "questionnaire_not_found", "Questionnaire request was not found"),
    (
        {**RESPONSE, "interactionId": "req_1.1", "action": "submit", "sessionId": "s2"},
        "invalid_session_id",
        f"Cannot respond to an interaction {NOT_SUBSCRIBED}",
    ),
    (
        {**RESPONSE, "interactionId": "x", "action": "submit"},
        "interaction_not_found",
        "Interaction response did not match a pending request",
    ),
    (
        {**RESPONSE, "interactionId": "req_1.1", "action": "deny"},
        "interaction_not_found",
        "Interaction response did not match a pending request",
    ),
]


async def page(api: Api) -> sockets.Socket:
    """Open a page of the session that can answer."""
    await api.as_("responder")
    headers = {"Authorization": f"Bearer {api.tokens['responder']}"}
    socket = sockets.Socket(api.app, headers=headers, path="/compat/kcosr/ws")
    await socket.message()
    hello = {"type": "hello", "protocolVersion": 2, "subscriptions": [{"sessionId": "s1"}]}
    socket.raw(json.dumps({**hello, "interaction": {"supported": True, "enabled": True}}))
    assert (await socket.frame())["type"] == "subscribed"
    return socket


async def test_a_wrong_message_gets_an_error_and_the_connection_goes_on(api: Api) -> None:
    socket = await page(api)
    for frame, code, message in WRONG_FRAMES:
        socket.raw(frame if isinstance(frame, str) else json.dumps(frame))
        error = await socket.frame()
        assert (error["type"], error["code"], error["message"]) == ("error", code, message)
    await socket.leave()


async def test_a_message_cancels_open_requests_once_and_a_refused_one_cancels_none(
    api: Api,
) -> None:
    socket, agent = await page(api), await api.as_("requester")
    body = {"type": "input", "toolCallId": "tc", "inputSchema": {"fields": [FIELD]}}
    assert (await agent.post(f"{INTERACT}?wait=0", json=body)).status_code == 200
    text_message = {"type": "text_input", "sessionId": "s1", "text": "Hello", "clientMessageId": "a\nb" * 200}
    for _ in range(2):
        socket.raw(json.dumps(text_message))
    socket.raw(json.dumps({"type": "ping", "nonce": "last"}))
    while (frame := await socket.frame())["type"] != "pong":
        assert frame["type"] == "transcript_event"
    thread = (await agent.get("/v1/threads/s1")).json()
    assert [message["content"] for message in thread["messages"]] == [[{"type": "text", "text": "Hello"}]]
    assert [request["status"] for request in thread["requests"]] == ["declined"]
    assert (await agent.post(f"{INTERACT}?wait=0", json={**body, "toolCallId": "tc2"})).status_code == 200
    socket.raw(json.dumps({**text_message, "text": "Another"}))
    while (frame := await socket.frame())["type"] != "error":
        assert frame["type"] == "transcript_event"
    assert frame["code"] == "idempotency_mismatch"
    thread = (await agent.get("/v1/threads/s1")).json()
    assert len(thread["messages"]) == 1
    assert [request["status"] for request in thread["requests"]] == ["declined", "pending"]
    await socket.leave()


@pytest.mark.parametrize("version", [None, 2, 3, 4, 5, 1, 6])
async def test_a_page_of_each_version_of_the_protocol_since_the_second_is_served(
    api: Api, version: int | None
):
    await api.as_("responder")
    headers = {"Authorization": f"Bearer {api.tokens['responder']}"}
    socket = sockets.Socket(api.app, headers=headers, path="/compat/kcosr/ws")
    await socket.message()
    hello = {"type": "hello", "subscriptions": ["s1"] if version == 2 else [{"sessionId": "s1"}]}
    socket.raw(json.dumps(hello | ({} if version is None else {"protocolVersion": version})))
    frame = await socket.frame()
    if version in (1, 6):
        assert (frame["type"], frame["code"]) == ("error", "unsupported_protocol_version")
        assert await socket.closed() == 1000
    else:
        assert frame == {"type": "subscribed", "sessionId": "s1"}
    await socket.leave()


async def test_a_mask_without_transcript_events_gets_none_and_tools_do_not_filter_questions(api: Api) -> None:
    agent, quiet, wanting = await api.as_("requester"), await page(api), await page(api)
    for socket, mask in (
        (quiet, {"serverMessageTypes": ["error"]}),
        (wanting, {"toolNames": ["voice_ask"], "chatEventTypes": ["interaction_request"]}),
    ):
        socket.raw(json.dumps({"type": "subscribe", "sessionId": "s1", "mask": mask}))
        assert await socket.frame() == {"type": "subscribed", "sessionId": "s1", "mask": mask}
    body = {"type": "input", "toolCallId": "tc", "inputSchema": {"fields": [FIELD]}}
    assert (await agent.post(f"{INTERACT}?wait=0", json=body)).status_code == 200
    assert (await wanting.frame())["event"]["chatEventType"] == "interaction_request"
    for socket in (quiet, wanting):
        socket.raw(json.dumps({"type": "ping"}))
        assert (await socket.frame())["type"] == "pong"
        await socket.leave()
