"""Create a request for approval: the policy allows or denies the call immediately, or a person is asked.

A call that a rule allows or denies is a request too, settled on creation: it can be read, used once, and is in the
audit log. A call that a person refused a moment ago in this thread creates no new request (`refusals.py`):
the earlier one is returned, so that an insistent agent does not fill the lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from askback.domain.approval import Risk, RuleChoice, Scope
from askback.domain.build_view import languages_of, make_view, markdown_trees
from askback.domain.faults import Faults, fault
from askback.domain.lifecycle import Status
from askback.domain.policy.reasons import Reason
from askback.domain.policy.suggestions import (
    called_scripts,
    exact_rule,
    rule_choices,
    runs_project_code,
    why_no_rule,
)
from askback.domain.preview import escape_line, preview, reason_data
from askback.domain.record import Record
from askback.domain.state import settled_state
from askback.domain.timestamps import rfc3339
from askback.domain.validation.approval import ApprovalRequest, check_approval
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.ports.threads import ThreadConfig
from askback.service.access import sharing
from askback.service.approvals.evaluate import NOT_EVALUATED, PolicyEvaluation, evaluate_call
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.idempotency import idempotency_claim, labels_of, require_new
from askback.service.lifecycle.opening import created_event, new_record, open_request
from askback.service.lifecycle.settle import replayed
from askback.service.lifecycle.undelivered import resumes_for_settled

ALLOWED, DENIED = "approve", "deny"
_DECISIONS = {"allow": ALLOWED, "deny": DENIED}


async def create_approval(ctx: Services, principal: Principal, body: object, *, key: str | None) -> Change:
    """Create a request from an `ApprovalAsk`; see `create_request`, which has checked the role."""
    approval = check_approval(body, limits=ctx.limits)
    thread_config = await sharing.require_to_ask(ctx, principal, approval.ask.thread_id)
    claim = idempotency_claim(principal, "create", key, approval.ask)
    try:
        return await _create_pending(ctx, principal, approval, claim, thread_config)
    except Exception:
        # As in `create_form`: only a refusal has to look up what a repeated key created.
        if (earlier_change := await replayed(ctx, claim)) is None:
            raise
        return earlier_change


async def _create_pending(
    ctx: Services,
    principal: Principal,
    approval: ApprovalRequest,
    claim: Claim | None,
    thread_config: ThreadConfig,
) -> Change:
    if approval.ask.approval.exclude_requester and "user" not in principal.actor:
        raise Faults([fault("approval.exclude_requester", "requester_without_user")])
    await require_new(ctx, principal, approval.ask.thread_id, labels_of(approval.ask, approval.ask))
    ruling = NOT_EVALUATED if approval.is_plan else await _evaluate(ctx, principal, approval)
    if ruling.decision.decision != "ask":
        return await _create_settled(ctx, principal, approval, ruling, claim, thread_config)
    record = _record(ctx, principal, approval, thread_config, approval=_shown_approval(approval, ruling))
    if (refused_request := await refusals.find_refused(ctx, record, thread_config)) is not None:
        return await replayed(ctx, claim) or await _repeat_refusal(
            ctx, record, refused_request, ruling, claim
        )
    uses = ruling.uses(record.tenant, at=record.created_at, request_id=record.id)
    effects = SideEffects(uses=uses) if uses else NOTHING
    return await open_request(ctx, principal, approval.ask, record, claim, thread_config, effects)


async def _evaluate(ctx: Services, principal: Principal, approval: ApprovalRequest) -> PolicyEvaluation:
    return await evaluate_call(
        ctx,
        principal.tenant,
        approval.call,
        agent=principal.id,
        thread_id=approval.ask.thread_id,
        project=approval.ask.approval.project,
        secret_free=approval.ask.approval.secret_free or (),
    )


async def _create_settled(
    ctx: Services,
    principal: Principal,
    approval: ApprovalRequest,
    ruling: PolicyEvaluation,
    claim: Claim | None,
    thread_config: ThreadConfig,
) -> Change:
    """Store a request that a rule decided; its end is its only event."""
    now, verdict = ctx.clock.now_ms(), _DECISIONS[ruling.decision.decision]
    answer: dict[str, Any] = {
        "decision": verdict,
        "digest": approval.digest,
        "policy_rule": ruling.decision.rule,
        "reasons": list(ruling.decision.reasons),
        "reason_codes": list(map(reason_data, ruling.decision.reasons)),
    }
    if verdict == ALLOWED:
        # Never longer than the default, or an agent could collect approvals for later.
        valid_ms = min(validity_ms(ctx, approval.ask.approval.valid_s), validity_ms(ctx, None))
        answer |= {"scope": "once", "expires_at": rfc3339(now + valid_ms)}
    answer = {name: value for name, value in answer.items() if value is not None}
    end = {
        "at": now,
        "status": Status.ANSWERED,
        "state": settled_state(Status.ANSWERED, now, source="policy", answer=answer),
    }
    record = _record(ctx, principal, approval, thread_config, approval=_stated_approval(approval), end=end)
    audit = audit_entry(
        "decide",
        at=now,
        tenant=record.tenant,
        by=None,
        about=record,
        digest=approval.digest,
        tool=approval.call.tool,
        decision=verdict,
        source="policy",
        **ruling.facts,
    )
    event = created_event(principal, record, f"request.{Status.ANSWERED}")
    resumes = resumes_for_settled(ctx, record, now=now)
    uses = ruling.uses(record.tenant, at=now, request_id=record.id)
    effects = SideEffects(audit=(audit,), resumes=resumes, uses=uses)
    return await ctx.store.insert(record, event, claim, effects)


async def _repeat_refusal(
    ctx: Services, record: Record, refused_request: Record, ruling: PolicyEvaluation, claim: Claim | None
) -> Change:
    """Return the refusal once more, with an entry in the audit log."""
    audit = audit_entry(
        "decide",
        at=ctx.clock.now_ms(),
        tenant=refused_request.tenant,
        by=None,
        about=refused_request,
        decision=DENIED,
        source="policy",
        repeated=True,
        reasons=[Reason("refused_before")],
        **ruling.trial,
    )
    key, effects = None if claim is None else claim.key, SideEffects(audit=(audit,))
    return await refusals.repeat_refusal(ctx, record, refused_request, effects=effects, key=key)


def validity_ms(ctx: Services, valid_s: float | None) -> int:
    """Return the validity of an approved call in milliseconds."""
    return round((ctx.limits.decision_s if valid_s is None else valid_s) * 1000)


def _stated_approval(ask: ApprovalRequest) -> dict[str, Any]:
    """Return the approval as sent by the agent, with its digest."""
    approval = ask.ask.approval
    members = approval.model_dump(exclude={"scopes", "preview", "risk"}, exclude_none=True)
    return {**members, "tool": ask.call.tool, "input": ask.call.input, "digest": ask.digest}


def _shown_approval(ask: ApprovalRequest, ruling: PolicyEvaluation) -> dict[str, Any]:
    """Return the approval with everything that a person is shown."""
    approval, decision = ask.ask.approval, ruling.decision
    choices = _choices(ask, ruling)
    scopes: tuple[Scope, ...] = ask.offered if choices else ("once",)
    only_once = _only_once(ask, ruling) if scopes == ("once",) and not ask.is_plan else None
    stated_risk = approval.risk or Risk()
    risks = ruling.risks(ask.call)
    is_dangerous = risks or stated_risk.level == "danger"
    old_text = approval.preview.before if approval.preview else None
    preview_of_call = preview(ask.call, before=old_text)
    members: dict[str, Any] = {
        **_stated_approval(ask),
        "scopes": scopes,
        **({"rule": choices[0].rule, "choices": choices} if scopes != ("once",) else {}),
        "scripts": list(called_scripts(ask.call)) or None if scopes != ("once",) else None,
        "only_once": None if only_once is None else escape_line(only_once),
        "only_once_code": None if only_once is None else reason_data(only_once),
        "runs_project": runs_project_code(ask.call) or None,
        "locked": decision.locked or None,
        "root": None if ask.is_plan else ruling.root(ask.call),
        "reasons": [escape_line(reason) for reason in decision.reasons],
        "reason_codes": list(map(reason_data, decision.reasons)),
        "risk_codes": list(map(reason_data, risks)) or None,
        "risk": {
            "level": "danger" if is_dangerous else "normal",
            "reasons": [escape_line(reason) for reason in risks],
        },
        "agent_risk": None if approval.risk is None else stated_risk.model_dump(),
        "preview": preview_of_call.model_dump(exclude_none=True, exclude_defaults=True),
        "allow_edit": _is_editable(ask),
    }
    return {name: value for name, value in members.items() if value is not None or name == "input"}


def _is_editable(ask: ApprovalRequest) -> bool:
    """Return whether a person may change the input: not of a plan, not with a quorum, and not if there is no input."""
    approval = ask.ask.approval
    return approval.allow_edit and approval.quorum == 1 and ask.call.input is not None and not ask.is_plan


def _choices(approval: ApprovalRequest, ruling: PolicyEvaluation) -> list[RuleChoice]:
    """Return the rules that a person can create from a call: those that would allow it."""
    exact_rule_of_call = None if approval.is_plan else exact_rule(approval.call)
    if exact_rule_of_call is None or not ruling.would_allow(approval.call, exact_rule_of_call):
        return []
    choices_by_rule = rule_choices(approval.call, exact_rule_of_call)
    return [
        choice
        for rule, choice in choices_by_rule
        if rule is exact_rule_of_call or ruling.would_allow(approval.call, rule)
    ]


def _only_once(approval: ApprovalRequest, ruling: PolicyEvaluation) -> Reason:
    """Return why a person can allow a call only once, without a rule."""
    if approval.ask.approval.quorum > 1:
        return Reason("only_once", why=Reason("several_decide"))
    if approval.offered == ("once",):
        return Reason("only_once", why=Reason("agent_asks_once"))
    if exact_rule(approval.call) is None:
        return Reason("only_once", why=why_no_rule(approval.call))
    rule = ruling.decision.rule
    reason = Reason("rule_asks", rule=rule) if rule else Reason("policy_asks")
    return Reason("only_once", why=reason)


def _record(
    ctx: Services,
    principal: Principal,
    ask: ApprovalRequest,
    thread_config: ThreadConfig,
    *,
    approval: dict[str, Any],
    end: Mapping[str, Any] | None = None,
) -> Record:
    """Make the row of a request; `end` has the arguments of `new_record` for one that is settled on creation."""
    timeout = ask.ask.timeout(ctx.limits)
    members = ask.ask.model_dump(exclude={"approval", "timeout_s"}, exclude_none=True)
    if timeout is not None:
        members["timeout_s"] = timeout
    return new_record(
        ctx,
        principal,
        ask.ask,
        to_json({**members, "approval": approval}).decode(),
        kind=ask.ask.kind,
        timeout_s=timeout if end is None else None,
        view=_view(ask),
        digest=ask.digest if end is None else None,
        labels=labels_of(ask.ask, ask.ask),
        access=thread_config.access,
        **(end or {}),
    )


def _view(approval: ApprovalRequest) -> dict[str, Any] | None:
    """Return the parsed Markdown of the agent's reason and of a plan."""
    asks = approval.ask.approval
    trees = markdown_trees([("approval.reason", asks.reason), ("approval.plan", asks.plan)])
    return make_view(markdown=trees, languages=languages_of([asks.title, asks.reason]))
