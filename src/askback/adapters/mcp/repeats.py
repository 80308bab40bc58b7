"""Calls that a client makes again, because it has given up the first ones before the person answered.

OpenAI Agents and Google ADK wait five seconds for a tool, and do not cancel the call then. Their models read that the
tool has failed, and call it again, or call `get_answer`. A call about a request for which a call of the same client
still waits shows such a client: the new call gets the same request, and returns soon, as all later ones do. So nobody
is asked twice, and the model reads that the person has not answered yet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from askback.adapters.mcp.asking import ToolCall
from askback.adapters.mcp.caller_connection import session_id_of

MAX_CLIENTS = 1000
"""How many clients that give up early are remembered."""


class Repeats:
    """The calls of all clients that wait for a person."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[ToolCall]] = {}
        self._hasty: deque[str] = deque(maxlen=MAX_CLIENTS)

    @contextmanager
    def watch(self, call: ToolCall, request_id: str | None) -> Iterator[None]:
        """Tell a call which earlier one it repeats, and remember it while it waits.

        `request_id` is what it asks about, if that is an argument. Clients over HTTP without sessions are not known.
        """
        client = "" if call.context.request is None else session_id_of(call.context)
        if client is None:
            yield
            return
        waiting = self._waiting.setdefault(client, [])
        earlier = next((item for item in waiting if _is_repeated(item, call, request_id)), None)
        if earlier is not None and client not in self._hasty:
            self._hasty.append(client)
        call.repeated, call.is_hasty = earlier, client in self._hasty
        waiting.append(call)
        try:
            yield
        finally:
            waiting.remove(call)
            if not waiting:
                self._waiting.pop(client, None)


def _is_repeated(earlier: ToolCall, call: ToolCall, request_id: str | None) -> bool:
    if request_id is not None:
        return earlier.asked is not None and earlier.asked.id == request_id
    is_new = call.params.request_state is None and earlier.asking is not None
    return is_new and earlier.digest == call.digest
