"""The tool calls of Claude in one turn of a chat."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askback.adapters.asking import MirroredCall
from askback.chat import history
from askback.chat.turn import Turn

MAX_CHARACTERS = 20_000
"""The characters of a tool's result that the thread shows."""


@dataclass(slots=True)
class ClaudeCalls:
    """Shows each call when Claude Code begins it: it runs most of them one after the other, and a stop drops the rest.

    A call that waited for a person when the chat was killed, and that Claude makes again, is the same one.
    """

    turn: Turn
    _waiting: dict[str, history.Json] = field(default_factory=dict[str, history.Json])
    """The calls of a killed process that can be made again."""
    _announced: dict[str, MirroredCall] = field(default_factory=dict[str, MirroredCall])
    _begun: set[str] = field(default_factory=set[str])
    _shown: dict[str, str] = field(default_factory=dict[str, str])
    """The ids in the thread of the calls that are shown, by Claude's ids."""
    _has_results: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Hold it to write in the turn."""

    async def recall(self) -> None:
        """End the calls of a killed process, but for those that can be made again."""
        thread = await self.turn.read()
        self._waiting = {
            part["tool_call_id"]: part
            for _, part in history.open_calls(thread)
            if _is_waiting(history.request_of(thread, part["tool_call_id"]))
        }
        await self.turn.stop(but=self._waiting)

    async def begin(self, call_id: str) -> None:
        """Show a call that Claude Code begins, which may be announced later."""
        async with self.lock:
            self._begun.add(call_id)
            await self._show(call_id)

    async def follow(self, call: MirroredCall) -> None:
        """Show a call that is announced, once it has begun, or its result."""
        if not call.done:
            await self.end_message()
            self._announced[call.id] = call
            if call.id in self._begun:
                await self._show(call.id)
            return
        await self._show(call.id)
        if call.id in self._shown:
            self._has_results = True
            result = str(call.result)[:MAX_CHARACTERS]
            await self.turn.end_call(self._shown.pop(call.id), result, failed=call.failed)

    async def end_message(self) -> None:
        """Begin a new message with what Claude says now, if it is a reply to results."""
        if self._has_results:
            await self.turn.end_message()
            self._has_results = False

    async def _show(self, call_id: str) -> None:
        call = self._announced.get(call_id)
        if call is None:
            return
        for earlier_id, part in self._waiting.items():
            if (part["name"], part.get("input")) == (call.name, call.input):
                del self._waiting[earlier_id]
                self._shown[call_id] = earlier_id
                break
        else:
            await self.turn.begin_call(call_id, call.name, call.input)
            self._shown[call_id] = call_id
        del self._announced[call_id]


def _is_waiting(request: Mapping[str, Any] | None) -> bool:
    """Return whether a call with this request has not run, and may still run."""
    return (
        request is not None
        and request["status"] in ("pending", "resolving", "answered")
        and not request.get("used_at")
    )
