"""Track the requests that were asked here while nobody was present, until a page opens or their time is up."""

from __future__ import annotations

from askback.domain.record import Record
from askback.service.nudges import Nudge


class Unseen:
    """What waits for people. What is forgotten, with a server that ends, the deadlines find when its time has come."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Record, int]] = {}
        self._seen: list[Record] = []
        self._nudge = Nudge()

    def keep(self, record: Record, *, until: int, now: int) -> None:
        """Keep a request until that time. Times of both are milliseconds; what is kept longest goes first."""
        while self._waiting and self._waiting[oldest := next(iter(self._waiting))][1] < now:
            del self._waiting[oldest]
        self._waiting[record.id] = (record, until)

    def arrived(self, tenant: str, thread_id: str | None) -> None:
        """Learn that somebody has come who sees this thread, or all of them (None)."""
        for record, _ in tuple(self._waiting.values()):
            if record.tenant == tenant and thread_id in (None, record.thread_id):
                del self._waiting[record.id]
                self._seen.append(record)
        if self._seen:
            self._nudge(None)

    async def seen(self) -> list[Record]:
        """Return requests for which somebody has come, once there are any; each one once."""
        while not self._seen:
            await self._nudge.wait()
        seen, self._seen = self._seen, []
        return seen
