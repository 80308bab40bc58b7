"""`server.json`: the address and tokens of a server, for clients of the same user."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import cast


def read(path: Path) -> dict[str, str]:
    """Return the content that the last server wrote; empty if it cannot be read."""
    return _entries(path) or {}


def is_damaged(path: Path) -> bool:
    """Return whether the file exists and is not JSON."""
    return path.exists() and _entries(path) is None


def _entries(path: Path) -> dict[str, str] | None:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict):
        return None
    entries = cast("dict[str, object]", content)
    return {key: value for key, value in entries.items() if isinstance(value, str)}


def write(path: Path, content: Mapping[str, str]) -> None:
    """Replace the file atomically; only its owner can read it, at any time."""
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


def update_address(path: Path, url: str) -> None:
    """Change the address in the file in place, which works on a full disk. Does nothing without a file.

    Raises `OSError`.
    """
    server = read(path)
    if not server or server.get("url") == url:
        return
    text = json.dumps({**server, "url": url}, indent=2).encode()
    with path.open("r+b", buffering=0) as file:
        file.write(
            text.ljust(os.fstat(file.fileno()).st_size)
        )  # one block, so that it is written completely or not at all
        os.fsync(file.fileno())
