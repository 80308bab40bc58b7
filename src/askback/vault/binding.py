"""What a sealed text is bound to, as the associated data of its two layers."""

from __future__ import annotations

import json

from askback.ports.vault import Binding
from askback.vault.sealed import FORMAT

# For an object of texts and one whole number this is canonical JSON (RFC 8785), at a sixth of the time that the
# package for any JSON takes; a test holds the two together.
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def key_context(binding: Binding, key_id: str) -> bytes:
    """Return the associated data of a wrapped data key."""
    return _context("secret data key", binding, {"key_id": key_id})


def value_context(binding: Binding) -> bytes:
    """Return the associated data of a value: without the key id, which a rotation changes."""
    return _context("secret value", binding, {})


def _context(purpose: str, binding: Binding, more: dict[str, str]) -> bytes:
    """Name every field, so that no two of them can be read as one, and neither layer for the other."""
    fields = {
        "format": FORMAT,
        "purpose": purpose,
        "tenant": binding.tenant,
        "owner": binding.owner,
        "scope": binding.scope,
        "subject": binding.subject,
        "name": binding.name,
        "version": binding.version,
    }
    return _CANONICAL.encode({**fields, **more}).encode()
