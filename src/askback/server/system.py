"""The real clock and the real source of identifiers."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable

from askback.domain.identifiers import RANDOM_BITS, identifier

_STEP_BITS = 32
_POOL = 1_024


class SystemClock:
    """The `Clock` port on the machine's clock, which never goes back while the process lives.

    If the clock is set back, time continues from where it was: deadlines are not delayed, and no lease lasts
    longer than intended. If it is set forward, or the machine has slept, the new time is used. Both sources
    are in nanoseconds.
    """

    def __init__(
        self, *, wall: Callable[[], int] = time.time_ns, steady: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._wall, self._monotonic_clock = wall, steady
        self._clock_offset = wall() - steady()

    def now_ms(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        # The wall clock is read first: a pause between the two makes the difference smaller, and is not
        # mistaken for a step.
        self._clock_offset = max(self._clock_offset, self._wall() - self._monotonic_clock())
        return (self._monotonic_clock() + self._clock_offset) // 1_000_000


class SystemIds:
    """The `Ids` port: 130 bits as 26 letters that sort like the numbers (Crockford's base32, as in ULID).

    Identifiers of one process grow strictly, also within a millisecond and when the clock steps
    back: lists are ordered by id, and a page must not skip a request made a moment later.
    """

    def __init__(self) -> None:
        self._last = 0
        self._pool = b""

    def new(self, prefix: str, *, now_ms: int) -> str:
        """Return `prefix_…`, greater than every identifier made before."""
        number = now_ms << RANDOM_BITS | int.from_bytes(self._random(RANDOM_BITS // 8))
        if number >> RANDOM_BITS <= self._last >> RANDOM_BITS:
            # A random step, so that the next identifier cannot be guessed from this one.
            number = self._last + 1 + int.from_bytes(self._random(_STEP_BITS // 8))
        self._last = number
        return identifier(prefix, number)

    def _random(self, size: int) -> bytes:
        """Take random bytes from a pool: a system call for each identifier would cost more than the rest."""
        if len(self._pool) < size:
            self._pool = os.urandom(_POOL)
        random_bytes, self._pool = self._pool[:size], self._pool[size:]
        return random_bytes

    def token(self) -> str:
        """Return 256 bits of URL-safe randomness."""
        return secrets.token_urlsafe(32)
