"""Waits and calls survive the server: killed, restarted, unreachable, or behind a proxy without upgrades."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from askback import AsyncClient, ConnectionLost, Form, Text
from askback.adapters.asking import PausePoint, ask_once
from askback.client.transport import FrameStream, Transport, TransportError
from askback.client.transport_http import HttpFrames
from askback.domain.request import InputRequest
from tests.client.servers import TOKENS, ServerProcess

FORM = Form(fields=[Text(id="topic", label="Topic", required=True)])
TRANSPORTS = pytest.mark.parametrize("transport", ["websocket", "http"])


async def wait_for_questions(client: AsyncClient, thread: str, count: int) -> list[str]:
    """Wait until so many questions were asked; return their ids."""
    ids: list[str] = []
    async for event in client.events(thread, cursor=0):
        if event["type"] == "request.created":
            ids.append(event["request"]["id"])
        if len(ids) == count:
            break
    return ids


@TRANSPORTS
@pytest.mark.fault
@pytest.mark.requirement("G7", "H8")
async def test_the_same_await_returns_after_the_server_was_killed_and_started_again(
    own_server: ServerProcess, transport: str
):
    async with own_server.client(transport=transport) as agent, own_server.client("responder") as person:
        waiting = [asyncio.create_task(agent.form(FORM, thread_id="t1")) for _ in range(5)]
        with anyio.fail_after(120):
            ids = await wait_for_questions(person, "t1", 5)
            own_server.kill()
            await anyio.to_thread.run_sync(own_server.start)
            for n, request_id in enumerate(ids):
                await person.requests.answer(request_id, {"topic": str(n)})
            answers = [(await task).values["topic"] for task in waiting]
        assert sorted(map(str, answers)) == ["0", "1", "2", "3", "4"]
        assert len(await agent.requests.list(thread_id="t1")) == 5


async def interrupt_while_away(
    server: ServerProcess, person: AsyncClient, asking: Coroutine[Any, Any, object]
) -> InputRequest:
    """Interrupt the caller of a question while the server is away; return the request once it has ended."""
    task = asyncio.create_task(asking)
    with anyio.fail_after(120):
        [request_id] = await wait_for_questions(person, "t1", 1)
        server.kill()
        task.cancel()
        await asyncio.wait({task})
        await anyio.to_thread.run_sync(server.start)
        return await person.wait(request_id)


@TRANSPORTS
@pytest.mark.fault
@pytest.mark.requirement("C20")
async def test_a_question_whose_caller_was_cancelled_while_the_server_was_away_is_withdrawn_later(
    own_server: ServerProcess, transport: str
):
    async with own_server.client(transport=transport) as agent, own_server.client("responder") as person:
        ended_request = await interrupt_while_away(own_server, person, agent.form(FORM, thread_id="t1"))
    assert (ended_request.status, ended_request.reason) == ("cancelled", "agent_aborted")


@pytest.mark.fault
@pytest.mark.requirement("C20")
async def test_the_question_of_a_framework_that_was_interrupted_while_the_server_was_away_is_withdrawn_later(
    own_server: ServerProcess,
):
    async with own_server.client() as agent, own_server.client("responder") as person:
        asking = ask_once(agent, FORM, PausePoint(id="pause", thread_id="t1"))
        ended_request = await interrupt_while_away(own_server, person, asking)
        assert not await agent.requests.withdraw(ended_request)
    assert (ended_request.status, ended_request.reason) == ("cancelled", "agent_aborted")


@TRANSPORTS
@pytest.mark.fault
@pytest.mark.requirement("G8", "H1")
async def test_an_answer_sent_while_the_agent_was_disconnected_reaches_it_later(
    own_server: ServerProcess, transport: str
):
    async with own_server.client(transport=transport) as agent:
        task = asyncio.create_task(agent.form(FORM, thread_id="t1"))
        with anyio.fail_after(120):
            (request_id,) = await wait_for_questions(agent, "t1", 1)
            agent._link._transport = _Broken(agent._link._transport)  # type: ignore[assignment]
            own_server.kill()
            await anyio.to_thread.run_sync(own_server.start)
            async with own_server.client("responder") as person:
                await person.requests.answer(request_id, {"topic": "meanwhile"})
            agent._link._transport.broken = False  # type: ignore[attr-defined]
            assert (await task).values == {"topic": "meanwhile"}


@pytest.mark.fault
@pytest.mark.requirement("G4")
async def test_events_continue_after_a_restart_without_gap_or_duplicate(own_server: ServerProcess):
    async with own_server.client() as agent:
        seen_items: list[int] = []
        with anyio.fail_after(120):
            for n in range(3):
                await agent.say(str(n), thread_id="t1")
            async for event in agent.events("t1", cursor=0):
                seen_items.append(event["seq"])
                if event["seq"] == 3:
                    own_server.kill()
                    await anyio.to_thread.run_sync(own_server.start)
                    for n in range(3):
                        await agent.say(str(n), thread_id="t1")
                if event["seq"] == 6:
                    break
        assert seen_items == [1, 2, 3, 4, 5, 6]


@pytest.mark.fault
async def test_a_call_sent_to_a_dead_server_is_executed_once_after_its_restart(own_server: ServerProcess):
    async with own_server.client() as agent:
        await agent.requests.list()
        own_server.kill()
        asking = asyncio.create_task(agent.requests.create(FORM, thread_id="t1"))
        saying = asyncio.create_task(agent.say("Hello", thread_id="t1"))
        await anyio.to_thread.run_sync(own_server.start)
        with anyio.fail_after(120):
            request, message_id = await asking, await saying
            shown_thread = await agent.threads.get("t1")
        assert [r["id"] for r in shown_thread["requests"]] == [request.id]
        assert [m["id"] for m in shown_thread["messages"]] == [message_id]


@TRANSPORTS
async def test_without_a_server_a_call_fails_with_a_helpful_sentence(transport: str):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        async with AsyncClient(url, "token-token", transport=transport, retry_for=0.2) as client:  # type: ignore[arg-type]
            with anyio.fail_after(120), pytest.raises(ConnectionLost, match="askback serve"):
                await client.requests.list()
            waiting = asyncio.create_task(client.form(FORM, thread_id="t1"))
            with anyio.fail_after(120), pytest.raises(ConnectionLost):
                await client.requests.list()
            assert not waiting.done()
            waiting.cancel()


async def test_a_proxy_without_upgrades_is_passed_over_http(server: ServerProcess, thread: str):
    async with (
        _plain_proxy(server.port) as url,
        AsyncClient(url, TOKENS["requester"]) as agent,
        server.client("responder") as person,
    ):
        with anyio.fail_after(120):
            task = asyncio.create_task(agent.form(FORM, thread_id=thread))
            (request_id,) = await wait_for_questions(agent, thread, 1)
            await person.requests.answer(request_id, {"topic": "through"})
            assert (await task).values == {"topic": "through"}
        assert isinstance(agent._link._frames, HttpFrames)


async def test_a_question_whose_acknowledgement_was_lost_is_asked_once(server: ServerProcess, thread: str):
    async with server.client() as agent, server.client("responder") as person:
        forgetful_transport = agent._link._transport = _Forgetful(agent._link._transport)  # type: ignore[assignment]
        with anyio.fail_after(120):
            request = await agent.requests.create(FORM, thread_id=thread)
            await agent.say("Hello", thread_id=thread)
            finished_request = await person.requests.answer(request, {"topic": "x"})
            shown_thread = await agent.threads.get(thread)
        assert forgetful_transport.forgotten == 2
        assert [r["id"] for r in shown_thread["requests"]] == [request.id] == [finished_request.id]
        assert len(shown_thread["messages"]) == 1


async def test_a_streamed_piece_whose_acknowledgement_was_lost_is_there_once(
    server: ServerProcess, thread: str
):
    async with server.client() as agent:
        async with agent.stream(thread) as out:
            await out.write("One, ")
            agent._link._transport = _Forgetful(agent._link._transport)  # type: ignore[assignment]
            await agent._link._frames.close()  # type: ignore[union-attr]
            with anyio.fail_after(120):
                for piece in ("two, ", "three, ", "four."):
                    await out.write(piece)
        (message,) = (await agent.threads.get(thread))["messages"]
        assert message["content"] == [{"type": "text", "text": "One, two, three, four."}]


class _Forgetful:
    """A transport whose connections break when the first `ok` of each kind of call arrives, twice in all."""

    def __init__(self, inner_transport: Transport) -> None:
        self.inner = inner_transport
        self.address = inner_transport.address
        self.forgotten = 0

    async def frames(self) -> FrameStream:
        stream = await self.inner.frames()
        return _ForgetfulFrames(stream, self) if self.forgotten < 2 else stream

    async def close(self) -> None:
        await self.inner.close()


class _ForgetfulFrames:
    def __init__(self, inner_frame_stream: FrameStream, transport: _Forgetful) -> None:
        self._inner = inner_frame_stream
        self._transport = transport
        self.send = inner_frame_stream.send
        self.close = inner_frame_stream.close

    async def receive(self) -> str:
        text = await self._inner.receive()
        if '"ok":' in text and self._transport.forgotten < 2:
            self._transport.forgotten += 1
            raise TransportError("the test lost the acknowledgement")
        return text


class _Broken:
    """A transport that fails until it is repaired."""

    def __init__(self, inner: object) -> None:
        self.inner = inner
        self.address = "nowhere"
        self.broken = True

    async def frames(self) -> object:
        if self.broken:
            raise TransportError("broken by the test")
        return await self.inner.frames()  # type: ignore[attr-defined]

    async def close(self) -> None:
        await self.inner.close()  # type: ignore[attr-defined]


@asynccontextmanager
async def _plain_proxy(port: int) -> AsyncIterator[str]:
    """Forward HTTP, but answer every upgrade with 501, as some proxies do."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"upgrade: websocket" in head.lower():
            writer.write(b"HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            writer.close()
            return
        back_reader, back_writer = await asyncio.open_connection("127.0.0.1", port)
        back_writer.write(head)
        await asyncio.gather(_pump(reader, back_writer), _pump(back_reader, writer))

    proxy = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
    finally:
        proxy.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
