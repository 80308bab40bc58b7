"""Cache the newest requests, because most answers arrive soon.

Reading a request and parsing its form cost more than checking an answer against it. So the newest
are kept: a fixed number, none of them large, however many requests are open. What is kept may be
behind the store, when another server settled the request: it is only what a compare-and-set is
tried with, and whoever loses that is told what the store has.
"""

from __future__ import annotations

from collections import OrderedDict

from askback.domain.record import Record

NEWEST = 512
LARGEST = 8_192
"""Characters of the longest spec that is kept: what is kept has a size that nobody outside can choose."""


class Newest:
    """The newest open requests, by id."""

    def __init__(self, *, newest: int = NEWEST) -> None:
        self._newest = newest
        self._kept: OrderedDict[str, Record] = OrderedDict()

    def keep(self, record: Record) -> None:
        """Keep a request that was just stored, unless it is a large one, and let the oldest go."""
        if len(record.spec.text) > LARGEST:
            return
        self._kept[record.id] = record
        if len(self._kept) > self._newest:
            self._kept.popitem(last=False)

    def drop(self, request_id: str) -> None:
        """Forget a request that has changed."""
        self._kept.pop(request_id, None)

    def record(self, tenant: str, request_id: str) -> Record | None:
        """Return the request as it was asked, if it is at hand and of this tenant."""
        kept = self._kept.get(request_id)
        return kept if kept is not None and kept.tenant == tenant else None
