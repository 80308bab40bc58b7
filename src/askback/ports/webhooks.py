"""The part of the store for webhooks and their deliveries, and the port of the client that sends them.

Contracts 1, 8, 9, 10 and 11 of `askback.ports.store` apply here as well, and

18. Events of a tenant after the cursor of a webhook become deliveries. The transaction that writes the deliveries
    moves the cursor, from the value that was read: of several servers at once only one succeeds, and each event
    becomes one delivery, also after a crash.
19. A delivery is leased to one caller at a time. Each lease raises `attempt`, which is the fencing token: a
    result with an older one is lost.
20. A delivery that ended is leased again only after `deliver_again`. Nothing is leased for a webhook that is off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from askback.domain.values import frozen
from askback.ports.policy import NOTHING, SideEffects


class DeliveryState(StrEnum):
    """The state of a delivery."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    DEAD = "dead"
    """It was tried for the maximum time without success."""
    OBSOLETE = "obsolete"
    """There is nothing left to send: the resume was pulled, or the event was erased."""


@frozen(slots=True)
class Webhook:
    """An address that receives `events`; with a `requester`, only those of its requests.

    All events up to the position `cursor` have been queued as deliveries. Its messages are signed with the
    sealed secret `secret_id` of its tenant. `created_at` is in ms since the epoch.
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


@frozen(slots=True)
class Delivery:
    """One message to a webhook.

    `subject` is the id of a resume, or the position of an event as digits. `since` is the time of the first
    attempt, or of the first since it was redelivered by hand, and `next_at` when it is due; both are in ms. `log` is a
    JSON array of the results of its attempts. A redelivery by hand (`again`) is sent even if the resume was finished.
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

    async def add_webhook(self, webhook: Webhook, effects: SideEffects = NOTHING, *, limit: int) -> bool:
        """Store a webhook; False, without storing it, if its tenant already has `limit`."""
        ...

    async def webhook(self, tenant: str, webhook_id: str) -> Webhook | None:
        """Read one webhook."""
        ...

    async def webhooks(self, tenant: str | None = None) -> Sequence[Webhook]:
        """Return the webhooks of a tenant, or of all, ordered by id."""
        ...

    async def switch_webhook(
        self, tenant: str, webhook_id: str, effects: SideEffects = NOTHING, *, active: bool
    ) -> bool:
        """Turn a webhook off or on; False if nothing changes or it does not exist."""
        ...

    async def drop_webhook(self, tenant: str, webhook_id: str, effects: SideEffects = NOTHING) -> bool:
        """Erase a webhook with its deliveries and its signing secret; False if it does not exist."""
        ...

    async def queue_deliveries(
        self, webhook: Webhook, deliveries: Sequence[Delivery], *, cursor: int, forget_before: int = 0
    ) -> bool:
        """Move the cursor on from that of `webhook`, and write its new deliveries.

        False, without a change, if the cursor has moved since. Deliveries of this webhook that ended, and were first
        tried before `forget_before` (ms), are erased too.
        """
        ...

    async def lease_deliveries(
        self, webhook: Webhook, *, now_ms: int, until_ms: int, limit: int
    ) -> Sequence[Delivery]:
        """Lease the due deliveries of a webhook, earliest first."""
        ...

    async def next_delivery(self, webhook: Webhook) -> int | None:
        """Return when the next waiting delivery of a webhook is due, ms; None without one."""
        ...

    async def note_attempt(
        self, delivery: Delivery, *, state: DeliveryState, next_at: int, note: str | None
    ) -> bool:
        """Record the result of a lease, with a JSON object for the log; False if it was leased again since.

        Without an object nothing was sent, and the log is unchanged.
        """
        ...

    async def delivery(self, tenant: str, webhook_id: str, delivery_id: str) -> Delivery | None:
        """Read one delivery."""
        ...

    async def deliveries(
        self, tenant: str, webhook_id: str, *, before: str | None = None, limit: int = 50
    ) -> Sequence[Delivery]:
        """Return deliveries of a webhook, newest first (ids sort by time), older than the id `before`."""
        ...

    async def deliver_again(self, delivery: Delivery, effects: SideEffects = NOTHING) -> Delivery:
        """Queue a delivery again, from its `since` on.

        An existing delivery for the same subject is reused, with the `since` and `next_at` of this one.
        """
        ...


class AddressRefused(Exception):
    """Webhooks may not be sent to this address: the text is a short reason and quotes nothing of the address."""


class Unreachable(Exception):
    """The receiver did not answer: the text is a short reason and quotes nothing of its reply."""


@frozen(slots=True)
class WebhookResponse:
    """The response of the receiver; `retry_after` in seconds, if it sent one. `body` is empty unless requested."""

    status: int
    retry_after: float | None = None
    body: bytes = field(default=b"", repr=False)


class WebhookClient(Protocol):
    """Posts messages to webhooks, and never to an address inside the network."""

    def check_url(self, url: str) -> None:
        """Raise `AddressRefused` for an address that is never allowed; makes no request."""
        ...

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, answer_bytes: int = 0
    ) -> WebhookResponse:
        """Post a body within a bounded time, to an address that is checked just before.

        With `answer_bytes` the body of the response is read, if it is no longer than that. Raises `AddressRefused` and
        `Unreachable`.
        """
        ...
