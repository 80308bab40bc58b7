"""Create, list, update and delete webhooks.

The signing secret is shown once and stored sealed.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from askback.domain.faults import Fault, Faults, fault
from askback.domain.limits import Limits
from askback.domain.secrets.secret import Secret
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import text_faults
from askback.domain.webhooks import encode_secret, parse_target
from askback.errors import Conflict, NotFound
from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.secrets import SecretLocation
from askback.ports.store import Principal
from askback.ports.webhooks import AddressRefused, Webhook
from askback.service.access import roles
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.secrets.locations import REQUEST_SCOPE, SHARED
from askback.service.secrets.sealing import seal_values
from askback.wire.bodies import SwitchBody, WebhookBody

SECRET_NAME = "SIGNING_SECRET"  # noqa: S105 - a name
_FAULTS = {"inside": "webhook_inside", "not_https": "webhook_plain"}


async def create_webhook(ctx: Services, principal: Principal, body: object) -> tuple[Webhook, Secret]:
    """Create a webhook from a `WebhookBody` and return it with its signing secret, which is never shown again.

    It gets events from now on. Raises `Faults`, `VaultLocked`, and `Conflict` (`too_many`).
    """
    await roles.require(ctx, principal, "create_webhook")
    payload = parse(WebhookBody, body)
    if faults := [*_url_faults(ctx, payload.url), *_requester_faults(payload.requester, ctx.limits)]:
        raise Faults(faults)
    now = ctx.clock.now_ms()
    webhook_id = ctx.ids.new("whk", now_ms=now)
    secret = Secret(encode_secret(base64.urlsafe_b64decode(f"{ctx.ids.token()}=")))
    # A separate location: no list shows it and no agent can use it, but key rotation covers it.
    location = SecretLocation(REQUEST_SCOPE, webhook_id)
    [sealed] = await seal_values(ctx, principal, {SECRET_NAME: secret}, location, owner=SHARED)
    webhook = Webhook(
        webhook_id,
        principal.tenant,
        payload.url,
        payload.requester,
        tuple(dict.fromkeys(payload.events)),
        sealed.id,
        created_at=now,
        cursor=await ctx.store.last_position(principal.tenant),
    )
    effects = SideEffects(secrets=(sealed,), audit=(_webhook_entry(ctx, "webhook.add", principal, webhook),))
    if not await ctx.store.add_webhook(webhook, effects, limit=ctx.limits.webhooks):
        raise Conflict(
            f"The limit of {ctx.limits.webhooks} webhooks is reached. Remove one first.",
            code="too_many_webhooks",
        )
    return webhook, secret


async def list_webhooks(ctx: Services, principal: Principal) -> Sequence[Webhook]:
    """Return the webhooks of the caller's tenant, oldest first."""
    await roles.require(ctx, principal, "list_webhooks")
    return await ctx.store.webhooks(principal.tenant)


async def update_webhook(ctx: Services, principal: Principal, webhook_id: str, body: object) -> Webhook:
    """Turn a webhook off or on with a `SwitchBody` and return it. Raises `NotFound`.

    A webhook that is turned on gets the events since it was turned off, and its waiting deliveries.
    """
    webhook = await get_webhook(ctx, principal, webhook_id, "update_webhook")
    payload = parse(SwitchBody, body)
    action = "webhook.on" if payload.active else "webhook.off"
    effects = SideEffects(audit=(_webhook_entry(ctx, action, principal, webhook),))
    await ctx.store.switch_webhook(principal.tenant, webhook_id, effects, active=payload.active)
    return await get_webhook(ctx, principal, webhook_id, "update_webhook")


async def delete_webhook(ctx: Services, principal: Principal, webhook_id: str) -> None:
    """Erase a webhook, its deliveries and its secret. Raises `NotFound`."""
    webhook = await get_webhook(ctx, principal, webhook_id, "delete_webhook")
    effects = SideEffects(audit=(_webhook_entry(ctx, "webhook.remove", principal, webhook),))
    if not await ctx.store.drop_webhook(principal.tenant, webhook_id, effects):
        raise _no_such_webhook()


async def get_webhook(ctx: Services, principal: Principal, webhook_id: str, operation: str) -> Webhook:
    """Return a webhook of the caller's tenant for an operation. Raises `NotFound`, and `Forbidden` by role."""
    await roles.require(ctx, principal, operation)
    webhook = await ctx.store.webhook(principal.tenant, webhook_id)
    if webhook is None:
        raise _no_such_webhook()
    return webhook


def _no_such_webhook() -> NotFound:
    return NotFound("There is no such webhook.")


def _url_faults(ctx: Services, url: str) -> Sequence[Fault]:
    try:
        ctx.webhook_client.check_url(url)
    except AddressRefused as error:
        return [fault("url", _FAULTS.get(str(error), "webhook_url"))]
    return []


def _requester_faults(requester: str | None, limits: Limits) -> Sequence[Fault]:
    if requester is None:
        return []
    return text_faults("requester", requester, max_length=limits.identifier, lines=False)


def _webhook_entry(ctx: Services, action: str, principal: Principal, webhook: Webhook) -> AuditDraft:
    target = parse_target(webhook.url)
    facts: dict[str, Any] = {
        "webhook_id": webhook.id,
        "host": None if target is None else target.authority,  # the rest of a URL may contain a key
        "events": list(webhook.events),
        "for_requester": webhook.requester,
    }
    return audit_entry(action, at=ctx.clock.now_ms(), tenant=principal.tenant, by=principal, **facts)
