"""The digest that binds a decision to one call: SHA-256 of the canonical JSON (RFC 8785) of tool and input."""

from __future__ import annotations

import hashlib

from askback.domain.canonicaljson import canonical_json


def call_digest(tool: str, call_input: object) -> str:
    """Return the SHA-256, in hexadecimal, of a tool's name and input. Raises NotCanonical."""
    return digest_of(canonical_bytes(tool, call_input))


def digest_of(canonical_bytes: bytes) -> str:
    """Return the SHA-256, in hexadecimal, of the result of `canonical_bytes`."""
    return hashlib.sha256(canonical_bytes).hexdigest()


def canonical_bytes(tool: str, call_input: object) -> bytes:
    """Return the canonical JSON of a call, for its digest and its preview. Raises NotCanonical."""
    return canonical_call(tool, canonical_json(call_input))


def canonical_call(tool: str, canonical_input: bytes) -> bytes:
    """Return the same as `canonical_bytes`, from an input that is canonical already. Raises NotCanonical."""
    # Keys are sorted in a canonical text, and `input` comes before `tool`.
    return b'{"input":' + canonical_input + b',"tool":' + canonical_json(tool) + b"}"
