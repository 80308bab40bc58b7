"""Finds characters that are invisible or look like others: a command with one is shown to a person, not run.

The card must show what the shell reads. So no controls, no format characters, no blanks that are no blanks to the
shell, and no look-alikes of other letters or signs.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from askback.domain.policy.reasons import Reason

_PRINTABLE_ASCII = re.compile(r"[\t\n -~]*")
_HIDDEN = re.compile(  # default-ignorable and empty-looking code points that their category does not show
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_UNWANTED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
_COMBINING_CATEGORIES = {"Mn", "Me"}
_LETTERS = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02d7\u2043\ufe58\ufe63\uff0d"
_LOOKS_LIKE_SYNTAX = re.compile(
    "[\u2018-\u201f\u2032\u2033\u02b9\u02bb\u02bc\u02c8\u02ee\u2039\u203a\u2044\u2215\u2216\u2223\u01c0\u2758\u037e\u204f]"
)


def why_suspicious(text: str) -> Reason | None:
    """Return why a character in a text could deceive a reader; None if none could.

    Tabs, line feeds and printable ASCII are fine, and so are letters of any language.
    """
    if _PRINTABLE_ASCII.fullmatch(text):
        return None
    hidden = _HIDDEN.search(text)
    if hidden:
        return _reason("hidden_character", hidden[0])
    combining_count = 0
    for char in text:
        is_combining, reason = _check_character(char)
        if reason:
            return reason
        combining_count = combining_count + 1 if is_combining else 0
        if combining_count > 2:
            return Reason("stacked_marks")
    return _mixed_alphabets(text)


@lru_cache(maxsize=8192)
def _check_character(char: str) -> tuple[bool, Reason | None]:
    """Return whether a character is a combining mark, and its fault."""
    category = unicodedata.category(char)
    if category in _UNWANTED and char not in " \t\n":
        return False, _reason("hidden_character", char)
    if category == "Me" or "\u0334" <= char <= "\u0338":
        return True, _reason("covering_character", char)
    if ord(char) > 127 and _imitates_ascii(char, category):
        return False, _reason("lookalike_character", char)
    return category in _COMBINING_CATEGORIES, None


def why_deceptive(word: str) -> Reason | None:
    """Return why one unquoted word could deceive: a dash that is no hyphen, a typographic quote."""
    if word.isascii():
        return None
    if word[0] in _DASHES:
        return _reason("lookalike_hyphen", word[0])
    match = _LOOKS_LIKE_SYNTAX.search(word)
    return _reason("lookalike_syntax", match[0]) if match else None


def _reason(code: str, char: str) -> Reason:
    return Reason(code, character=f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip())


def _imitates_ascii(char: str, category: str) -> bool:
    """Return whether a character is a variant of ASCII, such as a full-width or a mathematical one."""
    normalized = unicodedata.normalize("NFKC", char)
    if normalized == char or not normalized.isascii():
        return False
    return (
        0xFF01 <= ord(char) <= 0xFF5E
        or (category[0] == "L" and char not in "ªº")
        or normalized in "!;&|<>`$()"
    )


def _mixed_alphabets(text: str) -> Reason | None:
    """Return the reason if a word mixes Latin and look-alike letters, such as a Cyrillic a in `main`."""
    for word in _LETTERS.findall(text):
        if word.isascii():
            continue
        names = {unicodedata.name(letter, "") for letter in set(word)}
        latin = any(name.startswith("LATIN") for name in names)
        if latin and any(name.startswith(_SCRIPTS) for name in names):
            return Reason("mixed_alphabets", word=word)
    return None
