"""Readers of one thread, in random orders of frames: each event once and in order, over lost connections too."""

from __future__ import annotations

import json

import pytest

from askback.client.subscriptions import Listener
from tests.client.random_frames import RandomFrames


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
        first_numbers = self.numbers[0]
        assert self.numbers == list(range(first_numbers, first_numbers + len(self.numbers)))
        assert first_numbers > self.stored if self.cursor is None else first_numbers == self.cursor + 1


class Readers(RandomFrames):
    """Readers of one thread. The server has one subscription, and `sent` is its last event."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.readers: list[Reader] = []
        self.stored = 0
        self.sent: int | None = None

    def store(self) -> None:
        self.stored += 1

    def begin_or_stop(self) -> None:
        """Begin to read, from the next event or from an earlier one, or stop."""
        if self.readers and self.random.random() < 0.5:
            reader = self.readers.pop(self.random.randrange(len(self.readers)))
            self.send(self.session.subscriptions.leave("t1", reader.listener))
        else:
            reader = Reader(self.random.choice([None, self.random.randint(0, self.stored)]), self.stored)
            self.readers.append(reader)
            self.send(self.session.subscriptions.listen("t1", reader.listener))

    def handle_on_the_server(self) -> bool:
        """Handle the next frame of the client, or send the next event."""
        if not self.to_server:
            if self.sent in (None, self.stored):
                return False
            self.sent += 1
            self.to_client.append({"event": {"thread_id": "t1", "seq": self.sent}})
            return True
        frame = json.loads(self.to_server.pop(0))
        ok = {}
        if frame["op"] == "unsubscribe":
            self.sent = None
        else:
            ok["cursor"] = frame.get("cursor", self.stored)
            self.sent = min(ok["cursor"], ok["cursor"] if self.sent is None else self.sent)
        self.to_client.append({"id": frame["id"], "ok": ok})
        return True

    def forget(self) -> None:
        self.sent = None

    def run(self) -> None:
        """Take random steps, then deliver everything."""
        for _ in range(100):
            self.step(self.store, self.begin_or_stop)
            for reader in self.readers:
                reader.check()
        self.store()
        self.deliver_all()
        for reader in self.readers:
            reader.check()
            assert reader.numbers[-1:] == [self.stored] or reader.cursor is None


@pytest.mark.requirement("G4", "G5")
def test_each_reader_gets_each_event_once_and_in_order():
    for seed in range(200):
        Readers(seed).run()
