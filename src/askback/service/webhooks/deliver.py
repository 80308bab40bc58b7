"""One attempt to deliver one message. Whatever happens in it, the delivery comes to its lease's end and is tried again.

A process that ends between the answer and the note sends the message again, under the same id.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from askback.domain.signature import secret_key, sign
from askback.domain.timestamps import rfc3339
from askback.domain.webhooks import retry_at
from askback.ports.vault import CannotOpen, KeysUnreachable, VaultLocked
from askback.ports.webhooks import AddressRefused, Delivery, DeliveryState, Unreached, Webhook
from askback.service.context import Services
from askback.service.secrets.places import binding
from askback.service.webhooks.letters import Letter, NotYet, write

LEASE_S = 30
"""How long a delivery, and the resume in it, is one server's: longer than an attempt can take."""
GONE = 410


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of sending: a status, or a short reason why there is none."""

    status: int | None = None
    error: str | None = None
    retry_after: float | None = None

    @property
    def taken(self) -> bool:
        """Whether the receiver has it."""
        return self.status is not None and 200 <= self.status < 300


async def deliver(ctx: Services, webhook: Webhook, delivery: Delivery) -> None:
    """Send a leased delivery, and note what came of it."""
    began = ctx.clock.now_ms()
    letter = await write(ctx, delivery, until_ms=began + LEASE_S * 1000)
    if letter is None:
        await ctx.store.note_attempt(delivery, state=DeliveryState.OBSOLETE, next_at=began, note=None)
        return
    if isinstance(letter, NotYet):
        await ctx.store.note_attempt(delivery, state=DeliveryState.WAITING, next_at=letter.at, note=None)
        return
    attempt = await _send(ctx, webhook, letter)
    ctx.metrics.attempted(taken=attempt.taken)
    now = ctx.clock.now_ms()
    await _settle_resume(ctx, letter, attempt, now)
    if attempt.status == GONE:
        await ctx.store.switch_webhook(webhook.tenant, webhook.id, active=False)
    await _note(ctx, delivery, attempt, began=began, now=now)


async def _send(ctx: Services, webhook: Webhook, letter: Letter) -> Attempt:
    key = await _signing_key(ctx, webhook)
    if key is None:
        return Attempt(error="cannot_sign")
    timestamp = ctx.clock.now_ms() // 1000
    headers = {
        "content-type": "application/json",
        "user-agent": "askback",
        "webhook-id": letter.id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(key, message_id=letter.id, timestamp=timestamp, body=letter.body),
    }
    try:
        answered = await ctx.courier.post(webhook.url, headers=headers, body=letter.body)
    except (AddressRefused, Unreached) as failed:
        return Attempt(error=str(failed))
    return Attempt(answered.status, retry_after=answered.retry_after)


async def _signing_key(ctx: Services, webhook: Webhook) -> bytes | None:
    """Return what signs, or None while it cannot be had: without a master key, or when it was erased."""
    kept = await ctx.store.secret(webhook.tenant, webhook.secret_id)
    if kept is None:
        return None
    try:
        secret = await ctx.vault.open(binding(kept), kept.sealed)
    except (CannotOpen, KeysUnreachable, VaultLocked):
        return None
    return secret_key(secret.reveal())


async def _settle_resume(ctx: Services, letter: Letter, attempt: Attempt, now: int) -> None:
    """Finish the resume that was taken, and let go of any other: it may be pulled between two attempts."""
    if letter.lease is None:
        return
    resume = letter.lease.resume
    if attempt.taken:
        await ctx.store.finish_resume(
            resume.tenant, resume.requester, resume.id, attempt=letter.lease.attempt, now_ms=now
        )
    else:
        await ctx.store.release_resume(letter.lease, now_ms=now)


async def _note(ctx: Services, delivery: Delivery, attempt: Attempt, *, began: int, now: int) -> None:
    said: dict[str, Any] = {
        "at": rfc3339(began),
        "status": attempt.status,
        "duration_ms": now - began,
        "error": attempt.error,
    }
    state, at = DeliveryState.DELIVERED, now
    if not attempt.taken:
        again = None if attempt.status == GONE else _again(delivery, attempt, now)
        state = DeliveryState.DEAD if again is None else DeliveryState.WAITING
        at = again or now
    await ctx.store.note_attempt(delivery, state=state, next_at=at, note=json.dumps(said))


def _again(delivery: Delivery, attempt: Attempt, now: int) -> int | None:
    begun = rfc3339(delivery.since)
    tries = 1 + sum(each["at"] >= begun for each in json.loads(delivery.log))
    return retry_at(
        seed=delivery.id, tries=tries, since=delivery.since, now=now, retry_after=attempt.retry_after
    )
