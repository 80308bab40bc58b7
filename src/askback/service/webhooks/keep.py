"""Webhooks as admins look after them: made, listed, switched, removed.

What signs their messages is told once and kept sealed.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from askback.domain.faults import Fault, Faults, fault
from askback.domain.limits import Limits
from askback.domain.secrets.secret import Secret
from askback.domain.signature import secret_text
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import text_faults
from askback.domain.webhooks import SwitchBody, WebhookBody, target
from askback.errors import Conflict, NotFound
from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.secrets import Place
from askback.ports.store import Principal
from askback.ports.webhooks import AddressRefused, Webhook
from askback.service import access
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.secrets.places import REQUEST_SCOPE, SHARED
from askback.service.secrets.sealing import sealed

SECRET_NAME = "SIGNING_SECRET"  # noqa: S105 - a name
_FAULTS = {"inside": "webhook_inside", "not_https": "webhook_plain"}


async def add(ctx: Services, principal: Principal, body: object) -> tuple[Webhook, Secret]:
    """Make a webhook with a `WebhookBody`; the secret is returned this once.

    It is told of what happens from now on. Raises `Faults`, `VaultLocked`, and `Conflict` (`too_many`).
    """
    await access.require(ctx, principal, "webhooks")
    sent = parse(WebhookBody, body)
    if faults := [*_url_faults(ctx, sent.url), *_requester_faults(sent.requester, ctx.limits)]:
        raise Faults(faults)
    now = ctx.clock.now_ms()
    webhook_id = ctx.ids.new("whk", now_ms=now)
    secret = Secret(secret_text(base64.urlsafe_b64decode(f"{ctx.ids.token()}=")))
    # In a place of its own, which no list shows and no agent reaches, but every rotation of the keys does.
    place = Place(REQUEST_SCOPE, webhook_id)
    [kept] = await sealed(ctx, principal, {SECRET_NAME: secret}, place, owner=SHARED)
    made = Webhook(
        webhook_id,
        principal.tenant,
        sent.url,
        sent.requester,
        tuple(dict.fromkeys(sent.events)),
        kept.id,
        created_at=now,
        cursor=await ctx.store.last_position(principal.tenant),
    )
    effects = SideEffects(secrets=(kept,), audit=(_told(ctx, "webhook.add", principal, made),))
    if not await ctx.store.add_webhook(made, effects, most=ctx.limits.webhooks):
        raise Conflict(
            f"The limit of {ctx.limits.webhooks} webhooks is reached. Remove one first.",
            code="too_many_webhooks",
        )
    return made, secret


async def listed(ctx: Services, principal: Principal) -> Sequence[Webhook]:
    """Return the webhooks of the caller's tenant, oldest first."""
    await access.require(ctx, principal, "webhooks")
    return await ctx.store.webhooks(principal.tenant)


async def switch(ctx: Services, principal: Principal, webhook_id: str, body: object) -> Webhook:
    """Switch a webhook off, or on again, with a `SwitchBody`; return it as it is then.

    On again, it is told of what has happened meanwhile, and of what waited. The same again changes nothing. Raises
    `NotFound`.
    """
    known = await found(ctx, principal, webhook_id)
    sent = parse(SwitchBody, body)
    action = "webhook.on" if sent.active else "webhook.off"
    effects = SideEffects(audit=(_told(ctx, action, principal, known),))
    await ctx.store.switch_webhook(principal.tenant, webhook_id, effects, active=sent.active)
    return await found(ctx, principal, webhook_id)


async def remove(ctx: Services, principal: Principal, webhook_id: str) -> None:
    """Erase a webhook, its deliveries and its secret. Raises `NotFound`."""
    known = await found(ctx, principal, webhook_id)
    effects = SideEffects(audit=(_told(ctx, "webhook.remove", principal, known),))
    if not await ctx.store.drop_webhook(principal.tenant, webhook_id, effects):
        raise _no_such_webhook()
    await ctx.store.drop_secret(principal.tenant, known.secret_id, SideEffects())


async def found(ctx: Services, principal: Principal, webhook_id: str) -> Webhook:
    """Return a webhook of the caller's tenant. Raises `NotFound`."""
    await access.require(ctx, principal, "webhooks")
    known = await ctx.store.webhook(principal.tenant, webhook_id)
    if known is None:
        raise _no_such_webhook()
    return known


def _no_such_webhook() -> NotFound:
    return NotFound("There is no such webhook.")


def _url_faults(ctx: Services, url: str) -> Sequence[Fault]:
    try:
        ctx.courier.vet(url)
    except AddressRefused as refused:
        return [fault("url", _FAULTS.get(str(refused), "webhook_url"))]
    return []


def _requester_faults(requester: str | None, limits: Limits) -> Sequence[Fault]:
    if requester is None:
        return []
    return text_faults("requester", requester, max_length=limits.identifier, lines=False)


def _told(ctx: Services, action: str, by: Principal, about: Webhook) -> AuditDraft:
    where = target(about.url)
    facts: dict[str, Any] = {
        "webhook_id": about.id,
        "host": None if where is None else where.authority,  # the rest of a URL may hold a key
        "events": list(about.events),
        "for_requester": about.requester,
    }
    return entry(action, at=ctx.clock.now_ms(), tenant=by.tenant, by=by, **facts)
