"""Memory in front of the store: a cache of recent requests, and a buffer for the times at which tokens were used."""

from __future__ import annotations

from collections import OrderedDict

from askback.domain.record import Record
from askback.errors import Unavailable
from askback.ports.agents import Principal
from askback.ports.store import Store
from askback.service.repeat import repeat

MAX_REQUESTS = 512
MAX_SPEC = 8_192
"""Characters of the longest spec that is cached, so that no caller can choose the size of the cache."""
FLUSH_S = 60.0


class RecentRequests:
    """A cache of the newest open requests by id, because most answers arrive soon.

    Reading a request and parsing its form costs more than checking an answer against it. An entry can be behind the
    store when another server settled the request. That is safe: a caller uses it only for a compare-and-set, and gets
    the stored request when that fails.
    """

    def __init__(self, *, size: int = MAX_REQUESTS) -> None:
        self._size = size
        self._records: OrderedDict[str, Record] = OrderedDict()

    def add(self, record: Record) -> None:
        """Cache a request that was just stored, unless it is large, and drop the oldest one."""
        if len(record.spec.text) > MAX_SPEC:
            return
        self._records[record.id] = record
        if len(self._records) > self._size:
            self._records.popitem(last=False)

    def discard(self, request_id: str) -> None:
        """Drop a request that has changed."""
        self._records.pop(request_id, None)

    def get(self, tenant: str, request_id: str) -> Record | None:
        """Return the request as it was created, if it is cached and belongs to this tenant."""
        record = self._records.get(request_id)
        return record if record is not None and record.tenant == tenant else None


class TokenUsage:
    """When tokens were last used, by tenant and id: collected here and written once a minute."""

    __slots__ = ("_used",)

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], int] = {}

    def record(self, principal: Principal, now_ms: int) -> None:
        """Record that a token is used now."""
        self._used[principal.tenant, principal.token] = now_ms

    async def flush(self, store: Store) -> None:
        """Write the recorded times, and keep them for the next flush if that fails.

        Raises the errors of the store but `Unavailable`.
        """
        times, self._used = self._used, {}
        if not times:
            return
        try:
            await store.touch_tokens(times)
        except Exception as error:
            self._used = {**times, **self._used}
            if not isinstance(error, Unavailable):
                raise

    async def run(self, store: Store) -> None:
        """Flush once a minute, forever."""
        await repeat(
            lambda: self.flush(store),
            interval_s=FLUSH_S,
            failure="the times at which tokens were used are kept for now",
        )
