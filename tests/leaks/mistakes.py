"""Values in wrong places: addresses, headers and frames."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import websockets
import websockets.exceptions

from tests.leaks.participants import THREAD, Participants
from tests.leaks.serving import TOKENS

PING = '{"id": 1, "op": "ping"}'


async def send_misplaced_values(participants: Participants) -> None:
    """Send values in the address of every kind of route, and in invalid HTTP."""
    request_id = await participants.need("A_KEY")
    http = participants.ada.http
    for origin, method, path in (
        ("in the query of a submission", "POST", f"/v1/requests/{request_id}/answer?A_KEY={{}}"),
        ("in the query of a list", "GET", "/v1/secrets?value={}"),
        ("as a cursor", "GET", "/v1/secrets?cursor={}"),
        ("as a number of a page", "GET", "/v1/secrets?limit={}"),
        ("as a status", "GET", "/v1/requests?status={}"),
        ("in the query of a page", "GET", f"/t/{THREAD}?value={{}}"),
        ("in the query of what there is not", "GET", "/nothing?value={}"),
        ("in the path of a submission", "POST", "/v1/requests/{}/answer"),
        ("in the path of a request", "GET", "/v1/requests/{}"),
        ("in the path of a secret", "DELETE", "/v1/secrets/{}"),
        ("in the path of what there is not", "PUT", "/v1/secrets/A_KEY/{}"),
        ("as a login code", "GET", "/login?code={}"),
        ("as a signature", "GET", "/v1/secrets?signed={}"),
    ):
        reply = await http.request(method, path.format(participants.value(origin)))
        assert reply.status_code != 500, (origin, reply.text)
    for method in ("PUT", "PATCH", "DELETE"):
        body = json.dumps({"revision": 1, "secrets": {"A_KEY": participants.value(f"by {method}")}})
        reply = await http.request(method, f"/v1/requests/{request_id}/answer", content=body)
        assert reply.status_code == 405
    for name in (
        "Authorization",
        "Cookie",
        "X-Askback-Session",
        "Host",
        "Origin",
        "Accept-Language",
        "X-Secret",
    ):
        reply = await http.get("/v1/secrets", headers={name: participants.value(f"in the header {name}")})
        assert reply.status_code != 500
    await send_invalid_http(participants)


async def send_invalid_http(participants: Participants) -> None:
    """Write a value in place of the beginning, the middle or the end of a request."""
    port = int(participants.serving.url.rpartition(":")[2])
    for origin, text in (
        ("in the place of a request", "{}\r\n\r\n"),
        ("as a method", "{} / HTTP/1.1\r\n\r\n"),
        ("as a version", "GET / HTTP/{}\r\n\r\n"),
        (
            "as the length of a body",
            "POST /v1/secrets HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        ),
        ("after a header that does not end", "GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\x00\r\n\r\n"),
    ):
        async with await anyio.connect_tcp("127.0.0.1", port) as line:
            await line.send(text.format(participants.value(origin)).encode())
            with anyio.fail_after(120):
                participants.notes.recordings.append(("reply to what is no HTTP", await line.receive()))


def _submission(value: str) -> dict[str, Any]:
    return {"revision": 1, "secrets": {"A_KEY": value}}


FRAMES: Mapping[str, Callable[[str, str], Any]] = {
    "as a submission": lambda v, r: {"op": "answer_request", "request_id": r, "body": _submission(v)},
    "as a form": lambda v, r: {
        "op": "answer_request",
        "request_id": r,
        "body": {"revision": 1, "values": {"A_KEY": v}},
    },
    "to be kept": lambda v, _: {
        "op": "keep_secret",
        "body": {"name": "A_KEY", "value": v, "scope": "global"},
    },
    "as an operation": lambda v, _: {"op": v},
    "as the id of a request": lambda v, _: {"op": "get_request", "request_id": v},
    "beside an operation": lambda v, _: {"op": "ping", "value": v},
    "as a cursor": lambda v, _: {"op": "list_secrets", "cursor": v},
}
"""Frames by their fault, from a value and the id of a request."""


async def send_misplaced_frames(participants: Participants) -> None:
    """Send values over a WebSocket, in every place of a frame, and in its address."""
    request_id = await participants.need("A_KEY")
    for origin, write in FRAMES.items():
        frame = write(participants.value(f"over the WebSocket {origin}"), request_id)
        await _frame(participants, json.dumps({"id": 1, **frame}))
    cut = json.dumps(
        {"id": 1, "op": "answer_request", "body": _submission(participants.value("over the WebSocket, cut"))}
    )
    await _frame(participants, cut[:-3])
    await _frame(participants, participants.value("over the WebSocket as no frame"))
    await _frame(participants, participants.value("over the WebSocket in bytes").encode())
    await _frame(participants, participants.value("over the WebSocket, too large") * 10_000)
    await _frame(participants, PING, query=f"?value={participants.value('in the address of the WebSocket')}")
    await _frame(participants, PING, token=participants.value("as the token of the WebSocket"))


async def _frame(
    participants: Participants, frame: str | bytes, *, query: str = "", token: str = TOKENS["responder"]
) -> None:
    """Send one frame on a new connection, and record the result."""
    address = f"{participants.serving.url.replace('http', 'ws', 1)}/v1/ws{query}"
    try:
        async with websockets.connect(
            address,
            subprotocols=[websockets.Subprotocol("askback.v1")],
            additional_headers={"Authorization": f"Bearer {token}"},
        ) as socket:
            await socket.send(frame)
            await socket.send('{"id": 2, "op": "ping"}')
            with anyio.fail_after(120):
                while True:
                    reply_text = await socket.recv()
                    participants.notes.recordings.append(("reply over a WebSocket", str(reply_text).encode()))
                    if json.loads(reply_text).get("id") == 2:
                        return
    except websockets.exceptions.ConnectionClosed as error:
        participants.notes.recordings.append(("end of a WebSocket", repr(error).encode()))
    except websockets.exceptions.InvalidStatus as exception:
        body = bytes(exception.response.body or b"")
        participants.notes.recordings.append(
            ("refusal of a WebSocket", body + repr(exception.response.headers).encode())
        )
