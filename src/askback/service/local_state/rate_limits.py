"""Limit how fast people answer, threads take messages, and callers fail.

The counts are of this process. A second server has its own, which at most doubles what a caller can send.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.policy.settings import ThreadSettings, read_thread_settings
from askback.errors import RateLimited
from askback.ports.clock import Clock
from askback.ports.store import Principal, Store

MAX_KEYS = 10_000
"""The number of callers and threads to count; beyond it the least recently active one is dropped."""
SETTINGS_TTL_MS = 1_000
ACTIVITIES_PER_MINUTE = 60
"""How often a person can report that they are answering; a page does so every three seconds."""
SEARCHES_PER_MINUTE = 240
"""How often a person can search options; a page does so a quarter of a second after the last letter."""
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


@dataclass(slots=True)
class _Bucket:
    tokens: float
    updated_at: int


class RateLimiter:
    """A token bucket for each person who answers and each thread that takes messages."""

    def __init__(self, limits: Limits = DEFAULTS) -> None:
        self._limits = limits
        self._buckets: OrderedDict[tuple[str, str, str], _Bucket] = OrderedDict()
        self._settings: dict[str, tuple[int, ThreadSettings]] = {}

    async def count_answer(self, principal: Principal, *, clock: Clock, store: Store) -> None:
        """Count an answer or a decline. Raises `RateLimited`, which says when to try again."""
        now = clock.now_ms()
        rate = (await self._tenant_settings(store, principal.tenant, now)).max_submissions_per_minute
        rate = self._limits.max_submissions_per_minute if rate is None else rate
        wait = self._retry_after((principal.tenant, "person", principal.user), rate, MINUTE_MS, now)
        if wait is not None:
            raise RateLimited(
                f"A person can send at most {rate} answers a minute (`max_submissions_per_minute`). "
                "Try again in a moment.",
                retry_after=wait,
            )

    async def count_message(self, tenant: str, thread_id: str, *, clock: Clock, store: Store) -> None:
        """Count a message of a thread. Raises `RateLimited`, which says when to try again."""
        now = clock.now_ms()
        rate = (await self._tenant_settings(store, tenant, now)).max_messages_per_hour
        rate = self._limits.max_messages_per_hour if rate is None else rate
        wait = self._retry_after((tenant, "thread", thread_id), rate, HOUR_MS, now)
        if wait is not None:
            raise RateLimited(
                f"A thread accepts at most {rate} messages an hour (`max_messages_per_hour`). "
                "Append to a message instead, or wait.",
                retry_after=wait,
            )

    def count_activity(self, principal: Principal, *, clock: Clock) -> None:
        """Count a report that a person is answering. Raises `RateLimited`, which says when to try again."""
        key = (principal.tenant, "activity", principal.user)
        wait = self._retry_after(key, ACTIVITIES_PER_MINUTE, MINUTE_MS, clock.now_ms())
        if wait is not None:
            raise RateLimited(
                "Too many answering reports. One every few seconds is enough.",
                retry_after=wait,
            )

    def count_search(self, principal: Principal, *, clock: Clock) -> None:
        """Count a search of options. Raises `RateLimited`, which says when to try again."""
        key = (principal.tenant, "search", principal.user)
        wait = self._retry_after(key, SEARCHES_PER_MINUTE, MINUTE_MS, clock.now_ms())
        if wait is not None:
            raise RateLimited("Too many searches. Try again in a moment.", retry_after=wait)

    def _retry_after(self, key: tuple[str, str, str], rate: int, per_ms: int, now: int) -> float | None:
        """Take a token from a bucket that is refilled by `rate` per `per_ms`; return the seconds to wait, or None."""
        bucket = self._buckets.setdefault(key, _Bucket(float(rate), now))
        self._buckets.move_to_end(key)
        if len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
        bucket.tokens = min(float(rate), bucket.tokens + max(0, now - bucket.updated_at) * rate / per_ms)
        bucket.updated_at = now
        if bucket.tokens < 1:
            return (1 - bucket.tokens) * per_ms / rate / 1000
        bucket.tokens -= 1
        return None

    def forget_settings(self, tenant: str) -> None:
        """Read the settings of a tenant again at its next call, since they have just been changed here."""
        self._settings.pop(tenant, None)

    async def _tenant_settings(self, store: Store, tenant: str, now: int) -> ThreadSettings:
        cached = self._settings.get(tenant)
        if cached is not None and 0 <= now - cached[0] < SETTINGS_TTL_MS:
            return cached[1]
        settings = read_thread_settings((await store.thread_config(tenant, "")).tenant_settings)
        self._settings[tenant] = (now, settings)
        return settings


@dataclass(slots=True)
class _Window:
    started_at: int
    use_count: int = 0
    skipped: int = 0


class AttemptLimiter:
    """Allows `limit` attempts a minute for each key, so that failing callers cost little and fill no log."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._windows: OrderedDict[str, _Window] = OrderedDict()

    def take(self, key: str, now_ms: int) -> int | None:
        """Count an attempt; return how many earlier ones exceeded the limit, or None if this one does."""
        window = self._windows.setdefault(key, _Window(now_ms))
        self._windows.move_to_end(key)
        if len(self._windows) > MAX_KEYS:
            self._windows.popitem(last=False)
        if not 0 <= now_ms - window.started_at < MINUTE_MS:
            window.started_at, window.use_count = now_ms, 0
        if window.use_count >= self._limit:
            window.skipped += 1
            return None
        window.use_count += 1
        skipped_count, window.skipped = window.skipped, 0
        return skipped_count
