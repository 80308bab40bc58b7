"""Paths of A2UI's data model: JSON Pointers."""

from __future__ import annotations


def pointer(*steps: str) -> str:
    """Return the JSON Pointer (RFC 6901) of a place."""
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
