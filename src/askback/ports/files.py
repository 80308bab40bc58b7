"""The part of the store for files that people upload for forms, and agents for their messages.

The bytes are in chunks of at most `CHUNK_BYTES`, so that neither a row nor a transaction is large. A file is
`uploading` until it is complete, then `ready` for its person alone, and `claimed` once an answer names it. A
`dropped` file is in no list and cannot be read; `purge_files` erases it.

Contracts 1, 5, 8, 9, 10 and 11 of `askback.ports.store` apply here as well, and

30. A file is uploaded for a pending request only, within its number of files for a field and a person and within the
    bytes of the request, both counted in the transaction that adds to them. One without a request is for messages of
    its thread, and is counted with those of this thread.
31. A change with a `FileClaim` is applied only if every file that it names exists (`FileRefused`). If it ends
    the request, it drops all other files of the request. A `FileShare` of a message is applied in the same
    way: its files become claimed and `shared`, and no end of a request drops them.
32. A dropped file can no longer be read. Erasing a thread erases its files, and after `scrub` no file of the store
    contains their bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from askback.domain.files import UploadedFile
from askback.domain.values import frozen

if TYPE_CHECKING:
    pass

CHUNK_BYTES = 256 * 1024

FileState = Literal["uploading", "ready", "claimed", "dropped"]
RefusalReason = Literal["closed", "many", "full", "missing"]


class FileRefused(Exception):
    """A file cannot be added, continued or claimed.

    Its request is `closed`, there are too `many` files, it is too large for the request (`full`), or it does
    not exist (`missing`).
    """

    def __init__(self, refusal_reason: RefusalReason) -> None:
        super().__init__(refusal_reason)
        self.why = refusal_reason


@frozen(slots=True)
class StoredFile:
    """A file without its bytes. `person` is the `user` of its uploader; times are ms since the epoch.

    Without a `request_id` it is for messages of its thread, and `person` is the id of the agent. A `shared` file is
    named by a message of its thread.
    """

    tenant: str
    id: str
    thread_id: str
    request_id: str
    field: str
    person: str
    name: str
    type: str
    size: int
    sha256: str
    created_at: int
    state: FileState
    shared: bool = False

    @property
    def upload(self) -> UploadedFile:
        """The file for an answer that names it."""
        return UploadedFile(self.id, self.field, self.name, self.size, self.type, self.sha256)


@frozen(slots=True)
class FileClaim:
    """The files that an answer of a request names; with `ends`, the request drops all others."""

    tenant: str
    request_id: str
    ids: tuple[str, ...]
    ends: bool


@frozen(slots=True)
class FileShare:
    """The files of a thread, named by answers or uploaded for messages, that a message of this thread names."""

    tenant: str
    thread_id: str
    ids: tuple[str, ...]


class FileStore(Protocol):
    """Files, in chunks."""

    async def begin_file(self, file: StoredFile, *, limit: int) -> None:
        """Store a new file without bytes; its person can have `limit` for the field. Raises `FileRefused`."""
        ...

    async def add_chunk(
        self, tenant: str, file_id: str, number: int, data: bytes, *, most_bytes: int, at: int
    ) -> None:
        """Add the next bytes (`number` counts from 0), if the files that count together have at most `most_bytes`.

        These are the files of its request, or those for messages of its thread. Raises `FileRefused`, also for a file
        that is not being uploaded.
        """
        ...

    async def finish_file(self, tenant: str, file_id: str, *, type_: str, sha256: str) -> StoredFile:
        """Make a file ready. Raises `FileRefused` if it is not being uploaded, or its request is not pending."""
        ...

    async def drop_file(self, tenant: str, file_id: str) -> bool:
        """Drop a file that no answer names; False if there is none."""
        ...

    async def file(self, tenant: str, file_id: str) -> StoredFile | None:
        """Read a file that is ready or claimed."""
        ...

    async def files_of_request(self, tenant: str, request_id: str) -> Sequence[StoredFile]:
        """Read the files of a request that are ready or claimed, oldest first."""
        ...

    async def files_of_thread(self, tenant: str, thread_id: str) -> Sequence[StoredFile]:
        """Read the claimed files of a thread, oldest first."""
        ...

    async def file_chunk(self, tenant: str, file_id: str, number: int) -> bytes | None:
        """Read some bytes of a file that is not dropped; None after the end."""
        ...

    async def purge_files(self, *, before_ms: int) -> bool:
        """Erase some files that were dropped, or whose upload stopped before this time; False if there are none."""
        ...
