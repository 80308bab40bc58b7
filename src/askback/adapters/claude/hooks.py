"""Hooks of the Claude Agent SDK as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claude_agent_sdk import HookMatcher

Json = dict[str, Any]
Hooks = Mapping[Any, list[HookMatcher]]


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
