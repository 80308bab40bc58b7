"""What a file tool would write, as the lines of a unified diff.

A tool that writes a whole file is compared with the file as the agent says it is; each line of what it writes is in
the diff, so that nothing is signed unseen, whatever the agent said. A tool that replaces text is shown text by text,
and in its place in the file where the file is known and the place is certain.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, cast

from askback.domain.approval import DiffLine
from askback.domain.policy.calls import Call
from askback.domain.policy.wordlist import words
from askback.domain.preview.characters import parts
from askback.domain.preview.linediff import STEPS, compare

MOST_LINES = 10_000
"""Lines of both sides together; above, the input is shown as JSON."""

MOST_PLACES = 500
"""Places that one replacement may have to be shown in each of them; above, it is shown once, by itself."""

MOST_SCANNED = 1_000_000
"""Characters of the file, over all replacements, that are looked through to find their places."""

CONTEXT = 3
"""Lines of the file that are shown around a place."""

_WRITERS = words("write write_file create_file")
_CONTENTS = ("content", "contents", "file_text")
_PAIRS = (
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
    ("search", "replace"),
    ("old", "new"),
)
_EVERYWHERE = ("replace_all", "replaceAll")
_NO_LINE_FEED = DiffLine(op="@", parts=["\\ No newline at end of file"])


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A change of one file. `rest` is what the input holds beside the path and the texts in `lines`."""

    path: str
    lines: list[DiffLine]
    added: int
    removed: int
    rest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines before and after, each with its line feed; `head` says where."""

    old: Sequence[str]
    new: Sequence[str]
    head: str | None = None


@dataclass(frozen=True, slots=True)
class _Replacement:
    old: str
    new: str
    everywhere: bool
    rest: Mapping[str, Any]


def file_edit(call: Call, before: str | None) -> FileEdit | None:
    """Read what a file tool would write; None when that is not said in a known way, or when it is too much."""
    if call.path is None or not call.edits:
        return None
    found = _written(call, before) or _replaced(call, before)
    if found is None:
        return None
    hunks, rest = found
    if sum(len(hunk.old) + len(hunk.new) for hunk in hunks) > MOST_LINES:
        return None
    lines = [line for hunk in hunks for line in _drawn(hunk, steps=STEPS // len(hunks))]
    ops = [line.op for line in lines]
    rest = {name: value for name, value in rest.items() if name != call.path_name}
    return FileEdit(call.path, lines, ops.count("+"), ops.count("-"), rest)


def _drawn(hunk: _Hunk, *, steps: int) -> Iterator[DiffLine]:
    if hunk.head is not None:
        yield DiffLine(op="@", parts=[hunk.head])
    for op, line in compare(hunk.old, hunk.new, steps=steps):
        yield DiffLine(op=op, parts=parts(line.removesuffix("\n")))
        if not line.endswith("\n"):
            yield _NO_LINE_FEED


def _written(call: Call, before: str | None) -> tuple[list[_Hunk], Mapping[str, Any]] | None:
    names = [name for name in _CONTENTS if name in call.input]
    if call.tool.casefold() not in _WRITERS or len(names) != 1 or not isinstance(call.input[names[0]], str):
        return None
    return [_Hunk(_file(before or ""), _file(call.input[names[0]]))], _without(call.input, names[0])


def _replaced(call: Call, before: str | None) -> tuple[list[_Hunk], Mapping[str, Any]] | None:
    single = _replacement(call.input)
    several = _replacements(call.input.get("edits"))
    if (single is None) == (several is None):
        return None
    if single is not None:
        rest, changes = single.rest, (single,)
    else:
        changes = several or ()
        left = [change.rest for change in changes]
        rest = _without(call.input, "edits") | ({"edits": left} if any(left) else {})
    placed = None if before is None else _in_file(before, changes)
    return _by_themselves(changes) if placed is None else placed, rest


def _replacement(given: Mapping[str, Any]) -> _Replacement | None:
    pairs = [pair for pair in _PAIRS if all(isinstance(given.get(name), str) for name in pair)]
    if len(pairs) != 1:
        return None
    old, new = pairs[0]
    everywhere = any(given.get(name) is True for name in _EVERYWHERE)
    return _Replacement(given[old], given[new], everywhere, _without(given, old, new))


def _replacements(given: object) -> tuple[_Replacement, ...] | None:
    if not isinstance(given, list) or not given:
        return None
    found = [
        _replacement(cast("Mapping[str, Any]", item)) if isinstance(item, dict) else None
        for item in cast("list[object]", given)
    ]
    changes = tuple(change for change in found if change is not None)
    return changes if len(changes) == len(found) else None


def _by_themselves(changes: Sequence[_Replacement]) -> list[_Hunk]:
    """Compare each two texts; with several, each has a head that counts them."""
    return [
        _Hunk(_text(change.old), _text(change.new), f"@@ {n}/{len(changes)} @@" if len(changes) > 1 else None)
        for n, change in enumerate(changes, 1)
    ]


def _in_file(text: str, changes: Sequence[_Replacement]) -> list[_Hunk] | None:
    """Find the place of each replacement, in the file as the ones before leave it; None when one is not certain."""
    hunks: list[_Hunk] = []
    room = MOST_SCANNED
    for change in changes:
        places = text.count(change.old) if change.old else 0
        certain = places == 1 or (change.everywhere and 0 < places <= MOST_PLACES)
        room -= 2 * len(text) + places * len(change.new)  # both texts are split into lines
        if not certain or room < 0:
            return None
        hunks += _hunks(text, change)
        text = text.replace(change.old, change.new)
    return hunks


def _hunks(text: str, change: _Replacement) -> Iterator[_Hunk]:
    lines = _file(text)
    shift = 0
    for first, last in _regions(text, lines, change.old):
        old = lines[first : last + 1]
        new = _file("".join(old).replace(change.old, change.new))
        start = first + 1
        yield _Hunk(old, new, f"@@ -{start},{len(old)} +{start + shift},{len(new)} @@")
        shift += len(new) - len(old)


def _regions(text: str, lines: Sequence[str], wanted: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each run of places with their context; runs that touch are one."""
    starts = [0, *accumulate(len(line) for line in lines)][:-1]
    region: tuple[int, int] | None = None
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        first = max(0, bisect_right(starts, at) - 1 - CONTEXT)
        last = min(len(lines) - 1, bisect_right(starts, end - 1) - 1 + CONTEXT)
        if region is not None and first > region[1] + 1:
            yield region
            region = None
        region = (first if region is None else region[0], last)
        at = text.find(wanted, end)
    if region is not None:
        yield region


def _file(text: str) -> list[str]:
    """Split a file into its lines, each with its line feed; the last one of some files has none."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], *([lines[-1][:-1]] if lines[-1] != "\n" else [])]


def _text(text: str) -> list[str]:
    """Split a piece of a file into lines. A line feed at its end is a line more, as it is where it is put in."""
    return [f"{line}\n" for line in text.split("\n")] if text else []


def _without(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in names}
