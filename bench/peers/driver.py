"""Agents and persons for the peers behind `bench.peers.transport`, and browsers for Chainlit."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from itertools import count
from typing import Any, cast

import picows

from bench.measure import closed_loop
from bench.payload import ANSWER, questionnaire
from bench.persons import TEXT

BODY = questionnaire(0).model_dump(exclude_none=True)


class Line(picows.WSListener):
    """A connection of JSON frames."""

    def on_ws_connected(self, transport: picows.WSTransport) -> None:
        """Keep the connection."""
        self._transport = transport

    def on_ws_frame(self, transport: picows.WSTransport, frame: Any) -> None:
        """Take one frame."""
        if frame.msg_type == TEXT:
            self.take(json.loads(frame.get_payload_as_bytes()))

    def take(self, frame: dict[str, Any]) -> None:
        """Process a frame."""
        raise NotImplementedError

    def send(self, frame: dict[str, Any]) -> None:
        """Send one frame."""
        self._transport.send(TEXT, json.dumps(frame).encode())


class Agents(Line):
    """All agents, over one connection."""

    def __init__(self) -> None:
        self._numbers = count()
        self._waiting: dict[str, asyncio.Future[Any]] = {}

    def ask(self, thread: str) -> asyncio.Future[Any]:
        """Ask in a thread; the future has the values of the answer."""
        question = f"question-{next(self._numbers)}"
        waiting = self._waiting[question] = asyncio.get_running_loop().create_future()
        self.send({"ask": question, "thread": thread, "body": BODY})
        return waiting

    def take(self, frame: dict[str, Any]) -> None:
        """Pass an answer to its waiting agent."""
        self._waiting.pop(frame["answered"]).set_result(frame["values"])


class Person(Line):
    """Answers every question in a thread."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def take(self, frame: dict[str, Any]) -> None:
        """Answer at once."""
        if "asked" in frame:
            self.send({"answer": frame["asked"], "values": ANSWER})
        elif "following" in frame:
            self.ready.set_result(None)


async def conversations(url: str, at_once: int, total: int) -> tuple[list[float], float]:
    """Have `total` questions answered, `at_once` at a time; return the latencies and the time, in seconds."""
    agents = cast("Agents", (await picows.ws_connect(Agents, url))[1])
    for number in range(at_once):
        person = cast("Person", (await picows.ws_connect(Person, url))[1])
        person.send({"follow": f"t{number}"})
        await person.ready
    free_numbers = list(range(at_once))

    async def cycle(_: int) -> None:
        number = free_numbers.pop()
        values = await agents.ask(f"t{number}")
        free_numbers.append(number)
        assert values == ANSWER

    await closed_loop(at_once, at_once, cycle)
    return await closed_loop(at_once, total, cycle)


class Browser(picows.WSListener):
    """A page of Chainlit: The part of Socket.IO 5 over a WebSocket that is needed to press the first button.

    `4` begins a message of Engine.IO, `2` is its ping and `3` the answer. Behind `4` are `0` to connect, `2` for an
    event, with a number when it wants an answer, and `3` for that answer.
    """

    def __init__(self, session: str) -> None:
        self._session = session
        self.samples: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def on_ws_frame(self, transport: picows.WSTransport, frame: Any) -> None:
        """Take one packet."""
        text = frame.get_payload_as_utf8_text() if frame.msg_type == TEXT else ""
        if text.startswith("0"):
            auth = {"sessionId": self._session, "clientType": "webapp", "userEnv": "{}"}
            self._send(transport, "40" + json.dumps({**auth, "chatProfile": "", "threadId": ""}))
        elif text.startswith("40"):
            self._send(transport, '42["connection_successful"]')
        elif text.startswith("2"):
            self._send(transport, "3")
        elif text.startswith("42"):
            number, _, event = text[2:].partition("[")
            self._handle_event(transport, number, json.loads("[" + event))

    def _handle_event(self, transport: picows.WSTransport, number: str, event: list[Any]) -> None:
        if event[0] == "ask":
            spec = event[1]["spec"]
            chosen_action = {"id": spec["keys"][0], "name": "staging", "payload": {"value": "staging"}}
            action = {**chosen_action, "label": "staging", "tooltip": "", "forId": spec["step_id"]}
            self._send(transport, f"43{number}{json.dumps([action])}")
        elif event[0] == "samples":
            self.samples.set_result(event[1]["samples"])

    def _send(self, transport: picows.WSTransport, text: str) -> None:
        transport.send(TEXT, text.encode())


async def pages(port: int, at_once: int) -> tuple[list[float], float]:
    """Open so many pages of Chainlit, and wait until each was asked as often as its app does."""
    url = f"ws://127.0.0.1:{port}/ws/socket.io/?EIO=4&transport=websocket"
    browsers = [
        await picows.ws_connect(partial(Browser, f"session-{number}"), url) for number in range(at_once)
    ]
    lists = await asyncio.gather(*(cast("Browser", browser).samples for _, browser in browsers))
    samples = [(started_at, spent) for item in lists for started_at, spent in item]
    first, last = (
        min(started_at for started_at, _ in samples),
        max(started_at + spent for started_at, spent in samples),
    )
    return [spent for _, spent in samples], last - first
