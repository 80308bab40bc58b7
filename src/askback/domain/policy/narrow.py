"""The rule that "always" stores: exactly the call that was shown, and nothing when that would be too much."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from askback.domain.policy import hard_limits, paths
from askback.domain.policy.calls import Call
from askback.domain.policy.rules import Rule, RuleError, exact_text, parse_rule
from askback.domain.policy.shell.programs import WRAPPERS, basename, interpreter


def narrow_rule(call: Call) -> Rule | None:
    """Return the narrowest rule that would have allowed this call, or None when none should be kept.

    For a shell command: its exact words. None for what is compound, redirected or expanded, for wrappers
    and interpreters (their script can change), and for shells that are not understood. For a file tool that is given
    one path and contents: the path. For everything else: exactly the same input.
    """
    try:
        if hard_limits.broken(call):
            return None
        return next((rule for text in _texts(call) if (rule := _readable(text, call))), None)
    except Exception:  # noqa: BLE001 - a call that cannot be checked is approved once, if at all
        return None


def would_match(rule: Rule, calls: list[Call]) -> list[Call]:
    """Return those of some earlier calls that a rule would have allowed, for the preview of an edited rule."""
    return [call for call in calls if _matches(rule, call)]


def _matches(rule: Rule, call: Call) -> bool:
    if not call.shell or call.reading is None:
        return rule.covers(call)
    return not call.reading.unclear and all(rule.objection(argv) is None for argv in call.reading.commands)


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
    reading = call.reading
    if reading is None or reading.unclear or len(reading.commands) != 1 or reading.targets:
        return
    argv = reading.commands[0]
    if basename(argv[0]) not in WRAPPERS and not interpreter(argv[0]):
        yield f"bash({' '.join(shlex.quote(word) for word in argv)})"


def _readable(text: str, call: Call) -> Rule | None:
    """Keep a rule only when its text reads back as a rule for just this call, with nothing left open."""
    try:
        rule = parse_rule(text)
    except RuleError:
        return None
    return rule if rule.text == text and rule.literal and _matches(rule, call) else None
