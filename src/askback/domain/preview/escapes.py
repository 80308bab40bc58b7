r"""How what would not be seen is written out, so that a reader who knows this can tell every character of the text.

Where that is little, each such character is `\u202e` (or `\U000e0041`, `\n`, `\r`, `\t`), and one that stands eight
times or more in a row is `\u007f×255000`. Where it is much, that would be many times the text. There a stretch in
which it stands close together is written out with all that is between: `%7f`, `%u202e`, `%U000e0041`; also `\`, `%`
and `×` are written so then, and line feeds and tabs are `\n`, `\r` and `\t`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from askback.domain.approval import Escape, Parts
from askback.domain.preview.characters import Kinds, kinds

FEW = 500
"""How much is written out one by one in any text."""

APART = 32
"""How far apart it may stand in a longer text for that: a part of its own takes about as much as so many characters."""

_MANY = 8
_TOGETHER = 16
_REPEATED = re.compile(rf"(.)\1{{{_MANY - 1},}}|.", re.DOTALL)
_UNSEEN = re.compile("[um]+")
_CROWD = re.compile(f"[um]++(?:[skb]{{1,{APART}}}+[um]++)*+")
_PIECE = re.compile(".{1,48}+k*+")
"""One part of a crowd. A page that folds a text shows a part whole or not at all; and none begins with a mark."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def parts(text: str, *, line: bool = False) -> Parts:
    """Split a text into what can be read as it is, and what is written out.

    Line feeds and tabs stay, unless the text has to be one `line`.
    """
    found = kinds(text, line=line)
    if found is None:
        return [text] if text else []
    few = _one_by_one(text, found)
    return list(_crowded(text, found)) if few is None else few


def escaped(text: str) -> str:
    """Return a text on one line, with what is written out as text between the rest."""
    return "".join(part if isinstance(part, str) else part.escape for part in parts(text, line=True))


def parts_of_lines(lines: Sequence[str]) -> list[Parts] | None:
    """Split lines that are shown together; None when there is too much to write out for them to stay lines.

    One character in each, as at the end of the lines of many files, is not too much.
    """
    whole = "\n".join(lines)
    found = kinds(whole)
    if found is None:
        return [[line] if line else [] for line in lines]
    few = _one_by_one(whole, found, more=len(lines))
    return None if few is None else _split(few)


def _split(shown: Parts) -> list[Parts]:
    lines: list[Parts] = [[]]
    for part in shown:
        first, *more = part.split("\n") if isinstance(part, str) else [part]
        if first:
            lines[-1].append(first)
        lines += [[text] if text else [] for text in more]
    return lines


def _one_by_one(text: str, found: Kinds, *, more: int = 0) -> Parts | None:
    """Write out each unseen character by itself; None when there are too many."""
    room = FEW + more + len(text) // APART
    shown: Parts = []
    at = 0
    for run in _UNSEEN.finditer(found.letters):
        start, end = run.span()
        escapes = _escapes(text[start:end], most=room + 1)
        room -= len(escapes)
        if room < 0:
            return None
        if at < start:
            shown.append(text[at:start])
        shown += [_part("".join(escapes[n : n + _TOGETHER])) for n in range(0, len(escapes), _TOGETHER)]
        at = end
    return [*shown, text[at:]] if at < len(text) else shown


def _escapes(run: str, *, most: int) -> list[str]:
    """Return the escapes of unseen characters, at most so many."""
    if len(run) < _MANY:
        return [_escape(char) for char in run]
    return [
        _escape(each[0][0]) + (f"×{len(each[0])}" if each[1] else "")
        for each in islice(_REPEATED.finditer(run), most)
    ]


def _crowded(text: str, found: Kinds) -> Iterator[str | Escape]:
    """Write out stretches with what is between their unseen characters."""
    seen_marks = _table(found.unseen | {*"\\%×\n\t"})
    no_marks = seen_marks | _table(found.marks)
    at = 0
    for crowd in _CROWD.finditer(found.letters):
        if at < crowd.start():
            yield text[at : crowd.start()]
        for piece in _PIECE.finditer(found.letters, *crowd.span()):
            table = no_marks if "m" in piece[0] else seen_marks
            yield Escape(escape=text[piece.start() : piece.end()].translate(table))
        at = crowd.end()
    if at < len(text):
        yield text[at:]


def _table(chars: set[str]) -> dict[int, str]:
    return {ord(char): _compact(char) for char in chars}


@lru_cache(maxsize=4096)
def _part(escape: str) -> Escape:
    return Escape(escape=escape)


@lru_cache(maxsize=4096)
def _escape(char: str) -> str:
    code = ord(char)
    return _SHORT.get(char) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def _compact(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code < 0x100:
        return f"%{code:02x}"
    return f"%u{code:04x}" if code < 0x10000 else f"%U{code:08x}"
