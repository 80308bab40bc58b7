"""The digest that binds a decision to one call: SHA-256 of the canonical JSON (RFC 8785) of tool and input."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, cast

import rfc8785


class NotCanonical(ValueError):
    """The input has no canonical form, because of a number beyond 2^53, NaN, or half a surrogate pair."""


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


def canonical_json(value: object) -> bytes:
    """Return the canonical JSON (RFC 8785) of a value. Raises NotCanonical."""
    plain: Any = dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else value
    try:
        return rfc8785.dumps(plain)
    except (rfc8785.CanonicalizationError, UnicodeError, RecursionError, TypeError) as odd:
        raise NotCanonical(str(odd)) from None
