"""Accept submitted secrets after a test, and read the candidates while it runs.

A value under test is a candidate: it is sealed, only the agent or the server's probe that tests it can read it, and it
is deleted when the test ends. A test whose agent died ends with the request, by a deadline or a cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.domain.redaction.redactor import Redactor
from askback.domain.secrets.request import ShownSecret
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretLocation, SecretRecord, VersionTaken
from askback.ports.store import Change, Claim, Principal
from askback.service.context import Services
from askback.service.lifecycle.settle import settle
from askback.service.secrets.locations import binding, grants_for, locations_of, nearest
from askback.service.secrets.sealing import seal_values


async def accept_secrets(
    ctx: Services,
    principal: Principal | None,
    record: Record,
    *,
    claim: Claim | None = None,
    verified: bool | None = None,
    **facts: Any,
) -> Change:
    """Store the values of a submission and settle the request; see `requests/resolve.py`.

    `verified` is the verdict of a server's probe; `facts` go into the audit log.
    """
    answer, author = _submission(record), record.state.members.get("submitted_by", {})
    if verified is not None:
        answer["verified"] = facts["verified"] = verified
    reused = await find_saved(ctx, record, record.spec.secret, answer["existing"])
    candidates = await ctx.store.candidates(record.tenant, record.id)
    accepted, effects = candidates, SideEffects(promote=(record.tenant, record.id))
    outcome = {"source": "responder", "answer": answer, "settled_by": author}
    while True:
        grants = grants_for(
            [*accepted, *reused], thread_id=record.thread_id, requester=record.requester, request_id=record.id
        )
        try:
            effects = replace(effects, grants=grants)
            return await settle(
                ctx, record, Transition.ACCEPT, outcome, by=principal, claim=claim, effects=effects, **facts
            )
        except VersionTaken:
            # Another value was stored in the same location meanwhile: seal the tested values as its next version.
            accepted = await _seal_again(ctx, record, candidates, author)
            effects = SideEffects(secrets=accepted)


async def _seal_again(
    ctx: Services, record: Record, candidates: Sequence[SecretRecord], actor: Mapping[str, str]
) -> tuple[SecretRecord, ...]:
    values = {
        candidate.name: await ctx.vault.open(binding(candidate), candidate.sealed) for candidate in candidates
    }
    person = Principal(actor["id"], record.tenant, "responder", actor["name"], user=actor.get("user", ""))
    location = SecretLocation(candidates[0].scope, candidates[0].subject)
    return await seal_values(ctx, person, values, location, owner=candidates[0].owner, request_id=record.id)


def _submission(record: Record) -> dict[str, Any]:
    return {**record.state.members.get("submitted", {})}


async def values_under_test(ctx: Services, record: Record) -> Sequence[SecretRecord]:
    """Return the values under test: the typed ones, and the stored ones that the person chose."""
    rows = await ctx.store.candidates(record.tenant, record.id)
    reused_ids = _submission(record)["existing"]
    return [*rows, *await find_saved(ctx, record, record.spec.secret, reused_ids)]


async def redactor_for(ctx: Services, record: Record) -> Callable[[str], str]:
    """Return a function that removes the values under test from a text that everybody can read."""
    candidates = await ctx.store.candidates(record.tenant, record.id)
    values = {
        candidate.name: (await ctx.vault.open(binding(candidate), candidate.sealed)).reveal()
        for candidate in candidates
    }
    return Redactor(values).redact if values else str


async def find_saved(
    ctx: Services, record: Record, secret: ShownSecret, names: Sequence[str]
) -> Sequence[SecretRecord]:
    """Return the stored secrets with these names for the thread of a request, the narrowest scope of each."""
    if not names:
        return []
    locations = locations_of(thread_id=record.thread_id, project=secret.project)
    return list(
        nearest(await ctx.store.secrets_at(record.tenant, record.access.owner, locations, names)).values()
    )
