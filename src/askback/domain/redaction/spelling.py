r"""The ways in which programs write one character: as it is, or escaped for a URL, JSON, a shell or HTML.

Each character may have any spelling, because encoders escape only what they must. Nested escapes are found too:
`%2541`, `\\u0041` in JSON within JSON.
"""

from __future__ import annotations

from functools import lru_cache

from askback.domain.redaction.expression import (
    Either,
    Expression,
    OneByte,
    Repeat,
    Sequence,
    match_bytes,
    maybe,
)

_HTML = {'"': "&quot;", "&": "&amp;", "'": "&apos;", "<": "&lt;", ">": "&gt;"}
_QUOTED = {"'": (r"'\''", "'\"'\"'", "''"), '"': ('""',)}
"""In quotes, a shell closes them, quotes the quote, and opens them again; SQL and CSV double it."""
_NAMED_ESCAPES = {"\t": "t", "\n": "n", "\r": "r"}

_ESCAPES = Repeat(match_bytes(b"\\"), 1, 4)
_ESCAPED = Repeat(match_bytes(b"\\"), 0, 7)
_PERCENT = Sequence([match_bytes(b"%"), Repeat(match_bytes(b"25"), 0, 2)])
_BYTE_ESCAPE = Either(_PERCENT, Sequence([_ESCAPES, match_bytes(b"x")]))
_ASCII_ESCAPE = Either(_PERCENT, Sequence([_ESCAPES, Either(match_bytes(b"x"), match_bytes(b"u00"))]))


def spellings(text: str) -> list[Expression]:
    """Return one expression for each character of a text."""
    return [_character(character) for character in text]


@lru_cache(maxsize=512)
def hexadecimal(text: str) -> Expression:
    """Match digits in both cases."""
    return Sequence(OneByte({*digit.lower().encode(), *digit.upper().encode()}) for digit in text)


@lru_cache(maxsize=512)
def _character(character: str) -> Expression:
    point = ord(character)
    if point >= 0x80:
        return _non_ascii_expression(character)
    plain = OneByte({*character.lower().encode(), *character.upper().encode()})
    alternatives: list[Expression] = [
        plain if character.isalnum() else Sequence([_ESCAPED, plain]),
        Sequence([_ASCII_ESCAPE, hexadecimal(f"{point:02x}")]),
        _octal_escape(point),
        *_numeric_entities(point),
    ]
    if character == " ":
        alternatives.append(match_bytes(b"+"))
    if character in _NAMED_ESCAPES:
        alternatives.append(Sequence([_ESCAPES, match_bytes(_NAMED_ESCAPES[character].encode())]))
    if character in _HTML:
        alternatives.append(match_bytes(_HTML[character].encode()))
    alternatives += [match_bytes(spelling.encode()) for spelling in _QUOTED.get(character, ())]
    return Either(*alternatives)


def _non_ascii_expression(character: str) -> Expression:
    """Match the UTF-8 bytes of a character, plain or escaped, and its code point as JSON and Python write it."""
    raw, point = character.encode("utf-8", "surrogatepass"), ord(character)
    units = character.encode("utf-16-be", "surrogatepass").hex()
    pairs = [units[index : index + 4] for index in range(0, len(units), 4)]
    alternatives: list[Expression] = [
        match_bytes(raw),
        Sequence(Sequence([_BYTE_ESCAPE, hexadecimal(f"{byte:02x}")]) for byte in raw),
        Sequence(Sequence([_ESCAPES, match_bytes(b"u"), hexadecimal(surrogates)]) for surrogates in pairs),
        Sequence([_ESCAPES, match_bytes(b"U"), hexadecimal(f"{point:08x}")]),
        Sequence(_octal_escape(byte) for byte in raw),
        *_numeric_entities(point),
    ]
    if point <= 0xFF:
        alternatives.append(Sequence([_ESCAPES, match_bytes(b"x"), hexadecimal(f"{point:02x}")]))
    return Either(*alternatives)


def _octal_escape(byte: int) -> Expression:
    """Match a byte as bash and git write it, and as `printf` reads it."""
    return Sequence([_ESCAPES, maybe(match_bytes(b"0")), match_bytes(f"{byte:03o}".encode())])


def _numeric_entities(point: int) -> list[Expression]:
    """Match a code point as HTML writes it, and as JavaScript does in braces."""
    digits, zeros = hexadecimal(f"{point:x}"), Repeat(match_bytes(b"0"), 0, 6)
    return [
        Sequence([match_bytes(b"&#"), zeros, match_bytes(f"{point};".encode())]),
        Sequence([match_bytes(b"&#"), OneByte(b"xX"), zeros, digits, match_bytes(b";")]),
        Sequence([_ESCAPES, match_bytes(b"u{"), zeros, digits, match_bytes(b"}")]),
    ]


_BREAK = Either(
    OneByte(b" \t\r\n+"),
    Sequence([_character("\\"), OneByte(b"nrt")]),
    Sequence([_ASCII_ESCAPE, match_bytes(b"0"), OneByte(b"9aAdD")]),
)
LINE_BREAK = Repeat(_BREAK, 0, 8)
"""The forms of a line break: other blanks, an escape, or nothing; with the indentation of the next line."""
