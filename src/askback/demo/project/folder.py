"""The folder that a project goes into: a new one, never one that is there already."""

from __future__ import annotations

import itertools
from pathlib import Path


def free_folder(parent: Path, name: str) -> Path:
    """Return `parent/name`, or `name-2`, `name-3` … when that is taken."""
    wanted = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
    return next(
        path for path in (parent / each for each in wanted) if not path.exists() and not path.is_symlink()
    )


def write_file(folder: Path, path: str, text: str) -> None:
    """Write one file of a project, whole or not at all, so that a killed agent leaves none half written."""
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.new")
    fresh.write_text(text, encoding="utf-8", newline="\n")
    fresh.replace(target)
