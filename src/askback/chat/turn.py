"""One turn of an agent: its messages in the thread, which grow while it works."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from askback.adapters.asking import PausePoint
from askback.chat import history
from askback.client import AsyncClient
from askback.errors import AskbackError, Invalid, TooLarge

DELTA_CHARACTERS = 40
"""Streamed text is sent at this many characters, or `PAUSE_S` after its first one."""
PAUSE_S = 0.1
PIECE_CHARACTERS = 16_000
"""The maximum of one call: longer text is sent in pieces, each of which fits into a frame of the connection."""

STOPPED_TEXT = "It was stopped before it ended."
STOPPED_MARK = "*Stopped.*"
EMPTY_REPLY = "The model sent an empty reply."


@dataclass(slots=True, kw_only=True)
class Turn:
    """Answers the last message of a person, with a message for each reply of a model."""

    ask: AsyncClient
    thread_id: str
    run_id: str
    prompt: Mapping[str, Any]
    resumed: bool
    """Whether an earlier process was killed in this turn."""
    _message_id: str | None = None
    _calls: dict[str, str] = field(default_factory=dict[str, str])
    """The message of each tool call."""
    _text: str = ""
    _has_text: bool = False
    _timer: asyncio.TimerHandle | None = None
    """Sends a short piece, since the model may pause after it."""
    _sending: asyncio.Task[None] | None = None

    def pause_point(self, call_id: str) -> PausePoint:
        """Return the pause point of a tool call's request."""
        return PausePoint(id=call_id, thread_id=self.thread_id, run_id=self.run_id, tool_call_id=call_id)

    @property
    def has_text(self) -> bool:
        """Whether the current message has text that can be seen."""
        return self._has_text

    async def read(self) -> dict[str, Any]:
        """Read the conversation."""
        thread = await self.ask.threads.get(self.thread_id)
        self._calls |= {part["tool_call_id"]: message["id"] for message, part in history.open_calls(thread)}
        return thread

    async def write(self, text: str) -> None:
        """Add text; small pieces are sent together."""
        self._text += text
        self._has_text = self._has_text or not text.isspace()
        if len(self._text) >= DELTA_CHARACTERS:
            await self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE_S, self._send_soon)

    async def flush(self) -> None:
        """Send the buffered text."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        sending, self._sending = self._sending, None
        await self._send(sending)

    def _send_soon(self) -> None:
        self._timer = None
        self._sending = asyncio.create_task(self._send(self._sending))

    async def _send(self, previous_send: asyncio.Task[None] | None) -> None:
        """Send the buffered text once the piece before it has arrived."""
        if previous_send is not None:
            await previous_send
        text, self._text = self._text, ""
        with _explain_size():
            for start in range(0, len(text), PIECE_CHARACTERS):
                await self._send_piece(text[start : start + PIECE_CHARACTERS])

    async def _send_piece(self, text: str) -> None:
        if self._message_id is None:
            await self._begin_message({"type": "text", "text": text})
        else:
            await self.ask.threads.append_to_message(self._message_id, text, thread_id=self.thread_id)

    async def end_message(self) -> None:
        """Send the buffered text; later text begins a new message."""
        await self.flush()
        self._message_id = None
        self._has_text = False

    async def note(self, text: str) -> None:
        """Tell the person something in a message that the model does not read."""
        await self.end_message()
        await self.ask.threads.create_message(
            text, thread_id=self.thread_id, run_id=self.run_id, metadata=history.NOTE
        )

    async def begin_call(self, call_id: str, name: str, arguments: Any) -> None:
        """Show a tool call."""
        await self.flush()
        call = {
            "type": "tool",
            "tool_call_id": call_id,
            "name": name,
            "input": arguments,
            "status": "calling",
        }
        with _explain_size():
            if self._message_id is None:
                self._calls[call_id] = await self._begin_message(call)
            else:
                await self.ask.threads.append_parts(self._message_id, [call], thread_id=self.thread_id)
                self._calls[call_id] = self._message_id

    async def end_call(self, call_id: str, result: Any, *, failed: bool = False) -> None:
        """Show the result of a tool call."""
        await self.ask.threads.update_tool_call(
            self._calls[call_id],
            call_id,
            thread_id=self.thread_id,
            status="failed" if failed else "done",
            result=result,
        )

    async def stop(self, *, but: Container[str] = ()) -> None:
        """Send the buffered text and end the open tool calls, but for some; the result of a question is its answer."""
        await self.flush()
        thread = await self.read()
        for _, call in history.open_calls(thread):
            call_id = call["tool_call_id"]
            if call_id in but:
                continue
            request = history.request_of(thread, call_id)
            if request is not None and request["kind"] == "form" and request["status"] == "answered":
                answered = await self.ask.requests.get(request["id"])
                await self.end_call(call_id, self.ask.text_of(answered))
            else:
                await self.end_call(call_id, STOPPED_TEXT, failed=True)

    async def mark_stopped(self, *, by_button: bool) -> None:
        """Tell the person that the text was stopped; without a text only if nothing else shows it."""
        if self._message_id is not None and self._has_text:
            part = {"type": "text", "text": STOPPED_MARK}
            await self.ask.threads.append_parts(self._message_id, [part], thread_id=self.thread_id)
        elif by_button:
            await self.note(STOPPED_MARK)

    async def _begin_message(self, part: Mapping[str, Any]) -> str:
        self._message_id = await self.ask.threads.create_message(
            [part], thread_id=self.thread_id, run_id=self.run_id
        )
        return self._message_id


@contextmanager
def _explain_size() -> Generator[None]:
    """Raise an `AskbackError` for the person in place of the refusal of a message that is too large."""
    try:
        yield
    except (Invalid, TooLarge) as error:
        if isinstance(error, Invalid) and "too_long" not in (item["code"] for item in error.field_errors):
            raise
        raise AskbackError("My reply is too long for a message. Ask me for a shorter one.") from error


class ChatAgent(Protocol):
    """An agent that talks with a person."""

    @property
    def greeting(self) -> str:
        """The first message in a new thread."""
        ...

    async def answer(self, turn: Turn) -> None:
        """Answer the prompt of a turn, continuing after an earlier process.

        It is cancelled when the person stops it or writes again. Raises `AskbackError`, whose text the person reads.
        """
        ...
