"""Limit how fast a person answers and a thread takes messages, with a token bucket for each.

The buckets are of this process. A second server has its own, which at most doubles what a person can send.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.policy.conduct import Conduct, read_conduct
from askback.errors import RateLimited
from askback.ports.clock import Clock
from askback.ports.store import Principal, Store

REMEMBERED = 10_000
FRESH_MS = 1_000
"""For how long the setting of a tenant is not read again."""


@dataclass(slots=True)
class _Bucket:
    left: float
    at: int


MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


class Pace:
    """The buckets of people and threads; the one that was not used for longest is forgotten, with a full bucket."""

    def __init__(self, limits: Limits = DEFAULTS) -> None:
        self._limits = limits
        self._buckets: OrderedDict[tuple[str, str, str], _Bucket] = OrderedDict()
        self._conducts: dict[str, tuple[int, Conduct]] = {}

    async def take(self, principal: Principal, *, clock: Clock, store: Store) -> None:
        """Count an answer or a decline; raises `RateLimited`, which says when there is room for the next."""
        now = clock.now_ms()
        rate = (await self._conduct(store, principal.tenant, now)).max_submissions_per_minute
        rate = self._limits.max_submissions_per_minute if rate is None else rate
        wait = self._wait((principal.tenant, "person", principal.user), rate, MINUTE_MS, now)
        if wait is not None:
            raise RateLimited(
                f"A person can send at most {rate} answers a minute (`max_submissions_per_minute`). "
                "Try again in a moment.",
                retry_after=wait,
            )

    async def take_message(self, tenant: str, thread_id: str, *, clock: Clock, store: Store) -> None:
        """Count a message of a thread; raises `RateLimited`, which says when there is room for the next."""
        now = clock.now_ms()
        rate = (await self._conduct(store, tenant, now)).max_messages_per_hour
        rate = self._limits.max_messages_per_hour if rate is None else rate
        wait = self._wait((tenant, "thread", thread_id), rate, HOUR_MS, now)
        if wait is not None:
            raise RateLimited(
                f"A thread takes at most {rate} messages an hour (`max_messages_per_hour`). "
                "Append to a message instead, or wait.",
                retry_after=wait,
            )

    def _wait(self, who: tuple[str, str, str], rate: int, per_ms: int, now: int) -> float | None:
        """Take one from a bucket of `rate` that fills in `per_ms`; return the seconds until there is one, or None."""
        bucket = self._buckets.setdefault(who, _Bucket(float(rate), now))
        self._buckets.move_to_end(who)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        bucket.left = min(float(rate), bucket.left + max(0, now - bucket.at) * rate / per_ms)
        bucket.at = now
        if bucket.left < 1:
            return (1 - bucket.left) * per_ms / rate / 1000
        bucket.left -= 1
        return None

    def forget_rate(self, tenant: str) -> None:
        """Read the setting of a tenant again, which has just been changed here."""
        self._conducts.pop(tenant, None)

    async def _conduct(self, store: Store, tenant: str, now: int) -> Conduct:
        kept = self._conducts.get(tenant)
        if kept is not None and 0 <= now - kept[0] < FRESH_MS:
            return kept[1]
        conduct = read_conduct((await store.terms(tenant, "")).everywhere)
        self._conducts[tenant] = (now, conduct)
        return conduct
