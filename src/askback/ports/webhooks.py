"""The part of the store that keeps webhooks and what is to be delivered to them, and who carries it there.

Contracts 1, 8, 9, 10 and 11 of `askback.ports.store` hold here as well, and

18. The events of a tenant become deliveries by reading on from the cursor of a webhook. The cursor moves in the
    transaction that writes the deliveries, from the value that was read: of any number of servers that read on at once
    one does so, and each event becomes one delivery, also after a crash.
19. A delivery is leased to one at a time, as often as it takes. Each lease raises `attempt`, which is the fencing
    token: what is noted with an older one is lost.
20. What has ended is not leased again, unless somebody says so. Nothing is leased for a webhook
    that was switched off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from askback.ports.policy import NOTHING, SideEffects


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead"
    """It was tried for as long as it may be. What it was about is there still."""
    OBSOLETE = "obsolete"
    """There was nothing to send any more: somebody has pulled the resume, or the event was erased."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told of `events`; with a `requester` only of what concerns its requests.

    Everything up to the position `cursor` has become deliveries. What its messages are signed with is the sealed secret
    `secret_id` of its tenant. `created_at` is in ms since the epoch.
    """

    id: str
    tenant: str
    url: str
    requester: str | None
    events: tuple[str, ...]
    secret_id: str
    created_at: int
    cursor: int
    active: bool = True


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to a webhook.

    `subject` is the id of a resume, or the position of an event as digits. `since` is when it was first tried, or
    tried again by hand, and `next_at` when it is due; both are in ms. `log` is a JSON array of what came of each
    attempt. One that was sent again by hand (`again`) is sent even where the resume was finished meanwhile.
    """

    id: str
    tenant: str
    webhook_id: str
    type: str
    subject: str
    since: int
    next_at: int
    state: DeliveryState = DeliveryState.WAITING
    attempt: int = 0
    again: bool = False
    log: str = "[]"


class WebhookStore(Protocol):
    """Webhooks and their deliveries."""

    async def add_webhook(self, webhook: Webhook, effects: SideEffects = NOTHING, *, most: int) -> bool:
        """Keep a webhook; False, and nothing is kept, when its tenant has `most` of them already."""
        ...

    async def webhook(self, tenant: str, webhook_id: str) -> Webhook | None:
        """Read one webhook."""
        ...

    async def webhooks(self, tenant: str | None = None) -> Sequence[Webhook]:
        """The webhooks of a tenant, or of all of them, by id."""
        ...

    async def switch_webhook(
        self, tenant: str, webhook_id: str, effects: SideEffects = NOTHING, *, active: bool
    ) -> bool:
        """Lease nothing for a webhook from now on, or again; False when it is so already, or there is none."""
        ...

    async def drop_webhook(self, tenant: str, webhook_id: str, effects: SideEffects = NOTHING) -> bool:
        """Erase a webhook and its deliveries; False when there is none."""
        ...

    async def queue_deliveries(
        self, webhook: Webhook, deliveries: Sequence[Delivery], *, cursor: int, forget_before: int = 0
    ) -> bool:
        """Move the cursor on from that of `webhook`, and write what is to be delivered for it.

        False, and nothing is written, when it is not there any more. Deliveries of this webhook that ended, and were
        first tried before `forget_before` (ms), are erased on this occasion.
        """
        ...

    async def lease_deliveries(
        self, webhook: Webhook, *, now_ms: int, until_ms: int, limit: int
    ) -> Sequence[Delivery]:
        """Lease what is due for a webhook, earliest first."""
        ...

    async def next_delivery(self, webhook: Webhook) -> int | None:
        """When the next waiting delivery of a webhook is due, ms; None when there is none."""
        ...

    async def note_attempt(
        self, delivery: Delivery, *, state: DeliveryState, next_at: int, note: str | None
    ) -> bool:
        """Say what came of a lease, with a JSON object for the log; False when it was leased again since.

        Without a note nothing was tried, and the log stays as it is.
        """
        ...

    async def delivery(self, tenant: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """Read one delivery."""
        ...

    async def deliveries(
        self, tenant: str, webhook_id: str, *, before: str | None = None, limit: int = 50
    ) -> Sequence[Delivery]:
        """Deliveries of a webhook, newest first (ids sort by time), older than the id `before`."""
        ...

    async def deliver_again(self, delivery: Delivery) -> Delivery:
        """Have a delivery sent again from its `since` on.

        One for the same subject that is there already is that one, with the `since` and `next_at` of this.
        """
        ...


class AddressRefused(Exception):
    """The address leads where no webhook may: the text is a short reason, and names nothing of the address."""


class Unreached(Exception):
    """No answer came: the text is a short reason, without anything that the other side said."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the receiver answered; `retry_after` in seconds, where it said so."""

    status: int
    retry_after: float | None = None


class Courier(Protocol):
    """Carries messages to addresses that somebody else chose, and to none inside."""

    def vet(self, url: str) -> None:
        """Raise `AddressRefused` for what is refused whatever its name leads to; asks nobody."""
        ...

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Answered:
        """Post a body within a bounded time, to an address that was checked just then.

        Raises `AddressRefused` and `Unreached`.
        """
        ...
