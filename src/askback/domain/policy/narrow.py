"""The rule that "always" stores: exactly the call that was shown, and nothing when that would be too much."""

from __future__ import annotations

import shlex

from askback.domain.policy import hard_limits, paths
from askback.domain.policy.calls import Call
from askback.domain.policy.rules import Rule, RuleError, Scope, parse_rule
from askback.domain.policy.shell.programs import WRAPPERS, basename, interpreter


def narrow_rule(call: Call, *, scope: Scope = "always") -> Rule | None:
    """Return the narrowest rule that would have allowed this call, or None when none should be kept.

    For a shell command: its exact words. None for what is compound, redirected or expanded, for wrappers
    and interpreters (their script can change), and for shells that are not understood. For a file tool: the path.
    For another tool: each of its texts, so that only the same call is covered again.
    """
    try:
        if hard_limits.broken(call, call.read() if call.shell else None):
            return None
        return _for_command(call, scope) if call.shell else _for_tool(call, scope)
    except Exception:  # noqa: BLE001 - a call that cannot be checked is approved once, if at all
        return None


def would_match(rule: Rule, calls: list[Call]) -> list[Call]:
    """Return those of some earlier calls that a rule would have allowed, for the preview of an edited rule."""
    return [call for call in calls if _matches(rule, call)]


def _matches(rule: Rule, call: Call) -> bool:
    if not call.shell:
        return rule.covers(call)
    reading = call.read()
    return not reading.unclear and all(rule.objection(argv) is None for argv in reading.commands)


def _for_command(call: Call, scope: Scope) -> Rule | None:
    reading = call.read()
    if reading.unclear or len(reading.commands) != 1 or reading.targets:
        return None
    argv = reading.commands[0]
    if basename(argv[0]) in WRAPPERS or interpreter(argv[0]):
        return None
    return _readable(f"bash({' '.join(shlex.quote(word) for word in argv)})", call, scope)


def _for_tool(call: Call, scope: Scope) -> Rule | None:
    if call.edits:
        if call.path is None or paths.secret_path(call.path):
            return None
        return _readable(f"{call.name}({call.path_name}={call.path})", call, scope)
    if not call.input:
        return _readable(f"tool:{call.name}", call, scope)
    if not all(isinstance(value, str) and value for value in call.input.values()):
        return None
    arguments = ", ".join(f"{name}={value}" for name, value in call.input.items())
    return _readable(f"{call.name}({arguments})", call, scope)


def _readable(text: str, call: Call, scope: Scope) -> Rule | None:
    """Keep a rule only when its text reads back as a rule for just this call, without wildcards."""
    try:
        rule = parse_rule(text, "allow", scope=scope)
    except RuleError:
        return None
    if any("*" in glob or "?" in glob for _, glob in rule.arguments) or not _matches(rule, call):
        return None
    if set("*?") & set(rule.tool):
        return None
    named = {name for name, _ in rule.arguments}
    return None if not call.edits and not call.shell and named != set(call.input) else rule
