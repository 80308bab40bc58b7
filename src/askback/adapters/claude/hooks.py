"""Hooks of the Claude Agent SDK as plain data, and the limit of their texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import HookMatcher

Json = dict[str, Any]
Hooks = Mapping[Any, list[HookMatcher]]

MAX_CONTEXT = 10_000
"""The characters in UTF-16 of one hook's context. Of a longer one, Claude Code 2.1.332 passes on the first 2,000."""

_MISSING = "… ({number} more characters are left out here)"
_MISSING_LENGTH = 60


def merged(*sources: Hooks) -> dict[Any, list[HookMatcher]]:
    """Return the hooks of all sources, by event."""
    hooks = dict[Any, list[HookMatcher]]()
    for source in sources:
        for event, matchers in source.items():
            hooks[event] = [*hooks.get(event, ()), *matchers]
    return hooks


def output(event: str, **specific: str) -> Json:
    """Return the output of a hook."""
    return {"hookSpecificOutput": {"hookEventName": event, **specific}}


def context_length(text: str) -> int:
    """Return the length of a text as Claude Code counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int = MAX_CONTEXT) -> str:
    """Return a text of at most `limit` characters, which says how many are missing."""
    length = context_length(text)
    if length <= limit:
        return text
    kept = text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, limit - _MISSING_LENGTH)]
    return kept.decode("utf-16-le", "ignore") + _MISSING.format(number=length - len(kept) // 2)
