"""Calls that a client makes again, because it has given up the first ones before the person answered.

OpenAI Agents and Google ADK wait five seconds for a tool; OpenAI Agents does not even cancel the call then. Their
models read that the tool has failed, and call it again, or call `get_answer`. Such a call gets the same request, and
returns soon, as all later ones of this client do. So nobody is asked twice, and the model reads that the person has
not answered yet. Equal calls that a model makes together are no repetition: each needs an approval of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

from askback.adapters.mcp.asking import ToolCall
from askback.adapters.mcp.caller_connection import session_id_of

TOGETHER_S = 1.0
"""Calls of one turn of a model arrive within this time. During a later one the client has given up the earlier one."""
MAX_REMEMBERED = 1000
"""How many clients that give up early, and how many of their calls, are remembered."""


class HastyClients:
    """The calls of all clients that wait for a person, and those that timed out in their client."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, ToolCall]] = []
        self._timed_out: deque[tuple[str, ToolCall]] = deque(maxlen=MAX_REMEMBERED)
        self._hasty: deque[str] = deque(maxlen=MAX_REMEMBERED)

    @contextmanager
    def watch(self, call: ToolCall, request_id: str | None) -> Generator[None]:
        """Tell a call which earlier one it repeats, and remember it while it waits.

        `request_id` is what it asks about, if that is an argument. Clients over HTTP without sessions are not known.
        """
        client = "" if call.context.request is None else session_id_of(call.context)
        if client is None:
            yield
            return
        earlier_calls = [item for owner, item in (*self._timed_out, *self._waiting) if owner == client]
        call.repeated = next((item for item in earlier_calls if _is_repeated(item, call, request_id)), None)
        if call.repeated is not None and client not in self._hasty:
            self._hasty.append(client)
        call.is_hasty = client in self._hasty
        item = (client, call)
        self._waiting.append(item)
        try:
            yield
        finally:
            self._waiting.remove(item)
            if call.has_timed_out:
                self._timed_out.append(item)
            elif call.repeated is not None and (client, call.repeated) in self._timed_out:
                self._timed_out.remove((client, call.repeated))


def _is_repeated(earlier: ToolCall, call: ToolCall, request_id: str | None) -> bool:
    if not earlier.has_timed_out and call.started_at - earlier.started_at < TOGETHER_S:
        return False
    if request_id is not None:
        return earlier.asked is not None and earlier.asked.id == request_id
    is_new = call.params.request_state is None and earlier.asking is not None
    return is_new and earlier.digest == call.digest
