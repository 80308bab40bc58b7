"""Readers of one thread, in any order of frames: each event once and in order, over lost connections too."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from askback.client.session import Session
from askback.client.subscriptions import Listener


class Reader:
    """A reader of the thread, the number of events when it began, and the numbers of the events that it got."""

    def __init__(self, cursor: int | None, stored: int) -> None:
        self.cursor = cursor
        self.stored = stored
        self.numbers: list[int] = []
        self.listener = Listener(lambda event: self.numbers.append(event["seq"]), self._fail, cursor)

    def _fail(self, error: Exception) -> None:
        raise error


class Readers(RuleBasedStateMachine):
    """A session, a connection that delivers frame by frame, and a server with one thread."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.readers: list[Reader] = []
        self.stored = 0
        self.connected = True
        self.to_server = deque[str]()
        self.to_client = deque[dict[str, Any]]()
        self.subscribed_from: int | None = None

    def send(self, *frames: str | None) -> None:
        """Send frames if there is a connection."""
        if self.connected:
            self.to_server.extend(each for each in frames if each is not None)

    @rule()
    def store_an_event(self) -> None:
        self.stored += 1

    @rule(data=st.data())
    def begin_to_read(self, data: st.DataObject) -> None:
        cursor = data.draw(st.none() | st.integers(0, self.stored))
        reader = Reader(cursor, self.stored)
        self.readers.append(reader)
        self.send(self.session.subscriptions.listen("t1", reader.listener))

    @precondition(lambda self: self.readers)
    @rule(data=st.data())
    def stop_reading(self, data: st.DataObject) -> None:
        reader = self.readers.pop(data.draw(st.integers(0, len(self.readers) - 1)))
        self.send(self.session.subscriptions.leave("t1", reader.listener))

    @precondition(lambda self: self.to_server)
    @rule()
    def take_a_frame_on_the_server(self) -> None:
        frame = json.loads(self.to_server.popleft())
        earlier, self.subscribed_from = self.subscribed_from, None
        ok = {}
        if frame["op"] == "subscribe":
            ok["cursor"] = frame.get("cursor", self.stored)
            self.subscribed_from = min(ok["cursor"], ok["cursor"] if earlier is None else earlier)
        self.to_client.append({"id": frame["id"], "ok": ok})

    @precondition(lambda self: self.subscribed_from is not None and self.subscribed_from < self.stored)
    @rule()
    def send_an_event(self) -> None:
        assert self.subscribed_from is not None
        self.subscribed_from += 1
        self.to_client.append({"event": {"thread_id": "t1", "seq": self.subscribed_from}})

    @precondition(lambda self: self.to_client)
    @rule()
    def take_a_frame_on_the_client(self) -> None:
        self.send(*self.session.handle(json.dumps(self.to_client.popleft()), now=0.0).frames)

    @precondition(lambda self: self.connected)
    @rule()
    def end_subscriptions_of_a_slow_client(self) -> None:
        self.subscribed_from = None
        self.to_client.append({"resync": True})

    @precondition(lambda self: self.connected)
    @rule()
    def lose_the_connection(self) -> None:
        self.connected = False
        self.subscribed_from = None
        self.to_server.clear()
        self.to_client.clear()

    @precondition(lambda self: not self.connected)
    @rule()
    def connect(self) -> None:
        self.connected = True
        self.send(*self.session.reconnect_frames())

    @invariant()
    def each_event_comes_once_and_in_order(self) -> None:
        for reader in self.readers:
            first = (
                reader.numbers[0] if reader.cursor is None and reader.numbers else (reader.cursor or 0) + 1
            )
            assert reader.numbers == list(range(first, first + len(reader.numbers)))
            assert reader.cursor is not None or first > reader.stored or not reader.numbers

    def teardown(self) -> None:
        if not self.connected:
            self.connect()
        self.store_an_event()
        while self.to_server or self.to_client or self.subscribed_from not in (None, self.stored):
            if self.to_server:
                self.take_a_frame_on_the_server()
            elif self.to_client:
                self.take_a_frame_on_the_client()
            else:
                self.send_an_event()
        for reader in self.readers:
            assert reader.cursor is None or reader.numbers == list(range(reader.cursor + 1, self.stored + 1))
            assert not reader.numbers or reader.numbers[-1] == self.stored


TestReaders = Readers.TestCase
