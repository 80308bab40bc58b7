"""`server.json`: where a server leaves its address and tokens, so that clients of the same user find it."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import cast


def read(path: Path) -> dict[str, str]:
    """Return what the last server wrote, empty when there is nothing that can be read."""
    return _entries(path) or {}


def damaged(path: Path) -> bool:
    """Return whether there is a file that cannot be read as JSON."""
    return path.exists() and _entries(path) is None


def _entries(path: Path) -> dict[str, str] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict):
        return None
    entries = cast("dict[str, object]", found)
    return {key: value for key, value in entries.items() if isinstance(value, str)}


def write(path: Path, content: Mapping[str, str]) -> None:
    """Replace the file in one step; nobody but its owner may read it, at no moment."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def readdress(path: Path, url: str) -> None:
    """Change the address in the file where it lies, which takes no room on a full disk. Without a file, do nothing.

    Raises `OSError`.
    """
    found = read(path)
    if not found or found.get("url") == url:
        return
    text = json.dumps({**found, "url": url}, indent=2).encode()
    with path.open("r+b", buffering=0) as file:
        file.write(
            text.ljust(os.fstat(file.fileno()).st_size)
        )  # in one block, so that all of it is written or nothing
        os.fsync(file.fileno())
