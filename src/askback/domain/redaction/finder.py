"""Finding where values are, in data that may not have ended yet.

RE2 finds where a form may begin: all heads in one pass, some hundred megabytes a second whatever the values are.
From there each form is followed by hand, which also tells whether data still to come could matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

import re2  # pyright: ignore[reportMissingTypeStubs]  # google-re2 ships none

from askback.domain.redaction.expression import UNDER_WAY, Sequence

_re2: Any = re2

HEAD = 5
"""Characters at the beginning of a form that RE2 looks for: with fewer it stops too often in harmless text."""

BATCH = 500
"""Forms of one engine: RE2 turns slow, not wrong, when the tables of more do not fit its memory."""

MEMORY = 64 * 1024 * 1024
"""Bytes that one engine may come to use; for a few values it needs less than one."""

Find = tuple[int, int, bytes]
"""Where it starts, where it ends (or `UNDER_WAY`), and the label of what was found."""


class Finder:
    """Looks for forms, each with a label, in bytes."""

    __slots__ = ("_by_first", "_engines")

    def __init__(self, labelled: Iterable[tuple[Sequence, bytes]]) -> None:
        self._by_first: dict[int, list[tuple[Sequence, bytes]]] = {}
        heads: list[bytes] = []
        for form, label in labelled:
            heads.append(form.head(HEAD).source())
            for byte in form.first:
                self._by_first.setdefault(byte, []).append((form, label))
        self._engines = [_engine(heads[index : index + BATCH]) for index in range(0, len(heads), BATCH)]

    def finds(self, data: bytes, *, last: bool) -> Iterator[Find]:
        """Give the longest find at each place where one starts, from left to right; they may overlap.

        A find that data still to come could complete or make longer is `UNDER_WAY`, and the last one given, unless
        this is the `last` data. Of several labels for the same bytes, the first counts.
        """
        for start, _ in groupby(merge(*(_starts(engine, data) for engine in self._engines))):
            ends = [
                (end, label)
                for form, label in self._by_first.get(data[start], ())
                for end in form.ends(data, start)
            ]
            if not last and any(end == UNDER_WAY for end, _ in ends):
                yield start, UNDER_WAY, b""
                return
            end, label = max(ends, key=itemgetter(0), default=(UNDER_WAY, b""))
            if end != UNDER_WAY:
                yield start, end, label


def _engine(heads: list[bytes]) -> Any:
    """Compile for bytes. RE2's module remembers patterns, and these hold secrets: it is made to forget them."""
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
    found = engine.search(data, 0)
    while found is not None and (start := found.start()) < len(data):
        yield start
        found = engine.search(data, start + 1)
