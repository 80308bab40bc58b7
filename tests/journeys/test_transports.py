"""Groups G and H: the same state over REST, SSE, WebSocket and the client, and across a restart."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest
import websockets

from askback import Form, Text
from tests.journeys.conftest import TOKENS, Server, start
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = Form(fields=[Text(id="q", label="Q")])
PLAIN = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}


@requirement("G1")
async def test_the_core_over_rest(server: Server, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        created = await agent.ask(thread, PLAIN)
        assert created.status_code == 201
        reply = await ada.http.get(
            "/v1/requests", params={"thread_id": thread, "kind": "form", "status": "pending"}
        )
        assert reply.json()["requests"] == [{**created.json(), "level": "all"}]
        read = await agent.get(created.json()["id"])
        assert read == created.json()
        taken_back = (await agent.cancel(read["id"], reason="user_message", note="never mind")).json()
    assert (taken_back["status"], taken_back["reason"], taken_back["note"]) == (
        "cancelled",
        "user_message",
        "never mind",
    )


@requirement("G1")
async def test_lists_page_through_everything_once(server: Server, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        requests = [(await agent.ask(thread, PLAIN)).json()["id"] for _ in range(7)]
    seen_items: list[str] = []
    cursor: str | None = None
    for _ in range(4):
        params = {"thread_id": thread, "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await ada.http.get("/v1/requests", params=params)).json()
        seen_items += [request["id"] for request in page["requests"]]
        cursor = page["next_cursor"]
    assert seen_items == requests[::-1]
    assert cursor is None


@requirement("G2")
async def test_the_same_operations_over_one_websocket(server: Server, thread: str) -> None:
    async with Socket(server, "requester") as agent, Socket(server, "responder") as person:
        assert "cursor" in await person.call(op="subscribe", thread_id=thread)
        body = {"kind": "form", "thread_id": thread, "form": PLAIN}
        created = await agent.call(op="create_request", body=body, wait=True)
        event = await person.next("event")
        assert (event["type"], event["seq"], event["request"]["id"]) == ("request.created", 1, created["id"])
        answer = {"revision": 1, "values": {"q": "hello"}}
        settled_request = await person.call(op="answer_request", request_id=created["id"], body=answer)
        assert settled_request["answer"]["values"] == {"q": "hello"}
        assert await agent.next("settled") == settled_request
        assert await agent.call(op="get_request", request_id=created["id"]) == settled_request


class Socket:
    """A raw WebSocket: replies by id, other frames by kind."""

    def __init__(self, server: Server, token: str) -> None:
        self._address = server.url.replace("http", "ws") + "/v1/ws"
        self._headers = {"Authorization": f"Bearer {TOKENS[token]}"}
        self._frames: list[dict[str, Any]] = []
        self._last = 0

    async def __aenter__(self) -> Socket:
        self._socket = await websockets.connect(
            self._address,
            subprotocols=["askback.v1"],  # type: ignore[list-item]  # a NewType of str
            additional_headers=self._headers,
        )
        assert self._socket.subprotocol == "askback.v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def call(self, **frame: Any) -> Any:
        """Call an operation and return its reply; refusals fail the test."""
        self._last += 1
        await self._socket.send(json.dumps({"id": self._last, **frame}))
        while True:
            reply = await self._take(lambda f: f.get("id") == self._last)
            return reply["ok"]

    async def next(self, kind: str) -> Any:
        """The next frame of a kind."""
        return (await self._take(lambda f: kind in f))[kind]

    async def _take(self, wanted: Any) -> dict[str, Any]:
        with anyio.fail_after(120):
            while True:
                for frame in self._frames:
                    if wanted(frame):
                        self._frames.remove(frame)
                        return frame
                self._frames.append(json.loads(await self._socket.recv()))


@requirement("G3", "G5", "H2")
async def test_a_stream_cut_anywhere_loses_and_doubles_nothing(
    server: Server, ada: Person, thread: str
) -> None:
    async with server.person("requester") as agent:
        for _ in range(10):
            request_id = (await agent.ask(thread, PLAIN)).json()["id"]
            await ada.answer(request_id, {"q": "x"})
    chance, cursor = random.Random(5), 0
    seen_items: list[dict[str, Any]] = []
    while cursor < 20:
        cut = min(20, cursor + chance.randint(1, 6))
        async for event in ada.events(thread, cursor=cursor, until=cut):
            seen_items.append(event)
        cursor = seen_items[-1]["seq"]
    assert [e["seq"] for e in seen_items] == list(range(1, 21))
    assert [e["type"] for e in seen_items] == ["request.created", "request.answered"] * 10


@requirement("G3")
async def test_last_event_id_resumes_like_a_cursor(server: Server, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        for _ in range(3):
            await agent.ask(thread, PLAIN)
    headers = {"Last-Event-ID": "1"}
    ids: list[str] = []
    async with ada.http.stream("GET", f"/v1/threads/{thread}/events", headers=headers) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("id:"):
                ids.append(line[3:].strip())
            if len(ids) == 2:
                break
    assert ids == ["2", "3"]


@requirement("G4", "H7")
async def test_a_snapshot_and_later_events_are_complete(server: Server, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        await agent.ask(thread, PLAIN)
        snapshot = (await ada.http.get(f"/v1/threads/{thread}")).json()
        assert [request["status"] for request in snapshot["requests"]] == ["pending"]
        second = (await agent.ask(thread, PLAIN)).json()
    [event] = [e async for e in ada.events(thread, cursor=snapshot["seq"], until=2)]
    assert event["request"] == second
    assert (await ada.answer(snapshot["requests"][0]["id"], {"q": "after a reload"})).status_code == 200


@requirement("G6")
async def test_a_hundred_long_polls_wake_together(server: Server, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        request_id = (await agent.ask(thread, PLAIN)).json()["id"]
        limits = {"wait": 20}
        polls = [
            asyncio.ensure_future(agent.http.get(f"/v1/requests/{request_id}", params=limits))
            for _ in range(100)
        ]
        await ada.answer(request_id, {"q": "x"})
        with anyio.fail_after(120):
            replies = await asyncio.gather(*polls)
    assert {reply.json()["status"] for reply in replies} == {"answered"}


@requirement("G6")
async def test_a_long_poll_without_news_is_empty_and_can_be_repeated(server: Server, thread: str) -> None:
    async with server.person("requester") as agent:
        request_id = (await agent.ask(thread, PLAIN)).json()["id"]
        quiet = await agent.http.get(f"/v1/requests/{request_id}", params={"wait": 0.05})
        assert (quiet.status_code, quiet.content) == (204, b"")
        old_reply = await agent.http.get(f"/v1/requests/{request_id}", params={"wait": 20, "revision": 0})
        assert old_reply.json()["revision"] == 1


@requirement("G7", "G8", "H1", "H8")
@pytest.mark.parametrize("transport", ["websocket", "http"])
async def test_a_wait_survives_the_death_of_the_server(tmp_path: Path, thread: str, transport: Any) -> None:
    process, running = start(tmp_path)
    port = int(running.url.rpartition(":")[2])
    try:
        async with running.client(transport=transport) as agent:
            request = await agent.requests.create(FORM, thread_id=thread, idempotency_key="mine")
            waiting = asyncio.ensure_future(agent.wait(request.id))
            process.send_signal(signal.SIGKILL)
            process.wait()
            process, running = await anyio.to_thread.run_sync(lambda: start(tmp_path, port=port))
            async with running.person() as ada:
                [kept_request] = await ada.pending(thread)
                assert kept_request["id"] == request.id
                await ada.answer(request.id, {"q": "still here"})
            with anyio.fail_after(120):
                ended = await waiting
            assert ended.answer is not None
            assert ended.answer.values == {"q": "still here"}
        async with running.client(transport=transport) as restarted:
            second_request = await restarted.requests.create(FORM, thread_id=thread, idempotency_key="mine")
            assert second_request.id == request.id
            assert second_request.answer is not None
    finally:
        process.kill()
        process.wait()


@requirement("K1")
async def test_an_answer_reaches_every_subscriber(server: Server, ada: Person, thread: str) -> None:
    async with Socket(server, "responder/bob") as bob, Socket(server, "requester") as agent:
        await bob.call(op="subscribe", thread_id=thread)
        created = await agent.call(
            op="create_request", body={"kind": "form", "thread_id": thread, "form": PLAIN}
        )
        await ada.answer(created["id"], {"q": "Ada's"})
        assert (await bob.next("event"))["type"] == "request.created"
        answered_request = await bob.next("event")
    assert answered_request["type"] == "request.answered"
    assert answered_request["request"]["settled_by"]["name"] == "responder"


@requirement("H2")
async def test_the_first_end_in_the_log_is_the_only_one(server: Server, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        request_id = (await agent.ask(thread, PLAIN)).json()["id"]
        await asyncio.gather(
            ada.answer(request_id, {"q": "x"}),
            ada.decline(request_id, "dismissed"),
            agent.cancel(request_id),
        )
        await agent.ask(thread, PLAIN)
    events = [event async for event in ada.events(thread, until=3)]
    assert events[0]["type"] == "request.created"
    assert events[1]["type"] in {"request.answered", "request.declined", "request.cancelled"}
    assert events[2]["type"] == "request.created"
    assert (await ada.get(request_id))["status"] == events[1]["type"].partition(".")[2]


@requirement("H8")
async def test_open_requests_stay_open_over_a_quiet_restart(tmp_path: Path, thread: str) -> None:
    process, running = start(tmp_path)
    async with running.person("requester") as agent:
        request_id = (await agent.ask(thread, PLAIN)).json()["id"]
    process.terminate()
    assert process.wait(120) == 0
    process, running = start(tmp_path)
    try:
        async with running.person() as ada:
            assert (await ada.get(request_id))["status"] == "pending"
            assert (await ada.answer(request_id, {"q": "x"})).status_code == 200
    finally:
        process.terminate()
        process.wait(120)
