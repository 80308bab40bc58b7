"""How long the calls of MCP tools wait."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call waits at most, and how often it reports progress, in seconds."""

    wait_s: float
    progress_s: float
