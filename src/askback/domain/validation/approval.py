"""Checks requests for approval, and the decisions about them."""

from __future__ import annotations

from typing import Any

from askback.domain.approval import PLAN_TOOL, SCOPES, Approval, DecisionBody, Scope, ShownApproval
from askback.domain.faults import Faults, fault, join
from askback.domain.jsontext import type_name
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.policy.calls import Call
from askback.domain.policy.digest import NotCanonical
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

FOLDERS, LONGEST_FOLDER = 20, 1_024
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
    asked, text_check = read_asked(ApprovalAsk, body, limits)
    _check_texts(asked.approval, text_check, limits)
    _check_choices(asked, text_check.report, limits)
    call = _call(asked.approval, text_check.report)
    text_check.report.finish()
    return ApprovalRequest(
        asked, _check_size(call, "approval.input", limits), _offered_scopes(asked.approval)
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


def _check_texts(asked: Approval, text_check: TextCheck, limits: Limits) -> None:
    at = "approval"
    text_check.line(at, "tool", asked.tool, limits.identifier)
    if asked.tool is not None and is_confusable(asked.tool):
        text_check.report.add("approval.tool", "confusable_name")
    text_check.line(at, "title", asked.title, limits.title)
    text_check.lines(at, "reason", asked.reason, limits.approval_reason)
    text_check.line(at, "project", asked.project, limits.identifier)
    text_check.lines(at, "plan", asked.plan, limits.textarea_answer)
    text_check.line(at, "cwd", asked.cwd, LONGEST_FOLDER)
    folders = asked.secret_free or []
    if len(folders) > FOLDERS:
        text_check.report.add("approval.secret_free", "too_many", max=FOLDERS)
    for index, folder in enumerate(folders[:FOLDERS]):
        text_check.at(join("approval.secret_free", index), folder, LONGEST_FOLDER)
    if asked.plan is not None and is_blank(asked.plan):
        text_check.report.add("approval.plan", "empty")
    reasons = asked.risk.reasons if asked.risk else []
    if len(reasons) > REASONS:
        text_check.report.add("approval.risk.reasons", "too_many", max=REASONS)
    for index, reason in enumerate(reasons[:REASONS]):
        text_check.at(join("approval.risk.reasons", index), reason, limits.title)


def _check_choices(asked: ApprovalAsk, report: Report, limits: Limits) -> None:
    approval = asked.approval
    if approval.scopes is not None and not approval.scopes:
        report.add("approval.scopes", "too_few", min=1)
    for index, scope in enumerate(approval.scopes or ()):
        if scope in (approval.scopes or ())[:index]:
            report.add(join("approval.scopes", index), "duplicate_value")
    most = limits.assignees if asked.assignees is None else len(asked.assignees)
    if approval.quorum < 1:
        report.add("approval.quorum", "below_min", min=1)
    elif approval.quorum > max(most, 1):
        report.add("approval.quorum", "above_max", max=most)
    valid = approval.valid_s
    if valid is not None and not limits.min_timeout_s <= valid <= limits.max_timeout_s:
        report.add("approval.valid_s", "out_of_range", min=limits.min_timeout_s, max=limits.max_timeout_s)


def _call(asked: Approval, report: Report) -> Call:
    """Return the call of an approval: the named one, or the plan."""
    if asked.plan is not None:
        for name in ("tool", "input"):
            if getattr(asked, name) is not None:
                report.add(f"approval.{name}", "contradiction.plan")
        return Call(PLAN_TOOL, {"plan": asked.plan}, asked.cwd)
    if asked.tool is None:
        report.add("approval.tool", "missing_required")
    if "input" not in asked.model_fields_set:
        report.add("approval.input", "missing_required")
    return Call(asked.tool or "", asked.input, asked.cwd)


def _offered_scopes(asked: Approval) -> tuple[Scope, ...]:
    """Return the scopes that the agent offers; a plan, or a call that several people approve, has only `once`."""
    if asked.plan is not None or asked.quorum > 1:
        return ("once",)
    return SCOPES if asked.scopes is None else tuple(asked.scopes)


@frozen(slots=True)
class CheckedDecision:
    """A valid decision: the call that may run, its digest, and the rule to store."""

    call: Call
    digest: str
    kept: Rule | None


def check_decision(
    sent: DecisionBody, approval: ShownApproval, *, limits: Limits = DEFAULTS
) -> CheckedDecision:
    """Return a person's decision about an approval; raises `Faults`. Roles and the policy are not checked here."""
    report = Report()
    report_note(report, sent.note, limits.note)
    check_languages(sent.languages, report, limits)
    if sent.decision == "deny":
        _check_denial(sent, approval, report)
        _check_scope(sent, approval, report)
        call = Call(approval.tool, approval.input, approval.cwd)
        rule = _rule_to_store(sent, approval, call, report)
        report.finish()
        return CheckedDecision(call, approval.digest, rule)
    _check_scope(sent, approval, report)
    if sent.grant_root and (approval.root is None or sent.scope != "once" or sent.edited_input is not None):
        report.add("grant_root", "root_not_offered")
    if sent.mode is not None and approval.plan is None:
        report.add("mode", "only_for_plans")
    call, digest = _edited_call(sent, approval, report, limits)
    rule = _rule_to_store(sent, approval, call, report)
    report.finish()
    return CheckedDecision(call, digest, rule)


def _check_scope(sent: DecisionBody, approval: ShownApproval, report: Report) -> None:
    if sent.scope not in approval.scopes and not (sent.decision == "deny" and sent.scope == "once"):
        report.add("scope", "scope_not_offered", allowed=", ".join(approval.scopes))


def _check_denial(sent: DecisionBody, approval: ShownApproval, report: Report) -> None:
    if approval.plan is not None and (sent.note is None or is_blank(sent.note)):
        report.add("note", "feedback_required")
    members: dict[str, Any] = {"edited_input": sent.edited_input, "mode": sent.mode}
    members["grant_root"] = sent.grant_root or None
    for name, value in members.items():
        if value is not None:
            report.add(name, "only_for_approvals")


def _edited_call(
    sent: DecisionBody, approval: ShownApproval, report: Report, limits: Limits
) -> tuple[Call, str]:
    if sent.edited_input is None:
        return Call(approval.tool, approval.input, approval.cwd), approval.digest
    path = "edited_input"
    call = Call(approval.tool, sent.edited_input, approval.cwd)
    if not approval.allow_edit:
        report.add(path, "edit_not_allowed")
    elif sent.scope != "once":
        report.add("scope", "edited_once")
    elif type_name(sent.edited_input) != (expected := type_name(approval.input)):
        report.add(path, f"wrong_type.{expected}")
    elif encode_body(sent.edited_input) is None:
        report.add(path, "lone_surrogate")
    else:
        report.finish()
        return call, _check_size(call, path, limits).digest
    return call, approval.digest


def _rule_to_store(sent: DecisionBody, approval: ShownApproval, call: Call, report: Report) -> Rule | None:
    """Return the rule to store: the shown one, or the person's version of it."""
    text = sent.rule or approval.rule
    if sent.edited_input is not None:
        return None
    if sent.scope == "once":
        if sent.rule is not None:
            report.add("rule", "rule_without_scope")
        return None
    if text is None:
        return None  # no such scope was offered, which is a fault already
    try:
        rule = parse_rule(text, "allow" if sent.decision == "approve" else "deny")
        choice = why_allows_nothing(rule)
    except RuleError as odd:
        report.add("rule", "invalid_rule", reason=odd.why)
        return None
    if rule.any_arguments or choice is not None:
        report.add("rule", "invalid_rule", reason=choice or Reason("rule_kept_any"))
    elif why := why_rule_unclear(rule):
        report.add("rule", "invalid_rule", reason=why)
    elif not matching_calls(rule, [call]):
        report.add("rule", "rule_misses_call")
    elif (
        rule.effect == "allow" and sent.scope != "thread" and approval.scripts and not sent.script_may_change
    ):
        report.add("script_may_change", "script_may_change", files=", ".join(approval.scripts))
    return rule
