"""Write canonical JSON (RFC 8785): equal values have the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

import rfc8785

_LARGEST = 2**53 - 1
_SIMPLE = frozenset({str, bool, type(None)})

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


class NotCanonical(ValueError):
    """The value has no canonical form, because of a number beyond 2^53, NaN, or half a surrogate pair."""


def canonical_json(value: object) -> bytes:
    """Return the canonical JSON of a value. Raises NotCanonical."""
    members: Any = dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else value
    try:
        return _encode(members).encode() if _is_simple(members) else rfc8785.dumps(members)
    except (rfc8785.CanonicalizationError, UnicodeError, RecursionError, TypeError) as error:
        raise NotCanonical(str(error)) from None


def _is_simple(value: object) -> bool:
    """Return whether the compiled encoder of Python writes a value like RFC 8785.

    It escapes the same characters. It writes fractions differently, and sorts keys by code points instead of UTF-16.
    """
    kind = type(value)
    if kind in _SIMPLE:
        return True
    if kind is int:
        return abs(cast("int", value)) <= _LARGEST
    if kind is dict:
        members = cast("dict[str, object]", value)
        return "".join(members).isascii() and _are_simple(members.values())
    return (kind is list or kind is tuple) and _are_simple(cast("list[object]", value))


def _are_simple(values: Iterable[object]) -> bool:
    for value in values:  # noqa: SIM110 - a generator takes twice as long
        if type(value) not in _SIMPLE and not _is_simple(value):
            return False
    return True
