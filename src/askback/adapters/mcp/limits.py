"""How long the calls of MCP tools wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

CALL_LIMIT = "MCP_TOOL_TIMEOUT"
"""The variable with the limit of Claude Code for a call, in milliseconds, which the programs that it starts inherit."""
IDLE_LIMIT = "CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT"
"""The variable with its limit for the time without progress, likewise."""
SHORTEST_S = 1.0
"""The smallest limit of Claude Code."""
MARGIN_S = 5.0
"""How long before the limit of the client a call ends, or half of the limit if that is shorter."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call waits at most, and how often it reports progress, in seconds.

    A permission prompt waits for `prompt_s`, or as long as it takes (None): only its client can use the answer.
    """

    wait_s: float
    progress_s: float
    prompt_s: float | None = None

    def within(self, environment: Mapping[str, str]) -> Limits:
        """Return the limits for a client with limits of its own in these variables; without one, or 0, it has none."""
        limits = self
        if limit_s := _seconds(environment.get(CALL_LIMIT)):
            longest_s = max(limit_s - MARGIN_S, limit_s / 2)
            limits = replace(limits, wait_s=min(self.wait_s, longest_s), prompt_s=longest_s)
        if idle_s := _seconds(environment.get(IDLE_LIMIT)):
            limits = replace(limits, progress_s=min(self.progress_s, idle_s / 2))
        return limits


def _seconds(limit: str | None) -> float:
    return max(int(limit) / 1000, SHORTEST_S) if limit and limit.isdecimal() and int(limit) else 0.0
