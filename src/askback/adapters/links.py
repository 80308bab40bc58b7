"""Find a link in a call that leads out of its folder. The policy resolves paths as texts, and cannot see it.

A cloned repository may have such a link: `notes.md` may be the reader's `~/.aws/credentials`, or `~/.zshrc`. So no rule
and no mode lets a call run that goes through one; with the path of its target it is decided like any other call.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import iglob
from itertools import islice
from typing import TYPE_CHECKING

from askback.domain.decision import Decision

if TYPE_CHECKING:
    from askback.domain.policy.calls import Call

MAX_PATHS = 10_000
"""How many paths of a call are looked up, with those that its wildcards match; a call with more runs by no rule."""
_CHANGE_FOLDER = frozenset({"cd", "pushd"})

_REFUSED = (
    "{path} is a link to {target}, outside of {folder}, so no rule covers this call and it was not run. "
    "Call it again with the path {target}."
)
_TOO_MANY = (
    "The call names too many paths to look for links that lead out of its folder, so no rule covers it and it was not "
    "run. Name fewer at a time."
)


def why_not_by_rule(decision: Decision, tool: str, folder: str | None) -> str | None:
    """Return why a call must not run although a rule or a mode allows it, as a sentence for the model; else None."""
    if not decision or decision.source != "policy" or folder is None:
        return None
    from askback.domain.policy import files
    from askback.domain.policy.calls import Call

    base, call = os.path.normpath(folder), Call(tool, decision.input, cwd=folder)
    paths = list(islice(_paths(call, folder), MAX_PATHS + 1))
    if len(paths) > MAX_PATHS or len(call.possible_paths) > files.MAX_PATHS:
        return _TOO_MANY
    for path in dict.fromkeys(paths):
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


def _paths(call: Call, folder: str) -> Iterator[str]:
    """Return the texts of a call that may be paths, relative to its folder, with wildcards resolved."""
    for text in _texts(call):
        if text and "\0" not in text:
            yield text
            if any(sign in text for sign in "*?["):
                yield from iglob(text, root_dir=folder)


def _texts(call: Call) -> Iterator[str]:
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
