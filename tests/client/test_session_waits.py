"""Waits in random orders of frames: each caller gets the outcome once it exists, over lost connections too."""

from __future__ import annotations

import json
from collections import deque
from random import Random
from typing import Any

import pytest

from askback.client.session import FOREVER, Session

REQUESTS = ("req_1", "req_2", "req_3")


class Ticket:
    """The ticket of a caller, who waits for `expected`."""

    def __init__(self, expected: str) -> None:
        self.expected = expected
        self.request_id: str | None = None
        self.withdraw = False
        self.cancelled = False
        self.result: Any = None

    def done(self) -> bool:
        return self.cancelled or self.result is not None

    def set_result(self, result: Any, /) -> None:
        assert result == {"id": self.expected, "status": "answered"}
        self.result = result

    def set_exception(self, exception: BaseException, /) -> None:
        raise exception


class World:
    """A session, a connection that delivers frame by frame, and a server that handles them in any order."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.session = Session()
        self.tickets: list[Ticket] = []
        self.connected = True
        self.to_server: list[str] = []
        self.to_client = deque[dict[str, Any]]()
        self.answered: set[str] = set()
        self.watched: set[str] = set()

    def send(self, *frames: str | None) -> None:
        """Send frames if there is a connection."""
        if self.connected:
            self.to_server.extend(each for each in frames if each is not None)

    def wait(self) -> None:
        ticket = Ticket(self.random.choice(REQUESTS))
        self.tickets.append(ticket)
        self.send(self.session.wait(ticket.expected, ticket))

    def create(self) -> None:
        """Create a request; its key makes repeated frames harmless."""
        ticket = Ticket(self.random.choice(REQUESTS))
        self.tickets.append(ticket)
        op = f'"op":"create_request","wait":true,"key":"{ticket.expected}"'
        self.send(self.session.call(op, ticket, retry_for=FOREVER, now=0.0, watch=True))

    def stop_waiting(self) -> None:
        if self.tickets:
            ticket = self.tickets.pop(self.random.randrange(len(self.tickets)))
            ticket.cancelled = True
            self.send(self.session.abandon(ticket))

    def answer(self) -> None:
        request_id = self.random.choice(REQUESTS)
        self.answered.add(request_id)
        if request_id in self.watched:
            self.watched.remove(request_id)
            self.to_client.append({"settled": {"id": request_id, "status": "answered"}})

    def handle_on_the_server(self) -> bool:
        """Handle one frame of the client, not always the oldest."""
        if not self.to_server:
            return False
        frame = json.loads(self.to_server.pop(self.random.randrange(len(self.to_server))))
        ids = set(frame.get("request_ids", [frame.get("key")]))
        if frame["op"] == "unwait":
            self.watched -= ids
            ok: dict[str, Any] = {}
        else:
            self.watched |= ids - self.answered
            found = [{"id": each, "status": "answered"} for each in sorted(ids & self.answered)]
            ok = {"settled": found, "unknown": []}
            if frame["op"] == "create_request":
                ok = found[0] if found else {"id": frame["key"], "status": "pending"}
        self.to_client.append({"id": frame["id"], "ok": ok})
        return True

    def handle_on_the_client(self) -> bool:
        """Handle the next frame of the server."""
        if not self.to_client:
            return False
        self.send(*self.session.handle(json.dumps(self.to_client.popleft()), now=0.0).frames)
        return True

    def resync(self) -> None:
        """End the waits of a client that reads too slowly."""
        self.watched.clear()
        if self.connected:
            self.to_client.append({"resync": True})

    def lose_the_connection(self) -> None:
        self.connected = False
        self.watched.clear()
        self.to_server.clear()
        self.to_client.clear()

    def connect(self) -> None:
        if not self.connected:
            self.connected = True
            self.send(*self.session.reconnect_frames())

    def run(self) -> None:
        """Take random steps, then deliver everything."""
        often = [self.handle_on_the_server, self.handle_on_the_client, self.connect, self.wait, self.create]
        seldom = [self.stop_waiting, self.stop_waiting, self.answer, self.resync, self.lose_the_connection]
        for _ in range(60):
            self.random.choice(3 * often + seldom)()
        self.connect()
        while self.handle_on_the_server() or self.handle_on_the_client():
            pass
        for _ in range(100):
            self.answer()
        while self.handle_on_the_server() or self.handle_on_the_client():
            pass
        assert all(ticket.result is not None for ticket in self.tickets)
        assert not self.session.busy()
        assert not self.watched


@pytest.mark.requirement("G7", "G8")
def test_each_caller_gets_the_outcome():
    for seed in range(200):
        World(seed).run()
