"""Checks requests for approval, and the decisions about them."""

from __future__ import annotations

from typing import Any

from askback.domain.approval import PLAN_TOOL, SCOPES, Approval, DecisionBody, Scope, ShownApproval
from askback.domain.canonicaljson import NotCanonical
from askback.domain.faults import Faults, fault, join
from askback.domain.jsontext import type_name
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.policy.calls import Call
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Rule, RuleError, parse_rule
from askback.domain.policy.suggestions import matching_calls, why_allows_nothing, why_rule_unclear
from askback.domain.request import ApprovalAsk
from askback.domain.validation.envelope import read_asked
from askback.domain.validation.report import Report
from askback.domain.validation.structure import encode_body
from askback.domain.validation.text_check import TextCheck, check_languages, report_note
from askback.domain.validation.texts import is_blank, is_confusable
from askback.domain.values import frozen

FOLDERS, MAX_FOLDER_LENGTH = 20, 1_024
"""The most folders that an adapter may report, and the longest path of one."""

REASONS = 20
"""The maximum number of reasons for a risk that an agent may give."""


@frozen(slots=True)
class ApprovalRequest:
    """An accepted request for approval: the approval, the call, its digest, and the offered scopes."""

    ask: ApprovalAsk
    call: Call
    offered: tuple[Scope, ...]

    @property
    def digest(self) -> str:
        """The digest that a decision is bound to."""
        return self.call.digest

    @property
    def is_plan(self) -> bool:
        """Whether it is about a plan, which no rule decides."""
        return self.ask.approval.plan is not None


def check_approval(body: object, *, limits: Limits = DEFAULTS) -> ApprovalRequest:
    """Return the body of `POST /v1/requests` with kind approval; raises `Faults` with their paths in the body."""
    approval, text_check = read_asked(ApprovalAsk, body, limits)
    _check_texts(approval.approval, text_check, limits)
    _check_choices(approval, text_check.report, limits)
    call = _call(approval.approval, text_check.report)
    text_check.report.finish()
    return ApprovalRequest(
        approval, _check_size(call, "approval.input", limits), _offered_scopes(approval.approval)
    )


def _check_size(call: Call, path: str, limits: Limits) -> Call:
    """Return a call that has a digest; its canonical input has the size limit of a request, as numbers can grow."""
    try:
        size = len(call.canonical_input)
    except NotCanonical:
        raise Faults([fault(path, "not_canonical")]) from None
    if size > limits.request_bytes:
        raise Faults([fault(path, "too_long.bytes", max=limits.request_bytes)])
    return call


def _check_texts(approval: Approval, text_check: TextCheck, limits: Limits) -> None:
    path = "approval"
    text_check.line(path, "tool", approval.tool, limits.identifier)
    if approval.tool is not None and is_confusable(approval.tool):
        text_check.report.add("approval.tool", "confusable_name")
    text_check.line(path, "title", approval.title, limits.title)
    text_check.lines(path, "reason", approval.reason, limits.approval_reason)
    text_check.line(path, "project", approval.project, limits.identifier)
    text_check.lines(path, "plan", approval.plan, limits.textarea_answer)
    text_check.line(path, "cwd", approval.cwd, MAX_FOLDER_LENGTH)
    folders = approval.secret_free or []
    if len(folders) > FOLDERS:
        text_check.report.add("approval.secret_free", "too_many", max=FOLDERS)
    for index, folder in enumerate(folders[:FOLDERS]):
        text_check.at(join("approval.secret_free", index), folder, MAX_FOLDER_LENGTH)
    if approval.plan is not None and is_blank(approval.plan):
        text_check.report.add("approval.plan", "empty")
    reasons = approval.risk.reasons if approval.risk else []
    if len(reasons) > REASONS:
        text_check.report.add("approval.risk.reasons", "too_many", max=REASONS)
    for index, reason in enumerate(reasons[:REASONS]):
        text_check.at(join("approval.risk.reasons", index), reason, limits.title)


def _check_choices(ask: ApprovalAsk, report: Report, limits: Limits) -> None:
    approval = ask.approval
    if approval.scopes is not None and not approval.scopes:
        report.add("approval.scopes", "too_few", min=1)
    for index, scope in enumerate(approval.scopes or ()):
        if scope in (approval.scopes or ())[:index]:
            report.add(join("approval.scopes", index), "duplicate_value")
    limit = limits.assignees if ask.assignees is None else len(ask.assignees)
    if approval.quorum < 1:
        report.add("approval.quorum", "below_min", min=1)
    elif approval.quorum > max(limit, 1):
        report.add("approval.quorum", "above_max", max=limit)
    valid = approval.valid_s
    if valid is not None and not limits.min_timeout_s <= valid <= limits.max_timeout_s:
        report.add("approval.valid_s", "out_of_range", min=limits.min_timeout_s, max=limits.max_timeout_s)


def _call(approval: Approval, report: Report) -> Call:
    """Return the call of an approval: the named one, or the plan."""
    if approval.plan is not None:
        for name in ("tool", "input"):
            if getattr(approval, name) is not None:
                report.add(f"approval.{name}", "contradiction.plan")
        return Call(PLAN_TOOL, {"plan": approval.plan}, approval.cwd)
    if approval.tool is None:
        report.add("approval.tool", "missing_required")
    if "input" not in approval.model_fields_set:
        report.add("approval.input", "missing_required")
    return Call(approval.tool or "", approval.input, approval.cwd)


def _offered_scopes(approval: Approval) -> tuple[Scope, ...]:
    """Return the scopes that the agent offers; a plan, or a call that several people approve, has only `once`."""
    if approval.plan is not None or approval.quorum > 1:
        return ("once",)
    return SCOPES if approval.scopes is None else tuple(approval.scopes)


@frozen(slots=True)
class CheckedDecision:
    """A valid decision: the call that may run, its digest, and the rule to store."""

    call: Call
    digest: str
    new_rule: Rule | None


def check_decision(
    payload: DecisionBody, approval: ShownApproval, *, limits: Limits = DEFAULTS
) -> CheckedDecision:
    """Return a person's decision about an approval; raises `Faults`. Roles and the policy are not checked here."""
    report = Report()
    report_note(report, payload.note, limits.note)
    check_languages(payload.languages, report, limits)
    if payload.decision == "deny":
        _check_denial(payload, approval, report)
        _check_scope(payload, approval, report)
        call = Call(approval.tool, approval.input, approval.cwd)
        rule = _rule_to_store(payload, approval, call, report)
        report.finish()
        return CheckedDecision(call, approval.digest, rule)
    _check_scope(payload, approval, report)
    if payload.grant_root and (
        approval.root is None or payload.scope != "once" or payload.edited_input is not None
    ):
        report.add("grant_root", "root_not_offered")
    if payload.mode is not None and approval.plan is None:
        report.add("mode", "only_for_plans")
    call, digest = _edited_call(payload, approval, report, limits)
    rule = _rule_to_store(payload, approval, call, report)
    report.finish()
    return CheckedDecision(call, digest, rule)


def _check_scope(payload: DecisionBody, approval: ShownApproval, report: Report) -> None:
    if payload.scope not in approval.scopes and not (payload.decision == "deny" and payload.scope == "once"):
        report.add("scope", "scope_not_offered", allowed=", ".join(approval.scopes))


def _check_denial(payload: DecisionBody, approval: ShownApproval, report: Report) -> None:
    if approval.plan is not None and (payload.note is None or is_blank(payload.note)):
        report.add("note", "feedback_required")
    members: dict[str, Any] = {"edited_input": payload.edited_input, "mode": payload.mode}
    members["grant_root"] = payload.grant_root or None
    for name, value in members.items():
        if value is not None:
            report.add(name, "only_for_approvals")


def _edited_call(
    payload: DecisionBody, approval: ShownApproval, report: Report, limits: Limits
) -> tuple[Call, str]:
    if payload.edited_input is None:
        return Call(approval.tool, approval.input, approval.cwd), approval.digest
    path = "edited_input"
    call = Call(approval.tool, payload.edited_input, approval.cwd)
    if not approval.allow_edit:
        report.add(path, "edit_not_allowed")
    elif payload.scope != "once":
        report.add("scope", "edited_once")
    elif type_name(payload.edited_input) != (expected_type := type_name(approval.input)):
        report.add(path, f"wrong_type.{expected_type}")
    elif encode_body(payload.edited_input) is None:
        report.add(path, "lone_surrogate")
    else:
        report.finish()
        return call, _check_size(call, path, limits).digest
    return call, approval.digest


def _rule_to_store(payload: DecisionBody, approval: ShownApproval, call: Call, report: Report) -> Rule | None:
    """Return the rule to store: the shown one, or the person's version of it."""
    text = payload.rule or approval.rule
    if payload.edited_input is not None:
        return None
    if payload.scope == "once":
        if payload.rule is not None:
            report.add("rule", "rule_without_scope")
        return None
    if text is None:
        return None  # no such scope was offered, which is a fault already
    try:
        rule = parse_rule(text, "allow" if payload.decision == "approve" else "deny")
        choice = why_allows_nothing(rule)
    except RuleError as error:
        report.add("rule", "invalid_rule", reason=error.why)
        return None
    if rule.any_arguments or choice is not None:
        report.add("rule", "invalid_rule", reason=choice or Reason("rule_kept_any"))
    elif reason := why_rule_unclear(rule):
        report.add("rule", "invalid_rule", reason=reason)
    elif not matching_calls(rule, [call]):
        report.add("rule", "rule_misses_call")
    elif (
        rule.effect == "allow"
        and payload.scope != "thread"
        and approval.scripts
        and not payload.script_may_change
    ):
        report.add("script_may_change", "script_may_change", files=", ".join(approval.scripts))
    return rule
