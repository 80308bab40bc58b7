"""Everything that one value can look like in a text.

A long value is looked for in pieces: what a program cut off, wrapped or printed line by line is found as well,
and a stream keeps back no more than a piece. Pieces that touch are one find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import AnyStr

from askback.domain.redaction.encodings import base64, hexdump
from askback.domain.redaction.expression import Expression, Sequence, literal, maybe
from askback.domain.redaction.spelling import LINE_BREAK, spelled

MIN_LENGTH = 6
"""Characters that a value must have to be looked for; shorter ones are in too many harmless texts."""

LINE_PIECE = 64
"""The most characters of a piece that is looked for in its spellings: a line of a PEM is one."""

BYTES_PIECE = 256
"""The most bytes of a piece that is looked for encoded; each has five forms, so it is larger."""

LONG_LINE = 8
"""Characters that a line of a value must have to be looked for without its neighbours."""

_BREAK = re.compile(r"\r\n?|\n|(?:\\r)?\\n")
"""Also as JSON writes it: a PEM in a variable or in a key file has its line breaks escaped."""
_ARMOUR = re.compile(r"-----[A-Z0-9 ]+-----")


def forms(value: str) -> Iterator[Sequence]:
    """Give every form of a value; none when it is too short."""
    value = value.strip()
    blocks = [lines for block in _ARMOUR.split(value) if _length(lines := _lines(block)) >= MIN_LENGTH]
    if not blocks:
        return
    for lines in blocks:
        yield from _written([piece for line in lines for piece in _cut(line, LINE_PIECE)])
    for text in dict.fromkeys((value, _BREAK.sub("\n", value).strip())):
        for piece in _cut(text.encode("utf-8", "surrogatepass"), BYTES_PIECE):
            yield from base64(piece)
            yield hexdump(piece)
    for piece in _cut(value[::-1], BYTES_PIECE):
        yield literal(piece.encode("utf-8", "surrogatepass"))


def _lines(block: str) -> list[str]:
    return [stripped for line in _BREAK.split(block) if (stripped := line.strip())]


def _length(pieces: list[str]) -> int:
    return sum(map(len, pieces))


def _written(pieces: list[str]) -> Iterator[Sequence]:
    """Give the pieces as their characters may be spelled.

    Each reaches into the next, so that a find swallows the break between two of them, but no other.
    """
    for begin, end in _spans(pieces):
        items = _joined(pieces[begin:end])
        if end < len(pieces):
            items.append(maybe(Sequence([LINE_BREAK, *spelled(pieces[end][:LONG_LINE])])))
        yield Sequence(items)


def _spans(pieces: list[str]) -> Iterator[tuple[int, int]]:
    """Gather short pieces until they are long enough together; a long one stands by itself, too."""
    before = begin = 0
    for index, piece in enumerate(pieces):
        if _length(pieces[begin : index + 1]) >= LONG_LINE:
            yield begin, index + 1
            if begin < index and len(piece) >= LONG_LINE:
                yield index, index + 1
            before, begin = begin, index + 1
    if begin < len(pieces):
        yield before, len(pieces)


def _joined(pieces: list[str]) -> list[Expression]:
    return [item for piece in pieces for item in (LINE_BREAK, *spelled(piece))][1:]


def _cut(whole: AnyStr, most: int) -> list[AnyStr]:
    """Cut into pieces of nearly the same length, so that no last one is short."""
    count = -(-len(whole) // most)
    return [whole[len(whole) * i // count : len(whole) * (i + 1) // count] for i in range(count)]
