"""Decide what may run: hard limits, then rules that deny, then rules that ask, then level and mode.

Pure: the same call and policy always give the same decision. Any failure ends in *ask*, or in
*deny* where nobody is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, cast

from askback.domain.approval import Mode
from askback.domain.canonicaljson import NotCanonical
from askback.domain.policy import edits, files, hard_limits, rule_scope
from askback.domain.policy.built_in_lists import PLAN_MODE_RULES
from askback.domain.policy.calls import Call
from askback.domain.policy.decision_table import (
    AskMode,
    PolicyDecision,
    PolicyLevel,
    PolicyTable,
    asks_nobody,
    table_decision,
)
from askback.domain.policy.own_data import why_own_data
from askback.domain.policy.read_scope import ReadScope
from askback.domain.policy.reasons import Reason
from askback.domain.policy.risks import risks
from askback.domain.policy.rule_set import RuleSet
from askback.domain.policy.rules import Rule
from askback.domain.policy.shell.extended import ExtendedReading
from askback.domain.policy.shell.reading import Reading
from askback.domain.values import frozen

MODES: tuple[Mode, ...] = ("plan", "normal", "accept_edits", "full")


Applies = Callable[[Rule], bool]
"""Tells whether a rule applies in the folder of a call."""

_PLAN_MODE = RuleSet(PLAN_MODE_RULES)
_COMMAND_SEPARATOR = re.compile(r"[;&\n]")


@frozen(slots=True)
class Policy:
    """The rules that apply to a call's thread and project, and the settings.

    `read_only` are rules for tools that change nothing. `faults` are reasons why stored rules could not be read; if
    one of those rules denied or asked, every call needs approval. `roots` are the folders that a person granted to the
    agent, `own_paths` askback's data folders, and `secret_free` the folders in which the adapter found no secret
    file.
    """

    rules: tuple[Rule, ...] = ()
    level: PolicyLevel = "allowlist"
    ask: AskMode = "on-miss"
    mode: Mode = "normal"
    table: PolicyTable = "askback"
    read_only: tuple[Rule, ...] = ()
    faults: tuple[Reason, ...] = ()
    roots: tuple[str, ...] = ()
    own_paths: tuple[str, ...] = ()
    secret_free: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.rules, RuleSet):
            object.__setattr__(self, "rules", RuleSet(self.rules))
        if not isinstance(self.read_only, RuleSet):
            object.__setattr__(self, "read_only", RuleSet(self.read_only))

    @property
    def rule_set(self) -> RuleSet:
        """The rules, to be found by name."""
        return cast("RuleSet", self.rules)

    @property
    def read_only_rules(self) -> RuleSet:
        """The rules for tools that change nothing, to be found by name."""
        return cast("RuleSet", self.read_only)

    def read_scope(self, call: Call) -> ReadScope:
        """Return the folders that a call may read."""
        return ReadScope(self.roots, call.folder, self.own_paths, self.secret_free)


@frozen(slots=True)
class PolicyResult:
    """The decision about a call, with its reasons.

    `rules` are the canonical texts of the rules that decided together; `risks` are known dangers of the call. With
    `locked`, no rule can be stored for the call.
    """

    decision: PolicyDecision
    reasons: tuple[Reason, ...]
    rules: tuple[str, ...] = ()
    risks: tuple[Reason, ...] = ()
    locked: bool = False

    @property
    def rule(self) -> str | None:
        """Return the rules that decided as one text; None if none did."""
        return ", ".join(self.rules) or None


def decide(call: Call, policy: Policy) -> PolicyResult:
    """Decide about a call. Never raises."""
    try:
        call.digest  # noqa: B018 - nothing could be bound to a call without one
    except NotCanonical:
        return PolicyResult("deny", (Reason("not_canonical"),))
    try:
        return _decide(call, policy)
    except Exception as failure:  # noqa: BLE001 - whatever fails in a check must not let the call through
        reason = Reason("check_failed", failure=type(failure).__name__)
        return PolicyResult(_ask_or_deny(policy), (reason,))


def _decide(call: Call, policy: Policy) -> PolicyResult:
    limit = hard_limits.broken_limit(call)
    dangers = risks(call)
    if limit:
        return PolicyResult("deny", (Reason("hard_limit", limit=limit),), risks=dangers)
    deny_rule = _find_rule(call, policy.rule_set, "deny")
    if deny_rule:
        return PolicyResult(
            "deny", (Reason("denied_by_rule", rule=deny_rule.text),), (deny_rule.text,), dangers
        )
    ask_rule = _find_rule(call, policy.rule_set, "ask")
    if ask_rule or policy.faults:
        reasons = (Reason("asked_by_rule", rule=ask_rule.text),) if ask_rule else policy.faults
        return PolicyResult(
            _ask_or_deny(policy),
            reasons,
            (ask_rule.text,) if ask_rule else (),
            dangers,
            locked=ask_rule is not None and ask_rule.locked,
        )
    return _decide_by_table(call, policy, dangers)


def _ask_or_deny(policy: Policy) -> PolicyDecision:
    """Return the decision for a call that needs approval: ask, or deny if nobody may be asked."""
    return "deny" if policy.level == "deny" or asks_nobody(policy.ask, policy.table) else "ask"


def _decide_by_table(call: Call, policy: Policy, dangers: tuple[Reason, ...]) -> PolicyResult:
    texts, mismatches = _covering_rules(call, policy, dangers)
    is_listed = texts is not None
    rules = tuple(dict.fromkeys(texts or ()))
    if policy.mode == "plan" and not (is_listed and _only_reads(call, texts or (), policy)):
        return PolicyResult("deny", (Reason("plan_mode"), *mismatches), risks=dangers)
    if unchecked_reason := _find_unchecked(call, policy):
        reason = Reason("unchecked", why=unchecked_reason)
        return PolicyResult(_ask_or_deny(policy), (reason, *dangers), risks=dangers)
    level: PolicyLevel = "full" if policy.mode == "full" and policy.level != "deny" else policy.level
    editing = policy.mode == "accept_edits" and call.is_edit and not is_listed and not dangers
    edit_objection = edits.why_not_allowed(call.members, policy.read_scope(call)) if editing else None
    edit = editing and edit_objection is None
    kind = table_decision(
        level, policy.ask, listed=is_listed or edit, dangerous=bool(dangers), table=policy.table
    )
    if kind != "allow":
        mismatches = mismatches if edit_objection is None else (edit_objection,)
        return PolicyResult(
            kind, _reasons_not_to_allow(kind, level, policy, mismatches, dangers), risks=dangers
        )
    return PolicyResult("allow", (_reason_to_allow(level, ", ".join(rules), edit=edit),), rules, dangers)


def _reason_to_allow(level: PolicyLevel, rule: str, *, edit: bool) -> Reason:
    if rule:
        return Reason("allowed_by_rule", rule=rule)
    if edit:
        return Reason("edits_allowed")
    return Reason("allowed_by_level", level=level) if level == "full" else Reason("allowed_unasked")


def _reasons_not_to_allow(
    kind: PolicyDecision,
    level: PolicyLevel,
    policy: Policy,
    mismatches: tuple[Reason, ...],
    dangers: tuple[Reason, ...],
) -> tuple[Reason, ...]:
    if level == "deny":
        return (Reason("level_deny"),)
    if kind == "deny":
        return (Reason("nobody_asked"), *mismatches, *dangers)
    return (*((Reason("everything_asked"),) if policy.ask == "always" else ()), *mismatches, *dangers)


def _find_unchecked(call: Call, policy: Policy) -> Reason | None:
    """Return why the checks so far may have missed something; such a call is never allowed by level or mode."""
    if call.reading is not None and call.reading.incomplete:
        return call.reading.incomplete
    if own_data_reason := why_own_data(call, policy.read_scope(call)):
        return own_data_reason
    return files.why_ambiguous(call.possible_paths, call.other_keys) if call.is_edit else None


def _find_rule(call: Call, rules: RuleSet, effect: Literal["deny", "ask"]) -> Rule | None:
    """Find the first rule that denies or asks."""
    commands = () if call.reading is None else call.reading.all_commands
    for rule in rules.stopping(effect):
        matches_every_command = rule.words == () and call.reading is not None
        if rule.applies_in_folder(call) and (
            matches_every_command or rule.covers(call) or any(rule.denies(argv) for argv in commands)
        ):
            return rule
    return None


def _covering_rules(
    call: Call, policy: Policy, dangers: tuple[Reason, ...]
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    """Return the texts of the rules that together cover the whole call, or None and the reasons."""

    def anywhere(rule: Rule) -> bool:
        return rule.applies_in_folder(call)

    def applies_in_folder(rule: Rule) -> bool:
        return rule.applies_in_folder(call) and (rule.folder is not None or rule.built_in)

    if not call.is_shell or not policy.roots or policy.read_scope(call).contains("."):
        return _cover_call(call, policy, anywhere, dangers)
    coverage = _cover_call(call, policy, applies_in_folder, dangers)
    if coverage[0] is None and _cover_call(call, policy, anywhere, dangers)[0] is not None:
        return None, (Reason("rule_not_here", folder=call.folder or ""),)
    return coverage


def _cover_call(
    call: Call, policy: Policy, applies: Applies, dangers: tuple[Reason, ...]
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    rules = policy.rule_set
    if call.is_shell and call.reading is not None:
        exact_rule = next((rule for rule in rules.exact if applies(rule) and rule.covers(call)), None)
        if exact_rule is not None:
            return (exact_rule.text,), ()
        return _cover_commands(call.reading, rules, applies, policy.read_scope(call), dangerous=bool(dangers))
    mismatch: Reason | None = None
    name = None if call.is_shell else call.name
    for rule in (*filter(applies, rules.allowing(name)), *policy.read_only_rules.allowing(name)):
        if rule.covers(call) and not (rule.built_in and call.is_edit):
            scope_mismatch = (
                None
                if rule.is_literal
                else _exceeds(call, rule, policy.read_scope(call), dangerous=bool(dangers))
            )
            if scope_mismatch is None:
                return (rule.text,), ()
            mismatch = scope_mismatch
    without_input = call.input in (None, {})
    return None, (
        mismatch or Reason("no_rule_for_tool" if without_input else "no_rule_for_input", tool=call.name),
    )


def _cover_commands(
    reading: Reading, rules: RuleSet, applies: Applies, read_scope: ReadScope, *, dangerous: bool
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    extended = reading.extended
    if (
        extended is not None
        and any(map(applies, rules.built_in))
        and (read_scope.is_posix or not extended.posix)
    ):
        is_covered, mismatch = _cover_extended(
            extended, rules.built_in, applies, read_scope, dangerous=dangerous
        )
        if is_covered:
            return is_covered, ()
        if reading.unclear:
            return None, (Reason("not_understood", why=reading.unclear), *mismatch)
    if reading.unclear:
        return None, (Reason("not_understood", why=reading.unclear),)
    texts: list[str] = []
    mismatches: list[Reason] = []
    one_pipeline = not _COMMAND_SEPARATOR.search("".join(reading.lines[:1]))
    for index, argv in enumerate(reading.commands):
        coverage = _cover_command(
            argv, rules, applies, read_scope, dangerous=dangerous, piped=one_pipeline and index > 0
        )
        if isinstance(coverage, Rule):
            texts.append(coverage.text)
        else:
            mismatches.append(coverage)
    return (None, tuple(mismatches)) if mismatches else (tuple(texts), ())


def _cover_extended(
    extended: ExtendedReading, built_in: RuleSet, applies: Applies, read_scope: ReadScope, *, dangerous: bool
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    """Check the commands of an extended reading, in each folder where they may run, by built-in rules alone."""
    texts: list[str] = []
    for step in extended.steps:
        pattern_fault = next(
            filter(None, (rule_scope.check_pattern(step.argv, word) for word in sorted(step.patterns))), None
        )
        for folder in step.folders:
            folder_scope = read_scope if folder is None else read_scope.in_folder(folder)
            if folder_scope.find_own_data((folder_scope.folder or "", *step.argv)):
                pattern_fault = Reason("own_data")
            coverage = pattern_fault or _cover_command(
                step.argv, built_in, applies, folder_scope, dangerous=dangerous, piped=step.piped
            )
            if not isinstance(coverage, Rule):
                return None, (coverage,)
            texts.append(coverage.text)
    return tuple(texts), ()


def _cover_command(
    argv: tuple[str, ...],
    rules: RuleSet,
    applies: Applies,
    read_scope: ReadScope,
    *,
    dangerous: bool,
    piped: bool,
) -> Rule | Reason:
    """Return the rule that allows one simple command, or the reason why none does."""
    mismatch: Reason | None = None
    for rule in rules.allowing(argv[0] if argv else None):
        if not (rule.matches_words(argv) and applies(rule)):
            continue
        objection = rule.why_not_allowed(argv) or rule_scope.check_command(
            argv, rule, read_scope, piped=piped
        )
        if objection is None and not (rule.prefix and dangerous):
            return rule
        mismatch = (
            Reason("beyond", rule=rule.text, command=_short_text(argv), why=objection)
            if objection
            else Reason("beyond_dangerous", rule=rule.text, command=_short_text(argv))
        )
    return mismatch or Reason("no_rule", command=_short_text(argv))


def _applies_always(_: Rule) -> bool:
    return True


def _short_text(argv: tuple[str, ...]) -> str:
    text = " ".join(argv)
    return text if len(text) <= 80 else f"{text[:60]}…{text[-19:]}"


def _exceeds(call: Call, rule: Rule, read_scope: ReadScope, *, dangerous: bool) -> Reason | None:
    """Return why a call is beyond a rule with patterns."""
    if dangerous:
        return Reason("beyond_input", rule=rule.text)
    objection = rule_scope.check_tool(call, rule, read_scope)
    return objection and Reason("beyond_input_why", rule=rule.text, why=objection)


def _only_reads(call: Call, texts: tuple[str, ...], policy: Policy) -> bool:
    """Return whether a listed call only reads: a read-only tool, or commands that a built-in list covers."""
    if not call.is_shell or call.reading is None:
        return any(rule.text in texts for rule in policy.read_only)
    return (
        _cover_commands(call.reading, _PLAN_MODE, _applies_always, policy.read_scope(call), dangerous=False)[
            0
        ]
        is not None
    )
