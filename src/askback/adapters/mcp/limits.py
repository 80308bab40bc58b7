"""How long the calls of MCP tools wait."""

from __future__ import annotations

from dataclasses import dataclass, replace

CLIENT_LIMIT = "MCP_TOOL_TIMEOUT"
"""The variable with the limit of Claude Code for a call, in milliseconds, which the programs that it starts inherit."""
MARGIN_S = 5.0
"""How long before the limit of the client a call ends, or half of the limit if that is shorter."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call waits at most, and how often it reports progress, in seconds."""

    wait_s: float
    progress_s: float

    def within(self, client_limit: str | None) -> Limits:
        """Return the limits for a client with a limit of its own, the text of `CLIENT_LIMIT`; 0 is none."""
        limit_s = int(client_limit) / 1000 if client_limit and client_limit.isdecimal() else 0
        if not limit_s:
            return self
        return replace(self, wait_s=min(self.wait_s, max(limit_s - MARGIN_S, limit_s / 2)))
