"""Patterns: JSON Schema searches for one anywhere in the text, a form matches the whole text."""

from __future__ import annotations

from askback.domain.patterns import browser_pattern, compile_pattern

TIME = r"^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$"
"""A time of day without a zone, which the format `time` of JSON Schema does not allow."""

FLOATING = r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$"
"""A date and time without a zone, which the format `date-time` does not allow."""

FORMATS = {
    "email": r"[^\s@]+@[^\s@]+\.[^\s@.]+",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:\S+",
    "uuid": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}
"""Formats that a text field checks by a pattern of the whole text."""


def read_pattern(pattern: str) -> str:
    """Return the pattern of a field; raises ValueError if RE2 cannot compile it."""
    begins = pattern.startswith("^")
    pattern_before = pattern[:-1]
    has_end_anchor = (
        pattern.endswith("$") and (len(pattern_before) - len(pattern_before.rstrip("\\"))) % 2 == 0
    )
    inner = pattern[4:-2] if pattern.startswith("^(?:") and pattern.endswith(")$") else None
    if inner is not None and _is_whole(inner):
        whole_pattern = inner
    elif begins and has_end_anchor and "|" not in pattern:
        whole_pattern = pattern
    else:
        whole_pattern = f"(?s:.*)(?:{pattern})(?s:.*)"
        if "|" not in pattern:
            whole_pattern = whole_pattern.removeprefix("(?s:.*)") if begins else whole_pattern
            whole_pattern = whole_pattern.removesuffix("(?s:.*)") if has_end_anchor else whole_pattern
    compile_pattern(whole_pattern)
    return whole_pattern


def write_pattern(pattern: str) -> str | None:
    """Return the pattern for a schema; None if it may mean something else, or take long, in another engine."""
    return browser_pattern(pattern)


def _is_whole(inner: str) -> bool:
    """Return whether parentheses that enclose `inner` belong together."""
    try:
        compile_pattern(inner)
    except ValueError:
        return False
    return True
