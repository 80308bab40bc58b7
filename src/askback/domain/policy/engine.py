"""Decide what may run: hard limits, then rules that deny, then rules that ask, then level and mode.

Pure: the same call and policy always give the same decision. Whatever goes wrong on the way ends in *ask*, or in
*deny* where nobody is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from askback.domain.approval import Mode
from askback.domain.policy import files, hard_limits, paths
from askback.domain.policy.calls import Call
from askback.domain.policy.dangers import risks
from askback.domain.policy.digest import NotCanonical
from askback.domain.policy.lists import LOOKING
from askback.domain.policy.rules import Rule
from askback.domain.policy.shell.reading import Reading
from askback.domain.policy.table import AskMode, Compat, Level, Verdict, unanswerable, verdict

MODES: tuple[Mode, ...] = ("plan", "normal", "accept_edits", "full")


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for a call: the rules that apply to its thread and project, and the settings.

    `read_only` are tools that look without changing anything; `faults` are sentences about rules that could not be
    read: a deny rule among them makes everything ask.
    """

    rules: tuple[Rule, ...] = ()
    level: Level = "allowlist"
    ask: AskMode = "on-miss"
    mode: Mode = "normal"
    compat: Compat | None = None
    read_only: tuple[Rule, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may happen to a call, and why.

    `reasons` are sentences; `rule` is the canonical text of the rule that decided, when one did; `risks` say what is
    dangerous about the call; `digest` binds the decision to the call. `locked` asks offer no "always".
    """

    decision: Verdict
    reasons: tuple[str, ...]
    rule: str | None = None
    risks: tuple[str, ...] = ()
    digest: str | None = None
    locked: bool = False


def decide(call: Call, policy: Policy) -> Judgement:
    """Decide about a call. Never raises."""
    try:
        digest = call.digest
    except NotCanonical as odd:
        return Judgement("deny", (str(odd),))
    try:
        return replace(_decided(call, policy), digest=digest)
    except Exception as failure:  # noqa: BLE001 - whatever fails in a check must not let the call through
        why = f"The check failed ({type(failure).__name__}), and what cannot be checked is not allowed."
        return Judgement(_instead(policy), (why,), digest=digest)


def _decided(call: Call, policy: Policy) -> Judgement:
    limit = hard_limits.broken(call)
    dangers = risks(call)
    if limit:
        return Judgement("deny", (f"A hard limit refuses this: {limit}",), risks=dangers)
    denied = _hit(call, policy.rules, "deny")
    if denied:
        return Judgement("deny", (f"The rule `{denied.text}` denies this.",), denied.text, dangers)
    asked = _hit(call, policy.rules, "ask")
    if asked or policy.faults:
        reasons = (f"The rule `{asked.text}` asks each time.",) if asked else policy.faults
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


def _by_table(call: Call, policy: Policy, dangers: tuple[str, ...]) -> Judgement:
    texts, misses = _listed(call, policy, dangers)
    listed = texts is not None
    rule = ", ".join(dict.fromkeys(texts)) if texts else None
    if policy.mode == "plan" and not (listed and _looks(call, texts or (), policy)):
        return Judgement(
            "deny", ("In plan mode nothing runs that could change something.", *misses), risks=dangers
        )
    if unchecked := _unchecked(call):
        why = f"Not all of it can be checked: {unchecked}."
        return Judgement(_instead(policy), (why, *dangers), risks=dangers)
    level: Level = "full" if policy.mode == "full" and policy.level != "deny" else policy.level
    edit = policy.mode == "accept_edits" and not dangers and _own_file(call)
    kind = verdict(level, policy.ask, listed=listed or edit, dangerous=bool(dangers), compat=policy.compat)
    if kind != "allow":
        return Judgement(kind, _why_not(kind, level, policy, misses, dangers), risks=dangers)
    return Judgement("allow", (_why(level, rule, edit=edit),), rule, dangers)


def _why(level: Level, rule: str | None, *, edit: bool) -> str:
    if rule:
        return f"Allowed by {rule}."
    if edit:
        return "In this mode files of the project may be edited."
    return f"Allowed by the level `{level}`." if level == "full" else "Nobody is asked, as Nebo has it."


def _why_not(
    kind: Verdict, level: Level, policy: Policy, misses: tuple[str, ...], dangers: tuple[str, ...]
) -> tuple[str, ...]:
    if level == "deny":
        return ("The level is `deny`: nothing runs.",)
    if kind == "deny":
        return ("Nobody is asked in this mode, so this is refused.", *misses, *dangers)
    return (*(("Everything is asked in this mode.",) if policy.ask == "always" else ()), *misses, *dangers)


def _unchecked(call: Call) -> str | None:
    """Say why the checks so far may have missed something; then no level and no mode lets the call through."""
    if call.reading is not None and call.reading.unseen:
        return call.reading.unseen
    return files.unsure(call.places, call.others) if call.edits else None


def _hit(call: Call, rules: tuple[Rule, ...], effect: Literal["deny", "ask"]) -> Rule | None:
    """Find the first rule that denies or asks; locked ones first, so that nobody is offered to loosen one."""
    seen = () if call.reading is None else call.reading.seen
    for rule in sorted((rule for rule in rules if rule.effect == effect), key=lambda rule: not rule.locked):
        every = rule.words == () and call.reading is not None
        if every or rule.covers(call) or any(rule.denies(argv) for argv in seen):
            return rule
    return None


def _listed(
    call: Call, policy: Policy, dangers: tuple[str, ...]
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the rules that together cover the whole call, or None and what is not covered."""
    allowing = [rule for rule in policy.rules if rule.effect == "allow"]
    if call.shell and call.reading is not None:
        return _commands(call.reading, allowing, dangerous=bool(dangers))
    miss = f"No rule allows the tool `{call.name}`{' with this input' if call.input else ''}."
    for rule in (*allowing, *policy.read_only):
        if rule.covers(call):
            wrong = None if rule.literal else _beyond(call, rule, dangerous=bool(dangers))
            if wrong is None:
                return (rule.text,), ()
            miss = wrong
    return None, (miss,)


def _commands(
    reading: Reading, allowing: list[Rule], *, dangerous: bool
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    if reading.unclear:
        return None, (f"The command is not fully understood: {reading.unclear}.",)
    texts: list[str] = []
    misses: list[str] = []
    for argv in reading.commands:
        text, miss = _command(argv, allowing, dangerous=dangerous)
        if text:
            texts.append(text)
        else:
            misses.append(miss)
    return (None, tuple(misses)) if misses else (tuple(texts), ())


def _command(argv: tuple[str, ...], allowing: list[Rule], *, dangerous: bool) -> tuple[str | None, str]:
    """Find the rule that allows one simple command, or say why none does."""
    shown = " ".join(argv)
    shown = shown if len(shown) <= 80 else f"{shown[:60]}…{shown[-19:]}"
    miss = f"No rule allows `{shown}`."
    for rule in allowing:
        objection = rule.objection(argv)
        if objection is None and not (rule.prefix and dangerous):
            return rule.text, ""
        if objection is None:
            miss = f"The rule `{rule.text}` does not reach `{shown}`: it is dangerous."
        elif objection:
            miss = f"The rule `{rule.text}` does not reach `{shown}`: {objection}."
    return None, miss


def _beyond(call: Call, rule: Rule, *, dangerous: bool) -> str | None:
    """Say what in a call a rule that leaves something open does not reach."""
    if dangerous:
        return f"The rule `{rule.text}` does not reach this: it is dangerous."
    texts = call.texts() if not rule.arguments else ()
    found = next((text for text in texts if paths.secret_path(text) or text.startswith("~")), None)
    return f"`{found}` may hold secrets, and no rule names it." if found else None


def _looks(call: Call, texts: tuple[str, ...], policy: Policy) -> bool:
    """Tell whether a listed call only looks: a read-only tool, or commands that the lists of harmless ones cover."""
    if not call.shell or call.reading is None:
        return any(rule.text in texts for rule in policy.read_only)
    return _commands(call.reading, list(LOOKING), dangerous=False)[0] is not None


def _own_file(call: Call) -> bool:
    """Tell whether a call writes one file of the project, and is given nothing that could name another one."""
    return call.edits and call.only_path is not None and not paths.outside(call.only_path)
