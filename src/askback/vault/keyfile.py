"""The key file of a server without a configured master key: readable by its owner only, and replaced atomically.

It has the entries of `ASKBACK_MASTER_KEYS`, one on each line, and the first one seals; a line that begins
with `#` is a comment. Keep it apart from the database, so that a copy of one folder does not contain both.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from askback.vault.keys import KEY_BYTES, KeysUnusable, parse_keys
from askback.vault.sealed import encode

_HEADER = """\
# askback's master keys, one id:key on each line; the first one writes.
# Without this file no secret can be read again. Keep a copy of it, apart from the database and its copies.
"""
_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_key_file(path: Path) -> dict[str, bytes]:
    """Return the keys of a file by id, the sealing one first.

    Raises `KeysUnusable` for a file that does not exist, that others may read, that somebody else owns, or
    that has no usable key.
    """
    try:
        text = _read(path)
    except OSError as error:
        raise _unusable(path, error) from None
    entries = [line for line in text.splitlines() if not _is_comment(line)]
    return parse_keys(",".join(entries), source=f"The key file {path}")


def make_key_file(path: Path) -> None:
    """Create a file with one new key, unless it exists; of several concurrent processes, one creates it.

    Raises `KeysUnusable` when it cannot be made.
    """

    def put(draft: Path) -> None:
        # Linked, it appears complete, or another process was first.
        with suppress(FileExistsError):
            os.link(draft, path)

    try:
        _make_folder(path.parent)
        _write(path, f"{_HEADER}{_line(*new_key())}", put)
    except OSError as error:
        raise _unusable(path, error) from None


def write_key_file(path: Path, keys: Mapping[str, bytes]) -> None:
    """Create a file with these keys. Raises `KeysUnusable` if it cannot be created, or already exists."""
    try:
        _make_folder(path.parent)
        lines = [_line(key_id, key) for key_id, key in keys.items()]
        _write(path, "".join([_HEADER, *lines]), lambda draft: os.link(draft, path))
    except OSError as error:
        raise _unusable(path, error) from None


def replace_key_file(path: Path, keys: Mapping[str, bytes]) -> None:
    """Replace the keys in a file atomically; its comments stay. Raises `KeysUnusable`: then nothing has changed."""
    try:
        comment_lines = [f"{line}\n" for line in _read(path).splitlines() if _is_comment(line)]
        # The target of a link is replaced, not the link.
        target = Path(os.path.realpath(path))
        lines = [_line(key_id, key) for key_id, key in keys.items()]
        _write(target, "".join([*comment_lines, *lines]), lambda draft: os.replace(draft, target))
    except OSError as error:
        raise _unusable(path, error) from None


def new_key() -> tuple[str, bytes]:
    """Return a random key and an id for it."""
    return secrets.token_hex(4), os.urandom(KEY_BYTES)


def _line(key_id: str, key: bytes) -> str:
    return f"{key_id}:{encode(key)}\n"


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _unusable(path: Path, error: OSError) -> KeysUnusable:
    return KeysUnusable(f"The key file {path} cannot be used: {error.strerror}.")


def _write(path: Path, text: str, publish: Callable[[Path], None]) -> None:
    """Write a temporary file beside the path, and `publish` it there once it is on the disk."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(draft, "x", encoding="utf-8", opener=partial(os.open, mode=0o600)) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        publish(draft)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)  # no secret must outlive its key


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder, so that a new one survives a power failure."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path) -> str:
    """Return the text of a file that only its owner can read; the check and the read use the same open file."""
    # Without waiting: a pipe in place of the file would block the start forever.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise KeysUnusable(f"The key file {path} is not a file.")
        if status.st_uid != os.geteuid():
            raise KeysUnusable(
                f"The key file {path} belongs to another user; it has to be this server's own."
            )
        if status.st_mode & _GROUP_AND_OTHERS:
            raise KeysUnusable(
                f"The key file {path} is open to others. Make it private (chmod 600), and consider its keys known."
            )
        return file.read().decode("utf-8", "replace")
