"""Idempotency keys for calls of other systems' clients."""

from __future__ import annotations

import hashlib
import json


def key_of(system: str, *parts: object) -> str:
    """Return the key of a call: the same parts, which are JSON, are the same call."""
    return f"{system}:{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()}"
