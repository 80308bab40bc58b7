"""Files, in chunks."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence

from askback.ports.files import FileClaim, FileRefused, FileShare, StoredFile
from askback.storage.rows import Row
from askback.storage.sql.transaction import Area, Transaction

# In the order of the fields of `StoredFile`. changed_at is when the last bytes arrived, and 0 for dropped files.
_FIELDS = "tenant, id, thread, request, field, person, name, type, size, sha256, created_at, state, shared"
_IS_SHOWN = "state IN ('ready', 'claimed')"
_DROP = "UPDATE files SET state = 'dropped', changed_at = 0"

# Until the commit nobody settles the request: (tenant, request id) -> a row while it is pending.
LOCK_PENDING = """
SELECT 1 FROM requests WHERE tenant = $1 AND id = $2 AND status = 'pending' FOR NO KEY UPDATE"""
# A file of an agent, for its messages, has the request ''. The index of requests must not be used to look for these.
_FOR_MESSAGES = "tenant = $1 AND thread = $2 AND request || '' = ''"
# (tenant, thread, agent), or (tenant, request id, field, person) -> how many of their files nothing names yet.
UPLOADED_FOR_MESSAGES = f"""
SELECT count(*) FROM files WHERE {_FOR_MESSAGES} AND person = $3 AND state IN ('uploading', 'ready')"""
UPLOADED = """
SELECT count(*) FROM files
WHERE tenant = $1 AND request = $2 AND field = $3 AND person = $4 AND state IN ('uploading', 'ready')"""
ADD_FILE = f"""
INSERT INTO files ({_FIELDS}, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, $11)"""
# (tenant, id, bytes, now) -> the request and the thread, while the file is being uploaded.
GROW = """
UPDATE files SET size = size + $3, changed_at = $4 WHERE tenant = $1 AND id = $2 AND state = 'uploading'
RETURNING request, thread"""
STORED_BYTES = """
SELECT coalesce(sum(size), 0)::bigint FROM files WHERE tenant = $1 AND request = $2 AND state <> 'dropped'"""
STORED_FOR_MESSAGES = f"""
SELECT coalesce(sum(size), 0)::bigint FROM files WHERE {_FOR_MESSAGES} AND state <> 'dropped'"""
ADD_CHUNK = "INSERT INTO file_chunks (tenant, file, number, data) VALUES ($1, $2, $3, $4)"
REQUEST_OF_FILE = "SELECT request FROM files WHERE tenant = $1 AND id = $2 AND state = 'uploading'"
FINISH = f"""
UPDATE files SET state = 'ready', type = $3, sha256 = $4 WHERE tenant = $1 AND id = $2 AND state = 'uploading'
RETURNING {_FIELDS}"""
DROP = f"{_DROP} WHERE tenant = $1 AND id = $2 AND state IN ('uploading', 'ready') RETURNING id"
# (tenant, request id, ids) -> those that are there. Then every other file of the request is dropped.
CLAIM = f"""
UPDATE files SET state = 'claimed' WHERE tenant = $1 AND request = $2 AND id = ANY ($3::text[]) AND {_IS_SHOWN}
RETURNING id"""
DROP_OTHERS = f"""
{_DROP} WHERE tenant = $1 AND request = $2 AND state <> 'dropped' AND shared = 0 AND id <> ALL ($3::text[])"""
# (tenant, thread, ids) -> those that are there.
SHARE = """
UPDATE files SET shared = 1, state = 'claimed' WHERE tenant = $1 AND thread = $2 AND id = ANY ($3::text[])
    AND (state = 'claimed' OR state = 'ready' AND request = '')
RETURNING id"""

FILE = f"SELECT {_FIELDS} FROM files WHERE tenant = $1 AND id = $2 AND {_IS_SHOWN}"
OF_REQUEST = f"SELECT {_FIELDS} FROM files WHERE tenant = $1 AND request = $2 AND {_IS_SHOWN} ORDER BY id"
OF_THREAD = f"SELECT {_FIELDS} FROM files WHERE tenant = $1 AND thread = $2 AND state = 'claimed' ORDER BY id"
CHUNK = """
SELECT c.data FROM file_chunks AS c JOIN files AS f ON f.tenant = c.tenant AND f.id = c.file
WHERE c.tenant = $1 AND c.file = $2 AND c.number = $3 AND f.state <> 'dropped'"""

# Dropped files, and uploads that received nothing since: (before) -> tenant, id.
NEXT_UNUSED_FILE = """
SELECT tenant, id FROM files WHERE state IN ('uploading', 'dropped') AND changed_at < $1
ORDER BY changed_at LIMIT 1 FOR UPDATE SKIP LOCKED"""
DROP_UNUSED = f"{_DROP} WHERE tenant = $1 AND id = $2"
ERASE_CHUNKS = """
DELETE FROM file_chunks WHERE tenant = $1 AND file = $2 AND number IN (
    SELECT number FROM file_chunks WHERE tenant = $1 AND file = $2 ORDER BY number LIMIT 16)
RETURNING number"""
ERASE_FILE = "DELETE FROM files WHERE tenant = $1 AND id = $2"
# Files that no answer names, of requests that have ended: of a form, say, that another one has replaced.
DROP_LEFT = f"""
{_DROP} WHERE state = 'ready' AND changed_at < $1 AND NOT EXISTS (
    SELECT 1 FROM requests AS r
    WHERE r.tenant = files.tenant AND r.id = files.request AND r.status IN ('pending', 'resolving'))
RETURNING id"""


async def claim_files(tx: Transaction, claims: Sequence[FileClaim]) -> None:
    """Claim the files that answers name, within the transaction of the answer; raises `FileRefused`."""
    for claim in claims:
        claimed_rows = await tx.all(CLAIM, claim.tenant, claim.request_id, list(claim.ids))
        if len(claimed_rows) < len(claim.ids):
            raise FileRefused("missing")
        if claim.ends:
            await tx.run(DROP_OTHERS, claim.tenant, claim.request_id, list(claim.ids))


async def share_files(tx: Transaction, shares: Sequence[FileShare]) -> None:
    """Share the files that messages name, within the transaction of the message; raises `FileRefused`."""
    for share in shares:
        shared_rows = await tx.all(SHARE, share.tenant, share.thread_id, list(share.ids))
        if len(shared_rows) < len(share.ids):
            raise FileRefused("missing")


class FileArea(Area):
    """See `askback.ports.files` for what each method promises."""

    async def begin_file(self, file: StoredFile, *, limit: int) -> None:
        """Store a new file without bytes."""

        async def insert_file(tx: Transaction) -> None:
            if not file.request_id:
                count = await tx.one(UPLOADED_FOR_MESSAGES, file.tenant, file.thread_id, file.person)
            elif await tx.one(LOCK_PENDING, file.tenant, file.request_id) is None:
                raise FileRefused("closed")
            else:
                count = await tx.one(UPLOADED, file.tenant, file.request_id, file.field, file.person)
            if count is not None and count[0] >= limit:
                raise FileRefused("many")
            await tx.run(
                ADD_FILE, file.tenant, file.id, file.thread_id, file.request_id, file.field, file.person,
                file.name, file.type, file.size, file.sha256, file.created_at, file.state,
            )  # fmt: skip

        await self._db.change(insert_file)

    async def add_chunk(
        self, tenant: str, file_id: str, number: int, data: bytes, *, most_bytes: int, at: int
    ) -> None:
        """Add the next bytes of a file."""

        async def add(tx: Transaction) -> None:
            new_size = await tx.one(GROW, tenant, file_id, len(data), at)
            if new_size is None:
                raise FileRefused("missing")
            request, thread = new_size
            if request:
                total = await tx.one(STORED_BYTES, tenant, request)
            else:
                total = await tx.one(STORED_FOR_MESSAGES, tenant, thread)
            if total is not None and total[0] > most_bytes:
                raise FileRefused("full")
            await tx.run(ADD_CHUNK, tenant, file_id, number, data)

        await self._db.change(add)

    async def finish_file(self, tenant: str, file_id: str, *, type_: str, sha256: str) -> StoredFile:
        """Make a file ready."""

        async def finish(tx: Transaction) -> StoredFile:
            request = await tx.one(REQUEST_OF_FILE, tenant, file_id)
            if request is not None and request[0] and await tx.one(LOCK_PENDING, tenant, request[0]) is None:
                raise FileRefused("closed")
            row = await tx.one(FINISH, tenant, file_id, type_, sha256)
            if row is None:
                raise FileRefused("missing")
            return _file(row)

        return await self._db.change(finish)

    async def drop_file(self, tenant: str, file_id: str) -> bool:
        """Drop a file that no answer names."""
        return await self._db.change(lambda tx: tx.one(DROP, tenant, file_id)) is not None

    async def file(self, tenant: str, file_id: str) -> StoredFile | None:
        """Read a file without its bytes."""
        row = await self._db.row(FILE, tenant, file_id) if self._db.can_store(file_id) else None
        return None if row is None else _file(row)

    async def files_of_request(self, tenant: str, request_id: str) -> Sequence[StoredFile]:
        """Read the files of a request."""
        return [_file(row) for row in await self._db.rows(OF_REQUEST, tenant, request_id)]

    async def files_of_thread(self, tenant: str, thread_id: str) -> Sequence[StoredFile]:
        """Read the claimed files of a thread."""
        return [_file(row) for row in await self._db.page(OF_THREAD, tenant, thread_id)]

    async def file_chunk(self, tenant: str, file_id: str, number: int) -> bytes | None:
        """Read some bytes of a file."""
        chunks = await self._db.page(CHUNK, tenant, file_id, number)
        return bytes(chunks[0][0]) if chunks else None

    async def purge_files(self, *, before_ms: int) -> bool:
        """Erase one step of what nobody uses."""

        async def purge(tx: Transaction) -> bool:
            unused_file = await tx.one(NEXT_UNUSED_FILE, before_ms)
            if unused_file is None:
                return bool(await tx.all(DROP_LEFT, before_ms))
            name = (unused_file[0], unused_file[1])
            await tx.run(DROP_UNUSED, *name)
            if not await tx.all(ERASE_CHUNKS, *name):
                await tx.run(ERASE_FILE, *name)
            return True

        return await self._db.change(purge, erases=True)


def _file(row: Row) -> StoredFile:
    *columns, is_shared = row
    return StoredFile(*columns, shared=bool(is_shared))
