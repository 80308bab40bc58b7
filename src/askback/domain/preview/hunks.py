"""The places of a file that change, as hunks of a unified diff: found at the speed of C, since an agent chooses both.

A hunk holds whole lines before and after. Texts whose place is not known make hunks by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askback.domain.preview.room import LINE, room

MOST_LINES = 10_000
"""Lines of both sides together that are compared."""

MOST_PLACES = 500
"""Places that one replacement may have to be shown in each of them; above, it is shown once, by itself."""

MOST_SCANNED = 1_000_000
"""Characters of the file, over all replacements, that are looked through to find their places."""

CONTEXT = 3
"""Lines of the file that are shown around a place."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Whole lines before and after, of which the last may have no line feed; `head` says where."""

    old: str
    new: str
    head: str | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text that stands for another; `everywhere` or in the one place that it has."""

    old: str
    new: str
    everywhere: bool


def line_count(text: str) -> int:
    """Count the lines; after the last line feed begins none."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def lines(text: str) -> list[str]:
    """Split a text into its lines, each with its line feed, which the last one may not have."""
    found = [f"{line}\n" for line in text.split("\n")]
    return [*found[:-1], *([found[-1][:-1]] if found[-1] != "\n" else [])]


def by_themselves(changes: Sequence[Replacement]) -> list[Hunk]:
    """Set each two texts side by side; with several, each has a head that counts them.

    A line feed at the end of a text is a line more, as it is where the text is put in.
    """
    return [
        Hunk(
            change.old and f"{change.old}\n",
            change.new and f"{change.new}\n",
            f"@@ {n}/{len(changes)} @@" if len(changes) > 1 else None,
        )
        for n, change in enumerate(changes, 1)
    ]


def in_file(text: str, changes: Sequence[Replacement]) -> list[Hunk] | None:
    """Find the place of each replacement, in the file as the ones before leave it.

    None when one is not certain, or when that would be much more than the texts by themselves.
    """
    hunks: list[Hunk] = []
    scanned = 0
    left = room(len(text) + sum(len(change.old) + len(change.new) for change in changes))
    for change in changes:
        places = text.count(change.old) if change.old else 0
        certain = places == 1 or (change.everywhere and 0 < places <= MOST_PLACES)
        scanned += len(text) + places * len(change.new)
        if not certain or scanned > MOST_SCANNED:
            return None
        found = list(_hunks(text, change))
        left -= sum(_size(hunk.old) + _size(hunk.new) for hunk in found)
        if left < 0:
            return None
        hunks += found
        text = text.replace(change.old, change.new)
    return hunks


def _size(text: str) -> int:
    return len(text) + LINE * line_count(text)


def _hunks(text: str, change: Replacement) -> Iterator[Hunk]:
    line, shift, at = 1, 0, 0
    for start, end in _regions(text, change.old):
        line += text.count("\n", at, start)
        at = start
        old = text[start:end]
        new = old.replace(change.old, change.new)
        before, after = line_count(old), line_count(new)
        yield Hunk(old, new, f"@@ -{line},{before} +{line + shift},{after} @@")
        shift += after - before


def _regions(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines of each run of places begin and end, with their context; runs that touch are one."""
    region: tuple[int, int] | None = None
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        first, last = _line_start(text, at), _line_end(text, end - 1)
        if region is not None and first > region[1]:
            yield region
            region = None
        region = (first if region is None else region[0], last)
        at = text.find(wanted, end)
    if region is not None:
        yield region


def _line_start(text: str, at: int) -> int:
    """Return where the line begins that is `CONTEXT` lines above the one that holds `at`."""
    for _ in range(CONTEXT + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _line_end(text: str, at: int) -> int:
    """Return where the line ends that is `CONTEXT` lines below the one that holds `at`."""
    for _ in range(CONTEXT + 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at
