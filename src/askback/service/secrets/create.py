"""Create a request for secrets; it is settled immediately if they are stored or have just been refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from askback.domain.build_view import languages_of, make_view, markdown_trees
from askback.domain.faults import Faults, fault
from askback.domain.kinds.secret import names_digest
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.request import SecretRequest
from askback.domain.secrets.request import required_names
from askback.domain.validation.secret import check_secret
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretRecord
from askback.ports.store import Change, Principal
from askback.service.access import sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.idempotency import idempotency_claim, labels_of, require_new
from askback.service.lifecycle.opening import created_event, new_record, open_request
from askback.service.lifecycle.settle import replayed
from askback.service.lifecycle.undelivered import resumes_for_settled
from askback.service.secrets.locations import SCOPE_ORDER, grants_for, locations_of, usable_by, valid_in_scope


async def create_secret_request(
    ctx: Services, principal: Principal, body: object, *, key: str | None
) -> Change:
    """Create a request from a `SecretRequest`; see `create_request`, which has checked the role.

    Raises `Faults`, and `VaultLocked` without a master key, since the values could not be stored.
    """
    secret_request = check_secret(body, limits=ctx.limits, blocked=ctx.blocked_secret_names)
    claim = idempotency_claim(principal, "create", key, secret_request)
    thread_config = await sharing.require_to_ask(ctx, principal, secret_request.thread_id)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return earlier_change
    await require_new(ctx, principal, secret_request.thread_id, labels_of(secret_request, secret_request))
    if isinstance(secret_request.secret.probe, str) and secret_request.secret.probe not in ctx.probes:
        raise Faults([fault("secret.probe", "unknown_value.probe")])
    await ctx.vault.active()
    stored_secrets = await ctx.store.secrets_at(
        principal.tenant,
        thread_config.access.owner,
        locations_of(thread_id=secret_request.thread_id, project=secret_request.secret.project),
        secret_request.secret.names,
    )
    # An agent does not learn whether a secret exists that it may not use.
    stored_secrets = await usable_by(ctx, principal, stored_secrets)
    record = _new_record(ctx, principal, secret_request, stored_secrets)
    valid_values = valid_in_scope(stored_secrets, secret_request.secret.default_scope)
    secret = secret_request.secret
    required = required_names(secret.names, secret.metadata) or secret.names
    if {value.name for value in valid_values}.issuperset(required):
        record, effects = _settle_existing(record, valid_values)
        effects = replace(effects, resumes=resumes_for_settled(ctx, record, now=record.created_at))
        event = created_event(principal, record, f"request.{Status.ANSWERED}")
        return await ctx.store.insert(record, event, claim, effects)
    if (refused_request := await refusals.find_refused(ctx, record, thread_config)) is not None:
        return await refusals.repeat_refusal(ctx, record, refused_request, key=key)
    return await open_request(ctx, principal, secret_request, record, claim, thread_config)


def _settle_existing(record: Record, stored_secrets: Sequence[SecretRecord]) -> tuple[Record, SideEffects]:
    """Settle a request whose secrets are all stored and usable; its scope is the narrowest one of them."""
    names = sorted(secret.name for secret in stored_secrets)
    scope = min((secret.scope for secret in stored_secrets), key=SCOPE_ORDER.index)
    answer = {"names": names, "scope": scope, "existing": names}
    entry = audit_entry(
        "secret.grant",
        at=record.created_at,
        tenant=record.tenant,
        by=None,
        about=record,
        names=names,
        scope=scope,
        owner=stored_secrets[0].owner or None,
        source="existing",
    )
    grants = grants_for(
        stored_secrets, thread_id=record.thread_id, requester=record.requester, request_id=record.id
    )
    settled_record = record.as_settled(Status.ANSWERED, source="existing", answer=answer)
    return settled_record, SideEffects(audit=(entry,), grants=grants)


def _new_record(
    ctx: Services, principal: Principal, secret: SecretRequest, stored_secrets: Sequence[SecretRecord]
) -> Record:
    scopes_by_name: dict[str, list[str]] = {}
    for item in stored_secrets:
        scopes_by_name.setdefault(item.name, []).append(item.scope)
    members = secret.model_dump(exclude={"secret"}, exclude_none=True)
    members["secret"] = {**secret.secret.model_dump(exclude_none=True), "present": scopes_by_name}
    return new_record(
        ctx,
        principal,
        secret,
        to_json(members).decode(),
        kind=secret.kind,
        timeout_s=secret.timeout_s,
        view=_view(secret),
        hides_names=secret.secret.hide_names,
        digest=names_digest(secret.secret.names),
        labels=labels_of(secret, secret),
    )


def _view(secret: SecretRequest) -> dict[str, Any] | None:
    secret_ask = secret.secret
    trees = markdown_trees(
        [("secret.reason", secret_ask.reason), ("secret.instructions", secret_ask.instructions)]
    )
    return make_view(markdown=trees, languages=languages_of(secret_ask.texts))
