"""The digest that binds a decision to one call: SHA-256 of the canonical JSON (RFC 8785) of tool and input."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import rfc8785


class NotCanonical(ValueError):
    """The input has no canonical form (a number beyond 2^53, NaN, half a surrogate pair), so nothing is bound."""


def call_digest(tool: str, call_input: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hexadecimal, of a tool's name and its input. Raises NotCanonical."""
    return digest_of(canonical(tool, call_input))


def digest_of(canonical_bytes: bytes) -> str:
    """Return the SHA-256, in hexadecimal, of what `canonical` returned."""
    return hashlib.sha256(canonical_bytes).hexdigest()


def canonical(tool: str, call_input: Mapping[str, Any]) -> bytes:
    """Return the bytes that are digested; what is shown to a person is made from the same. Raises NotCanonical."""
    return canonical_call(tool, canonical_json(call_input))


def canonical_call(tool: str, canonical_input: bytes) -> bytes:
    """Return what `canonical` does for an input that is canonical already. Raises NotCanonical."""
    # Keys are sorted in a canonical text, and `input` comes before `tool`.
    return b'{"input":' + canonical_input + b',"tool":' + canonical_json(tool) + b"}"


def canonical_json(value: Mapping[str, Any] | str) -> bytes:
    """Return the one JSON text (RFC 8785) of an object or a text. Raises NotCanonical."""
    try:
        return rfc8785.dumps(value if isinstance(value, str) else dict(value))
    except (rfc8785.CanonicalizationError, UnicodeError, RecursionError, TypeError) as odd:
        raise NotCanonical(str(odd)) from None
