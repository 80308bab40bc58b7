"""What a reader would not see, or would see as something else, is written out; letters of every script stay.

Written out are: control characters (also the C1 ones and ESC), everything that changes the direction of a text or
has no width, variation selectors and tags, fillers, blanks that are not the space, private and unassigned code
points, halves of surrogate pairs, marks that cover a character, and marks that stand on nothing or are more than two.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from askback.domain.approval import Escape, Parts

MOST_MARKS = 2
"""Combining marks that may stand on one letter."""

_READABLE = (  # ASCII, Latin, Cyrillic, kana, Han and Hangul, without looking each character up
    " -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u052f\u3001-\u3029\u3041-\u3096\u30a1-\u30ff"
    "\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e"
)
_LINE = re.compile(f"[{_READABLE}]+")
_BLOCK = re.compile(f"[\n\t{_READABLE}]+")
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
_UNSEEN_ALTHOUGH_LETTERS = re.compile(  # default-ignorable or blank, whatever the category says
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)
_COVERS = re.compile("[\u0334-\u0338]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def parts(text: str, *, line: bool = False) -> Parts:
    """Split a text into what can be read as it is, and the characters that are written out.

    Line feeds and tabs stay, unless the text has to be one `line`.
    """
    plain = _LINE if line else _BLOCK
    if plain.fullmatch(text):
        return [text]
    found: Parts = []
    start = at = 0
    marks = MOST_MARKS  # nothing has come that a mark could stand on
    while at < len(text):
        if run := plain.match(text, at):
            at = run.end()
            marks = MOST_MARKS if text[at - 1] in "\n\t" else 0
            continue
        kind = _kind(text[at])
        marks = marks + 1 if kind == "mark" else 0
        if kind == "unseen" or marks > MOST_MARKS:
            marks = MOST_MARKS
            found += [text[start:at], _escape(text[at])] if start < at else [_escape(text[at])]
            start = at + 1
        at += 1
    return [*found, text[start:]] if start < len(text) else found


def written_out(text: str) -> str:
    """Return a text on one line, with what is written out as text between the rest."""
    return "".join(part if isinstance(part, str) else part.escape for part in parts(text, line=True))


@lru_cache(maxsize=8192)
def _kind(char: str) -> Literal["seen", "mark", "unseen"]:
    category = unicodedata.category(char)
    if category in _UNSEEN or category == "Me" or _UNSEEN_ALTHOUGH_LETTERS.match(char) or _COVERS.match(char):
        return "unseen"
    return "mark" if category == "Mn" else "seen"


@lru_cache(maxsize=8192)
def _escape(char: str) -> Escape:
    code = ord(char)
    return Escape(escape=_SHORT.get(char) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"))
