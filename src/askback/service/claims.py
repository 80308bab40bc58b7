"""Idempotency keys: how a caller's key and body become a `Claim`."""

from __future__ import annotations

import hashlib
import json

from askback.domain.faults import Faults, fault
from askback.ports.store import Claim, Principal

MAX_KEY = 255


def claim(principal: Principal, scope: str, key: str | None, body: object) -> Claim | None:
    """Bind `key` to a digest of the body as it was meant, so that spacing and key order do not matter."""
    if key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY or not key.isprintable():
        raise Faults([fault("Idempotency-Key", "invalid_key", max=MAX_KEY)])
    digest = hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return Claim(principal.tenant, principal.id, scope, key, digest)
