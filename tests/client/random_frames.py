"""A session and a server whose frames are delivered one by one, in a random order of steps."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

from askback.client.session import Session


class RandomFrames(ABC):
    """The session and its connection; a subclass is the server and the caller."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.session = Session()
        self.connected = True
        self.to_server: list[str] = []
        self.to_client = deque[dict[str, Any]]()

    @abstractmethod
    def handle_on_the_server(self) -> bool:
        """Handle a frame of the client; False if there is nothing to do."""

    @abstractmethod
    def forget(self) -> None:
        """Drop what the server keeps for the connection."""

    def send(self, *frames: str | None) -> None:
        """Send frames if there is a connection."""
        if self.connected:
            self.to_server.extend(frame for frame in frames if frame is not None)

    def handle_on_the_client(self) -> bool:
        """Handle the next frame of the server; False if there is none."""
        if not self.to_client:
            return False
        self.send(*self.session.handle(json.dumps(self.to_client.popleft()), now=0.0).frames)
        return True

    def resync(self) -> None:
        """Make a client that reads too slowly start over."""
        self.forget()
        if self.connected:
            self.to_client.append({"resync": True})

    def lose_the_connection(self) -> None:
        """Lose the connection, and the frames on it."""
        self.connected = False
        self.forget()
        self.to_server.clear()
        self.to_client.clear()

    def connect(self) -> None:
        """Connect again."""
        if not self.connected:
            self.connected = True
            self.send(*self.session.reconnect_frames())

    def step(self, *steps: Callable[[], object]) -> None:
        """Take one of the steps, or deliver a frame, or connect; seldom lose the connection or make the client start over."""
        often = [*steps, self.handle_on_the_server, self.handle_on_the_client, self.connect]
        self.random.choice([*(4 * often), self.resync, self.lose_the_connection])()

    def deliver_all(self) -> None:
        """Handle all frames that are on their way, and those that follow."""
        self.connect()
        while self.handle_on_the_server() or self.handle_on_the_client():
            pass
