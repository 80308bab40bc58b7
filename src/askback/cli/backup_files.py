"""The files of a backup, and the checks that backup and restore share."""

from __future__ import annotations

import os
from pathlib import Path

from askback.errors import AskbackError
from askback.storage.sqlite.backup import sealed_texts
from askback.vault import sealed

DATABASE = "askback.db"
SETTINGS = "settings.json"
NO_KEYS = "none"


class BackupRefused(AskbackError):
    """A backup cannot be made or restored with these options; nothing has changed."""


def key_ids(database: Path) -> set[str]:
    """Return the ids of the master keys that the secrets of a database need."""
    values = (sealed.read(text) for text in sealed_texts(database))
    return {value.key_id for value in values if value is not None}


def make_empty(folder: Path) -> None:
    """Make a folder for its owner alone; raises `BackupRefused` for one that is not empty."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_occupied = any(folder.iterdir())
    except OSError as error:
        raise BackupRefused(f"{folder} cannot be used: {error.strerror}.") from None
    if is_occupied:
        raise BackupRefused(f"{folder} is not empty. Choose a new folder.")


def write_private(path: Path, text: str) -> None:
    """Write a new file that only its owner may read, and sync it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
