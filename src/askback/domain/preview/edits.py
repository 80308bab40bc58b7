"""The change that a file tool would make, as the lines of a unified diff.

A tool that writes a whole file is compared with the file as the agent reports it; every line that it writes is in
the diff, so that nothing is approved unseen. A tool that replaces text is shown text by text, and at its place in
the file if the file is known and the place is certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from askback.domain.approval import DiffLine
from askback.domain.policy.calls import Call
from askback.domain.preview.escapes import escape_lines
from askback.domain.preview.hunks import (
    MAX_LINES,
    Hunk,
    Replacement,
    hunks_in_file,
    line_count,
    separate_hunks,
    split_lines,
)
from askback.domain.preview.linediff import STEPS, diff_lines
from askback.domain.values import frozen

MAX_EDITS = 500
"""The maximum number of replacements in one input that are shown as a diff."""

_WRITERS = frozenset("write write_file create_file".split())
_CONTENTS = ("content", "contents", "file_text")
_PAIRS = (
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
    ("search", "replace"),
    ("old", "new"),
)
_REPLACE_ALL_KEYS = ("replace_all", "replaceAll")
_NO_LINE_FEED = "\\ No newline at end of file"

Op = Literal[" ", "-", "+", "@"]
Members = Mapping[str, Any]


@frozen(slots=True)
class FileEdit:
    """A change of one file, or its `whole` content.

    `other_members` are those of the input without the path and the texts in `lines`.
    """

    path: str
    lines: list[DiffLine]
    added: int
    removed: int
    whole: bool
    other_members: Members


def file_edit(call: Call, before: str | None) -> FileEdit | None:
    """Return the change that a file tool would make; None if its input is not in a known form, or too large."""
    if call.path is None or not call.is_edit:
        return None
    hunks_of_write = _whole_file(call, before)
    changes = hunks_of_write or _replacement_hunks(call, before)
    if changes is None:
        return None
    hunks, other_members = changes
    if sum(line_count(hunk.old) + line_count(hunk.new) for hunk in hunks) > MAX_LINES:
        return None
    diff = [line for hunk in hunks for line in _draw_hunk(hunk, steps=STEPS // len(hunks))]
    escaped_lines = escape_lines([line for _, line in diff])
    if escaped_lines is None:
        return None
    ops: list[Op] = [op for op, _ in diff]
    return FileEdit(
        call.path,
        [DiffLine(op=op, parts=parts) for op, parts in zip(ops, escaped_lines, strict=True)],
        ops.count("+"),
        ops.count("-"),
        hunks_of_write is not None,
        {name: value for name, value in other_members.items() if name != call.path_key},
    )


def _draw_hunk(hunk: Hunk, *, steps: int) -> Iterator[tuple[Op, str]]:
    if hunk.head is not None:
        yield "@", hunk.head
    for op, line in diff_lines(split_lines(hunk.old), split_lines(hunk.new), steps=steps):
        yield op, line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "@", _NO_LINE_FEED


def _whole_file(call: Call, before: str | None) -> tuple[list[Hunk], Members] | None:
    names = [name for name in _CONTENTS if name in call.input]
    if call.tool.casefold() not in _WRITERS or len(names) != 1 or not isinstance(call.input[names[0]], str):
        return None
    return [Hunk(before or "", call.input[names[0]])], _other_members(call.input, names[0])


def _replacement_hunks(call: Call, before: str | None) -> tuple[list[Hunk], Members] | None:
    one_replacement = _replacement(call.input)
    replacements = _replacements(call.input.get("edits"))
    if (one_replacement is None) == (replacements is None):
        return None
    if one_replacement is not None:
        changes, other_members = [one_replacement[0]], one_replacement[1]
    else:
        changes = [change for change, _ in replacements or ()]
        edits = [members for _, members in replacements or ()]
        other_members = _other_members(call.input, "edits") | ({"edits": edits} if any(edits) else {})
    located_hunks = None if before is None else hunks_in_file(before, changes)
    return separate_hunks(changes) if located_hunks is None else located_hunks, other_members


def _replacement(call_input: Mapping[str, Any]) -> tuple[Replacement, Members] | None:
    pairs = [keys for keys in _PAIRS if all(isinstance(call_input.get(name), str) for name in keys)]
    if len(pairs) != 1:
        return None
    old, new = pairs[0]
    replaces_all = any(call_input.get(name) is True for name in _REPLACE_ALL_KEYS)
    return Replacement(call_input[old], call_input[new], replaces_all), _other_members(call_input, old, new)


def _replacements(call_input: object) -> Sequence[tuple[Replacement, Members]] | None:
    if not isinstance(call_input, list) or not 0 < len(cast("list[object]", call_input)) <= MAX_EDITS:
        return None
    replacements = [
        _replacement(cast("Mapping[str, Any]", item)) if isinstance(item, dict) else None
        for item in cast("list[object]", call_input)
    ]
    changes = [change for change in replacements if change is not None]
    return changes if len(changes) == len(replacements) else None


def _other_members(call_input: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in call_input.items() if name not in names}
