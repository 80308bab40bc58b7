"""The changes of a file as hunks of a unified diff, and how large a preview may be.

A hunk holds whole lines before and after. Texts whose place is unknown make hunks by themselves. An agent chooses both
texts, so the search runs in C.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askback.domain.values import frozen

LINE_BYTES = 25
"""The size of a line of a diff without its text."""

_UNLIMITED_CHARACTERS = 64_000
_GROWTH = 3


def size_budget(size: int) -> int:
    """Return the maximum size of a preview of texts of a size, in bytes: a multiple, plus a constant."""
    return _UNLIMITED_CHARACTERS + _GROWTH * size


MAX_LINES = 10_000
"""The maximum number of lines, of both sides together, that are compared."""

MAX_PLACES = 500
"""The maximum number of places of one replacement that are all shown; with more, it is shown once, by itself."""

MAX_SCANNED = 1_000_000
"""The maximum number of characters of the file that are searched for places, over all replacements."""

CONTEXT = 3
"""The number of lines of the file that are shown around a place."""


@frozen(slots=True)
class Hunk:
    """Whole lines before and after, the last one perhaps without a line feed; `head` is the header."""

    old: str
    new: str
    head: str | None = None


@frozen(slots=True)
class Replacement:
    """A text that replaces another, `everywhere` or at its only place."""

    old: str
    new: str
    everywhere: bool


def line_count(text: str) -> int:
    """Count the lines; a line feed at the end does not begin another line."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def split_lines(text: str) -> list[str]:
    """Split a text into lines, each with its line feed if it has one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], *([lines[-1][:-1]] if lines[-1] != "\n" else [])]


def separate_hunks(changes: Sequence[Replacement]) -> list[Hunk]:
    """Return a hunk for each pair of texts; several are numbered in their headers.

    A line feed at the end of only one text counts as one more line, as it does where the text is inserted.
    """
    hunks: list[Hunk] = []
    for n, change in enumerate(changes, 1):
        end = "" if change.old.endswith("\n") and change.new.endswith("\n") else "\n"
        header = f"@@ {n}/{len(changes)} @@" if len(changes) > 1 else None
        hunks.append(Hunk(change.old and change.old + end, change.new and change.new + end, header))
    return hunks


def hunks_in_file(text: str, changes: Sequence[Replacement]) -> list[Hunk] | None:
    """Return the hunks of replacements in a file, each applied to the result of the ones before.

    None if a place is not certain, or if that would be much longer than the texts by themselves.
    """
    hunks: list[Hunk] = []
    scanned_characters = 0
    budget = size_budget(len(text) + sum(len(change.old) + len(change.new) for change in changes))
    for change in changes:
        occurrences = text.count(change.old) if change.old else 0
        is_certain = occurrences == 1 or (change.everywhere and 0 < occurrences <= MAX_PLACES)
        scanned_characters += len(text) + occurrences * len(change.new)
        if not is_certain or scanned_characters > MAX_SCANNED:
            return None
        result = list(_hunks(text, change))
        budget -= sum(_size(hunk.old) + _size(hunk.new) for hunk in result)
        if budget < 0:
            return None
        hunks += result
        text = text.replace(change.old, change.new)
    return hunks


def _size(text: str) -> int:
    return len(text) + LINE_BYTES * line_count(text)


def _hunks(text: str, change: Replacement) -> Iterator[Hunk]:
    line, shift, position = 1, 0, 0
    for start, end in _regions(text, change.old):
        line += text.count("\n", position, start)
        position = start
        old = text[start:end]
        new = old.replace(change.old, change.new)
        old_lines, new_lines = line_count(old), line_count(new)
        yield Hunk(old, new, f"@@ -{line},{old_lines} +{line + shift},{new_lines} @@")
        shift += new_lines - old_lines


def _regions(text: str, run: str) -> Iterator[tuple[int, int]]:
    """Return the line ranges around the places of each run, with context; touching runs are merged."""
    region: tuple[int, int] | None = None
    position = text.find(run)
    while position >= 0:
        end = position + len(run)
        first, last = _line_start(text, position), _line_end(text, end - 1)
        if region is not None and first > region[1]:
            yield region
            region = None
        region = (first if region is None else region[0], last)
        position = text.find(run, end)
    if region is not None:
        yield region


def _line_start(text: str, position: int) -> int:
    """Return the start of the line that is `CONTEXT` lines above the one at `position`."""
    for _ in range(CONTEXT + 1):
        position = text.rfind("\n", 0, position)
        if position < 0:
            return 0
    return position + 1


def _line_end(text: str, position: int) -> int:
    """Return the end of the line that is `CONTEXT` lines below the one at `position`."""
    for _ in range(CONTEXT + 1):
        position = text.find("\n", position) + 1
        if position == 0:
            return len(text)
    return position
