"""Faults to plant in a server, here on SQLite, to prove that the kill harness detects them, each with its invariant."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

from askback.domain.lifecycle import TERMINAL
from askback.domain.spec import Spec
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change
from askback.service.delivery.waits import ConnectionWaits
from askback.storage.sqlite import changes
from askback.storage.sqlite.log import append, next_seq
from askback.storage.sqlite.store import SqliteStore
from askback.transports.outbox import Outbox
from tests.fault import planted_sharing, planted_streams, planted_writes
from tests.fault.planted_later import call_later, make_early_settle

EVENT_LATER_S = 1.0
"""Long enough for a kill after an answer to come before its event, even on a busy machine."""

_insert = SqliteStore.insert
_settle = SqliteStore.settle
_on_event: Callable[..., None] = vars(ConnectionWaits)["_on_event"]


def places() -> dict[str, tuple[Any, str, Any]]:
    """Return the replacement of each fault: the module or class, the name, and the wrong code."""
    return _PLACES | planted_sharing.PLACES | planted_streams.PLACES | planted_writes.PLACES


def plant(fault: str) -> None:
    """Plant a fault in this process, for its lifetime."""
    _replace(*places()[fault])
    if fault in planted_writes.EARLY_DEADLINE_FAULTS:
        _replace(*planted_writes.EARLY_DEADLINE_FAULTS[fault])


def _replace(owner: Any, name: str, wrong: Any) -> None:
    getattr(owner, name)  # a missing name has moved, and its replacement would have no effect
    setattr(owner, name, wrong)


async def insert_without_key(
    self: SqliteStore,
    record: Any,
    event: Any,
    claim: Any = None,
    effects: SideEffects = NOTHING,
    **extra: Any,
) -> Change:
    """Keys are stored only in memory."""
    changes: dict[Any, Change] = self.__dict__.setdefault("_claims_in_memory", {})
    if claim is not None and claim in changes:
        return Change(changes[claim].record, Outcome.REPLAYED)
    change = await _insert(self, record, event, None, effects, **extra)
    if claim is not None:
        changes[claim] = change
    return change


async def settle_in_two_transactions(
    self: SqliteStore, settlement: Any, claim: Any = None, effects: SideEffects = NOTHING
) -> Change | None:
    """The event of an end is written in a separate transaction, a second later.

    That of a check is not: the wait for a check whose event is lost would be detected first.
    """
    if settlement.status not in TERMINAL:
        return await _settle(self, settlement, claim, effects)

    def silent(db: Any, _: Any) -> Change | None:
        """Take the step, and delete its event."""
        unheard: list[Any] = []
        change = changes.settle(db, unheard, settlement, claim, effects)
        for event in unheard:
            db.execute("DELETE FROM events WHERE position = ?", (event.position,))
            db.execute("UPDATE threads SET seq = seq - 1 WHERE id = ?", (event.thread_id,))
        return change

    def tell(db: Any, events: list[Any]) -> None:
        position = next_seq(db, settlement.event)
        key, spec = db.execute("SELECT key, spec FROM requests WHERE id = ?", (settlement.id,)).fetchone()
        append(db, events, settlement.event, position, request=key, spec=Spec(spec))

    writer: Any = vars(self)["_writer"]
    change: Change | None = await writer.submit(silent)
    if change is not None and change.outcome is Outcome.APPLIED:
        call_later(lambda: writer.submit(tell), later_s=EVENT_LATER_S)
    return change


def _skip_waiters(self: ConnectionWaits, event: Any) -> None:
    """Sometimes no waiter is notified."""
    if random.random() < 0.9:
        _on_event(self, event)


def give_other_outcome(self: ConnectionWaits, event: Any) -> None:
    """A waiter gets the outcome of another request."""
    if event.settles and event.request_id in self._waiting and len(self._waiting) > 1:
        other = next(request_id for request_id in self._waiting if request_id != event.request_id)
        text = event.text.replace(event.request_id, other)
        event = dataclasses.replace(event, request_id=other, text=text)
    _on_event(self, event)


_PLACES: dict[str, tuple[Any, str, Any]] = {
    "room without end": (Outbox, "full", False),
    "keys in memory": (SqliteStore, "insert", insert_without_key),
    "acknowledged before the commit": (SqliteStore, "settle", make_early_settle(_settle)),
    "the event in another transaction": (SqliteStore, "settle", settle_in_two_transactions),
    "a wake-up forgotten": (ConnectionWaits, "_on_event", _skip_waiters),
    "a wake-up for another": (ConnectionWaits, "_on_event", give_other_outcome),
}

INVARIANTS_BY_FAULT = {
    "keys in memory": {"I8", "I10"},
    "acknowledged before the commit": {"I2"},
    "the event in another transaction": {"I4"},
    "a wake-up forgotten": {"I5"},
    "a resume for two": {"I9"},
}
"""By fault, the invariants of which one is broken after a kill. `witness.py` has faults that show without one."""
