"""Calls that are made again without an id: they get the request of the first call, so that nobody sees a second card.

Most clients give a call no id. A model that read `pending` may make the same call again. OpenAI Agents and Google ADK
wait five seconds for a tool, and OpenAI Agents does not even cancel the call then: their models read that the tool has
failed, and call it again, or call `get_answer`. A client that has given up a call so early is hasty: its later calls
return soon, so that the model reads that the person has not answered yet.

Equal calls that a model makes together are no repetition: one approval must not count for both.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

from askback.adapters.mcp.tool_call import ToolCall
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import InputRequest

TOGETHER_S = 4.0
"""Equal calls within this time are different ones: no known client gives up a call before five seconds."""
UNREAD_S = 3600.0
"""How long an answer that came after a call counts for the next one."""
MAX_REMEMBERED = 1000
"""How many calls without an outcome, and how many hasty clients, are remembered."""


class Repeats:
    """The calls whose outcome the model has not read: those that wait, and the last ones that ended without it."""

    def __init__(self) -> None:
        self._waiting: list[ToolCall] = []
        self._unread: deque[ToolCall] = deque(maxlen=MAX_REMEMBERED)
        self._hasty: deque[str] = deque(maxlen=MAX_REMEMBERED)

    @contextmanager
    def watch(self, call: ToolCall, request_id: str | None) -> Generator[None]:
        """Tell a call which earlier one it repeats, and remember it while its outcome is unread.

        `request_id` is the request that the call is about, if that is an argument.
        """
        if call.client is None:
            yield
            return
        earlier_calls = [item for item in (*self._unread, *self._waiting) if item.client == call.client]
        earlier = next((item for item in earlier_calls if _is_about_same(item, call, request_id)), None)
        if earlier is not None and _is_given_up(earlier) and call.client not in self._hasty:
            self._hasty.append(call.client)
        call.is_hasty = call.client in self._hasty
        if request_id is None:
            call.repeated = earlier
        self._waiting.append(call)
        try:
            yield
        finally:
            self._end(call)

    def _end(self, call: ToolCall) -> None:
        self._waiting.remove(call)
        call.ended_at = time.monotonic()
        unread = [item for item in self._unread if item is not call.repeated]
        if call.settled_id is not None:
            unread = [item for item in unread if item.asked is None or item.asked.id != call.settled_id]
        elif call.repeat_key is not None and call.asked is not None and not call.is_continued:
            unread.append(call)
        self._unread = deque(unread, MAX_REMEMBERED)


def _is_about_same(earlier: ToolCall, call: ToolCall, request_id: str | None) -> bool:
    """Return whether a call is about the request of an earlier one that has ended, or that its client has given up."""
    if earlier.ended_at is None and call.started_at - earlier.started_at < TOGETHER_S:
        return False
    if request_id is not None:
        return earlier.asked is not None and earlier.asked.id == request_id
    is_new = call.params.request_state is None and earlier.asking is not None
    return is_new and call.repeat_key is not None and earlier.repeat_key == call.repeat_key


def _is_given_up(earlier: ToolCall) -> bool:
    return earlier.ended_at is None or earlier.has_timed_out


def counts_for_repeat(request: InputRequest, earlier: ToolCall) -> bool:
    """Whether an equal call may take over a request: while it is open, or soon after a person has settled it.

    An approval counts only while it is open: if its outcome was also delivered as a resume, the call may have run.
    """
    if request.status not in TERMINAL:
        return True
    is_recent = earlier.ended_at is None or time.monotonic() - earlier.ended_at < UNREAD_S
    return is_recent and request.approval is None and request.status in {Status.ANSWERED, Status.DECLINED}
