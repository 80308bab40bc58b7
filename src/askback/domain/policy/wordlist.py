"""Lists of names, written as one text so that they can be read and compared at a glance."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())
