"""Finds values in data that may not have ended yet.

RE2 finds where a form may begin: all heads in one pass, some hundred megabytes a second for any values. From
there each form is matched in Python, which also knows whether more data could change the match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from typing import Any

import re2  # pyright: ignore[reportMissingTypeStubs]  # google-re2 ships none

from askback.domain.redaction.expression import INCOMPLETE, Sequence

_re2: Any = re2

HEAD_ITEMS = 5
"""The number of characters of a form that RE2 searches for: with fewer it stops too often in harmless text."""

BATCH = 500
"""The number of forms of one engine: with more, its tables exceed its memory and RE2 turns slow."""

MEMORY = 64 * 1024 * 1024
"""The maximum memory of one engine in bytes; for a few values it needs less than one megabyte."""

WINDOW = 1024
"""The number of bytes in which the next head is searched for after a find."""

OVERLAP = 64
"""The number of bytes of the next window that are read with a window: most heads are shorter."""

REACH = 256
"""The number of bytes from a start in which most forms match or fail."""

REMEMBERED = 64
"""The number of texts of `REACH` bytes or more whose match is remembered."""

Match = tuple[int, int, bytes]
"""The start, the end (or `INCOMPLETE`), and the label of a match."""


class Finder:
    """Finds labelled forms in bytes."""

    __slots__ = ("_by_first", "_engines")

    def __init__(self, labelled: Iterable[tuple[Sequence, bytes]]) -> None:
        self._by_first: dict[int, list[tuple[Sequence, bytes]]] = {}
        heads: list[bytes] = []
        for form, label in labelled:
            heads.append(form.head(HEAD_ITEMS))
            for byte in form.first:
                self._by_first.setdefault(byte, []).append((form, label))
        self._engines = [_engine(heads[index : index + BATCH]) for index in range(0, len(heads), BATCH)]

    def find_matches(self, data: bytes, *, last: bool) -> Iterator[Match]:
        """Return the longest match at each start, from left to right; matches may overlap.

        A match that more data could complete or make longer is `INCOMPLETE` and the last one returned, unless this is
        the `last` data. If several labels match the same bytes, the first one counts.
        """
        remembered: dict[bytes, tuple[int, bytes, bool]] = {}
        for start, _ in groupby(merge(*(_starts(engine, data) for engine in self._engines))):
            length, label, is_incomplete = self._longest_match(data, start, remembered, last=last)
            if is_incomplete and not last:
                yield start, INCOMPLETE, b""
                return
            if length != INCOMPLETE:
                yield start, start + length, label

    def _longest_match(
        self, data: bytes, start: int, remembered: dict[bytes, tuple[int, bytes, bool]], *, last: bool
    ) -> tuple[int, bytes, bool]:
        """Return the length of the longest match (or `INCOMPLETE`), its label, and whether more data could change it.

        If more data could change it and this is not the `last` data, the length and the label mean nothing.

        In a long run of one character, all forms match at each start. They are followed once for each text that
        stands there: only as far as it decides the match, so that it is the same for the next start.
        """
        reach = REACH
        while True:
            text = data[start : start + reach]
            match = remembered.get(text)
            if match is None:
                if len(remembered) == REMEMBERED:
                    remembered.clear()
                match = remembered[text] = self._longest_match_in(text, last=last)
            if not match[2] or start + reach >= len(data):
                return match
            reach *= 4

    def _longest_match_in(self, text: bytes, *, last: bool) -> tuple[int, bytes, bool]:
        longest, is_incomplete = (INCOMPLETE, b""), False
        for form, label in self._by_first.get(text[0], ()):
            ends = form.ends(text, 0)
            if INCOMPLETE in ends:
                is_incomplete = True
                if not last:  # many forms can begin at the end of a chunk, and one of them is enough
                    break
            if ends and (end := max(ends)) > longest[0]:
                longest = end, label
        return *longest, is_incomplete


def _engine(heads: list[bytes]) -> Any:
    """Compile for bytes. RE2's module caches patterns; its cache is cleared, because these contain secrets."""
    options = _re2.Options()
    options.encoding = _re2.Options.Encoding.LATIN1
    options.max_mem = MEMORY
    options.log_errors = False
    options.never_capture = True
    try:
        return _re2.compile(b"|".join(heads), options)
    finally:
        _re2.purge()


def _starts(engine: Any, data: bytes) -> Iterator[int]:
    """Return where a head may begin.

    RE2 reads a long run of blanks or quotes to its end if a head can begin with them. To do that again after each
    find would take quadratic time, so only a window is searched, which doubles while nothing is found. A head that
    is cut off by the end of a window matches there, as it does at the end of the data.
    """
    position, size = 0, len(data)
    while position < len(data):
        match = engine.search(data[position : position + size + OVERLAP])
        if match is None or match.start() >= min(size, len(data) - position):
            position, size = position + size, 2 * size
        else:
            yield position + match.start()
            position, size = position + match.start() + 1, WINDOW
