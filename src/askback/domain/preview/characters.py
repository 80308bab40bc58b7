"""What a reader would not see, or would see as something else; letters of every script are seen.

Not seen are: control characters (also the C1 ones and ESC), everything that changes the direction of a text or
has no width, variation selectors and tags, fillers, blanks that are not the space, private and unassigned code
points, halves of surrogate pairs, marks that cover a character, and marks that stand on nothing or are more than two.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

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
_COVER = "\u0334\u0335\u0336\u0337\u0338"

_BY_CATEGORY = dict.fromkeys(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Me"), "u") | {"Mn": "m"}
_ON_A_LINE = dict.fromkeys((*_UNSEEN_ALTHOUGH_LETTERS, *_COVER), "u") | {" ": "s"}
_IN_A_BLOCK = _ON_A_LINE | {"\n": "b", "\t": "b"}


@dataclass(frozen=True, slots=True)
class Kinds:
    """What kind each character of a text is of.

    `letters` has one for each: `s` is seen, and `k` a mark on it, of which two may stand on one letter. `b` is a line
    feed or a tab that stays. `u` would not be seen, and `m` is a mark that stands on nothing or is one too many: these
    two have to be written out. `unseen` has the different characters that are `u`, `marks` those that are `k` or `m`.
    """

    letters: str
    unseen: set[str]
    marks: set[str]


def kinds(text: str, *, line: bool = False) -> Kinds | None:
    """Look at each character of a text, which may have to be one `line`; None when it can be read as it is."""
    if (_LINE if line else _BLOCK).fullmatch(text):
        return None
    # Python looks once at each different character, C at all of them: an agent chooses how long the text is.
    found = set(text)
    special = _ON_A_LINE if line else _IN_A_BLOCK
    known = {char: _BY_CATEGORY.get(unicodedata.category(char), "s") for char in found}
    known |= {char: special[char] for char in found & special.keys()}
    letters = text.translate(str.maketrans(known))
    return Kinds(
        letters.replace("smm", "skk").replace("sm", "sk"),
        {char for char, kind in known.items() if kind == "u"},
        {char for char, kind in known.items() if kind == "m"},
    )
