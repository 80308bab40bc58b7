"""Create a request for an action."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json

from askback.domain.action import ActionAsk
from askback.domain.build_view import languages_of, make_view, markdown_trees
from askback.domain.links import link_host
from askback.domain.oauth import OauthProvider
from askback.domain.validation.action import check_action
from askback.ports.store import Change, Principal
from askback.service.access import sharing
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.idempotency import idempotency_claim, labels_of, require_new
from askback.service.lifecycle.opening import new_record, open_request
from askback.service.lifecycle.settle import replayed


async def create_action(ctx: Services, principal: Principal, body: object, *, key: str | None) -> Change:
    """Create a request from an `ActionRequest`; see `create.create_request`, which has checked the role.

    Raises `Faults`. An action that a person has just refused is not asked again.
    """
    action = check_action(body, limits=ctx.limits, providers=ctx.oauth_providers)
    claim = idempotency_claim(principal, "create", key, action)
    thread_config = await sharing.require_to_ask(ctx, principal, action.thread_id)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return earlier_change
    labels = labels_of(action, action)
    await require_new(ctx, principal, action.thread_id, labels)
    members = action.model_dump(exclude={"action"}, exclude_none=True)
    provider = ctx.oauth_providers.get(action.action.provider or "")
    if provider is not None:
        await (
            ctx.vault.active()
        )  # raises before a person connects an account whose tokens could not be sealed
    members["action"] = _shown_action(action.action, provider)
    record = new_record(
        ctx,
        principal,
        action,
        to_json(members).decode(),
        kind=action.kind,
        timeout_s=action.timeout_s,
        view=_view(action.action),
        labels=labels,
    )
    if (refused_request := await refusals.find_refused(ctx, record, thread_config)) is not None:
        return await refusals.repeat_refusal(ctx, record, refused_request, key=key)
    return await open_request(ctx, principal, action, record, claim, thread_config)


def _shown_action(action: ActionAsk, provider: OauthProvider | None) -> dict[str, Any]:
    members = action.model_dump(exclude_none=True)
    if provider is not None:
        provider_members = {"scopes": provider.scopes, "secret": provider.secret_name}
        return {**provider_members, **members, "host": link_host(provider.authorize_url)}
    return members if action.url is None else {**members, "host": link_host(action.url)}


def _view(action: ActionAsk) -> dict[str, Any] | None:
    trees = markdown_trees([("action.description", action.description)])
    return make_view(markdown=trees, languages=languages_of([action.title, action.description, action.label]))
