"""Deliver one message to a webhook: build it, sign it, send it, and record the attempt.

If the process dies in between, the lease of the delivery runs out and the message is sent again with the same id.
"""

from __future__ import annotations

import json
from typing import Any

from askback.domain.resume import resume_wire
from askback.domain.timestamps import rfc3339
from askback.domain.values import frozen
from askback.domain.webhooks import RESUME, TEST, decode_secret, payload, retry_at, sign
from askback.ports.policy import SideEffects
from askback.ports.resumes import Lease
from askback.ports.store import Principal
from askback.ports.vault import CannotOpen, KeysUnreachable, VaultLocked
from askback.ports.webhooks import AddressRefused, Delivery, DeliveryState, Unreachable, Webhook
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.delivery import authorship
from askback.service.secrets.locations import binding
from askback.service.webhooks.manage import get_webhook

LEASE_S = 30
"""The lease of a delivery and its resume: longer than an attempt can take."""
HTTP_GONE = 410


@frozen(slots=True)
class Attempt:
    """The result of an attempt: a status, or a short reason why there is none."""

    status: int | None = None
    error: str | None = None
    retry_after: float | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the receiver accepted the message."""
        return self.status is not None and 200 <= self.status < 300

    def wire(self, *, started_at: int, now: int) -> dict[str, Any]:
        """Return the attempt for the log and replies; times in ms."""
        return {
            "at": rfc3339(started_at),
            "status": self.status,
            "duration_ms": now - started_at,
            "error": self.error,
        }


async def deliver(ctx: Services, webhook: Webhook, delivery: Delivery) -> None:
    """Send a leased delivery and record the attempt."""
    began_at = ctx.clock.now_ms()
    letter = await build_message(ctx, delivery, until_ms=began_at + LEASE_S * 1000)
    if letter is None:
        await ctx.store.note_attempt(delivery, state=DeliveryState.OBSOLETE, next_at=began_at, note=None)
        return
    if isinstance(letter, Postponement):
        await ctx.store.note_attempt(delivery, state=DeliveryState.WAITING, next_at=letter.at, note=None)
        return
    attempt = await _send(ctx, webhook, letter)
    ctx.metrics.record_attempt(succeeded=attempt.succeeded)
    now = ctx.clock.now_ms()
    await _settle_resume(ctx, letter, attempt, now)
    if attempt.status == HTTP_GONE:
        await ctx.store.switch_webhook(webhook.tenant, webhook.id, active=False)
    await _record_attempt(ctx, delivery, attempt, started_at=began_at, now=now)


async def test_webhook(ctx: Services, principal: Principal, webhook_id: str) -> dict[str, Any]:
    """Send a webhook, also a disabled one, a message of the type `test` once and return the result.

    It is not in the log of deliveries, and the receiver's reply changes nothing. Raises `NotFound`.
    """
    webhook = await get_webhook(ctx, principal, webhook_id, "test_webhook")
    began_at = ctx.clock.now_ms()
    entry = audit_entry(
        "webhook.test", at=began_at, tenant=principal.tenant, by=principal, webhook_id=webhook.id
    )
    await ctx.store.write(SideEffects(audit=(entry,)))
    body = payload(TEST, timestamp=rfc3339(began_at), data="{}")
    attempt = await _send(ctx, webhook, WebhookMessage(ctx.ids.new("dlv", now_ms=began_at), body))
    return attempt.wire(started_at=began_at, now=ctx.clock.now_ms())


async def _send(ctx: Services, webhook: Webhook, letter: WebhookMessage) -> Attempt:
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
        response = await ctx.webhook_client.post(webhook.url, headers=headers, body=letter.body)
    except (AddressRefused, Unreachable) as error:
        return Attempt(error=str(error))
    return Attempt(response.status, retry_after=response.retry_after)


async def _signing_key(ctx: Services, webhook: Webhook) -> bytes | None:
    """Return the signing key; None without a master key, or if the secret was erased."""
    stored = await ctx.store.secret(webhook.tenant, webhook.secret_id)
    if stored is None:
        return None
    try:
        secret = await ctx.vault.open(binding(stored), stored.sealed)
    except (CannotOpen, KeysUnreachable, VaultLocked):
        return None
    return decode_secret(secret.reveal())


async def _settle_resume(ctx: Services, letter: WebhookMessage, attempt: Attempt, now: int) -> None:
    """Finish a resume that was delivered, or release its lease, so that it can be pulled between two attempts."""
    if letter.lease is None:
        return
    resume = letter.lease.resume
    if attempt.succeeded:
        await ctx.store.finish_resume(
            resume.tenant, resume.requester, resume.id, attempt=letter.lease.attempt, now_ms=now
        )
    else:
        await ctx.store.release_resume(letter.lease, now_ms=now)


async def _record_attempt(
    ctx: Services, delivery: Delivery, attempt: Attempt, *, started_at: int, now: int
) -> None:
    state, next_at = DeliveryState.DELIVERED, now
    if not attempt.succeeded:
        retry_at_ms = None if attempt.status == HTTP_GONE else _next_attempt(delivery, attempt, now)
        state = DeliveryState.DEAD if retry_at_ms is None else DeliveryState.WAITING
        next_at = retry_at_ms or now
    await ctx.store.note_attempt(
        delivery, state=state, next_at=next_at, note=json.dumps(attempt.wire(started_at=started_at, now=now))
    )


def _next_attempt(delivery: Delivery, attempt: Attempt, now: int) -> int | None:
    first_attempt_at = rfc3339(delivery.since)
    attempt_count = 1 + sum(entry["at"] >= first_attempt_at for entry in json.loads(delivery.log))
    return retry_at(
        seed=delivery.id, tries=attempt_count, since=delivery.since, now=now, retry_after=attempt.retry_after
    )


@frozen(slots=True)
class WebhookMessage:
    """A message to send. `id` is the same for every attempt; `lease` is the lease of its resume."""

    id: str
    body: bytes
    lease: Lease | None = None


@frozen(slots=True)
class Postponement:
    """Try again at `at` (ms): the resume is withheld, or leased by a worker that pulled it."""

    at: int


async def build_message(
    ctx: Services, delivery: Delivery, *, until_ms: int
) -> WebhookMessage | Postponement | None:
    """Return the message of a delivery, or when to try again; None if it is obsolete."""
    if delivery.type == RESUME:
        return await _resume_message(ctx, delivery, until_ms=until_ms)
    position = int(delivery.subject)
    page = await ctx.store.tenant_events(delivery.tenant, after=position - 1, limit=1)
    if not page or page[0].position != position:
        return None
    # The receiver is unknown, so it gets only what the least privileged reader may see.
    event = page[0].redacted or page[0]
    return WebhookMessage(
        delivery.id, payload(delivery.type, timestamp=rfc3339(delivery.since), data=event.text)
    )


async def _resume_message(
    ctx: Services, delivery: Delivery, *, until_ms: int
) -> WebhookMessage | Postponement | None:
    """Lease the resume as a pull does, so that only one worker continues."""
    now = ctx.clock.now_ms()
    lease = await ctx.store.lease_resume(delivery.tenant, delivery.subject, now_ms=now, until_ms=until_ms)
    if lease is not None and not await authorship.may_deliver(ctx, lease):
        return Postponement(min(until_ms, now + authorship.CHECK_AGAIN_MS))
    if lease is not None:
        lease = authorship.with_repeat_mark(lease)
        wire = resume_wire(
            lease.resume.id, lease.record, attempt=lease.attempt, until=until_ms, texts=ctx.texts
        )
        return _message_of(delivery, wire, lease)
    resume = await ctx.store.resume(delivery.tenant, delivery.subject)
    if resume is None:
        return None
    if not resume.finished:
        return Postponement(max(resume.resume.available_at, now + 1))
    if not delivery.again:
        return None
    record = await ctx.store.get(delivery.tenant, resume.resume.request_id)
    if record is None:
        return None
    wire = resume_wire(resume.resume.id, record, attempt=resume.attempt, until=now, texts=ctx.texts)
    return _message_of(delivery, wire, None)


def _message_of(delivery: Delivery, data: str, lease: Lease | None) -> WebhookMessage:
    return WebhookMessage(
        delivery.subject, payload(RESUME, timestamp=rfc3339(delivery.since), data=data), lease
    )
