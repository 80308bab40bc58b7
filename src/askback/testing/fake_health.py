"""How the store in memory is."""

from __future__ import annotations

from collections import Counter

from askback.domain.lifecycle import TERMINAL, Status
from askback.ports.health import Counts, Pressure
from askback.ports.webhooks import DeliveryState
from askback.testing.fake_webhooks import FakeWebhooks


class FakeHealth(FakeWebhooks):
    """The `HealthStore` part of the port, over what the others keep."""

    def _kinds(self) -> list[tuple[str, Status]]:
        """The kind and the status of every request."""
        raise NotImplementedError

    async def check_writable(self) -> None:
        """Raise while it is offline."""
        self._begin()

    def read_only(self) -> str | None:
        """Nothing opens it read-only."""
        return None

    async def recover(self) -> None:
        """There is nothing to recover from."""

    async def counts(self, *, now_ms: int) -> Counts:
        """Count what waits."""
        states = Counter(each.state for each in self._deliveries.values())
        unfinished = [kept for kept in self._resumes.values() if kept.finished_at is None]
        leased = sum(kept.attempt > 0 and kept.resume.available_at > now_ms for kept in unfinished)
        return Counts(
            Counter(kind for kind, status in self._kinds() if status not in TERMINAL),
            resumes_waiting=len(unfinished) - leased,
            resumes_leased=leased,
            deliveries_waiting=states[DeliveryState.WAITING],
            deliveries_dead=states[DeliveryState.DEAD],
        )

    def pressure(self) -> Pressure:
        """There is no writer."""
        return Pressure()
