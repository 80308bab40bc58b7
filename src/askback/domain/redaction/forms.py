"""All forms in which a value can occur in a text: spelled, in base64, in hexadecimal digits, backwards.

A long value is searched for in pieces, so that a value that a program cut, wrapped or printed line by line is found
as well, and a stream holds back no more than one piece. Adjacent pieces count as one match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import AnyStr

from askback.domain.redaction.dumps import NEXT_CHARACTER, interleave, numbers
from askback.domain.redaction.expression import (
    Either,
    Expression,
    OneByte,
    Sequence,
    match_bytes,
    maybe,
)
from askback.domain.redaction.spelling import LINE_BREAK, spellings

_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_WRAPPED_LINE = maybe(Either(match_bytes(b"\n"), match_bytes(b"\r\n"), match_bytes(b"\\n")))
"""MIME and `base64` wrap lines anywhere; JSON escapes the line break."""


def base64(raw: bytes) -> list[Sequence]:
    """Return the digits of both alphabets for each of the three alignments of the bytes.

    A digit that the bytes share with their neighbours matches by its known bits.
    """
    return [_base64_at(raw, offset_bits=offset_bits) for offset_bits in (0, 2, 4)]


def _base64_at(raw: bytes, *, offset_bits: int) -> Sequence:
    bits = "?" * offset_bits + "".join(f"{byte:08b}" for byte in raw)
    bits += "?" * (-len(bits) % 6)
    return Sequence(
        interleave((_digit(bits[index : index + 6]) for index in range(0, len(bits), 6)), _WRAPPED_LINE)
    )


@lru_cache(maxsize=512)
def _digit(bits: str) -> Expression:
    """Match a base64 digit, some bits of which may be unknown (`?`)."""
    values = [value for value in range(64) if _matches_bits(f"{value:06b}", bits)]
    digits = {_DIGITS[value] for value in values if value < 62}
    alternatives: list[Expression] = []
    if 62 in values:
        digits.update(b"+-")
        alternatives.append(Sequence([match_bytes(b"%2"), OneByte(b"bB")]))
    if 63 in values:
        digits.update(b"/_")
        alternatives += [Sequence([match_bytes(b"%2"), OneByte(b"fF")]), match_bytes(b"\\/")]
    return Either(OneByte(digits), *alternatives)


def _matches_bits(value: str, bits: str) -> bool:
    return all(known_bit in ("?", value_bit) for value_bit, known_bit in zip(value, bits, strict=True))


MIN_LENGTH = 6
"""The minimum length of a value that is searched for; shorter ones occur in too many harmless texts."""

LINE_PIECE = 64
"""The maximum length of a piece that is searched for in its spellings, in characters: a line of a PEM is one."""

BYTES_PIECE = 256
"""The maximum length of a piece that is searched for in its encodings, in bytes; each has twelve forms."""

LONG_LINE = 8
"""The minimum length of a line of a value that is searched for without its neighbours."""

_BREAK = re.compile(r"\r\n?|\n|(?:\\r)?\\n")
"""A line break, also as JSON writes it: a PEM in a variable or in a key file has escaped line breaks."""
_ARMOUR = re.compile(r"-----[A-Z0-9 ]+-----")


def value_forms(value: str) -> Iterator[Sequence]:
    """Return every form of a value; none if it is too short."""
    value = value.strip()
    blocks = [lines for block in _ARMOUR.split(value) if _length(lines := _lines(block)) >= MIN_LENGTH]
    if not blocks:
        return
    for lines in blocks:
        yield from _spelled_pieces([piece for line in lines for piece in _split_evenly(line, LINE_PIECE)])
    for text in dict.fromkeys((value, _BREAK.sub("\n", value).strip())):
        for piece in _split_evenly(text.encode("utf-8", "surrogatepass"), BYTES_PIECE):
            yield from base64(piece)
            yield from numbers(piece)
    for piece in _split_evenly(value[::-1], BYTES_PIECE):
        yield match_bytes(piece.encode("utf-8", "surrogatepass"))


def _lines(block: str) -> list[str]:
    return [stripped for line in _BREAK.split(block) if (stripped := line.strip())]


def _length(pieces: list[str]) -> int:
    return sum(map(len, pieces))


def _spelled_pieces(pieces: list[str]) -> Iterator[Sequence]:
    """Return the pieces as their characters may be spelled.

    Each also matches the start of the next one, so that a match includes the break between them, but no other.
    """
    for start, end in _spans(pieces):
        items = _join_lines(pieces[start:end])
        if end < len(pieces):
            items.append(maybe(Sequence([LINE_BREAK, *_spelling_expressions(pieces[end][:LONG_LINE])])))
        yield Sequence(items)


def _spans(pieces: list[str]) -> Iterator[tuple[int, int]]:
    """Join short pieces until they are long enough together; a long one is searched for by itself, too."""
    previous_length = start = 0
    for index, piece in enumerate(pieces):
        if _length(pieces[start : index + 1]) >= LONG_LINE:
            yield start, index + 1
            if start < index and len(piece) >= LONG_LINE:
                yield index, index + 1
            previous_length, start = start, index + 1
    if start < len(pieces):
        yield previous_length, len(pieces)


def _join_lines(pieces: list[str]) -> list[Expression]:
    return [item for piece in pieces for item in (LINE_BREAK, *_spelling_expressions(piece))][1:]


def _spelling_expressions(piece: str) -> list[Expression]:
    return interleave(spellings(piece), NEXT_CHARACTER)


def _split_evenly(text: AnyStr, limit: int) -> list[AnyStr]:
    """Cut into pieces of nearly the same length, so that the last one is not short."""
    count = -(-len(text) // limit)
    return [text[len(text) * i // count : len(text) * (i + 1) // count] for i in range(count)]
