"""Values that programs print byte by byte: as numbers, as words of several bytes, or as single characters.

A dump begins each line with an offset, and may end it with the characters of the line.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator

from askback.domain.redaction.expression import (
    MAX_BLANKS,
    Either,
    Expression,
    Gap,
    OneByte,
    Repeat,
    Sequence,
    match_bytes,
    maybe,
)
from askback.domain.redaction.spelling import hexadecimal

_HEXADECIMAL = string.hexdigits.encode()
_ANY = OneByte(_HEXADECIMAL)
_LINE = Either(match_bytes(b"\n"), match_bytes(b"\r\n"))
_OFFSET = Sequence([_LINE, Repeat(OneByte(_HEXADECIMAL), 4, 16), maybe(match_bytes(b":"))])
_CHARACTERS = Sequence([match_bytes(b"  "), Repeat(OneByte(range(0x20, 0x7F)), 0, 36)])
_NUMBERS = Repeat(OneByte(_HEXADECIMAL + b" "), 8, 110)
_NUL = Either(
    match_bytes(b"\0"),
    match_bytes(b"^@"),
    Sequence([Repeat(match_bytes(b"\\"), 1, 4), Either(*map(match_bytes, (b"0", b"x00", b"u0000")))]),
)

_NEXT_LINE = maybe(Sequence([maybe(_CHARACTERS), _OFFSET]))
_LINE_SOURCE = rb"\r?(?:\n|\z)(?:[0-9A-Fa-f]|\z){4}"
_END_OF_NUMBERS = rb"(?:  [ -~]*)?" + _LINE_SOURCE
NEXT_NUMBER = Gap(
    Sequence([_NEXT_LINE, Repeat(OneByte(b" ,:-\t\r\n"), 0, 8), maybe(match_bytes(b"0x"))]),
    source=rb"(?:[ ,:\-\t\r\n]|0(?:x|\z))*",
    end_of_line=_END_OF_NUMBERS,
)
"""What `xxd`, `od`, `hexdump`, fingerprints and lists write between two bytes."""

_SEPARATOR_GAP = Gap(
    Sequence([_NEXT_LINE, Repeat(OneByte(b" ,\t\r\n"), 1, 8)]),
    source=rb"(?:[ ,\t\r\n]+|\z)",
    end_of_line=_END_OF_NUMBERS,
    required=True,
)

NEXT_CHARACTER = Gap(
    Sequence(
        [
            maybe(
                Sequence(
                    [
                        maybe(OneByte(b"|<")),
                        _OFFSET,
                        maybe(Sequence([_NUMBERS, maybe(OneByte(b"|>"))])),
                    ]
                )
            ),
            Repeat(Either(OneByte(b" \t\r\n',\""), _NUL), 0, MAX_BLANKS),
        ]
    ),
    source=rb"(?:[ \t\r\n',\"\x00]|\^(?:@|\z)|\\{1,4}(?:0|x00|u0000|x?0?\z|u0{0,3}\z))*",
    end_of_line=rb"[|<]?" + _LINE_SOURCE,
    blanks=b" \t',\"",
)
"""What stands between two characters: the break of a line, the end of a line of a dump, or the rest of UTF-16.

Its source is not bounded as the expression is: with bounds, the states of RE2 for thirty values do not fit its memory.
"""


def interleave(items: Iterable[Expression], separator: Expression) -> list[Expression]:
    """Return the items with an expression between each two of them."""
    return [part for item in items for part in (separator, item)][1:]


def numbers(raw: bytes) -> Iterator[Sequence]:
    """Return the bytes as numbers of base 16, 10, 8 and 2, and as words of two bytes."""
    yield Sequence(interleave(map(_hexadecimal, raw), NEXT_NUMBER))
    for base in ("d", "03o", "08b"):
        yield Sequence(interleave([match_bytes(f"{byte:{base}}".encode()) for byte in raw], _SEPARATOR_GAP))
    for start in (0, 1):
        yield Sequence(interleave(_words(raw, start), NEXT_NUMBER))
    for start in (0, 1):
        pairs = zip(raw[start::2], raw[start + 1 :: 2], strict=False)
        words = [match_bytes(f"{high << 8 | low:06o}".encode()) for low, high in pairs]
        yield Sequence(interleave(words, _SEPARATOR_GAP))


def _words(raw: bytes, start: int) -> Iterator[Expression]:
    """Yield the words of two bytes that begin at `start`, their last byte first, as most machines store them."""
    if start:
        yield Sequence([_hexadecimal(raw[0]), _ANY, _ANY])
    for index in range(start, len(raw) - 1, 2):
        yield Sequence([_hexadecimal(raw[index + 1]), _hexadecimal(raw[index])])
    if (len(raw) - start) % 2:
        yield Sequence([_ANY, _ANY, _hexadecimal(raw[-1])])


def _hexadecimal(byte: int) -> Expression:
    return hexadecimal(f"{byte:02x}")
