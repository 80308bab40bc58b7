"""How much a preview may take: it is stored and sent, and an agent chooses what it is of. In bytes, as JSON."""

from __future__ import annotations

LINE = 25
"""What a line of a diff takes beside its text."""

_FREE = 64_000
_GROWTH = 3


def room(size: int) -> int:
    """Return what may be shown of texts of a size: a few times as much, and for small ones as much as is needed."""
    return _FREE + _GROWTH * size
