"""Read and change the policy settings. Allowing everything needs a typed confirmation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from askback.domain.access import Level
from askback.domain.bodies import PolicyBody
from askback.domain.faults import Faults, fault, join
from askback.domain.limits import Limits
from askback.domain.policy.conduct import BOUNDS, EVERYWHERE_ONLY, Conduct
from askback.domain.policy.lists import LISTS
from askback.domain.policy.preferences import PolicySettings
from askback.domain.policy.settings import CONFIRMATION, LOOSENING, read_settings
from askback.domain.validation.prose import Prose
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.errors import Conflict, Forbidden
from askback.ports.policy import PolicyRecord, SideEffects
from askback.ports.store import Principal
from askback.service import access, sharing
from askback.service.context import Services
from askback.service.ledger import entry

_DECIDING = ("level", "ask_mode", "mode", "lists", "shadow")
_SETTINGS = (*_DECIDING, *Conduct.model_fields)
_IN_THREAD = frozenset({"mode", *Conduct.model_fields}) - EVERYWHERE_ONLY
_ANYBODYS = frozenset({"mode", "free_text"})
"""What whoever may do all in a thread sets there; the rest of it says how much may be asked and kept."""


async def show(ctx: Services, principal: Principal, *, thread_id: str | None = None) -> PolicySettings:
    """Return what holds in a thread, or everywhere."""
    await access.require(ctx, principal, "rules")
    if thread_id:
        await sharing.require_in(ctx, principal, thread_id, Level.VIEW, attempted="policy")
    view = await ctx.store.policy(
        principal.tenant, thread_id=thread_id or "", project=None, now_ms=ctx.clock.now_ms()
    )
    return read_settings(view.tenant, view.thread if thread_id else None)


async def change(ctx: Services, principal: Principal, body: object) -> PolicySettings:
    """Change what a `PolicyBody` gives and return what holds now.

    Raises `Faults`, `Forbidden` for anybody but an admin outside of one thread, and `Conflict` with the code
    `confirmation_required` when everything would run and that was not typed out.
    """
    await access.require(ctx, principal, "rules")
    sent = parse(PolicyBody, body)
    _check(sent, ctx.limits)
    if sent.thread_id is None and principal.role != "admin":
        await access.record_refusal(ctx, principal, "policy")
        raise Forbidden("Only an admin can change the policy. A responder can set the mode of a thread.")
    if sent.thread_id is None:
        await sharing.require_unlimited(ctx, principal, "policy")
    else:
        await sharing.require_in(ctx, principal, sent.thread_id, Level.ALL, attempted="policy")
    given = {name: getattr(sent, name) for name in _SETTINGS if name in sent.model_fields_set}
    if principal.role != "admin" and not given.keys() <= _ANYBODYS:
        await access.record_refusal(ctx, principal, "policy")
        raise Forbidden("Only an admin can change quotas and retention.")
    if "full" in (given.get("mode"), given.get("level")) and sent.confirm != CONFIRMATION:
        raise Conflict(
            f"With this, everything runs without asking. To confirm, send `confirm` with the text {CONFIRMATION}.",
            code="confirmation_required",
        )
    given |= await _mode_agents(ctx, principal, sent)
    kept = PolicyRecord(principal.tenant, sent.thread_id or "", json.dumps(_plain(given)))
    changed = entry(
        "policy.set",
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=principal,
        thread_id=sent.thread_id,
        settings=_plain(given),
    )
    await ctx.store.write(SideEffects(policies=(kept,), audit=(changed,)))
    ctx.pace.forget_rate(principal.tenant)
    return await show(ctx, principal, thread_id=sent.thread_id)


async def _mode_agents(ctx: Services, principal: Principal, sent: PolicyBody) -> dict[str, Any]:
    """Return for which agents the mode of a thread is: those named, or those of the thread."""
    if sent.thread_id is None or sent.mode not in LOOSENING:
        return {}
    if sent.mode_agents is not None:
        return {"mode_agents": sent.mode_agents}
    let_in = (await ctx.store.access(principal.tenant, sent.thread_id)).agents
    return {"mode_agents": [] if let_in is None else list(let_in.ids)}


def _plain(given: dict[str, Any]) -> dict[str, Any]:
    """Return settings as JSON to be merged: null for what is taken back, also within a trial, which is replaced."""
    trial = given.get("shadow")
    return given if trial is None else {**given, "shadow": trial.model_dump()}


def _check(sent: PolicyBody, limits: Limits) -> None:
    report = Report()
    Prose(report, suspicious=True).line("", "thread_id", sent.thread_id, limits.identifier)
    _check_lists("lists", sent.lists, report)
    if sent.shadow is not None:
        _check_lists("shadow.lists", sent.shadow.lists, report)
    for name in _SETTINGS:
        given = name in sent.model_fields_set
        if sent.thread_id is not None and name not in _IN_THREAD and given:
            report.add(name, "only_mode")
    for name, (least, most) in BOUNDS.items():
        number = getattr(sent, name)
        if number is not None and not least <= number <= most:
            report.add(name, "out_of_range", min=least, max=most)
    for index, agent in enumerate(sent.mode_agents or ()):
        Prose(report, suspicious=True).line("", join("mode_agents", index), agent, limits.identifier)
    if sent.mode_agents is not None and (sent.thread_id is None or sent.mode not in LOOSENING):
        report.add("mode_agents", "unknown_field.key")
    elif len(sent.mode_agents or ()) > limits.assignees:
        report.add("mode_agents", "too_many", max=limits.assignees)
    Prose(report, suspicious=True).line("", "max_questions_text", sent.max_questions_text, limits.note)
    if not sent.model_fields_set & set(_SETTINGS):
        raise Faults([fault("mode", "missing_required")])
    report.finish()


def _check_lists(path: str, names: Sequence[str] | None, report: Report) -> None:
    for index, name in enumerate(names or ()):
        if name not in LISTS:
            report.add(join(path, index), "unknown_value", allowed=", ".join(LISTS))
