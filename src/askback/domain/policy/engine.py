"""Decide what may run: hard limits, then rules that deny, then rules that ask, then level and mode.

Pure: the same call and policy always give the same decision. Whatever goes wrong on the way ends in *ask*, or in
*deny* where nobody is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from askback.domain.approval import Mode
from askback.domain.policy import bounds, edits, files, hard_limits
from askback.domain.policy.calls import Call
from askback.domain.policy.dangers import risks
from askback.domain.policy.digest import NotCanonical
from askback.domain.policy.lists import LOOKING
from askback.domain.policy.reach import Reach
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Rule
from askback.domain.policy.shell.reading import Reading
from askback.domain.policy.shell.wider import Wider
from askback.domain.policy.table import AskMode, Compat, Level, Verdict, unanswerable, verdict

MODES: tuple[Mode, ...] = ("plan", "normal", "accept_edits", "full")


_JOINED = re.compile(r"[;&\n]")


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for a call: the rules that apply to its thread and project, and the settings.

    `read_only` are tools that look without changing anything; `faults` are about rules that could not be
    read: a deny rule among them makes everything ask. `roots` are the folders that a person granted to the agent, `own`
    the data folders of askback, `secret_free` folders in which the adapter found no secret file.
    """

    rules: tuple[Rule, ...] = ()
    level: Level = "allowlist"
    ask: AskMode = "on-miss"
    mode: Mode = "normal"
    compat: Compat | None = None
    read_only: tuple[Rule, ...] = ()
    faults: tuple[Reason, ...] = ()
    roots: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    secret_free: tuple[str, ...] = ()

    def reach(self, call: Call) -> Reach:
        """Return what bounds the reading of a call."""
        return Reach(self.roots, call.folder, self.own, self.secret_free)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may happen to a call, and why.

    `rule` is the canonical text of the rule that decided, when one did; `risks` say what is
    dangerous about the call; `digest` binds the decision to the call. `locked` asks offer no "always".
    """

    decision: Verdict
    reasons: tuple[Reason, ...]
    rule: str | None = None
    risks: tuple[Reason, ...] = ()
    digest: str | None = None
    locked: bool = False


def decide(call: Call, policy: Policy) -> Judgement:
    """Decide about a call. Never raises."""
    try:
        digest = call.digest
    except NotCanonical:
        return Judgement("deny", (Reason("not_canonical"),))
    try:
        return replace(_decided(call, policy), digest=digest)
    except Exception as failure:  # noqa: BLE001 - whatever fails in a check must not let the call through
        why = Reason("check_failed", failure=type(failure).__name__)
        return Judgement(_instead(policy), (why,), digest=digest)


def _decided(call: Call, policy: Policy) -> Judgement:
    limit = hard_limits.broken(call)
    dangers = risks(call)
    if limit:
        return Judgement("deny", (Reason("hard_limit", limit=limit),), risks=dangers)
    denied = _hit(call, policy.rules, "deny")
    if denied:
        return Judgement("deny", (Reason("denied_by_rule", rule=denied.text),), denied.text, dangers)
    asked = _hit(call, policy.rules, "ask")
    if asked or policy.faults:
        reasons = (Reason("asked_by_rule", rule=asked.text),) if asked else policy.faults
        return Judgement(
            _instead(policy),
            reasons,
            asked.text if asked else None,
            dangers,
            locked=asked is not None and asked.locked,
        )
    return _by_table(call, policy, dangers)


def _instead(policy: Policy) -> Verdict:
    """Return what happens to a call that must not run unasked: a question, where somebody may be asked."""
    return "deny" if policy.level == "deny" or unanswerable(policy.ask, policy.compat) else "ask"


def _by_table(call: Call, policy: Policy, dangers: tuple[Reason, ...]) -> Judgement:
    texts, misses = _listed(call, policy, dangers)
    listed = texts is not None
    rule = ", ".join(dict.fromkeys(texts)) if texts else None
    if policy.mode == "plan" and not (listed and _looks(call, texts or (), policy)):
        return Judgement("deny", (Reason("plan_mode"), *misses), risks=dangers)
    if unchecked := _unchecked(call, policy):
        why = Reason("unchecked", why=unchecked)
        return Judgement(_instead(policy), (why, *dangers), risks=dangers)
    level: Level = "full" if policy.mode == "full" and policy.level != "deny" else policy.level
    editing = policy.mode == "accept_edits" and call.edits and not listed and not dangers
    wrong = edits.objection(call.input, policy.reach(call)) if editing else None
    edit = editing and wrong is None
    kind = verdict(level, policy.ask, listed=listed or edit, dangerous=bool(dangers), compat=policy.compat)
    if kind != "allow":
        misses = misses if wrong is None else (wrong,)
        return Judgement(kind, _why_not(kind, level, policy, misses, dangers), risks=dangers)
    return Judgement("allow", (_why(level, rule, edit=edit),), rule, dangers)


def _why(level: Level, rule: str | None, *, edit: bool) -> Reason:
    if rule:
        return Reason("allowed_by_rule", rule=rule)
    if edit:
        return Reason("edits_allowed")
    return Reason("allowed_by_level", level=level) if level == "full" else Reason("allowed_unasked")


def _why_not(
    kind: Verdict, level: Level, policy: Policy, misses: tuple[Reason, ...], dangers: tuple[Reason, ...]
) -> tuple[Reason, ...]:
    if level == "deny":
        return (Reason("level_deny"),)
    if kind == "deny":
        return (Reason("nobody_asked"), *misses, *dangers)
    return (*((Reason("everything_asked"),) if policy.ask == "always" else ()), *misses, *dangers)


def _unchecked(call: Call, policy: Policy) -> Reason | None:
    """Say why the checks so far may have missed something; then no level and no mode lets the call through."""
    if call.reading is not None and call.reading.unseen:
        return call.reading.unseen
    if own := bounds.own_data(call, policy.reach(call)):
        return own
    return files.unsure(call.places, call.others) if call.edits else None


def _hit(call: Call, rules: tuple[Rule, ...], effect: Literal["deny", "ask"]) -> Rule | None:
    """Find the first rule that denies or asks; locked ones first, so that nobody is offered to loosen one."""
    seen = () if call.reading is None else call.reading.seen
    for rule in sorted((rule for rule in rules if rule.effect == effect), key=lambda rule: not rule.locked):
        every = rule.words == () and call.reading is not None
        if rule.within(call) and (every or rule.covers(call) or any(rule.denies(argv) for argv in seen)):
            return rule
    return None


def _listed(
    call: Call, policy: Policy, dangers: tuple[Reason, ...]
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    """Return the rules that together cover the whole call, or None and what is not covered."""
    allowing = [rule for rule in policy.rules if rule.effect == "allow" and rule.within(call)]
    if not call.shell or not policy.roots or policy.reach(call).inside("."):
        return _covered(call, policy, allowing, dangers)
    here = [rule for rule in allowing if rule.folder is not None or rule.built_in]
    found = _covered(call, policy, here, dangers)
    if found[0] is None and _covered(call, policy, allowing, dangers)[0] is not None:
        return None, (Reason("rule_not_here", folder=call.folder or ""),)
    return found


def _covered(
    call: Call, policy: Policy, allowing: list[Rule], dangers: tuple[Reason, ...]
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    if call.shell and call.reading is not None:
        exact = next((rule for rule in allowing if rule.input is not None and rule.covers(call)), None)
        if exact is not None:
            return (exact.text,), ()
        return _commands(call.reading, allowing, policy.reach(call), dangerous=bool(dangers))
    miss = Reason("no_rule_for_input" if call.input else "no_rule_for_tool", tool=call.name)
    for rule in (*allowing, *policy.read_only):
        if rule.covers(call) and not (rule.built_in and call.edits):
            wrong = None if rule.literal else _beyond(call, rule, policy.reach(call), dangerous=bool(dangers))
            if wrong is None:
                return (rule.text,), ()
            miss = wrong
    return None, (miss,)


def _commands(
    reading: Reading, allowing: list[Rule], reach: Reach, *, dangerous: bool
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    wider = reading.wider
    built_in = [rule for rule in allowing if rule.built_in]
    if wider is not None and built_in and (reach.posix or not wider.posix):
        covered, missed = _wider(wider, built_in, reach, dangerous=dangerous)
        if covered:
            return covered, ()
        if reading.unclear:
            return None, (Reason("not_understood", why=reading.unclear), *missed)
    if reading.unclear:
        return None, (Reason("not_understood", why=reading.unclear),)
    texts: list[str] = []
    misses: list[Reason] = []
    one_pipeline = not _JOINED.search("".join(reading.lines[:1]))
    for at, argv in enumerate(reading.commands):
        found = _command(argv, allowing, reach, dangerous=dangerous, piped=one_pipeline and at > 0)
        if isinstance(found, Rule):
            texts.append(found.text)
        else:
            misses.append(found)
    return (None, tuple(misses)) if misses else (tuple(texts), ())


def _wider(
    wider: Wider, built_in: list[Rule], reach: Reach, *, dangerous: bool
) -> tuple[tuple[str, ...] | None, tuple[Reason, ...]]:
    """Judge the commands of a wider reading, each wherever it may run, by ready-made rules alone."""
    texts: list[str] = []
    for step in wider.steps:
        wrong = next(filter(None, (bounds.pattern(step.argv, word) for word in sorted(step.patterns))), None)
        for folder in step.folders:
            there = reach if folder is None else reach.into(folder)
            if there.own_data((there.folder or "", *step.argv)):
                wrong = Reason("own_data")
            found = wrong or _command(step.argv, built_in, there, dangerous=dangerous, piped=step.piped)
            if not isinstance(found, Rule):
                return None, (found,)
            texts.append(found.text)
    return tuple(texts), ()


def _command(
    argv: tuple[str, ...], allowing: list[Rule], reach: Reach, *, dangerous: bool, piped: bool
) -> Rule | Reason:
    """Find the rule that allows one simple command, or say why none does."""
    miss: Reason | None = None
    for rule in allowing:
        if not rule.about(argv):
            continue
        why = rule.objection(argv) or bounds.command(argv, rule, reach, piped=piped)
        if why is None and not (rule.prefix and dangerous):
            return rule
        miss = (
            Reason("beyond", rule=rule.text, command=_short(argv), why=why)
            if why
            else Reason("beyond_dangerous", rule=rule.text, command=_short(argv))
        )
    return miss or Reason("no_rule", command=_short(argv))


def _short(argv: tuple[str, ...]) -> str:
    shown = " ".join(argv)
    return shown if len(shown) <= 80 else f"{shown[:60]}…{shown[-19:]}"


def _beyond(call: Call, rule: Rule, reach: Reach, *, dangerous: bool) -> Reason | None:
    """Say what in a call a rule that leaves something open does not reach."""
    if dangerous:
        return Reason("beyond_input", rule=rule.text)
    wrong = bounds.tool(call, rule, reach)
    return wrong and Reason("beyond_input_why", rule=rule.text, why=wrong)


def _looks(call: Call, texts: tuple[str, ...], policy: Policy) -> bool:
    """Tell whether a listed call only looks: a read-only tool, or commands that the lists of harmless ones cover."""
    if not call.shell or call.reading is None:
        return any(rule.text in texts for rule in policy.read_only)
    return _commands(call.reading, list(LOOKING), policy.reach(call), dangerous=False)[0] is not None
