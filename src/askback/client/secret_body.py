"""Encode request bodies that hold secret values, so that no error shows or keeps a value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from askback.domain.secrets.secret import Secret


def encode_body(content: Mapping[str, Any]) -> Secret | None:
    """Encode a body as JSON, with each `Secret` in it as its text; None for values that JSON cannot hold."""
    # No exception leaves this function: its variables hold the values.
    try:
        return Secret(json.dumps(content, default=_reveal))
    except (TypeError, ValueError, RecursionError):
        return None


def as_secret(value: object) -> Secret | None:
    """Return a value as a `Secret`; None, which the server refuses, for anything but text or for half a character."""
    # No exception leaves this function: its variables hold the value.
    try:
        return value if isinstance(value, Secret) else Secret(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _reveal(value: object) -> str:
    if not isinstance(value, Secret):
        raise TypeError
    return value.reveal()
