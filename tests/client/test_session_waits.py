"""Waits in random orders of frames: each caller gets the outcome once it exists, over lost connections too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askback.client.session import FOREVER
from tests.client.random_frames import RandomFrames

REQUESTS = ("req_1", "req_2", "req_3")


class CallFuture:
    """The future of a caller, who waits for `expected`."""

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


class Waits(RandomFrames):
    """Callers who wait for requests. The server handles frames in any order, and watches `watched`."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.futures: list[CallFuture] = []
        self.answered_ids: set[str] = set()
        self.watched: set[str] = set()

    def wait(self) -> None:
        future = CallFuture(self.random.choice(REQUESTS))
        self.futures.append(future)
        self.send(self.session.wait(future.expected, future))

    def create(self) -> None:
        """Create a request; its key makes repeated frames harmless."""
        future = CallFuture(self.random.choice(REQUESTS))
        self.futures.append(future)
        op = f'"op":"create_request","wait":true,"key":"{future.expected}"'
        self.send(self.session.call(op, future, retry_for=FOREVER, now=0.0, watch=True))

    def stop_waiting(self) -> None:
        if self.futures:
            future = self.futures.pop(self.random.randrange(len(self.futures)))
            future.cancelled = True
            self.send(self.session.abandon(future))

    def answer(self, request_id: str) -> None:
        self.answered_ids.add(request_id)
        if request_id in self.watched:
            self.watched.remove(request_id)
            self.to_client.append({"settled": {"id": request_id, "status": "answered"}})

    def answer_seldom(self) -> None:
        if self.random.random() < 0.1:
            self.answer(self.random.choice(REQUESTS))

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
            self.watched |= ids - self.answered_ids
            settled = [{"id": item, "status": "answered"} for item in sorted(ids & self.answered_ids)]
            ok = {"settled": settled, "unknown": []}
            if frame["op"] == "create_request":
                ok = settled[0] if settled else {"id": frame["key"], "status": "pending"}
        self.to_client.append({"id": frame["id"], "ok": ok})
        return True

    def forget(self) -> None:
        self.watched.clear()

    def run(self) -> None:
        """Take random steps. Then answer all requests, and check that every caller has its outcome."""
        for _ in range(60):
            self.step(self.wait, self.create, self.stop_waiting, self.answer_seldom)
        self.deliver_all()
        for request_id in REQUESTS:
            self.answer(request_id)
        self.deliver_all()
        assert all(future.result is not None for future in self.futures)
        assert not self.session.busy()
        assert not self.watched


@pytest.mark.requirement("G7", "G8")
def test_each_caller_gets_the_outcome():
    for seed in range(200):
        Waits(seed).run()
