"""How fast one person answers: a bucket for each, which fills evenly and holds what may come in a burst.

The buckets are of this process. A second server has its own, which at most doubles what a person can send.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from askback.domain.policy.conduct import read_conduct
from askback.errors import RateLimited
from askback.ports.clock import Clock
from askback.ports.store import Principal, Store

PEOPLE = 10_000
FRESH_MS = 1_000
"""For how long the setting of a tenant is not read again."""


@dataclass(slots=True)
class _Bucket:
    left: float
    at: int


class Pace:
    """The buckets of the people who answer here; whoever has not for longest is forgotten, with a full bucket."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()
        self._rates: dict[str, tuple[int, int | None]] = {}

    async def take(self, principal: Principal, *, clock: Clock, store: Store) -> None:
        """Count an answer or a decline; raises `RateLimited`, which says when there is room for the next."""
        now, person = clock.now_ms(), (principal.tenant, principal.user)
        rate = await self._rate(store, principal.tenant, now)
        if rate is None:
            return
        bucket = self._buckets.setdefault(person, _Bucket(float(rate), now))
        self._buckets.move_to_end(person)
        if len(self._buckets) > PEOPLE:
            self._buckets.popitem(last=False)
        bucket.left = min(float(rate), bucket.left + max(0, now - bucket.at) * rate / 60_000)
        bucket.at = now
        if bucket.left < 1:
            wait = (1 - bucket.left) * 60 / rate
            raise RateLimited(
                f"More than {rate} answers a minute are not taken from one person. Try again later.",
                retry_after=wait,
            )
        bucket.left -= 1

    def forget_rate(self, tenant: str) -> None:
        """Read the setting of a tenant again, which has just been changed here."""
        self._rates.pop(tenant, None)

    async def _rate(self, store: Store, tenant: str, now: int) -> int | None:
        read_at, rate = self._rates.get(tenant, (None, None))
        if read_at is None or not 0 <= now - read_at < FRESH_MS:
            terms = await store.terms(tenant, "")
            rate = read_conduct(terms.everywhere).max_submissions_per_minute
            self._rates[tenant] = (now, rate)
        return rate
