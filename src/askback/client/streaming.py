"""A message that is written piece by piece."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Protocol, Self

from askback.client.session import Unconfirmed


class Transcript(Protocol):
    """Where the pieces go."""

    async def say(self, text: str, *, thread_id: str, run_id: str | None = None) -> str:
        """Add a message and return its id."""
        ...

    async def append(self, message_id: str, text: str, *, thread_id: str) -> None:
        """Extend a message; raises `Unconfirmed`."""
        ...

    async def thread(self, thread_id: str) -> dict[str, Any]:
        """Read a thread."""
        ...


class MessageStream:
    """Text that appears in a thread as it is written: `async with ask.stream("t1") as out: await out.write("…")`.

    `id` is the message's id, once something was written.
    """

    def __init__(self, transcript: Transcript, *, thread_id: str, run_id: str | None = None) -> None:
        self.id: str | None = None
        self._transcript = transcript
        self._thread_id = thread_id
        self._run_id = run_id
        self._written = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def write(self, text: str) -> None:
        """Add to the message; the first piece makes it."""
        if not text:
            return
        if self.id is None:
            self.id = await self._transcript.say(text, thread_id=self._thread_id, run_id=self._run_id)
        else:
            await self._append(self.id, text)
        self._written += text

    async def _append(self, message_id: str, text: str) -> None:
        while True:
            try:
                await self._transcript.append(message_id, text, thread_id=self._thread_id)
                return
            except Unconfirmed:
                # The text itself tells whether the piece arrived.
                if await self._shown(message_id) != self._written:
                    return

    async def _shown(self, message_id: str) -> str:
        thread = await self._transcript.thread(self._thread_id)
        found = [message for message in thread["messages"] if message["id"] == message_id]
        return found[0]["content"][-1]["text"] if found else ""
