"""The folder that a project goes into: a new one, never one that is there already."""

from __future__ import annotations

import itertools
from pathlib import Path


def new_folder(parent: Path, name: str) -> Path:
    """Make `parent/name`, or `name-2`, `name-3` … when that is taken, also by another agent at the same moment."""
    parent.mkdir(parents=True, exist_ok=True)
    for wanted in itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2))):
        try:
            (parent / wanted).mkdir()
        except FileExistsError:
            continue
        return parent / wanted
    raise AssertionError("there is no last number")


def write_file(folder: Path, path: str, text: str) -> None:
    """Write one file of a project, whole or not at all, so that a killed agent leaves none half written."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.new")
    fresh.write_text(text, encoding="utf-8", newline="\n")
    fresh.replace(target)
