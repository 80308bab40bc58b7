"""What a person handed over was tried: it holds, or the person is asked again.

A value that is being tried is a candidate: sealed, found by nobody but the agent that tries it, or the server where the
agent has named one of its probes (`probe.py`), and gone with the end of the trial. A trial whose agent died ends with
the request, by a deadline or a cancel; nothing is tried twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.redaction.redactor import Redactor
from askback.domain.secrets.asked import ShownSecret
from askback.ports.policy import SideEffects
from askback.ports.secrets import Place, SecretRecord, VersionTaken
from askback.ports.store import Change, Claim, Principal
from askback.service.context import Services
from askback.service.secrets.places import binding, grants, nearest, places
from askback.service.secrets.sealing import sealed
from askback.service.settle import settle


async def accept(
    ctx: Services,
    principal: Principal | None,
    record: Record,
    *,
    claim: Claim | None = None,
    verified: bool | None = None,
    **facts: Any,
) -> Change:
    """Put the values of a submission into place; see `askback.service.resolve`.

    `verified` is what a probe of the server has found; `facts` go into the audit log.
    """
    answer, who = _submitted(record), record.state.members.get("submitted_by", {})
    if verified is not None:
        answer["verified"] = facts["verified"] = verified
    reused = await saved(ctx, record, record.spec.secret, answer["existing"])
    tried = await ctx.store.candidates(record.tenant, record.id)
    kept, effects = tried, SideEffects(promote=(record.tenant, record.id))
    outcome = {"source": "responder", "answer": answer, "settled_by": who}
    while True:
        given = grants(
            [*kept, *reused], thread_id=record.thread_id, requester=record.requester, request_id=record.id
        )
        try:
            effects = replace(effects, grants=given)
            return await settle(
                ctx, record, Action.ACCEPT, outcome, by=principal, claim=claim, effects=effects, **facts
            )
        except VersionTaken:
            # Another value came into the same place meanwhile: what was tried is sealed again, to come after it.
            kept = await _sealed_again(ctx, record, tried, who)
            effects = SideEffects(secrets=kept)


async def _sealed_again(
    ctx: Services, record: Record, tried: Sequence[SecretRecord], who: Mapping[str, str]
) -> tuple[SecretRecord, ...]:
    values = {each.name: await ctx.vault.open(binding(each), each.sealed) for each in tried}
    person = Principal(who["id"], record.tenant, "responder", who["name"], user=who.get("user", ""))
    where = Place(tried[0].scope, tried[0].subject)
    return await sealed(ctx, person, values, where, owner=tried[0].owner, request_id=record.id)


def _submitted(record: Record) -> dict[str, Any]:
    return {**record.state.members.get("submitted", {})}


async def trying(ctx: Services, record: Record) -> Sequence[SecretRecord]:
    """Return what is to be tried: the values that were typed, and the saved ones that the person chose."""
    rows = await ctx.store.candidates(record.tenant, record.id)
    chosen = _submitted(record)["existing"]
    return [*rows, *await saved(ctx, record, record.spec.secret, chosen)]


async def scrubber(ctx: Services, record: Record) -> Callable[[str], str]:
    """Return what takes the values that were tried out of what the agent says of them: everybody reads it."""
    tried = await ctx.store.candidates(record.tenant, record.id)
    values = {each.name: (await ctx.vault.open(binding(each), each.sealed)).reveal() for each in tried}
    return Redactor(values).redact if values else str


async def saved(
    ctx: Services, record: Record, shown: ShownSecret, names: Sequence[str]
) -> Sequence[SecretRecord]:
    """Return the secrets that are kept under these names where the thread of a request reaches, the nearest each."""
    if not names:
        return []
    reach = places(thread_id=record.thread_id, project=shown.project)
    return list(
        nearest(await ctx.store.secrets_at(record.tenant, record.access.owner, reach, names)).values()
    )
