"""Sets of characters as sorted, separate ranges of code points, and how JavaScript writes them (flag `u`).

A set may be larger than the meaning of the pattern (Unicode classes are exact in ASCII only and count
as everything beyond it). That is safe: sets are only checked for overlap.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

Range = tuple[int, int]
Charset = tuple[Range, ...]

LAST = 0x10FFFF
BEYOND_ASCII: Range = (0x80, LAST)


def charset(ranges: Iterable[Range]) -> Charset:
    """Sort and join ranges."""
    merged_ranges: list[Range] = []
    for low, high in sorted(ranges):
        if merged_ranges and low <= merged_ranges[-1][1] + 1:
            merged_ranges[-1] = (merged_ranges[-1][0], max(high, merged_ranges[-1][1]))
        else:
            merged_ranges.append((low, high))
    return tuple(merged_ranges)


def complement(chars: Charset) -> Charset:
    """Return every code point that is not in `chars`."""
    gaps: list[Range] = []
    start = 0
    for low, high in chars:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    return (*gaps, (start, LAST)) if start <= LAST else tuple(gaps)


def overlap(ranges: Charset, other_ranges: Charset) -> bool:
    """Return whether some character is in both."""
    return any(low <= last and first <= high for low, high in ranges for first, last in other_ranges)


def union(*sets: Charset) -> Charset:
    """Return the union of the sets."""
    return charset(char_range for chars in sets for char_range in chars)


def _ranges(text: str) -> Charset:
    return charset((ord(text[i]), ord(text[i + 1])) for i in range(0, len(text), 2))


DIGIT = _ranges("09")
WORD = _ranges("09AZ__az")
SPACE = _ranges("\t\n\f\r  ")
PERL = {
    "d": DIGIT, "D": complement(DIGIT), "w": WORD, "W": complement(WORD), "s": SPACE, "S": complement(SPACE),
}  # fmt: skip
POSIX = {
    "alnum": _ranges("09AZaz"),
    "alpha": _ranges("AZaz"),
    "ascii": _ranges("\x00\x7f"),
    "blank": _ranges("\t\t  "),
    "cntrl": _ranges("\x00\x1f\x7f\x7f"),
    "digit": DIGIT,
    "graph": _ranges("!~"),
    "lower": _ranges("az"),
    "print": _ranges(" ~"),
    "punct": _ranges("!/:@[`{~"),
    "space": _ranges("\t\r  "),
    "upper": _ranges("AZ"),
    "word": WORD,
    "xdigit": _ranges("09AFaf"),
}
NOT_NEWLINE = complement(_ranges("\n\n"))


@lru_cache(maxsize=128)
def unicode_class(name: str, *, negated: bool) -> Charset:
    """Return a set that holds at least the class: exact in ASCII, everything beyond."""
    ascii_part = [(code, code) for code in range(128) if _is_in_class(chr(code), name) != negated]
    return charset([*ascii_part, BEYOND_ASCII])


def _is_in_class(char: str, name: str) -> bool:
    if len(name) <= 2:
        return unicodedata.category(char).startswith(name)
    return name == ("Latin" if char.isalpha() else "Common")


_NAMED_ESCAPES = {9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


class ServerOnlyPattern(Exception):
    """The pattern cannot be shown to mean the same, or to be safe, in a browser."""


def escape_literal(code: int) -> str:
    """Write a character outside a class."""
    return _escape(code, special_chars="^$\\.*+?()[]{}|")


def escape_class_literal(code: int) -> str:
    """Write a character inside a class."""
    return _escape(code, special_chars="\\[]^-")


def class_source(chars: Charset) -> str:
    """Write the inside of a class."""
    return "".join(_range_source(low, high) for low, high in chars)


def _range_source(low: int, high: int) -> str:
    if low == high:
        return escape_class_literal(low)
    return f"{escape_class_literal(low)}{'-' if high > low + 1 else ''}{escape_class_literal(high)}"


def _escape(code: int, *, special_chars: str) -> str:
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        raise ServerOnlyPattern
    if code in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[code]
    if code < 0x20 or 0x7F <= code <= 0x9F:
        return f"\\x{code:02x}"
    if code in (0x2028, 0x2029, 0xFEFF):
        return f"\\u{code:04x}"
    return f"\\{chr(code)}" if chr(code) in special_chars else chr(code)
