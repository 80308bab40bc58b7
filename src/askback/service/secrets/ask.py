"""An agent asks for secrets: they are there already, were dismissed a moment ago, or a person is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from askback.domain.faults import Faults, fault
from askback.domain.kinds.secret import names_digest
from askback.domain.lifecycle import Status
from askback.domain.markdown import may_be_markdown, tree
from askback.domain.record import Record
from askback.domain.request import SecretRequest
from askback.domain.validation.secret import check_secret
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretRecord
from askback.ports.store import Change, Principal
from askback.service import refusals, sharing
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.opening import new_record, open_request, opening
from askback.service.orphans import resumes_at_once
from askback.service.secrets.places import REACH, covering, grants, places, usable
from askback.service.settle import replayed


async def ask_secret(ctx: Services, principal: Principal, body: object, *, key: str | None) -> Change:
    """Create a request from a `SecretRequest`; see `ask.ask`, which has checked the role.

    Raises `Faults`, and `VaultLocked` when there is no master key: better than to ask for what cannot be kept.
    """
    asked = check_secret(body, limits=ctx.limits)
    claimed = claim(principal, "create", key, asked)
    terms = await sharing.require_to_ask(ctx, principal, asked.thread_id)
    if (before := await replayed(ctx, claimed)) is not None:
        return before
    if isinstance(asked.secret.probe, str) and asked.secret.probe not in ctx.probes:
        raise Faults([fault("secret.probe", "unknown_value.probe")])
    await ctx.vault.active()
    found = await ctx.store.secrets_at(
        principal.tenant,
        terms.access.owner,
        places(thread_id=asked.thread_id, project=asked.secret.project),
        asked.secret.names,
    )
    # What an agent was not given it does not learn of: neither that it is set nor where.
    found = await usable(ctx, principal, found)
    record = _record(ctx, principal, asked, found)
    here = covering(found, asked.secret.default_scope)
    if len(here) == len(asked.secret.names):
        record, effects = _settled(record, here)
        effects = replace(effects, resumes=resumes_at_once(ctx, record, now=record.created_at))
        event = opening(principal, record, f"request.{Status.ANSWERED}")
        return await ctx.store.insert(record, event, claimed, effects)
    if (refused := await refusals.refused_before(ctx, record, terms)) is not None:
        return await refusals.repeated(ctx, record, refused, key=key)
    return await open_request(ctx, principal, asked, record, claimed, terms)


def _settled(record: Record, here: Sequence[SecretRecord]) -> tuple[Record, SideEffects]:
    """Settle as it is made: all is set already, and the agent may use it. The scope is the one where all are valid."""
    names = sorted(each.name for each in here)
    scope = min((each.scope for each in here), key=REACH.index)
    answer = {"names": names, "scope": scope, "existing": names}
    told = entry(
        "secret.grant",
        at=record.created_at,
        tenant=record.tenant,
        by=None,
        about=record,
        names=names,
        scope=scope,
        owner=here[0].owner or None,
        source="existing",
    )
    given = grants(here, thread_id=record.thread_id, requester=record.requester, request_id=record.id)
    settled = record.settled_at_once(Status.ANSWERED, source="existing", answer=answer)
    return settled, SideEffects(audit=(told,), grants=given)


def _record(
    ctx: Services, principal: Principal, asked: SecretRequest, found: Sequence[SecretRecord]
) -> Record:
    present: dict[str, list[str]] = {}
    for each in found:
        present.setdefault(each.name, []).append(each.scope)
    said = asked.model_dump(exclude={"secret"}, exclude_none=True)
    said["secret"] = {**asked.secret.model_dump(exclude_none=True), "present": present}
    return new_record(
        ctx,
        principal,
        asked,
        to_json(said).decode(),
        kind=asked.kind,
        timeout_s=asked.timeout_s,
        view=_view(asked),
        hides_names=asked.secret.hide_names,
        digest=names_digest(asked.secret.names),
    )


def _view(asked: SecretRequest) -> dict[str, Any] | None:
    texts = {"secret.reason": asked.secret.reason, "secret.instructions": asked.secret.instructions}
    trees = {
        path: nodes
        for path, text in texts.items()
        if text and may_be_markdown(text) and (nodes := tree(text)) is not None
    }
    return {"markdown": trees} if trees else None
