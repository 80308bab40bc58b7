"""Count the events of a server since its start."""

from __future__ import annotations

from collections.abc import Iterator

from askback.domain.events import Event
from askback.domain.lifecycle import Status
from askback.domain.metrics import Counter, Histogram
from askback.domain.record import Record

_PEOPLE_S = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 7 * 24 * 3600)
_MACHINE_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30)


class Metrics:
    """The counters and histograms of one server process."""

    def __init__(self) -> None:
        self._ended_requests = Counter(
            "askback_requests_ended_total", "Requests that ended.", ("kind", "status")
        )
        self._answered = Histogram(
            "askback_answer_seconds", "From asking to the answer.", _PEOPLE_S, ("kind",)
        )
        self._wake_seconds = Histogram(
            "askback_wakeup_seconds",
            "From the end of a request to telling a connection that waits.",
            _MACHINE_S,
        )
        self._attempts = Counter("askback_webhook_attempts_total", "Messages to webhooks.", ("outcome",))

    def record_end(self, record: Record, *, settled_at: int) -> None:
        """Count the end of a request, at `settled_at` (ms)."""
        self._ended_requests.add(record.kind, record.status)
        if record.status is Status.ANSWERED:
            self._answered.observe((settled_at - record.created_at) / 1000, record.kind)

    def record_wakeup(self, event: Event, *, now: int) -> None:
        """Record how long an outcome took to reach a waiting connection, sent at `now` (ms)."""
        self._wake_seconds.observe(max(0, now - event.at) / 1000)

    def record_attempt(self, *, succeeded: bool) -> None:
        """Count an attempt to deliver to a webhook."""
        self._attempts.add("taken" if succeeded else "failed")

    def lines(self) -> Iterator[str]:
        """Return all metrics in the text format of Prometheus."""
        for item in (self._ended_requests, self._answered, self._wake_seconds, self._attempts):
            yield from item.lines()
