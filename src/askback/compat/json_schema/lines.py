"""A list of texts or numbers as a text area with one entry per line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from askback.compat.json_schema.patterns import FORMATS

_MAX_REPEAT = 999  # RE2 repeats at most a thousand times
_NUMBER = r"[ \t]*-?\d{1,15}%s[ \t]*"
_LINES = {
    "integer": _NUMBER % "",
    "number": _NUMBER % r"(?:\.\d{1,15})?",
    **{name: rf"[ \t]*{pattern}[ \t]*" for name, pattern in FORMATS.items()},
}
_UNCHECKED_KEYWORDS = (
    "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
)  # fmt: skip


def line_pattern(schema: Mapping[str, Any], items: Mapping[str, Any]) -> str | None:
    """Return a pattern for the whole text; None if every text is a list that the schema allows."""
    kind = items.get("format") if items["type"] == "string" else items["type"]
    line = _LINES.get(str(kind))
    minimum, maximum = schema.get("minItems", 0), schema.get("maxItems")
    if line is None and minimum <= 1 and maximum is None:
        return None
    line = line or r"[^\n]*[^\s][^\n]*"
    most = "" if maximum is None or maximum > _MAX_REPEAT else max(maximum - 1, 0)
    repetition = f"{{{min(max(minimum - 1, 0), _MAX_REPEAT)},{most}}}"
    return rf"\s*{line}(?:\n\s*{line}){repetition}\s*"


def unchecked_keywords(schema: Mapping[str, Any], items: Mapping[str, Any]) -> list[str]:
    """Return the keywords that nobody checks before the answer is accepted."""
    losses = [f"items.{name}" for name in _UNCHECKED_KEYWORDS if name in items]
    return [*losses, *(["uniqueItems"] if schema.get("uniqueItems") else [])]


def line_reader(items: Mapping[str, Any]) -> Callable[[str], list[Any]]:
    """Return the function that makes the list of the text."""
    number: Callable[[str], Any] = {"integer": int, "number": float}.get(items["type"], str)
    return lambda text: [number(line.strip()) for line in text.splitlines() if line.strip()]


def as_lines(value: Any) -> Any:
    """Return a list as a text; anything else as it is."""
    return "\n".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else value
