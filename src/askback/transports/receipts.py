"""Tracks whether outcomes sent to a peer have arrived; a write to a dead connection is lost.

A server that can tell has a `confirm` (`asgi_extensions.py`): `askback serve` sends a ping and waits for the pong, one
at a time, so a busy connection costs one ping for each round trip. On other servers a written outcome counts as
arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from askback.transports.asgi_extensions import Confirm


class OutcomeReceipts:
    """The outcomes sent to one peer; `on_arrival` is called with each request whose outcome has arrived.

    `queued` has the requests of the next batch.
    """

    __slots__ = ("_asking", "_confirm", "_on_arrival", "_skipped_ids", "_written_ids", "queued")

    def __init__(self, confirm: Confirm | None, *, on_arrival: Callable[[str], object]) -> None:
        self._confirm = confirm
        self._on_arrival = on_arrival
        self._skipped_ids: list[str] = []
        self.queued: list[str] = []
        self._written_ids: list[str] = []
        self._asking = False

    def queue(self, request_id: str) -> None:
        """Add an outcome to the next batch."""
        self.queued.append(request_id)

    def skip(self, request_id: str) -> None:
        """Record an outcome that was not sent for lack of room; it is unconfirmed until the peer reads it."""
        self._skipped_ids.append(request_id)

    def begin_batch(self) -> list[str]:
        """Return the queued outcomes, which are being written now."""
        batch, self.queued = self.queued, []
        self._written_ids += batch
        return batch

    def end_batch(self, batch: list[str]) -> None:
        """Record that a batch was written to the network."""
        if self._confirm is None:
            self._mark_arrived(len(batch))
        elif batch and not self._asking:
            self._ask(self._confirm)

    def unconfirmed(self) -> list[str]:
        """Return the requests whose outcomes may not have arrived."""
        return [*self._skipped_ids, *self._written_ids, *self.queued]

    def _ask(self, confirm: Confirm) -> None:
        self._asking = True
        confirm(partial(self._handle_confirmation, confirm, len(self._written_ids)))

    def _handle_confirmation(self, confirm: Confirm, count: int) -> None:
        self._asking = False
        self._mark_arrived(count)
        if self._written_ids:
            self._ask(confirm)

    def _mark_arrived(self, count: int) -> None:
        arrived_ids, self._written_ids = self._written_ids[:count], self._written_ids[count:]
        for request_id in arrived_ids:
            self._on_arrival(request_id)
