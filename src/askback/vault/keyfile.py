"""The key file of a server that nobody gave a master key: made once, readable by its owner alone.

It holds what `ASKBACK_MASTER_KEYS` would hold, an entry on each line, the first of which writes; a line that begins
with `#` is a remark. It belongs apart from the database: whoever copies one folder should not have both.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path

from askback.vault.keys import KEY_BYTES, KeyRing, KeysUnusable, parse_keys
from askback.vault.sealed import encode

_REMARK = """\
# The master keys of askback, one id:key on each line; the first one writes.
# Without this file no secret can be read again. Keep a copy of it, apart from the database and its copies.
"""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def open_key_file(path: Path) -> KeyRing:
    """Return the keys of a file, and make the file with one new key where there is none.

    Of any number of processes that start at once, one makes it and all read the same. Raises `KeysUnusable` for a file
    that others may read or that somebody else owns, for one without a usable key, and when it cannot be made. A file
    that is there is never written: a key that is lost takes its secrets along.
    """
    try:
        if not path.exists():
            _make(path)
        text = _read(path)
    except OSError as error:
        raise KeysUnusable(f"The key file {path} cannot be used: {error.strerror}.") from None
    entries = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return parse_keys(",".join(entries), source=f"The key file {path}")


def _make(path: Path) -> None:
    """Write a file beside the place and link it there: it appears whole, or somebody else's is there first."""
    _make_folder(path.parent)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(draft, "x", encoding="ascii", opener=partial(os.open, mode=0o600)) as file:
            file.write(f"{_REMARK}{secrets.token_hex(4)}:{encode(os.urandom(KEY_BYTES))}\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    _keep_name(path.parent)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        _keep_name(folder.parent)


def _keep_name(folder: Path) -> None:
    """Make a new name in a folder outlast the loss of power: no secret must outlive its key."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path) -> str:
    """Return the text of a file that is nobody else's; what is checked is what is read, whatever its name leads to."""
    # Not waiting: a pipe in the place of the file would hold the start up for ever.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise KeysUnusable(f"The key file {path} is not a file.")
        if found.st_uid != os.geteuid():
            raise KeysUnusable(
                f"The key file {path} belongs to another user; it has to be this server's own."
            )
        if found.st_mode & _OTHERS:
            raise KeysUnusable(
                f"The key file {path} is open to others. Make it private (chmod 600), and consider its keys known."
            )
        return file.read().decode("utf-8", "replace")
