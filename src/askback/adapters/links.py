"""Find a link in a call that leads out of its folder. The policy resolves paths as texts, and cannot see it.

A cloned repository may have such a link: `notes.md` may be the reader's `~/.aws/credentials`, or `~/.zshrc`. So no rule
and no mode lets a call run that goes through one; with the path of its target it is decided like any other call.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import iglob
from itertools import islice
from typing import Any

from askback.domain.decision import Decision

MAX_PATHS = 1_000
"""How many paths of a call are looked up."""
_CHANGE_FOLDER = frozenset({"cd", "pushd"})

_REFUSED = (
    "{path} is a link to {target}, outside of {folder}, so no rule covers this call and it was not run. "
    "Call it again with the path {target}."
)


def why_not_by_rule(decision: Decision, tool: str, folder: str | None) -> str | None:
    """Return why a call must not run although a rule or a mode allows it, as a sentence for the model; else None."""
    if not decision or decision.source != "policy" or folder is None:
        return None
    base = os.path.normpath(folder)
    for path in dict.fromkeys(islice(_paths(tool, decision.input, folder), MAX_PATHS)):
        if (target := _outside(os.path.join(base, path), base)) is not None:
            return _REFUSED.format(path=path, target=target, folder=folder)
    return None


def _outside(path: str, folder: str) -> str | None:
    """Return where a path leads that begins in a folder, if that is outside of it."""
    named = os.path.normpath(path)
    if not _is_below(named, folder) or not (os.pardir in path.split(os.sep) or _has_link(named, folder)):
        return None
    target = _resolve(path)
    return None if _is_below(target, _resolve(folder)) else target


def _has_link(path: str, folder: str) -> bool:
    """Return whether a step from a folder to a path below is a link. It is quicker than to resolve both."""
    position = folder
    for part in path.removeprefix(folder).split(os.sep):
        position = os.path.join(position, part)
        if part and os.path.islink(position):
            return True
    return False


def _paths(tool: str, tool_input: Any, folder: str) -> Iterator[str]:
    """Return the texts of a call that may be paths, relative to its folder, with wildcards resolved."""
    for text in _texts(tool, tool_input, folder):
        if text and "\0" not in text:
            yield text
            if any(sign in text for sign in "*?["):
                yield from iglob(text, root_dir=folder)


def _texts(tool: str, tool_input: Any, folder: str) -> Iterator[str]:
    from askback.domain.policy.calls import Call

    call = Call(tool, tool_input, cwd=folder)
    yield from call.possible_paths
    if call.reading is None:
        return
    commands = call.reading.all_commands
    programs = {argv[0] for argv in commands}  # run, not read: `.venv/bin/python` is a link
    words = [word for argv in commands for word in argv if word not in programs]
    words += [*call.reading.targets, *call.reading.inputs]
    yield from words
    for argv in commands:
        if argv[0] in _CHANGE_FOLDER and len(argv) > 1:
            yield from (os.path.join(argv[1], word) for word in words)


def _resolve(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # it is too long, and so no path
        return os.path.normpath(path)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))
