"""Write a message piece by piece."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self


class Transcript(Protocol):
    """Where the pieces go."""

    async def say(self, text: str, *, thread_id: str, run_id: str | None = None) -> str:
        """Add a message and return its id."""
        ...

    async def append(self, message_id: str, text: str, *, thread_id: str) -> None:
        """Extend a message; once."""
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
            await self._transcript.append(self.id, text, thread_id=self._thread_id)
