"""Check a call from a line of JSON, with the rules in the line, and write the decision as a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.canonicaljson import NotCanonical
from askback.domain.faults import Faults
from askback.domain.policy.calls import Call
from askback.domain.policy.decision_table import ASK_MODES, LEVELS
from askback.domain.policy.engine import MODES, Policy, PolicyResult, decide
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Effect, Rule, RuleError, parse_rule

_EFFECTS: tuple[Effect, ...] = ("deny", "ask", "allow")
_WITHOUT_RULES = Policy()


def check_line(
    line: bytes | str,
    fallback: Callable[[], Policy],
    without_rules: Policy = _WITHOUT_RULES,
    cwd: str | None = None,
) -> str:
    """Return the decision about one line, as one line of JSON; an unreadable line needs approval.

    `fallback` returns the policy of a line without rules, `without_rules` is the base policy of a line with rules.
    `cwd` is the folder in which the call of a line without a `folder` runs.
    """
    try:
        body = jsontext.parse(line)
    except Faults as error:
        return _ask_result("The line cannot be read as JSON.", *(fault.code for fault in error.faults))
    if not isinstance(body, dict):
        return _ask_result("The line is not a JSON object.")
    fields = cast("dict[str, Any]", body)
    call = _call(fields, cwd)
    if isinstance(call, str):
        return _ask_result(call)
    unreadable_rules: list[Reason] = []
    policy = _policy(fields, fallback, without_rules, unreadable_rules)
    if isinstance(policy, str):
        return _ask_result(policy)
    decision = decide(call, policy)
    if decision.decision != "allow":
        decision = replace(decision, reasons=(*decision.reasons, *unreadable_rules))
    with suppress(NotCanonical):
        return _answer(decision, digest=call.digest)
    return _answer(decision)


def _ask_result(*texts: str) -> str:
    return _answer(PolicyResult("ask", tuple(map(_text, texts))))


def _text(text: str) -> Reason:
    return Reason("text", text=text)


def _call(fields: Mapping[str, Any], cwd: str | None) -> Call | str:
    """Take the call from a line, or return the fault."""
    folder = cast("object", fields.get("folder", cwd))
    if folder is not None and not isinstance(folder, str):
        return "`folder` must be the path of the folder in which the call runs."
    tool, call_input = fields.get("tool", "bash"), cast("object", fields.get("input"))
    if not isinstance(tool, str) or not tool:
        return "`tool` must be the name of a tool."
    parts = {name: fields[name] for name in ("command", "argv") if fields.get(name) is not None}
    if "input" in fields and not parts:
        return Call(tool, call_input, folder)
    if call_input is not None:
        return "Give either `input`, or `command` or `argv`."
    if len(parts) != 1:
        return "Give one of `command`, `argv` and `input`."
    shell = fields.get("shell")
    is_shell_line = shell is not None and "argv" not in parts
    return Call(tool, {**parts, "shell": shell} if is_shell_line else parts, folder)


def _policy(
    fields: Mapping[str, Any],
    fallback: Callable[[], Policy],
    without_rules: Policy,
    unreadable_rules: list[Reason],
) -> Policy | str:
    """Take the policy from a line, or return the fault; `unreadable_rules` collects the faults of allow rules."""
    base = fallback() if all(fields.get(effect) is None for effect in _EFFECTS) else without_rules
    mode, level, ask = (
        fields.get("mode", base.mode),
        fields.get("level", base.level),
        fields.get("ask_mode", base.ask),
    )
    if mode not in MODES or level not in LEVELS or ask not in ASK_MODES:
        choices = {"mode": MODES, "level": LEVELS, "ask_mode": ASK_MODES}
        return "; ".join(f"`{name}` is one of {', '.join(values)}" for name, values in choices.items())
    policy_with_roots = _with_roots(fields, base)
    if isinstance(policy_with_roots, str):
        return policy_with_roots
    rules: list[Rule] = []
    faults: list[Reason] = []
    for effect in _EFFECTS:
        texts = fields.get(effect)
        if texts is not None and not isinstance(texts, list):
            return f"`{effect}` must be a list of rules."
        for text in cast("list[object]", texts or []):
            _add(text, effect, rules, unreadable_rules if effect == "allow" else faults)
    return replace(
        policy_with_roots,
        rules=(*base.rules, *rules),
        faults=(*base.faults, *faults),
        mode=mode,
        level=level,
        ask=ask,
    )


def _with_roots(fields: Mapping[str, Any], base: Policy) -> Policy | str:
    """Return a policy with the roots of a line, or their fault."""
    roots = cast("object", fields.get("roots", list(base.roots)))
    if not isinstance(roots, list) or not all(
        isinstance(root, str) and root.startswith("/") for root in cast("list[object]", roots)
    ):
        return "`roots` must be a list of absolute paths."
    return replace(base, roots=tuple(cast("list[str]", roots)))


def _add(text: object, effect: Effect, rules: list[Rule], faults: list[Reason]) -> None:
    """Add a rule, or its fault. An unreadable rule never allows anything."""
    try:
        if not isinstance(text, str):
            raise RuleError(_text("A rule is a string."))
        rules.append(parse_rule(text, effect))
    except RuleError as error:
        faults.append(error.why)


def _answer(decision: PolicyResult, *, digest: str | None = None) -> str:
    body: dict[str, Any] = {
        "decision": decision.decision,
        "reasons": decision.reasons,
        "rule": decision.rule,
        "risks": decision.risks,
        "digest": digest,
    }
    return json.dumps({name: value for name, value in body.items() if value})
