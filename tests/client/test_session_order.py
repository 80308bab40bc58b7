"""Readers of one thread, in random orders of frames: each event once and in order, over lost connections too."""

from __future__ import annotations

import json
from collections import deque
from random import Random
from typing import Any

import pytest

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

    def check(self) -> None:
        """Each event came once and in order, and none from before a reader without a cursor began."""
        if not self.numbers:
            return
        first = self.numbers[0]
        assert self.numbers == list(range(first, first + len(self.numbers)))
        assert first > self.stored if self.cursor is None else first == self.cursor + 1


class World:
    """A session, a connection that delivers frame by frame, and a server with one thread."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.session = Session()
        self.readers: list[Reader] = []
        self.stored = 0
        self.connected = True
        self.to_server = deque[str]()
        self.to_client = deque[dict[str, Any]]()
        self.sent: int | None = None

    def send(self, *frames: str | None) -> None:
        """Send frames if there is a connection."""
        if self.connected:
            self.to_server.extend(each for each in frames if each is not None)

    def store(self) -> None:
        self.stored += 1

    def begin_to_read(self) -> None:
        reader = Reader(self.random.choice([None, self.random.randint(0, self.stored)]), self.stored)
        self.readers.append(reader)
        self.send(self.session.subscriptions.listen("t1", reader.listener))

    def stop_reading(self) -> None:
        if self.readers:
            reader = self.readers.pop(self.random.randrange(len(self.readers)))
            self.send(self.session.subscriptions.leave("t1", reader.listener))

    def handle_on_the_server(self) -> bool:
        """Handle the next frame of the client, or send the next event."""
        if not self.to_server:
            if self.sent in (None, self.stored):
                return False
            self.sent += 1
            self.to_client.append({"event": {"thread_id": "t1", "seq": self.sent}})
            return True
        frame = json.loads(self.to_server.popleft())
        ok = {}
        if frame["op"] == "unsubscribe":
            self.sent = None
        else:
            ok["cursor"] = frame.get("cursor", self.stored)
            self.sent = min(ok["cursor"], ok["cursor"] if self.sent is None else self.sent)
        self.to_client.append({"id": frame["id"], "ok": ok})
        return True

    def handle_on_the_client(self) -> bool:
        """Handle the next frame of the server."""
        if not self.to_client:
            return False
        self.send(*self.session.handle(json.dumps(self.to_client.popleft()), now=0.0).frames)
        return True

    def resync(self) -> None:
        """End the subscriptions of a client that reads too slowly."""
        self.sent = None
        if self.connected:
            self.to_client.append({"resync": True})

    def lose_the_connection(self) -> None:
        self.connected, self.sent = False, None
        self.to_server.clear()
        self.to_client.clear()

    def connect(self) -> None:
        if not self.connected:
            self.connected = True
            self.send(*self.session.reconnect_frames())

    def run(self) -> None:
        """Take random steps, then deliver everything."""
        often = [self.store, self.handle_on_the_server, self.handle_on_the_client, self.connect]
        seldom = [self.begin_to_read, self.stop_reading, self.resync, self.lose_the_connection]
        for _ in range(100):
            self.random.choice(4 * often + seldom)()
            for reader in self.readers:
                reader.check()
        self.connect()
        self.store()
        while self.handle_on_the_server() or self.handle_on_the_client():
            pass
        for reader in self.readers:
            reader.check()
            assert reader.numbers[-1:] == [self.stored] or reader.cursor is None


@pytest.mark.requirement("G4", "G5")
def test_each_reader_gets_each_event_once_and_in_order():
    for seed in range(200):
        World(seed).run()
