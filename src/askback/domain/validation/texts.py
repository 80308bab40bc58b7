"""Rules for texts of agents and people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import cast

from askback.domain.faults import Fault, fault

_WHITE_SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NOT_BLANK = re.compile(f"[^{_WHITE_SPACE}]")

LANGUAGE_TAG = re.compile(
    r"[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?"
)

_TYPED_LINE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_TYPED_LINES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_TAGS = "\U000e0001-\U000e007f"
"""Letters that people cannot see and models can; in the flag of a region they are part of an emoji."""
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f")
_HIDING = "\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
_DECEPTIVE = f"{_HIDING}{_TAGS}{_NONCHARACTERS}"
_SHOWN_LINE = re.compile(f"[\x00-\x1f{_DECEPTIVE}]")
_SHOWN_LINES = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_DECEPTIVE}]")
_LOOKALIKE_SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
_LATIN_TWINS = frozenset("аАВсСԁеЕһНіІјЈКМоОрРԛѕЅТуУԝхХΑΒΕΖΗΙΚΜΝοΟρΡΤΥΧ")
"""Cyrillic and Greek letters that look like Latin ones."""
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f\ufe00-\ufe0f\U000e0000-\U000e0fff]"
)
"""Characters without a shape, which the name of a tool cannot have, beside `_DECEPTIVE`."""
_ENCODED = re.compile(rf"\\[bfnrtu]|[{_DECEPTIVE}]")


def is_blank(text: str) -> bool:
    """Return whether a text is empty or white space (Unicode White_Space and U+FEFF, as in TypeScript)."""
    return _NOT_BLANK.search(text) is None


def typed_text_fault(text: str, *, lines: bool) -> str | None:
    """Return the key of the fault of a typed text; None if it has only allowed characters."""
    if not text.isascii() and has_lone_surrogate(text):
        return "lone_surrogate"
    match = (_TYPED_LINES if lines else _TYPED_LINE).search(text)
    return "control_chars.answer" if match else None


def is_deceptive(text: str, *, lines: bool) -> bool:
    """Return whether an agent's text has characters that hide text or change its order."""
    pattern = _SHOWN_LINES if lines else _SHOWN_LINE
    return pattern.search(text) is not None and pattern.search(_FLAG.sub("", text)) is not None


def is_confusable(name: str) -> bool:
    """Return whether a name can pass for another one.

    It has invisible or variant letters, mixes alphabets whose letters look alike, or has only letters that look Latin.
    """
    if name.isascii():
        return False
    letters = {item for item in name if item.isalpha()}
    if _INVISIBLE.search(name) or (letters and letters <= _LATIN_TWINS):
        return True
    scripts = {unicodedata.name(item, "").partition(" ")[0] for item in letters}
    return len(scripts & _LOOKALIKE_SCRIPTS) > 1 or unicodedata.normalize(
        "NFKC", name
    ) != unicodedata.normalize("NFC", name)


def may_be_deceptive(encoded: bytes | None) -> bool:
    """Return whether a body, as JSON in UTF-8, can hold a text that `is_deceptive`; one scan instead of a walk."""
    if encoded is None:
        return True
    if encoded.isascii() and b"\\" not in encoded and b"\x7f" not in encoded:
        return False
    return _ENCODED.search(encoded.decode()) is not None


def has_lone_surrogate(text: str) -> bool:
    """Return whether there is half a surrogate pair: such a text has no UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def strings_in(value: object) -> Iterable[tuple[int | None, str]]:
    """Return a string itself, or the strings of a list with their indexes."""
    if isinstance(value, str):
        return ((None, value),)
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return ((index, item) for index, item in items if isinstance(item, str))
    return ()


def text_faults(path: str, text: str, *, max_length: int, lines: bool) -> list[Fault]:
    """Return the faults of a text that others will see: blank, too long, or deceptive."""
    if is_blank(text):
        return [fault(path, "empty")]
    if len(text) > max_length:
        return [fault(path, "too_long", max=max_length)]
    if has_lone_surrogate(text):
        return [fault(path, "lone_surrogate")]
    return [fault(path, "control_chars")] if is_deceptive(text, lines=lines) else []
