"""Faults in deliveries: streams, webhooks, notifications, resumes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change
from askback.service.delivery.subscriptions import Subscription
from askback.service.delivery.waits import ConnectionWaits
from askback.service.lifecycle import checks
from askback.service.webhooks import deliver, dispatch
from askback.storage.sql import resumes
from askback.storage.sqlite import dialect
from askback.storage.sqlite.store import SqliteStore
from askback.transports.receipts import OutcomeReceipts

_push_event: Callable[..., None] = vars(Subscription)["_push_event"]
_start = Subscription.start
_write: Callable[..., Any] = vars(deliver)["build_message"]
_send: Callable[..., Any] = vars(deliver)["_send"]
_deliveries: Callable[..., Any] = vars(dispatch)["_deliveries"]
_settle = SqliteStore.settle


def every_nth(number: int) -> Callable[[], bool]:
    """Make a function that returns true every n-th time."""
    count = itertools.count(1)
    return lambda: next(count) % number == 0


def drop_fifth_event(*, inbox: bool) -> Callable[..., None]:
    """Every fifth event of a thread is delivered to no inbox, or to no reader of the thread.

    The choice depends on the event alone: an event that only some readers miss would reach them after a reconnect.
    """

    def pass_on(self: Any, event: Any) -> None:
        if (self._thread_id is None) is inbox and event.seq % 5 == 0:
            self.cursor = event.position if inbox else event.seq
        else:
            _push_event(self, event)

    return pass_on


def _doubled_delta(self: Any, event: Any) -> None:
    """A delta is sent twice."""
    _push_event(self, event)
    if event.type == "message.delta":
        _push_event(self, event)


def drop_declined(self: Any, event: Any) -> None:
    """Inboxes get no event for a declined request."""
    if self._thread_id is None and event.type == "request.declined":
        self.cursor = event.position
    else:
        _push_event(self, event)


def start_at_wrong_position(step: int) -> Callable[..., Any]:
    """A reader that reconnects continues from a wrong position."""

    async def start(self: Subscription, after: int | None) -> None:
        await _start(self, after + step if after else after)

    return start


async def send_under_new_id(*arguments: Any, **extra: Any) -> Any:
    """Each attempt at a webhook has a new id."""
    letter = await _write(*arguments, **extra)
    return dataclasses.replace(letter, id=f"{letter.id}-{next(_ids)}") if hasattr(letter, "id") else letter


async def skip_third_delivery(ctx: Any, webhook: Any, event: Any, now: int) -> Iterator[Any]:
    """Every third event is not delivered."""
    result = list(await _deliveries(ctx, webhook, event, now))
    return iter(()) if result and _third() else iter(result)


async def _send_twice(ctx: Any, webhook: Any, letter: Any) -> Any:
    """An accepted message is sent again, under another id."""
    await _send(ctx, webhook, letter)
    return await _send(ctx, webhook, dataclasses.replace(letter, id=f"{letter.id}-again"))


async def keep_resume_queued(*_: Any, **__: Any) -> Outcome:
    """An acknowledged resume is delivered again after its lease."""
    return Outcome.APPLIED


async def _settle_without_resume(
    self: SqliteStore, settlement: Any, claim: Any = None, effects: SideEffects = NOTHING
) -> Change | None:
    """No resume is written."""
    return await _settle(self, settlement, claim, dataclasses.replace(effects, resumes=()))


_LEASE_TO_ALL = {
    sql: dialect.SQLITE_VARIANTS[sql].replace("available_at = ?4", "available_at = min(available_at, ?4)")
    for sql in (resumes.LEASE, resumes.LEASE_IN_THREAD)
}
"""A leased resume can be leased by others as well."""


def do_nothing(*_: Any) -> None:
    """Do nothing."""


async def keep_unchecked_answer(*_: Any) -> None:
    """An unchecked answer is not returned to the person."""


_ids, _third = itertools.count(), every_nth(3)

PLACES: dict[str, tuple[Any, str, Any]] = {
    "an event in five kept from inboxes": (Subscription, "_push_event", drop_fifth_event(inbox=True)),
    "an event in five kept from threads": (Subscription, "_push_event", drop_fifth_event(inbox=False)),
    "a decline kept from inboxes": (Subscription, "_push_event", drop_declined),
    "a delta twice": (Subscription, "_push_event", _doubled_delta),
    "an event lost when coming back": (Subscription, "start", start_at_wrong_position(1)),
    "an event again when coming back": (Subscription, "start", start_at_wrong_position(-1)),
    "a webhook under a new id": (deliver, "build_message", send_under_new_id),
    "a webhook forgotten": (dispatch, "_deliveries", skip_third_delivery),
    "a webhook twice": (deliver, "_send", _send_twice),
    "a resume never written": (SqliteStore, "settle", _settle_without_resume),
    "a resume for two": (dialect, "SQLITE_VARIANTS", dialect.SQLITE_VARIANTS | _LEASE_TO_ALL),
    "a resume again": (SqliteStore, "finish_resume", keep_resume_queued),
    "a resume for who has read": (OutcomeReceipts, "_mark_arrived", do_nothing),
    "nobody is woken": (ConnectionWaits, "_on_event", do_nothing),
    "a check without an end": (checks, "reopen_unchecked", keep_unchecked_answer),
}

INVARIANTS_BY_FAULT = {
    "an event in five kept from inboxes": "I11",
    "an event in five kept from threads": "I11",
    "a decline kept from inboxes": "I11",
    "a delta twice": "I11",
    "an event lost when coming back": "I11",
    "an event again when coming back": "I11",
    "a webhook under a new id": "I12",
    "a webhook forgotten": "I12",
    "a webhook twice": "I12",
    "a resume never written": "I9",
    "a resume for two": "I9",
    "a resume again": "I9",
    "a resume for who has read": "I9",
    "nobody is woken": "I5",
    "a check without an end": "I7",
}
"""By fault, the invariant that it breaks."""
