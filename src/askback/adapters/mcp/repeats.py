"""Calls that are made again without an id: they find the request of the first call, so that nobody sees a second card.

Most clients give a call no id, and a model that read `pending` may make the same call again. While the first call is
running, an equal call is another call, with a request of its own: one approval must not count for both.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import InputRequest

MAX_REPEATS = 1000
"""How many requests without an outcome are remembered."""
UNREAD_S = 3600.0
"""How long an answer that came after the call counts for the next one."""

CallKey = tuple[str, str, str]
"""The client's session, the thread, and the digest of the tool and of what it asks."""


@dataclass(slots=True)
class Repeats:
    """The requests whose outcome the model has not read, and when their call ended."""

    _requests: dict[CallKey, tuple[str, float]] = field(default_factory=dict[CallKey, tuple[str, float]])

    def take(self, key: CallKey) -> tuple[str, bool] | None:
        """Return the id of the request of an equal call that has ended, and whether its answer would still count."""
        taken = self._requests.pop(key, None)
        if taken is None:
            return None
        request_id, ended_at = taken
        return request_id, asyncio.get_running_loop().time() - ended_at < UNREAD_S

    def remember(self, key: CallKey, request: InputRequest) -> None:
        """Keep the request of a call that has ended without an outcome."""
        self._requests[key] = request.id, asyncio.get_running_loop().time()
        if len(self._requests) > MAX_REPEATS:
            del self._requests[next(iter(self._requests))]

    def forget(self, request: InputRequest) -> None:
        """Forget a request whose outcome the model has read."""
        if request.status in TERMINAL:
            for key in [key for key, (id_, _) in self._requests.items() if id_ == request.id]:
                del self._requests[key]


def counts_for_repeat(request: InputRequest, *, is_recent: bool) -> bool:
    """Whether an equal call may take over a request: while it is open, or soon after a person has settled it.

    An approval counts only while it is open: if its outcome was also delivered as a resume, the call may have run.
    """
    if request.status not in TERMINAL:
        return True
    return is_recent and request.approval is None and request.status in {Status.ANSWERED, Status.DECLINED}
