"""Parse a typed number; `web/src/elements/entries.ts` has the same rule."""

from __future__ import annotations

import re

_WITH_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*(?!\1)[.,]\d+", re.ASCII)
_PERHAPS_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(e.*)?", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def parse_number(text: str, locale: str) -> int | float | str:
    """Return the number; a comma is a decimal sign too, and an exponent may follow: "1e-7".

    A sign that could separate thousands ("1,000" in English, "1.000" in German) is ambiguous: the text is returned as
    it is, and the rules refuse it.
    """
    groups = _WITH_GROUPS.fullmatch(text)
    digits = (text.replace(groups[1], "") if groups else text).replace(",", ".", 1)
    mark = "." if locale == "de" else ","
    ambiguous = mark in text and not groups and _PERHAPS_GROUPS.fullmatch(digits)
    if ambiguous or not _NUMBER.fullmatch(digits):
        return text
    number = float(digits)
    return int(number) if number.is_integer() else number
