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
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from askback.adapters.mcp.tool_call import EarlierCall, ToolCall
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
        self._unread: deque[EarlierCall] = deque(maxlen=MAX_REMEMBERED)
        self._hasty: deque[str] = deque(maxlen=MAX_REMEMBERED)

    @contextmanager
    def watch(self, call: ToolCall, request_id: str | None) -> Generator[None]:
        """Tell a call which earlier one it repeats, and remember it while its outcome is unread.

        `request_id` is the request that the call is about, if that is an argument.
        """
        if call.client is None:
            yield
            return
        earlier_calls = (
            item for item in (*self._unread, *self._given_up(call)) if item.client == call.client
        )
        earlier = next((item for item in earlier_calls if _is_about_same(item, call, request_id)), None)
        if earlier is not None and earlier.is_given_up and call.client not in self._hasty:
            self._hasty.append(call.client)
        call.is_hasty = call.client in self._hasty
        if request_id is None:
            call.earlier = earlier
        self._waiting.append(call)
        try:
            yield
        finally:
            self._waiting.remove(call)
            self._end(call)

    def _given_up(self, call: ToolCall) -> Iterator[EarlierCall]:
        """Yield the calls that still wait, though their client has given them up if it repeats them now."""
        for item in self._waiting:
            if call.started_at - item.started_at >= TOGETHER_S and (earlier := item.as_earlier()) is not None:
                yield earlier

    def _end(self, call: ToolCall) -> None:
        unread = [item for item in self._unread if item is not call.earlier]
        ended = call.as_earlier(ended_at=time.monotonic())
        if call.settled_id is not None:
            unread = [item for item in unread if item.request_id != call.settled_id]
        elif ended is not None and ended.key is not None and not call.is_continued:
            unread.append(ended)
        self._unread = deque(unread, MAX_REMEMBERED)


def _is_about_same(earlier: EarlierCall, call: ToolCall, request_id: str | None) -> bool:
    """Return whether a call is about the request of an earlier one."""
    if request_id is not None:
        return earlier.request_id == request_id
    is_new = call.params.request_state is None
    return is_new and earlier.key is not None and call.repeat_key == earlier.key


def counts_for_repeat(request: InputRequest, earlier: EarlierCall) -> bool:
    """Whether an equal call may take over a request: while it is open, or soon after a person has settled it.

    An approval counts only while it is open: if its outcome was also delivered as a resume, the call may have run.
    """
    if request.status not in TERMINAL:
        return True
    is_recent = earlier.ended_at is None or time.monotonic() - earlier.ended_at < UNREAD_S
    return is_recent and request.approval is None and request.status in {Status.ANSWERED, Status.DECLINED}
