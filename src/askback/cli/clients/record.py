"""The record of an installation: the client's credentials, and the original of every changed file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from askback.cli.clients.additions import NAME, Addition
from askback.errors import AskbackError

PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that was changed: its contents before (base64; None if there was none), and a digest of those after.

    `added` are the added entries, so that another version of askback, or one in another environment, can remove them.
    """

    path: str
    before: str | None
    after: str
    added: dict[str, Any]
    folders: Sequence[str] = ()
    """The folders that were made for it, the innermost first."""

    @classmethod
    def of(cls, addition: Addition, after: str) -> Self:
        """Describe the change of a file that has not been made yet."""
        path = addition.path.resolve()
        new_folders = [str(parent) for parent in path.parents if not parent.exists()]
        original_content = base64.b64encode(path.read_bytes()).decode() if path.exists() else None
        return cls(str(path), original_content, _digest(after.encode()), addition.members, new_folders)

    @property
    def addition(self) -> Addition:
        """The added entries, and their file."""
        return Addition(Path(self.path), self.added)

    def text_without_addition(self) -> str:
        """Return the text of a file that has changed since, without the added entries. Raises `CannotEdit`."""
        return self.addition.remove_from(self.addition.read(), self._text_before.decode())

    def undo(self) -> None:
        """Restore the file if nobody has changed it since, else remove the added entries. Raises `CannotEdit`."""
        draft_of(Path(self.path)).unlink(missing_ok=True)  # of an installation that was killed
        if self.is_untouched():
            self.restore()
        elif not self.is_restored() and (text := self.text_without_addition()) != self.addition.read():
            replace_file(Path(self.path), text.encode())
        if not Path(self.path).exists():
            self._remove_folders()

    def is_untouched(self) -> bool:
        """Return whether the file is unchanged since the installation."""
        path = Path(self.path)
        return path.exists() and _digest(path.read_bytes()) == self.after

    def is_restored(self) -> bool:
        """Return whether the file is restored or gone."""
        path = Path(self.path)
        return not path.exists() or (self.before is not None and path.read_bytes() == self._text_before)

    @property
    def _text_before(self) -> bytes:
        return base64.b64decode(self.before or "")

    def restore(self) -> None:
        """Restore the original file byte for byte, or remove it."""
        if self.before is not None:
            replace_file(Path(self.path), self._text_before)
        else:
            Path(self.path).unlink()

    def _remove_folders(self) -> None:
        """Remove the folders that were made for the file, unless they hold something else."""
        for folder in map(Path, self.folders):
            if not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()


@dataclass(frozen=True, slots=True)
class Record:
    """What `askback uninstall` needs.

    It is written before the token is made, without its id. Then the token is one that the agents of the client did not
    have: `tokens_before` are the ids of those that they had.
    """

    token_id: str
    agent: str
    root: str | None
    files: Sequence[ChangedFile]
    tokens_before: Sequence[str] = ()

    def write(self, path: Path) -> None:
        """Store it, readable by its owner only: it holds copies of configuration."""
        replace_file(path, json.dumps(asdict(self), indent=2).encode(), mode=PRIVATE)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read it. Raises `AskbackError` if it is damaged."""
        try:
            members: dict[str, Any] = json.loads(path.read_text("utf-8"))
            members["files"] = [ChangedFile(**file) for file in members["files"]]
            return cls(**members)
        except (ValueError, KeyError, TypeError) as error:
            raise AskbackError(
                f"{path} is damaged: {error}. Delete it, remove the entry `{NAME}` from the configuration, "
                "and revoke its token: askback token list"
            ) from None


def replace_file(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace a file atomically, or make it; a link stays a link, and a file keeps its mode unless one is given."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = path.stat().st_mode & 0o777 if path.exists() else PRIVATE
    draft = draft_of(path)
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def draft_of(path: Path) -> Path:
    """Return where the new contents of a file are until they are complete."""
    return path.with_name(f".{path.name}.askback")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
