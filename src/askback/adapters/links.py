"""Find a link in a call that leads out of its folder. The policy resolves paths as texts, and cannot see it.

A cloned repository may have such a link: `notes.md` may be the reader's `~/.aws/credentials`, or `~/.zshrc`. So no rule
and no mode lets a call run that goes through one; with the path of its target it is decided like any other call.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import iglob
from itertools import islice
from pathlib import Path
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
    for path in islice(_paths(tool, decision.input, folder), MAX_PATHS):
        named, target = os.path.normpath(os.path.join(folder, path)), _resolve(os.path.join(folder, path))
        if _is_below(named, os.path.normpath(folder)) and not _is_below(target, _resolve(folder)):
            return _REFUSED.format(path=path, target=target, folder=folder)
    return None


def _paths(tool: str, tool_input: Any, folder: str) -> Iterator[str]:
    """Return the texts of a call that may be paths, relative to its folder, with wildcards resolved."""
    from askback.domain.policy.calls import Call

    call = Call(tool, tool_input, cwd=folder)
    texts = [*call.possible_paths]
    if call.reading is not None:
        commands = call.reading.all_commands
        programs = {argv[0] for argv in commands}  # run, not read: `.venv/bin/python` is a link
        words = [word for argv in commands for word in argv if word not in programs]
        words += [*call.reading.targets, *call.reading.inputs]
        folders = ["", *(argv[1] for argv in commands if argv[0] in _CHANGE_FOLDER and len(argv) > 1)]
        texts += [os.path.join(item, word) for item in folders for word in words]
    for text in texts:
        if text and "\0" not in text:
            yield text
            if any(sign in text for sign in "*?["):
                yield from iglob(text, root_dir=folder)


def _resolve(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # it is too long, and so no path
        return os.path.normpath(path)


def _is_below(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
