"""The outcome of a write."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """The outcome of a write: done now, done before by the same claim or external id, or somebody else was first."""

    APPLIED = "applied"
    REPLAYED = "replayed"
    FOUND = "found"
    LOST = "lost"
