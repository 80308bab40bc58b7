"""Propose a tool call: the policy allows or refuses it at once, or a person is asked.

What is refused by a rule or allowed by one is a request as well, settled as it is made: it can be looked up,
the approved call is used once like any other, and the audit log has its entry. Only a call that a person
refused a moment ago in this thread is no new request (`refusals.py`): the earlier one is returned, so that an agent
that insists fills no list.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json

from askback.domain.approval import Risk, RuleChoice, Scope
from askback.domain.lifecycle import Status
from askback.domain.markdown import may_be_markdown, tree
from askback.domain.policy.choices import ready_choices
from askback.domain.policy.narrow import narrow_rule, runs_project_code, scripts, unkeepable
from askback.domain.policy.reasons import Reason
from askback.domain.preview import coded, escaped, preview
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.approval import AskedCall, check_approval
from askback.domain.view import MARKDOWN_CHARACTERS
from askback.ports.policy import SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.service import refusals, sharing
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.opening import new_record, open_request, opening
from askback.service.orphans import resumes_at_once
from askback.service.ruling import NO_RULING, Ruling, rule_on
from askback.service.settle import replayed

ALLOWED, DENIED = "approve", "deny"
_VERDICTS = {"allow": ALLOWED, "deny": DENIED}


async def propose(ctx: Services, principal: Principal, body: object, *, key: str | None) -> Change:
    """Create a request from an `ApprovalAsk`; see `ask.ask`, which has checked the role."""
    asked = check_approval(body, limits=ctx.limits)
    terms = await sharing.require_to_ask(ctx, principal, asked.ask.thread_id)
    claimed = claim(principal, "create", key, asked.ask)
    if (before := await replayed(ctx, claimed)) is not None:
        return before
    ruling = NO_RULING if asked.is_plan else await _rule_on(ctx, principal, asked)
    if ruling.decision.decision != "ask":
        return await _settled_at_once(ctx, principal, asked, ruling, claimed)
    record = _record(ctx, principal, asked, shown=_shown(asked, ruling))
    if (refused := await refusals.refused_before(ctx, record, terms)) is not None:
        return await _again(ctx, record, refused, ruling, key)
    return await open_request(ctx, principal, asked.ask, record, claimed, terms)


async def _rule_on(ctx: Services, principal: Principal, asked: AskedCall) -> Ruling:
    return await rule_on(
        ctx,
        principal.tenant,
        asked.call,
        agent=principal.id,
        thread_id=asked.ask.thread_id,
        project=asked.ask.approval.project,
        secret_free=asked.ask.approval.secret_free or (),
    )


async def _settled_at_once(
    ctx: Services, principal: Principal, asked: AskedCall, ruling: Ruling, claimed: Claim | None
) -> Change:
    """Store what a rule decided, with the event of its end for its only one."""
    record = _record(ctx, principal, asked, shown=_stated(asked))
    now, verdict = record.created_at, _VERDICTS[ruling.decision.decision]
    answer: dict[str, Any] = {
        "decision": verdict,
        "digest": asked.digest,
        "policy_rule": ruling.decision.rule,
        "reasons": list(ruling.decision.reasons),
        "reason_codes": list(map(coded, ruling.decision.reasons)),
    }
    if verdict == ALLOWED:
        # No longer than usual, whatever the agent asks for: it could collect permissions for later.
        until = min(valid_ms(ctx, asked.ask.approval.valid_s), valid_ms(ctx, None))
        answer |= {"scope": "once", "expires_at": rfc3339(now + until)}
    answer = {name: value for name, value in answer.items() if value is not None}
    record = record.settled_at_once(Status.ANSWERED, source="policy", answer=answer)
    audit = entry(
        "decide",
        at=now,
        tenant=record.tenant,
        by=None,
        about=record,
        digest=asked.digest,
        tool=asked.call.tool,
        decision=verdict,
        source="policy",
        **ruling.facts,
    )
    event = opening(principal, record, f"request.{Status.ANSWERED}")
    resumes = resumes_at_once(ctx, record, now=now)
    return await ctx.store.insert(record, event, claimed, SideEffects(audit=(audit,), resumes=resumes))


async def _again(ctx: Services, asked: Record, refused: Record, ruling: Ruling, key: str | None) -> Change:
    """Return the refusal once more, with an entry in the audit log."""
    audit = entry(
        "decide",
        at=ctx.clock.now_ms(),
        tenant=refused.tenant,
        by=None,
        about=refused,
        decision=DENIED,
        source="policy",
        repeated=True,
        reasons=[Reason("refused_before")],
        **ruling.trial,
    )
    return await refusals.repeated(ctx, asked, refused, effects=SideEffects(audit=(audit,)), key=key)


def valid_ms(ctx: Services, valid_s: float | None) -> int:
    """Return for how long an approved call may be run, in milliseconds."""
    return round((ctx.limits.decision_s if valid_s is None else valid_s) * 1000)


def _stated(asked: AskedCall) -> dict[str, Any]:
    """Return the approval as far as the agent stated it, with the digest: nobody is shown more."""
    approval = asked.ask.approval
    given = approval.model_dump(exclude={"scopes", "preview", "risk"}, exclude_none=True)
    return {**given, "tool": asked.call.tool, "input": dict(asked.call.input), "digest": asked.digest}


def _shown(asked: AskedCall, ruling: Ruling) -> dict[str, Any]:
    """Return the approval as a person is shown it."""
    approval, decision = asked.ask.approval, ruling.decision
    choices = _choices(asked, ruling)
    scopes: tuple[Scope, ...] = asked.offered if choices else ("once",)
    only_once = _only_once(asked, ruling) if scopes == ("once",) and not asked.is_plan else None
    said = approval.risk or Risk()
    danger = decision.risks or said.level == "danger"
    before = approval.preview.before if approval.preview else None
    drawn = preview(asked.call, before=before)
    shown: dict[str, Any] = {
        **_stated(asked),
        "scopes": scopes,
        **({"rule": choices[0].rule, "choices": choices} if scopes != ("once",) else {}),
        "scripts": list(scripts(asked.call)) or None if scopes != ("once",) else None,
        "only_once": None if only_once is None else escaped(only_once),
        "only_once_code": None if only_once is None else coded(only_once),
        "runs_project": runs_project_code(asked.call) or None,
        "locked": decision.locked or None,
        "root": None if asked.is_plan else ruling.root(asked.call),
        "reasons": [escaped(reason) for reason in decision.reasons],
        "reason_codes": list(map(coded, decision.reasons)),
        "risk_codes": list(map(coded, decision.risks)) or None,
        "risk": {
            "level": "danger" if danger else "normal",
            "reasons": [escaped(reason) for reason in decision.risks],
        },
        "agent_risk": None if approval.risk is None else said.model_dump(),
        "preview": drawn.model_dump(exclude_none=True, exclude_defaults=True),
        "allow_edit": approval.allow_edit and approval.quorum == 1 and not asked.is_plan,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _choices(asked: AskedCall, ruling: Ruling) -> list[RuleChoice]:
    """Return the rules that a person may keep of a call: those that would let it run unasked."""
    exact = None if asked.is_plan else narrow_rule(asked.call)
    if exact is None or not ruling.would_allow(asked.call, exact):
        return []
    offered = ready_choices(asked.call, exact)
    return [choice for rule, choice in offered if rule is exact or ruling.would_allow(asked.call, rule)]


def _only_once(asked: AskedCall, ruling: Ruling) -> Reason:
    """Say why a person can allow a call once and keep no rule for it."""
    if asked.ask.approval.quorum > 1:
        return Reason("only_once", why=Reason("several_decide"))
    if asked.offered == ("once",):
        return Reason("only_once", why=Reason("agent_asks_once"))
    if narrow_rule(asked.call) is None:
        return Reason("only_once", why=unkeepable(asked.call))
    rule = ruling.decision.rule
    why = Reason("rule_asks", rule=rule) if rule else Reason("policy_asks")
    return Reason("only_once", why=why)


def _record(ctx: Services, principal: Principal, asked: AskedCall, *, shown: dict[str, Any]) -> Record:
    timeout = asked.ask.timeout_s
    if "timeout_s" not in asked.ask.model_fields_set:
        timeout = ctx.limits.approval_timeout_s
    said = asked.ask.model_dump(exclude={"approval", "timeout_s"}, exclude_none=True)
    if timeout is not None:
        said["timeout_s"] = timeout
    return new_record(
        ctx,
        principal,
        asked.ask,
        to_json({**said, "approval": shown}).decode(),
        kind=asked.ask.kind,
        timeout_s=timeout,
        view=_view(asked),
        digest=asked.digest,
    )


def _view(asked: AskedCall) -> dict[str, Any] | None:
    """Return the trees of what is Markdown: the agent's reason, and a plan."""
    texts = {"approval.reason": asked.ask.approval.reason, "approval.plan": asked.ask.approval.plan}
    trees = {
        path: nodes
        for path, text in texts.items()
        if text
        and len(text) <= MARKDOWN_CHARACTERS
        and may_be_markdown(text)
        and (nodes := tree(text)) is not None
    }
    return {"markdown": trees} if trees else None
