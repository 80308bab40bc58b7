r"""Escapes invisible and misleading characters in a text, so that a reader can tell every character of it.

Invisible are: control characters (also the C1 ones and ESC), everything that changes the direction of a text or has no
width, variation selectors and tags, fillers, blanks other than the space, private and unassigned code points, halves of
surrogate pairs, marks that cover a character, and marks without a letter or after two others. Letters of every script
are visible.

A few such characters are written as `\u202e` (or `\U000e0041`, `\n`, `\r`, `\t`), and eight or more of the same in a
row as `\u007f×255000`. Many of them would make the text many times longer. Then a stretch in which they stand close
together is written out with all that is between: `%7f`, `%u202e`, `%U000e0041`; in it, `\`, `%` and `×` are escaped
too, and line feeds and tabs are `\n`, `\r` and `\t`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from askback.domain.approval import Escape, Parts
from askback.domain.policy.reasons import Reason
from askback.domain.values import frozen

_READABLE = (  # ASCII, Latin, Cyrillic, kana, Han and Hangul, without looking each character up
    " -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u052f\u3001-\u3029\u3041-\u3096\u30a1-\u30ff"
    "\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e"
)
_LINE = re.compile(f"[{_READABLE}]*")
_BLOCK = re.compile(f"[\n\t{_READABLE}]*")
_UNSEEN_ALTHOUGH_LETTERS = (  # default-ignorable or blank, whatever the category says
    *"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159",
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
)
_OVERLAYS = "\u0334\u0335\u0336\u0337\u0338"

_BY_CATEGORY = dict.fromkeys(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Me"), "u") | {"Mn": "m"}
_ON_A_LINE = dict.fromkeys((*_UNSEEN_ALTHOUGH_LETTERS, *_OVERLAYS), "u") | {" ": "s"}
_IN_A_BLOCK = _ON_A_LINE | {"\n": "b", "\t": "b"}


@frozen(slots=True)
class CharacterClasses:
    """The class of each character of a text.

    `letters` has one letter for each: `s` is visible, and `k` a mark on it, of which two may follow one letter. `b` is
    a line feed or a tab that stays. `u` is invisible, and `m` is a mark without a letter or one too many: these two
    have to be escaped. `unseen` has the different characters that are `u`, `marks` those that are `k` or `m`.
    """

    letters: str
    unseen: set[str]
    marks: set[str]


def character_classes(text: str, *, line: bool = False) -> CharacterClasses | None:
    """Classify the characters of a text, which may have to be one `line`; None if nothing has to be escaped."""
    if (_LINE if line else _BLOCK).fullmatch(text):
        return None
    # Python looks up each different character once, C does the rest: an agent chooses the length of the text.
    characters = set(text)
    special_characters = _ON_A_LINE if line else _IN_A_BLOCK
    classes = {char: _BY_CATEGORY.get(unicodedata.category(char), "s") for char in characters}
    classes |= {char: special_characters[char] for char in characters & special_characters.keys()}
    letters = text.translate(str.maketrans(classes))
    return CharacterClasses(
        letters.replace("smm", "skk").replace("sm", "sk"),
        {char for char, kind in classes.items() if kind == "u"},
        {char for char, kind in classes.items() if kind == "m"},
    )


MAX_SINGLE_ESCAPES = 500
"""The maximum number of characters that are escaped one by one in any text."""

MIN_DISTANCE = 32
"""The distance at which they are escaped one by one in a longer text: an escape costs about as much as so much text."""

_MIN_REPEATED = 8
_ESCAPES_PER_PART = 16
_RUN_OF_CHARACTER = re.compile(rf"(.)\1{{{_MIN_REPEATED - 1},}}|.", re.DOTALL)
_UNSEEN_RUN = re.compile("[um]+")
_CROWD = re.compile(f"[um]++(?:[skb]{{1,{MIN_DISTANCE}}}+[um]++)*+")
_GROUP_OF_LETTERS = re.compile(".{1,48}+k*+")
"""One part of an escaped stretch. Pages show a part whole or not at all; none begins with a mark."""

_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape_parts(text: str, *, line: bool = False) -> Parts:
    """Split a text into plain pieces and escapes.

    Line feeds and tabs stay, unless the text has to be one `line`.
    """
    classes = character_classes(text, line=line)
    if classes is None:
        return [text] if text else []
    single_escapes = _escape_single(text, classes)
    return list(_escape_stretches(text, classes)) if single_escapes is None else single_escapes


def escape_line(text: str) -> str:
    """Return a text on one line, with escapes in it."""
    return "".join(part if isinstance(part, str) else part.escape for part in escape_parts(text, line=True))


def escape_lines(lines: Sequence[str]) -> list[Parts] | None:
    """Split lines that are shown together; None if there is too much to escape for them to stay lines.

    One character in each line, as at the end of the lines of many files, is not too much.
    """
    text = "\n".join(lines)
    classes = character_classes(text)
    if classes is None:
        return [[line] if line else [] for line in lines]
    single_escapes = _escape_single(text, classes, extra_escapes=len(lines))
    return None if single_escapes is None else _split(single_escapes)


def _split(parts: Parts) -> list[Parts]:
    lines: list[Parts] = [[]]
    for part in parts:
        first, *further_lines = part.split("\n") if isinstance(part, str) else [part]
        if first:
            lines[-1].append(first)
        lines += [[text] if text else [] for text in further_lines]
    return lines


def _escape_single(text: str, classes: CharacterClasses, *, extra_escapes: int = 0) -> Parts | None:
    """Escape each invisible character by itself; None if there are too many."""
    max_escapes = MAX_SINGLE_ESCAPES + extra_escapes + len(text) // MIN_DISTANCE
    parts: Parts = []
    position = 0
    for run in _UNSEEN_RUN.finditer(classes.letters):
        start, end = run.span()
        escapes = _escapes(text[start:end], limit=max_escapes + 1)
        max_escapes -= len(escapes)
        if max_escapes < 0:
            return None
        if position < start:
            parts.append(text[position:start])
        parts += [
            _part("".join(escapes[n : n + _ESCAPES_PER_PART]))
            for n in range(0, len(escapes), _ESCAPES_PER_PART)
        ]
        position = end
    return [*parts, text[position:]] if position < len(text) else parts


def _escapes(run: str, *, limit: int) -> list[str]:
    """Return the escapes of invisible characters, up to a maximum number."""
    if len(run) < _MIN_REPEATED:
        return [_escape(char) for char in run]
    return [
        _escape(item[0][0]) + (f"×{len(item[0])}" if item[1] else "")
        for item in islice(_RUN_OF_CHARACTER.finditer(run), limit)
    ]


def _escape_stretches(text: str, classes: CharacterClasses) -> Iterator[str | Escape]:
    """Escape stretches of text with many invisible characters as a whole."""
    seen_marks = _table(classes.unseen | {*"\\%×\n\t"})
    no_marks = seen_marks | _table(classes.marks)
    position = 0
    for crowd in _CROWD.finditer(classes.letters):
        if position < crowd.start():
            yield text[position : crowd.start()]
        for group in _GROUP_OF_LETTERS.finditer(classes.letters, *crowd.span()):
            table = no_marks if "m" in group[0] else seen_marks
            yield Escape(escape=text[group.start() : group.end()].translate(table))
        position = crowd.end()
    if position < len(text):
        yield text[position:]


def _table(chars: set[str]) -> dict[int, str]:
    return {ord(char): _compact(char) for char in chars}


@lru_cache(maxsize=4096)
def _part(escape: str) -> Escape:
    return Escape(escape=escape)


@lru_cache(maxsize=4096)
def _escape(char: str) -> str:
    code = ord(char)
    return _SHORT_ESCAPES.get(char) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def _compact(char: str) -> str:
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    code = ord(char)
    if code < 0x100:
        return f"%{code:02x}"
    return f"%u{code:04x}" if code < 0x10000 else f"%U{code:08x}"


def reason_data(text: str) -> dict[str, Any]:
    """Return a reason as data: `{"code", "params"}`; the code of a plain text is `text`."""
    if not isinstance(text, Reason):
        return {"code": "text", "params": {"text": escape_line(text)}}
    return {
        "code": text.code,
        "params": {
            name: reason_data(value) if isinstance(value, Reason) else escape_line(value)
            for name, value in text.params.items()
        },
    }
