"""Idempotency keys: how a caller's key and body become a `Claim`."""

from __future__ import annotations

import hashlib

from pydantic import BaseModel

from askback.domain.faults import Faults, fault
from askback.ports.store import Claim, Principal

MAX_KEY = 255


def claim(principal: Principal, scope: str, key: str | None, body: BaseModel | str) -> Claim | None:
    """Bind `key` to a digest of the body as it was understood, so that spacing does not matter.

    `body` is the checked model, or its JSON text where that was written already.
    """
    if key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY or not key.isprintable():
        raise Faults([fault("Idempotency-Key", "invalid_key", max=MAX_KEY)])
    text = body if isinstance(body, str) else body.model_dump_json()
    return Claim(principal.tenant, principal.id, scope, key, hashlib.sha256(text.encode()).hexdigest())
