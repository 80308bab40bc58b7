"""The words of titles, by which threads are searched: a query is the beginnings of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

MAX_WORD_LENGTH = 16
"""The number of characters of a word that are compared."""
MAX_WORDS = 8

_WORD = re.compile(r"[^\W_]+")


def word_beginnings(title: str) -> set[str]:
    """Return every beginning of every word of a title."""
    return {word[:length] for word in _split_words(title) for length in range(1, len(word) + 1)}


def query_words(query: str) -> Sequence[str]:
    """Return the words of a query, the longest first, because it has the fewest matches."""
    return sorted(set(_split_words(query)), key=lambda word: (-len(word), word))[:MAX_WORDS]


def plain_text(text: str) -> str:
    """Return a text without case, accents and other variants of letters."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _split_words(text: str) -> list[str]:
    return [word[:MAX_WORD_LENGTH] for word in _WORD.findall(plain_text(text))]
