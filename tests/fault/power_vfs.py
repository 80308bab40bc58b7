"""A disk that loses power: an apsw VFS that remembers which writes were synced and which were not.

Writes go through to real files, which play the page cache, and are noted as pending until their
file is synced. When the power goes, every later call fails. `after_power_loss` then writes the possible
content of a real disk: everything that was synced, and any subset of the rest, sector by sector, each
possibly torn.
"""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import apsw

from askback.storage.sqlite.connection import configure

SECTOR = 512
_names = count()


class PowerIsOff(apsw.IOError):
    """The error of every call without power."""

    extendedresult = apsw.SQLITE_IOERR_WRITE


class DiskIsFull(apsw.FullError):
    """The error of a write without room."""

    extendedresult = apsw.SQLITE_FULL


@dataclass
class _Pending:
    """An unsynced change: bytes at an offset, or without bytes, a new size."""

    offset: int
    data: bytes | None


@dataclass
class _Contents:
    """The synced content of a file, and its unsynced changes."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[_Pending] = field(default_factory=list)


class Disk:
    """One disk for one trial. `on_write` is called before each change and raises the planned error.

    `steps` counts the changes so far: writes, truncations, syncs, deletions.
    """

    def __init__(self, *, on_write: Callable[[Disk], None] = lambda disk: None) -> None:
        self.steps = 0
        self.dead = False
        self.on_write = on_write
        # By name: the current files, and the directory on the disk. They differ between the creation or
        # deletion of a file and the next sync of the directory.
        self._files: dict[str, _Contents | None] = {}
        self._entries: dict[str, _Contents | None] = {}
        self._lock = threading.RLock()
        self._vfs = _Vfs(f"power{next(_names)}", self)

    def connect(self, path: Path, *pragmas: str) -> ApswConnection:
        """Open a connection as the product does, on this disk; `pragmas` come last."""
        connection = ApswConnection(apsw.Connection(str(path), vfs=self._vfs.name))
        configure(connection, busy_ms=1_000)
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def close(self) -> None:
        """Forget the disk."""
        self._vfs.unregister()

    def open(self, path: str) -> None:
        """Record that a file exists; its content before the trial is durable."""
        with self._lock:
            if path not in self._files and Path(path).exists():
                self._files[path] = self._entries[path] = _Contents(bytearray(Path(path).read_bytes()))
            elif self._files.get(path) is None:
                self._files[path] = _Contents()

    def step(self) -> None:
        """Count a change that is about to be made, unless the power is off."""
        with self._lock:
            if self.dead:
                raise PowerIsOff("the power is off")
            self.steps += 1
            self.on_write(self)

    def write(self, path: str, data: bytes, offset: int) -> None:
        with self._lock:
            self._contents(path).pending.append(_Pending(offset, data))

    def truncate(self, path: str, size: int) -> None:
        with self._lock:
            self._contents(path).pending.append(_Pending(size, None))

    def sync(self, path: str) -> None:
        with self._lock:
            contents = self._contents(path)
            for change in contents.pending:
                _apply(contents.durable, change.offset, change.data)
            contents.pending.clear()

    def sync_directory(self) -> None:
        with self._lock:
            self._entries = dict(self._files)

    def delete(self, path: str) -> None:
        with self._lock:
            self._files[path] = None

    def _contents(self, path: str) -> _Contents:
        known = self._files[path]
        assert known is not None, f"{path} is written after it was deleted"
        return known

    def after_power_loss(self, rng: random.Random) -> None:
        """Rewrite the real files with a possible content of the disk; the shared memory is gone."""
        for path, now in self._files.items():
            before = self._entries.get(path)
            known = now if now is before else rng.choice((now, before))
            Path(path).unlink(missing_ok=True)
            Path(f"{path}-shm").unlink(missing_ok=True)
            if known is not None:
                Path(path).write_bytes(remaining_content(known, rng))


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


def remaining_content(contents: _Contents, rng: random.Random) -> bytearray:
    content = bytearray(contents.durable)
    survival = rng.choice((0.0, 0.5, 0.9, 1.0))
    for change in contents.pending:
        if change.data is None:
            if rng.random() < survival:
                _apply(content, change.offset, None)
            continue
        for offset, part in _sectors(change.offset, change.data):
            chance = rng.random()
            if chance < survival:
                _apply(content, offset, part)
            elif chance > 0.97:
                _apply(content, offset, part[: rng.randrange(len(part))])
    return content


def _sectors(offset: int, data: bytes) -> list[tuple[int, bytes]]:
    parts: list[tuple[int, bytes]] = []
    end = offset + len(data)
    start = offset
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        parts.append((start, data[start - offset : stop - offset]))
        start = stop
    return parts


class _Vfs(apsw.VFS):
    def __init__(self, name: str, disk: Disk) -> None:
        self.name = name
        self._disk = disk
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> _File:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is not None:
            self._disk.open(path)
        return _File(name, flags, self._disk, path)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self._disk.step()
        super().xDelete(filename, syncdir)
        self._disk.delete(filename)
        if syncdir:
            self._disk.sync_directory()

    def excepthook(self, *_: object) -> None:
        """Keep quiet: SQLite ignores some failures by design, such as a checkpoint that can wait."""


class _File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], disk: Disk, path: str | None) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._path = path
        # Like SQLite's unix VFS: the first sync of a new journal or log syncs its directory too.
        log = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL
        self._directory_too = bool(flags[0] & log and flags[0] & apsw.SQLITE_OPEN_CREATE)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._path is not None:
            # Recorded before the power can fail: the interrupted write may be torn.
            self._disk.write(self._path, data, offset)
            self._disk.step()
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        if self._path is not None:
            self._disk.truncate(self._path, newsize)
            self._disk.step()
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        if self._path is None:
            return
        self._disk.step()
        self._disk.sync(self._path)
        if self._directory_too:
            self._disk.sync_directory()
            self._directory_too = False

    def excepthook(self, *_: object) -> None:
        """Keep quiet, as the VFS does."""


@dataclass
class _Rows:
    rows: list[Any]
    lastrowid: int

    def fetchone(self) -> Any:
        return self.rows[0] if self.rows else None

    def fetchall(self) -> list[Any]:
        return self.rows


class ApswConnection:
    """An apsw connection that looks like one of `sqlite3`, in what it returns and in what it raises."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> _Rows:
        try:
            rows = self._connection.execute(sql, tuple(parameters)).fetchall()
        except apsw.Error as error:
            raise _as_sqlite3(error) from error
        return _Rows(rows, self._connection.last_insert_rowid())

    @property
    def total_changes(self) -> int:
        return self._connection.total_changes()

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def close(self) -> None:
        try:
            self._connection.close()
        except apsw.Error as error:
            raise _as_sqlite3(error) from error


def _as_sqlite3(error: apsw.Error) -> sqlite3.Error:
    kind = sqlite3.IntegrityError if isinstance(error, apsw.ConstraintError) else sqlite3.OperationalError
    same = kind(str(error))
    same.sqlite_errorcode = getattr(error, "extendedresult", 0) or getattr(error, "result", 0)
    return same
