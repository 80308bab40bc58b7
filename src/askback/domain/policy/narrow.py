"""The rule that "always" stores: exactly the call that was shown, and nothing when that would be too much."""

from __future__ import annotations

import json
from collections.abc import Iterator

from askback.domain.policy import hard_limits, paths
from askback.domain.policy.calls import Call
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Rule, RuleError, exact_text, parse_rule, shell_text
from askback.domain.policy.shell.hazards import runs_project
from askback.domain.policy.shell.literal import read_literal_argv


def narrow_rule(call: Call) -> Rule | None:
    """Return the narrowest rule that would have allowed this call, or None when none should be kept.

    For a shell command: its text and its folder, when the text says what runs. For a file tool that is given one path
    and contents: the path. For everything else: exactly the same input.
    """
    try:
        if hard_limits.broken(call):
            return None
        return next((rule for text in _texts(call) if (rule := _readable(text, call))), None)
    except Exception:  # noqa: BLE001 - a call that cannot be checked is approved once, if at all
        return None


def unkeepable(call: Call) -> Reason:
    """Say why `narrow_rule` finds no rule for a call that no hard limit refuses."""
    if call.shell and call.reading is not None:
        why = call.reading.unseen or call.shell_input.literal.why_not
        return why or Reason("no_exact_rule")
    secret = next(filter(paths.secret_path, call.places), None) if call.edits else None
    return Reason("no_exact_rule") if secret is None else Reason("secret_place", path=secret)


def runs_project_code(call: Call) -> bool:
    """Tell whether a call runs code of the project, as `npm test` and `make` do."""
    return call.shell and call.reading is not None and any(map(runs_project, call.reading.commands))


def scripts(call: Call) -> tuple[str, ...]:
    """Return the files that a shell command hands to an interpreter: what is in them later, no rule can tell."""
    return tuple(dict.fromkeys(call.shell_input.literal.scripts)) if call.shell else ()


def rule_scripts(rule: Rule) -> tuple[str, ...]:
    """Return the files that a rule for a shell command hands to an interpreter; see `scripts`."""
    if rule.input is not None:
        return scripts(Call(rule.tool, json.loads(rule.input)))
    return tuple(dict.fromkeys(read_literal_argv(rule.words).scripts)) if rule.words else ()


def says_nothing(rule: Rule) -> Reason | None:
    """Say why a rule that allows exactly some words does not tell what would run; None when it does."""
    if rule.effect != "allow" or not rule.words or rule.prefix or not rule.tool:
        return None
    why = read_literal_argv(rule.words).why_not
    return why and Reason("rule_unsaid", why=why)


def would_match(rule: Rule, calls: list[Call]) -> list[Call]:
    """Return those of some calls that a rule is about."""
    return [call for call in calls if _matches(rule, call)]


def _matches(rule: Rule, call: Call) -> bool:
    if not call.shell or call.reading is None or rule.input is not None:
        return rule.covers(call)
    if rule.effect != "allow":
        return rule.within(call) and any(map(rule.denies, call.reading.seen))
    inside = rule.within(call) and not call.reading.unclear
    return inside and all(rule.about(argv) and rule.objection(argv) is None for argv in call.reading.commands)


def _texts(call: Call) -> Iterator[str]:
    """Go through the texts that a rule for just this call may have, the best first."""
    if call.shell:
        yield from _for_command(call)
        return
    if call.edits:
        if any(paths.secret_path(place) for place in call.places):
            return
        if call.only_path is not None:
            yield f"{call.name}({call.path_name}={call.path})"
    yield exact_text(call.name, call.canonical_input)


def _for_command(call: Call) -> Iterator[str]:
    if call.reading is None or call.reading.unseen or call.shell_input.literal.why_not:
        return
    folder = "" if call.folder is None else f" in {call.folder}"
    yield f"{shell_text(call)}{folder}"
    yield f"{exact_text(*call.exact)}{folder}"


def _readable(text: str, call: Call) -> Rule | None:
    """Keep a rule only when its text reads back as a rule for just this call, with nothing left open."""
    try:
        rule = parse_rule(text)
    except RuleError:
        return None
    return rule if rule.text == text and rule.literal and _matches(rule, call) else None
