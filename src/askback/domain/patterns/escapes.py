"""Writing single characters and ranges in JavaScript's syntax, for the flag `u`."""

from __future__ import annotations

from askback.domain.patterns.charset import Charset

_NAMED = {9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


class ServerOnly(Exception):
    """The pattern cannot be shown to mean the same, or to be safe, in a browser."""


def literal(code: int) -> str:
    """Write a character that stands outside a class."""
    return _escaped(code, special="^$\\.*+?()[]{}|")


def class_literal(code: int) -> str:
    """Write a character that stands in a class."""
    return _escaped(code, special="\\[]^-")


def ranges_source(chars: Charset) -> str:
    """Write the inside of a class."""
    return "".join(_range_source(low, high) for low, high in chars)


def _range_source(low: int, high: int) -> str:
    if low == high:
        return class_literal(low)
    return f"{class_literal(low)}{'-' if high > low + 1 else ''}{class_literal(high)}"


def _escaped(code: int, *, special: str) -> str:
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        raise ServerOnly
    if code in _NAMED:
        return _NAMED[code]
    if code < 0x20 or 0x7F <= code <= 0x9F:
        return f"\\x{code:02x}"
    if code in (0x2028, 0x2029, 0xFEFF):
        return f"\\u{code:04x}"
    return f"\\{chr(code)}" if chr(code) in special else chr(code)
