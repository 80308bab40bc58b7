"""The WebSocket, frame by frame: over the app in process, and over a real socket where that matters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from askback.app import App, create_app
from askback.domain.limits import Limits
from askback.service import access, credentials
from askback.settings import load
from tests.client.servers import TOKENS, ServerProcess

FORM = {"fields": [{"id": "topic", "type": "text", "label": "Topic", "required": True}]}
Message = MutableMapping[str, Any]


class Socket:
    """A raw peer of the app's WebSocket."""

    def __init__(self, app: App, *, headers: dict[str, str], subprotocols: list[str]) -> None:
        self.incoming: asyncio.Queue[Message] = asyncio.Queue()
        self.outgoing: asyncio.Queue[Message] = asyncio.Queue()
        self.reading = asyncio.Event()
        self.reading.set()
        self._number = 0
        self._held: list[dict[str, Any]] = []
        scope: Message = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": "/v1/ws",
            "raw_path": b"/v1/ws",
            "query_string": b"",
            "root_path": "",
            "headers": [(k.lower().encode(), v.encode()) for k, v in {"Host": "127.0.0.1", **headers}.items()],
            "subprotocols": subprotocols,
            "extensions": {},
            "state": {},
        }
        self.incoming.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(app(scope, self.incoming.get, self._send))

    async def _send(self, message: Message) -> None:
        await self.reading.wait()
        self.outgoing.put_nowait(message)

    async def message(self) -> Message:
        with anyio.fail_after(10):
            return await self.outgoing.get()

    async def frame(self) -> dict[str, Any]:
        if self._held:
            return self._held.pop(0)
        message = await self.message()
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    def send(self, op: str, **args: Any) -> int:
        self._number += 1
        self.raw(json.dumps({"id": self._number, "op": op, **args}))
        return self._number

    def raw(self, text: str) -> None:
        self.incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def call(self, op: str, **args: Any) -> Any:
        """Return `ok`, or the error; other frames are kept for `frame`."""
        number = self.send(op, **args)
        others: list[dict[str, Any]] = []
        while True:
            frame = await self.frame()
            if frame.get("id") == number:
                self._held = others + self._held
                return frame.get("ok", frame.get("error"))
            others.append(frame)

    async def closed(self) -> int:
        while (message := await self.message())["type"] != "websocket.close":
            pass
        return message["code"]

    async def leave(self) -> None:
        self.incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        with anyio.fail_after(10):
            await self.task


Open = Callable[..., Any]


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    app = create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=tmp_path), limits=Limits(ws_connections=8))
    async with app.running():
        yield app


@pytest.fixture
async def open_(app: App) -> AsyncIterator[Open]:
    """Open a connection: `await open_("requester")`."""
    sockets: list[Socket] = []

    async def make(role: str = "requester", *, headers: dict[str, str] | None = None, subprotocols: list[str] | None = None) -> Socket:
        chosen = {"Authorization": f"Bearer {TOKENS[role]}"} if headers is None else headers
        socket = Socket(app, headers=chosen, subprotocols=subprotocols or ["askback.v1"])
        sockets.append(socket)
        assert (await socket.message())["type"] == "websocket.accept"
        return socket

    yield make
    for socket in sockets:
        await socket.leave()


def body(thread: str = "t1", **more: Any) -> dict[str, Any]:
    return {"kind": "form", "thread_id": thread, "form": FORM, **more}


@pytest.mark.requirement("G2")
async def test_ask_and_answer_over_two_connections(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    assert await person.call("subscribe", inbox=True, cursor=0) == {"cursor": 0}
    request = await agent.call("create", body=body(), wait=True)
    assert (request["status"], request["revision"]) == ("pending", 1)
    pushed = await person.frame()
    assert pushed["inbox"] is True
    assert (pushed["event"]["type"], pushed["event"]["request"]) == ("request.created", request)
    done = await person.call("answer", request_id=request["id"], body={"revision": 1, "values": {"topic": "Bees"}})
    assert done["answer"]["values"] == {"topic": "Bees"}
    assert await agent.frame() == {"settled": done}
    assert (await person.frame())["event"]["request"] == done


@pytest.mark.requirement("H1")
async def test_what_is_pushed_is_stored_already(open_: Open, app: App):
    agent, person = await open_("requester"), await open_("responder")
    await person.call("subscribe", inbox=True)
    agent.send("create", body=body())
    pushed = (await person.frame())["event"]["request"]
    record = await app.services.store.get("default", pushed["id"])
    assert record is not None
    assert json.loads(record.wire) == pushed


async def test_errors_go_to_their_frame_and_the_connection_lives_on(open_: Open):
    agent = await open_()
    for text, code in [
        ("{", "malformed_json"),
        ("[]", "wrong_type"),
        ("", "empty_body"),
        ('{"op": "ping"}', "missing_required"),
        ('{"id": "x", "op": "ping"}', "wrong_type"),
        ('{"id": true, "op": "ping"}', "wrong_type"),
        ('{"id": 1, "id": 2, "op": "ping"}', "duplicate_key"),
        ('{"id": NaN}', "non_finite_number"),
        ("[" * 20_000, "too_deep"),
    ]:
        agent.raw(text)
        frame = await agent.frame()
        assert (frame["id"], frame["error"]["status"], frame["error"]["code"]) == (None, 422, "invalid"), text
        assert [e["code"] for e in frame["error"]["field_errors"]] == [code], text
    agent.incoming.put_nowait({"type": "websocket.receive", "bytes": b"\xff\xfe"})
    assert (await agent.frame())["error"]["field_errors"][0]["code"] == "invalid_utf8"
    assert await agent.call("ping") == {}


@pytest.mark.parametrize(
    ("op", "args", "path", "code"),
    [
        ("nope", {}, "op", "unknown_value"),
        ("get", {}, "request_id", "missing_required"),
        ("get", {"request_id": 5}, "request_id", "wrong_type"),
        ("wait", {"request_ids": "req_1"}, "request_ids", "wrong_type"),
        ("wait", {"request_ids": [1]}, "request_ids", "wrong_type"),
        ("list", {"limit": 0}, "limit", "below_min"),
        ("list", {"limit": 10_000}, "limit", "above_max"),
        ("list", {"limit": True}, "limit", "wrong_type"),
        ("list", {"status": "asleep"}, "status", "unknown_value"),
        ("list", {"status": {"a": 1}}, "status", "wrong_type"),
        ("subscribe", {}, "thread_id", "missing_required"),
        ("subscribe", {"thread_id": "t1", "cursor": -1}, "cursor", "below_min"),
        ("subscribe", {"thread_id": "t1", "cursor": 1.5}, "cursor", "wrong_type"),
        ("create", {"body": None}, "", "wrong_type"),
        ("create", {"body": {}, "key": 5}, "key", "wrong_type"),
    ],
)
async def test_bad_arguments_are_refused_with_their_path(open_: Open, op: str, args: dict[str, Any], path: str, code: str):
    agent = await open_()
    error = await agent.call(op, **args)
    assert error["status"] == 422
    assert (path, code) in [(e["path"], e["code"]) for e in error["field_errors"]]
    assert await agent.call("ping") == {}


async def test_refusals_have_the_shape_of_rest(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    request = await agent.call("create", body=body())
    answer = {"revision": 1, "values": {"topic": "x"}}
    forbidden = await agent.call("answer", request_id=request["id"], body=answer)
    assert (forbidden["status"], forbidden["code"]) == (403, "forbidden")
    assert (await agent.call("get", request_id="req_nope"))["status"] == 404
    assert (await agent.call("subscribe", inbox=True))["status"] == 403
    stale = await person.call("answer", request_id=request["id"], body={**answer, "revision": 2})
    assert (stale["status"], stale["code"], stale["request"]["revision"]) == (409, "stale_revision", 1)
    await person.call("answer", request_id=request["id"], body=answer)
    late = await person.call("decline", request_id=request["id"], body={"reason": "refused"})
    assert (late["status"], late["code"], late["request"]["status"]) == (409, "already_settled", "answered")


async def test_a_key_makes_a_call_safe_to_repeat(open_: Open):
    agent = await open_()
    first = await agent.call("create", body=body(), key="k1")
    assert await agent.call("create", body=body(), key="k1", wait=True) == first
    assert (await agent.call("create", body=body("t2"), key="k1"))["code"] == "idempotency_mismatch"
    assert len((await agent.call("list", thread_id="t1"))["requests"]) == 1


async def test_waiting_tells_what_is_settled_what_is_unknown_and_the_rest_later(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    ids = [(await agent.call("create", body=body()))["id"] for _ in range(3)]
    gone = await agent.call("cancel", request_id=ids[0], body={"reason": "user_message"})
    assert await agent.call("wait", request_ids=[*ids, "req_nope"]) == {"settled": [gone], "unknown": ["req_nope"]}
    await person.call("decline", request_id=ids[2], body={"reason": "refused"})
    told = await agent.frame()
    assert (told["settled"]["id"], told["settled"]["reason"]) == (ids[2], "refused")
    await person.call("decline", request_id=ids[1], body={"reason": "dismissed"})
    assert (await agent.frame())["settled"]["id"] == ids[1]


async def test_an_agent_cannot_wait_for_what_another_one_asks(open_: Open, app: App):
    agent = await open_()
    other = await open_(headers={"Authorization": f"Bearer {await app.token('requester', name='other')}"})
    request = await agent.call("create", body=body())
    assert await other.call("wait", request_ids=[request["id"]]) == {"settled": [], "unknown": [request["id"]]}
    await other.call("subscribe", thread_id="t1", cursor=0)
    await agent.call("message", thread_id="t1", body={"content": [{"type": "text", "text": "hi"}]})
    assert (await other.frame())["event"]["type"] == "message.added"


@pytest.mark.requirement("G4")
async def test_a_subscription_replays_from_its_cursor_and_then_goes_live(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    text = {"content": [{"type": "text", "text": "x"}]}
    for _ in range(5):
        await agent.call("message", thread_id="t1", body=text)
    assert await person.call("subscribe", thread_id="t1", cursor=2) == {"cursor": 2}
    assert await person.call("subscribe", thread_id="t2") == {"cursor": 0}
    await agent.call("message", thread_id="t1", body=text)
    assert [(await person.frame())["event"]["seq"] for _ in range(4)] == [3, 4, 5, 6]
    assert await person.call("unsubscribe", thread_id="t1") == {}
    await agent.call("message", thread_id="t1", body=text)
    await agent.call("message", thread_id="t2", body=text)
    assert (await person.frame())["event"]["thread_id"] == "t2"


@pytest.mark.requirement("A20")
async def test_a_slow_operation_holds_up_no_other(open_: Open, app: App, monkeypatch: pytest.MonkeyPatch):
    agent = await open_()
    release = asyncio.Event()
    store = app.services.store
    real = store.list_requests

    async def slow(*args: Any, **kwargs: Any) -> Any:
        await release.wait()
        return await real(*args, **kwargs)

    monkeypatch.setattr(store, "list_requests", slow)
    listing = agent.send("list")
    assert (await agent.call("create", body=body()))["status"] == "pending"
    assert await agent.call("ping") == {}
    release.set()
    assert (await agent.frame())["id"] == listing


async def test_what_was_sent_before_leaving_still_counts(open_: Open, app: App):
    agent, person = await open_("requester"), await open_("responder")
    request = await agent.call("create", body=body())
    person.send("answer", request_id=request["id"], body={"revision": 1, "values": {"topic": "Bees"}})
    await person.leave()
    assert (await agent.call("get", request_id=request["id"]))["status"] == "answered"


async def test_nothing_is_left_of_a_connection_that_ended(open_: Open, app: App):
    agent, person = await open_("requester"), await open_("responder")
    await agent.call("create", body=body(), wait=True)
    await agent.call("subscribe", thread_id="t1")
    await person.call("subscribe", inbox=True)
    assert (app._sockets.count(), app._sockets._waits.count(), app._sockets._watches.count()) == (2, 1, 2)
    await agent.leave()
    await person.leave()
    assert (app._sockets.count(), app._sockets._waits.count(), app._sockets._watches.count()) == (0, 0, 0)
    assert app.services.bus.topic_count() == 0  # type: ignore[attr-defined]


@pytest.mark.requirement("L9")
async def test_a_reader_that_stalls_is_told_to_resync_and_then_has_everything(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    await person.call("subscribe", thread_id="t1", cursor=0)
    text = {"content": [{"type": "text", "text": "x" * 4000}]}
    person.reading.clear()
    for _ in range(400):
        await agent.call("message", thread_id="t1", body=text)
    person.reading.set()
    seen: list[int] = []
    while "resync" not in (frame := await person.frame()):
        seen.append(frame["event"]["seq"])
    assert len(seen) < 300
    await person.call("subscribe", thread_id="t1", cursor=seen[-1])
    while seen[-1] < 400:
        seen.append((await person.frame())["event"]["seq"])
    assert seen == list(range(1, 401))


async def test_a_burst_is_not_slowness(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    await person.call("subscribe", inbox=True)
    numbers = {agent.send("create", body=body(), wait=True) for _ in range(600)}
    answered = {(await agent.frame())["id"] for _ in range(600)}
    assert answered == numbers
    ids = [(await person.frame())["event"]["request"]["id"] for _ in range(600)]
    for request_id in ids:
        person.send("answer", request_id=request_id, body={"revision": 1, "values": {"topic": "x"}})
    assert {(await agent.frame())["settled"]["id"] for _ in range(600)} == set(ids)


# --- the handshake ---------------------------------------------------------------------------


async def test_a_token_may_come_as_a_subprotocol(open_: Open):
    socket = await open_(headers={}, subprotocols=["askback.v1", f"bearer.{TOKENS['requester']}"])
    assert await socket.call("ping") == {}


@pytest.mark.parametrize(
    ("headers", "subprotocols", "code"),
    [
        ({}, ["askback.v1"], 4401),
        ({"Authorization": "Bearer nope"}, ["askback.v1"], 4401),
        ({"Authorization": "Basic x"}, ["askback.v1"], 4401),
        ({"Cookie": "askback_session=nope"}, ["askback.v1"], 4401),
        ({}, ["askback.v1", "bearer.nope"], 4401),
        ({"Authorization": f"Bearer {TOKENS['requester']}"}, ["other"], 1002),
    ],
)
async def test_without_a_credential_or_the_subprotocol_the_door_is_shut(
    open_: Open, headers: dict[str, str], subprotocols: list[str], code: int
):
    socket = await open_(headers=headers, subprotocols=subprotocols)
    assert await socket.closed() == code


@pytest.mark.requirement("I12")
async def test_a_browser_session_needs_its_own_origin(open_: Open, app: App):
    code = await credentials.login_code(app.services, tenant="default", name="Ada")
    opened = await access.open_session(app.services, code)
    assert opened is not None
    cookie = f"askback_session={opened.secret}"
    own = await open_(headers={"Cookie": cookie, "Origin": "http://127.0.0.1"})
    assert (await own.call("list"))["requests"] == []
    without = await open_(headers={"Cookie": cookie})
    assert await without.closed() == 4403
    foreign = Socket(app, headers={"Cookie": cookie, "Origin": "http://evil.example"}, subprotocols=["askback.v1"])
    assert await foreign.closed() == 4403


async def test_there_is_an_end_to_connections(open_: Open):
    for _ in range(8):
        await open_()
    assert await (await open_()).closed() == 1013


async def test_a_frame_that_is_too_large_ends_the_connection(open_: Open):
    socket = await open_()
    socket.raw('{"id": 1, "op": "ping", "x": "' + "x" * 262_144 + '"}')
    assert await socket.closed() == 1009


async def test_a_server_that_stops_asks_its_clients_to_come_back(open_: Open, app: App):
    socket = await open_()
    assert await socket.call("ping") == {}
    app._sockets.close()
    assert await socket.closed() == 1012


# --- over a socket ---------------------------------------------------------------------------


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path / "server")
    process.start()
    yield process
    process.stop()


@asynccontextmanager
async def dialled(server: ServerProcess, token: str, **options: Any) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    url = f"ws://127.0.0.1:{server.port}/v1/ws"
    async with connect(url, additional_headers=headers, subprotocols=["askback.v1"], proxy=None, **options) as socket:  # type: ignore[list-item]
        yield socket


async def test_the_handshake_and_the_limits_hold_over_a_socket(own_server: ServerProcess):
    with anyio.fail_after(20):
        async with dialled(own_server, TOKENS["requester"]) as socket:
            assert socket.subprotocol == "askback.v1"
            assert "permessage-deflate" not in str(socket.response.headers)
            await socket.send('{"id": 1, "op": "ping"}')
            assert json.loads(await socket.recv()) == {"id": 1, "ok": {}}
            await socket.send("x" * 300_000)
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
        async with dialled(own_server, "nobody-knows-me") as socket:
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401
        with pytest.raises(InvalidStatus) as foreign:
            async with dialled(own_server, TOKENS["requester"], origin="http://evil.example"):
                pass
        assert foreign.value.response.status_code == 403


@pytest.mark.requirement("L9")
async def test_a_stalled_socket_costs_a_bounded_buffer_and_gets_everything_by_cursor(own_server: ServerProcess):
    text = {"content": [{"type": "text", "text": "x" * 20_000}]}
    with anyio.fail_after(50):
        async with (
            dialled(own_server, TOKENS["requester"]) as agent,
            dialled(own_server, TOKENS["responder"], max_queue=1, max_size=None) as person,
        ):
            await person.send('{"id": 1, "op": "subscribe", "thread_id": "t1", "cursor": 0}')
            for n in range(800):
                frame = {"id": n, "op": "message", "thread_id": "t1", "body": text}
                await agent.send(json.dumps(frame))
                await agent.recv()
            seen: list[int] = []
            resynced = False
            while not seen or seen[-1] < 800:
                frame = json.loads(await person.recv())
                if "resync" in frame:
                    resynced = True
                    again = {"id": 2, "op": "subscribe", "thread_id": "t1", "cursor": seen[-1]}
                    await person.send(json.dumps(again))
                elif "event" in frame:
                    seen.append(frame["event"]["seq"])
            assert resynced
            assert seen == list(range(1, 801))
