"""Read and change the policy settings. Allowing everything needs a typed confirmation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.faults import Faults, fault, join
from askback.domain.limits import Limits
from askback.domain.policy.built_in_lists import LISTS
from askback.domain.policy.decision_table import allows_everything
from askback.domain.policy.effective import CONFIRMATION, FIRST_AGENT, LOOSENING_MODES, read_settings
from askback.domain.policy.question_limits import MAX_LIMITS, count_name
from askback.domain.policy.settings import BOUNDS, TENANT_ONLY, PolicySettings, ThreadSettings
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck
from askback.errors import Conflict, Forbidden
from askback.ports.policy import PolicyRecord, SideEffects
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.wire.bodies import PolicyBody, QuestionLimitBody

_POLICY_SETTINGS = ("level", "ask_mode", "mode", "lists", "table", "shadow")
_SETTINGS = (*_POLICY_SETTINGS, *ThreadSettings.model_fields)
_IN_THREAD = frozenset({"mode", *ThreadSettings.model_fields}) - TENANT_ONLY
_FOR_RESPONDERS = frozenset({"mode", "free_text"})
"""Settings of a thread that need the access level `ALL`; quotas and retention need an admin."""


async def get_policy(ctx: Services, principal: Principal, *, thread_id: str | None = None) -> PolicySettings:
    """Return the policy settings of a thread, or the defaults.

    Raises `Forbidden` for the defaults and a token that is limited to some threads.
    """
    await roles.require(ctx, principal, "get_policy")
    if thread_id:
        await sharing.require_in(ctx, principal, thread_id, AccessLevel.VIEW, operation="get_policy")
    else:
        await sharing.require_unlimited(ctx, principal, "get_policy")
    view = await ctx.store.policy(
        principal.tenant, thread_id=thread_id or "", project=None, now_ms=ctx.clock.now_ms()
    )
    settings = read_settings(view.tenant, view.thread if thread_id else None)
    return settings.model_copy(update={"table": settings.table_in_force})


async def update_policy(ctx: Services, principal: Principal, body: object) -> PolicySettings:
    """Change the settings of a `PolicyBody` and return the current ones.

    Raises `Faults`, `Forbidden` for the defaults unless the caller is an admin, and `Conflict`
    (`confirmation_required`) if everything would be allowed without the typed confirmation.
    """
    await roles.require(ctx, principal, "update_policy")
    payload = parse(PolicyBody, body)
    _check(payload, ctx.limits)
    if payload.thread_id is None and principal.role != "admin":
        await roles.record_refusal(ctx, principal, "update_policy")
        raise Forbidden("Only an admin can change the policy. A responder can set the mode of a thread.")
    if payload.thread_id is None:
        await sharing.require_unlimited(ctx, principal, "update_policy")
    else:
        await sharing.require_in(
            ctx, principal, payload.thread_id, AccessLevel.ALL, operation="update_policy"
        )
    changes = {name: getattr(payload, name) for name in _SETTINGS if name in payload.model_fields_set}
    if payload.question_limits is not None:
        changes["question_limits"] = [
            limit.model_dump(exclude_none=True) for limit in payload.question_limits
        ]
    if principal.role != "admin" and not changes.keys() <= _FOR_RESPONDERS:
        await roles.record_refusal(ctx, principal, "update_policy")
        raise Forbidden("Only an admin can change quotas and retention.")
    if payload.confirm != CONFIRMATION and await _allows_everything(ctx, principal, changes):
        raise Conflict(
            "With this, calls run without asking, except dangerous calls and those that a rule or a hard limit denies. "
            f"To confirm, send `confirm` with the text {CONFIRMATION}.",
            code="confirmation_required",
        )
    changes |= await _mode_agents(ctx, principal, payload)
    policy_record = PolicyRecord(
        principal.tenant, payload.thread_id or "", json.dumps(_settings_json(changes))
    )
    entry = audit_entry(
        "policy.set",
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=principal,
        thread_id=payload.thread_id,
        settings=_settings_json(changes),
    )
    await ctx.store.write(SideEffects(policies=(policy_record,), audit=(entry,)))
    ctx.rate_limiter.forget_settings(principal.tenant)
    return await get_policy(ctx, principal, thread_id=payload.thread_id)


async def _allows_everything(ctx: Services, principal: Principal, settings: Mapping[str, Any]) -> bool:
    """Return whether these settings newly let every call run without asking, or repeat such a setting."""
    if "full" in (settings.get("mode"), settings.get("level")):
        return True
    if not settings.keys() & {"level", "ask_mode", "table", "lists"}:
        return False
    view = await ctx.store.policy(principal.tenant, thread_id="", project=None, now_ms=ctx.clock.now_ms())
    old_settings = read_settings(view.tenant)
    set_again = {name: value for name, value in settings.items() if value is not None}
    kept_settings = old_settings.model_dump(exclude={*settings}, exclude_unset=True)
    new_settings = PolicySettings.model_validate({**kept_settings, **set_again})
    return _runs_unasked(new_settings) and not _runs_unasked(old_settings)


def _runs_unasked(settings: PolicySettings) -> bool:
    return allows_everything(settings.level, settings.ask_mode, settings.table_in_force)


async def _mode_agents(ctx: Services, principal: Principal, payload: PolicyBody) -> dict[str, Any]:
    """Return the agents to which the mode of a thread applies: the sent ones, or all agents of the thread.

    If no agent has written in the thread yet, the mode applies to the first that does.
    """
    if payload.thread_id is None or payload.mode not in LOOSENING_MODES:
        return {}
    if payload.mode_agents is not None:
        return {"mode_agents": payload.mode_agents}
    thread_agents = (await ctx.store.access(principal.tenant, payload.thread_id)).agents
    return {"mode_agents": [FIRST_AGENT] if thread_agents is None else list(thread_agents.ids)}


def _settings_json(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings as a JSON merge patch: null removes a setting; a shadow policy is replaced as a whole."""
    trial = settings.get("shadow")
    return settings if trial is None else {**settings, "shadow": trial.model_dump()}


def _check(payload: PolicyBody, limits: Limits) -> None:
    report = Report()
    TextCheck(report, suspicious=True, limits=limits).identifier("thread_id", payload.thread_id)
    _check_lists("lists", payload.lists, report)
    if payload.shadow is not None:
        _check_lists("shadow.lists", payload.shadow.lists, report)
    for name in _SETTINGS:
        is_sent = name in payload.model_fields_set
        if payload.thread_id is not None and name not in _IN_THREAD and is_sent:
            report.add(name, "only_mode")
    for name, (lowest, highest) in BOUNDS.items():
        number = getattr(payload, name)
        if number is not None and not lowest <= number <= highest:
            report.add(name, "out_of_range", min=lowest, max=highest)
    for index, agent in enumerate(payload.mode_agents or ()):
        TextCheck(report, suspicious=True).at(join("mode_agents", index), agent, limits.identifier)
    if payload.mode_agents is not None and (payload.thread_id is None or payload.mode not in LOOSENING_MODES):
        report.add("mode_agents", "unknown_field.key")
    elif len(payload.mode_agents or ()) > limits.assignees:
        report.add("mode_agents", "too_many", max=limits.assignees)
    TextCheck(report, suspicious=True).line("", "max_questions_text", payload.max_questions_text, limits.note)
    _check_question_limits(payload.question_limits or (), report, limits)
    if not payload.model_fields_set & set(_SETTINGS):
        raise Faults([fault("mode", "missing_required")])
    report.finish()


def _check_question_limits(payload: Sequence[QuestionLimitBody], report: Report, limits: Limits) -> None:
    if len(payload) > MAX_LIMITS:
        report.add("question_limits", "too_many", max=MAX_LIMITS)
        return
    lowest, highest = BOUNDS["max_questions"]
    used_names = set[str]()
    for index, item in enumerate(payload):
        path, name = join("question_limits", index), count_name(item.tool, item.agent)
        text_check = TextCheck(report, suspicious=True)
        text_check.line(path, "tool", item.tool, limits.identifier)
        text_check.line(path, "agent", item.agent, limits.identifier)
        text_check.line(path, "text", item.text, limits.note)
        if item.tool is None and item.agent is None:
            report.add(join(path, "tool"), "missing_required")
        elif name in used_names:
            report.add(path, "duplicate_value")
        if not lowest <= item.max <= highest:
            report.add(join(path, "max"), "out_of_range", min=lowest, max=highest)
        used_names.add(name)


def _check_lists(path: str, names: Sequence[str] | None, report: Report) -> None:
    for index, name in enumerate(names or ()):
        if name not in LISTS:
            report.add(join(path, index), "unknown_value", allowed=", ".join(LISTS))
