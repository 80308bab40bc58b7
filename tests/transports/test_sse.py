"""Event streams over HTTP: resumed by cursor, kept alive, and cut when they stall."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback.domain.limits import Limits
from askback.server.app import App, create_app
from askback.server.settings import load
from askback.service.access import tokens
from askback.service.requests.create import create_request
from askback.service.threads import messages
from tests.requirements import requirement
from tests.transports.conftest import Api

TOKENS = {"requester": "sse-requester", "responder": "sse-responder"}
Message = MutableMapping[str, Any]


class Stream:
    """A raw reader of one event stream of the app."""

    def __init__(
        self,
        app: App,
        path: str,
        *,
        query: str = "",
        token: str = TOKENS["responder"],
        last: str | None = None,
    ) -> None:
        self.reading = asyncio.Event()
        self.reading.set()
        self._out: asyncio.Queue[Message] = asyncio.Queue()
        self._left = asyncio.Event()
        self._asked = False
        self._rest = b""
        headers = {"host": "127.0.0.1", "authorization": f"Bearer {token}"}
        headers |= {} if last is None else {"last-event-id": last}
        scope: Message = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "state": {},
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
        }  # fmt: skip
        self.task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> Message:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        await self.reading.wait()
        self._out.put_nowait(message)

    async def start(self) -> tuple[int, dict[str, str]]:
        with anyio.fail_after(120):
            message = await self._out.get()
        return message["status"], {k.decode(): v.decode() for k, v in message["headers"]}

    async def block(self) -> dict[str, str]:
        """The next block as its fields; a comment has the empty name."""
        while b"\n\n" not in self._rest:
            with anyio.fail_after(120):
                message = await self._out.get()
            self._rest += message.get("body", b"")
        text, self._rest = self._rest.split(b"\n\n", 1)
        lines = [line.partition(":") for line in text.decode().split("\n")]
        return {name: value.removeprefix(" ") for name, _, value in lines}

    async def events(self, count: int) -> list[dict[str, str]]:
        findings: list[dict[str, str]] = []
        while len(findings) < count:
            if "data" in (block := await self.block()):
                findings.append(block)
        return findings

    async def ended(self) -> bool:
        """Wait for the end, and tell whether the reply is whole."""
        with anyio.fail_after(120):
            await self.task
        last: Message = {}
        while not self._out.empty():
            last = self._out.get_nowait()
        return last == {"type": "http.response.body", "body": b""}

    async def leave(self) -> None:
        self._left.set()
        with anyio.fail_after(120):
            await self.task


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    limits = Limits(max_messages_per_hour=1_000_000)
    app = create_app(load({"ASKBACK_BOOTSTRAP_TOKENS": tokens}, data_dir=tmp_path), limits=limits)
    async with app.running():
        yield app


async def say(app: App, count: int, *, size: int = 1, thread: str = "t1") -> None:
    principal = await tokens.authenticate(app.services, TOKENS["requester"])
    assert principal is not None
    for _ in range(count):
        body = {"content": [{"type": "text", "text": "x" * size}]}
        await messages.post_message(app.services, principal, thread, body)


async def ask(app: App, thread: str = "t1") -> None:
    principal = await tokens.authenticate(app.services, TOKENS["requester"])
    assert principal is not None
    form = {"fields": [{"id": "a", "type": "text", "label": "A"}]}
    await create_request(app.services, principal, {"kind": "form", "thread_id": thread, "form": form})


@pytest.mark.requirement("G3")
async def test_a_stream_begins_after_its_cursor_and_goes_live(app: App):
    await say(app, 5)
    stream = Stream(app, "/v1/threads/t1/events", query="cursor=3")
    status, headers = await stream.start()
    assert (status, headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert "no-store" in headers["cache-control"]
    assert await stream.block() == {"retry": "1000"}
    await say(app, 1)
    events = await stream.events(3)
    assert [(event["id"], event["event"]) for event in events] == [
        (str(n), "message.added") for n in (4, 5, 6)
    ]
    assert [json.loads(e["data"])["seq"] for e in events] == [4, 5, 6]
    await stream.leave()


@pytest.mark.requirement("G3")
@pytest.mark.parametrize("cut", [0, 1, 7, 19, 20])
async def test_a_reader_that_was_cut_off_anywhere_resumes_without_gap_or_double(app: App, cut: int):
    await say(app, 10)
    first_stream = Stream(app, "/v1/threads/t1/events", query="cursor=0")
    await say(app, 10)
    seen_items = [int(event["id"]) for event in await first_stream.events(cut)]
    await first_stream.leave()
    await say(app, 5)
    second_stream = Stream(app, "/v1/threads/t1/events", query="cursor=0", last=str(cut))
    seen_items += [int(e["id"]) for e in await second_stream.events(25 - cut)]
    await second_stream.leave()
    assert seen_items == list(range(1, 26))


async def test_without_a_cursor_it_begins_at_the_next_event(app: App):
    await say(app, 3)
    stream = Stream(app, "/v1/threads/t1/events")
    await stream.start()
    await stream.block()
    await say(app, 1)
    assert [event["id"] for event in await stream.events(1)] == ["4"]
    await stream.leave()


async def test_the_inbox_has_the_requests_of_all_threads_by_position(app: App):
    for thread in ("t1", "t2"):
        await say(app, 2, thread=thread)
        await ask(app, thread)
    stream = Stream(app, "/v1/events", query="cursor=0")
    events = await stream.events(2)
    assert [(event["event"], json.loads(event["data"])["thread_id"]) for event in events] == [
        ("request.created", "t1"),
        ("request.created", "t2"),
    ]
    assert [e["id"] for e in events] == [str(json.loads(e["data"])["position"]) for e in events]
    await stream.leave()


async def test_an_agent_has_no_inbox(app: App):
    status, _ = await Stream(app, "/v1/events", token=TOKENS["requester"]).start()
    assert status == 403


BAD_CURSORS = [
    ("cursor=x", None, "cursor"),
    ("cursor=-1", None, "cursor"),
    ("cursor=1.5", None, "cursor"),
    ("cursor=99999999999999999999", None, "cursor"),
    ("cursor=9007199254740993", None, "cursor"),
    ("", "nope", "Last-Event-ID"),
    ("", "٣", "Last-Event-ID"),
]


async def test_a_bad_cursor_is_a_422(app: App):
    for query, last, path in BAD_CURSORS:
        stream = Stream(app, "/v1/threads/t1/events", query=query, last=last)
        status, _ = await stream.start()
        body = json.loads((await stream._out.get())["body"])
        assert (status, body["error"]["field_errors"][0]["path"]) == (422, path), (query, last)


async def test_each_beat_sends_a_comment(app: App):
    stream = Stream(app, "/v1/threads/t1/events")
    await stream.start()
    assert await stream.block() == {"retry": "1000"}
    app.connections.streams.send_heartbeats()
    assert await stream.block() == {"": ""}
    await stream.leave()


def test_the_beat_is_often_enough():
    from askback.transports.event_stream import HEARTBEAT_S

    assert HEARTBEAT_S <= 15


async def test_a_reader_that_leaves_frees_its_resources_immediately(app: App):
    streams = [Stream(app, "/v1/threads/t1/events") for _ in range(3)] + [Stream(app, "/v1/events")]
    for stream in streams:
        await stream.start()
    assert app.connections.streams.count() == 4
    for stream in streams:
        await stream.leave()
    assert app.connections.streams.count() == 0
    assert app.services.bus.topic_count() == 0  # type: ignore[attr-defined]


@pytest.mark.requirement("L9")
async def test_a_reader_that_stalls_is_cut_and_resumes(app: App):
    stream = Stream(app, "/v1/threads/t1/events", query="cursor=0")
    await stream.start()
    await stream.block()
    stream.reading.clear()
    await say(app, 400, size=5000)
    with anyio.fail_after(120):
        await stream.task
    assert app.connections.streams.count() == 0
    resumed_stream = Stream(app, "/v1/threads/t1/events", last="0")
    assert [int(event["id"]) for event in await resumed_stream.events(400)] == list(range(1, 401))
    await resumed_stream.leave()


async def test_a_reader_that_takes_nothing_between_two_beats_is_cut(app: App):
    await say(app, 1000)
    stream = Stream(app, "/v1/threads/t1/events", query="cursor=0")
    await stream.start()
    await stream.block()
    stream.reading.clear()
    await say(app, 1)
    for _ in range(3):
        await anyio.wait_all_tasks_blocked()
        app.connections.streams.send_heartbeats()
    with anyio.fail_after(120):
        await stream.task


@requirement("N15")
async def test_a_stream_ends_as_a_whole_reply_when_its_token_is_revoked_or_expires(api: Api):
    admin = await api.as_("admin")
    revoked_body, expired = [
        (await admin.post("/v1/tokens", json={"role": "responder", "expires_in_s": life})).json()
        for life in (3600, 60)
    ]
    api.clock.advance(seconds=59.9)
    streams = [Stream(api.app, "/v1/events", token=item["token"]) for item in (revoked_body, expired)]
    assert [(await stream.start())[0] for stream in streams] == [200, 200]
    await admin.delete(f"/v1/tokens/{revoked_body['id']}")
    assert [await stream.ended() for stream in streams] == [True, True]
    assert api.app.connections.streams.count() == 0


async def test_a_server_that_stops_ends_its_streams(app: App):
    stream = Stream(app, "/v1/threads/t1/events")
    await stream.start()
    await stream.block()
    app.connections.streams.close()
    with anyio.fail_after(120):
        await stream.task
