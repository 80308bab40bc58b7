"""Store the bytes of an upload: streamed in chunks, counted, sniffed, scanned, then ready.

A failed upload leaves a dropped file, whose bytes the sweep (`jobs/files.py`) erases.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from askback.domain.faults import Faults, fault
from askback.domain.filetypes import HEAD_BYTES, file_type
from askback.domain.values import frozen
from askback.errors import TooLarge, Unavailable
from askback.ports.files import CHUNK_BYTES, StoredFile
from askback.service.context import Services
from askback.service.files.scan import scan_file


def _any_file(_name: str, _type: str) -> bool:
    return True


@frozen(slots=True)
class Slot:
    """The place for a file: the `path` of its errors, and the limits in bytes for it and for all files.

    `accepts` gets the name and the type; `accept` describes the accepted types in the error.
    """

    path: str
    longest: int
    together: int
    accepts: Callable[[str, str], bool] = _any_file
    accept: str = ""

    def require_small(self, size: int) -> None:
        """Raise `TooLarge` for a file with too many bytes."""
        if size > self.longest:
            raise TooLarge(f"The file is larger than {self.longest} bytes, the limit for a file here.")


async def store_file(
    ctx: Services, slot: Slot, file: StoredFile, body: AsyncIterator[bytes], *, limit: int
) -> StoredFile:
    """Store a new file and return it when it is ready; its owner can have `limit` files that nothing names yet.

    Raises `FileRefused`, `TooLarge`, and `Faults` at the path of the slot.
    """
    await ctx.store.begin_file(file, limit=limit)
    is_stored = False
    try:
        type_, digest = await _store_bytes(ctx, slot, file, body)
        await scan_file(ctx, file, path=slot.path, type_=type_, sha256=digest)
        stored_file = await ctx.store.finish_file(file.tenant, file.id, type_=type_, sha256=digest)
        is_stored = True
    finally:
        if not is_stored:
            with suppress(Unavailable):
                await ctx.store.drop_file(file.tenant, file.id)
    return stored_file


async def _store_bytes(
    ctx: Services, slot: Slot, file: StoredFile, body: AsyncIterator[bytes]
) -> tuple[str, str]:
    """Store the chunks of a file; return its type and digest. One chunk at most is in memory."""
    digest, size, number, type_ = hashlib.sha256(), 0, 0, ""
    async for chunk in _chunks(body):
        size += len(chunk)
        slot.require_small(size)
        if not number:
            type_ = file_type(chunk[:HEAD_BYTES], file.name)
            if not slot.accepts(file.name, type_):
                raise Faults([fault(slot.path, "file_type", accept=slot.accept)])
        digest.update(chunk)
        await ctx.store.add_chunk(
            file.tenant, file.id, number, chunk, most_bytes=slot.together, at=ctx.clock.now_ms()
        )
        number += 1
    if not size:
        raise Faults([fault(slot.path, "file_empty")])
    return type_, digest.hexdigest()


async def _chunks(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the bytes of a body in chunks of `CHUNK_BYTES`, the last one shorter."""
    buffer = bytearray()
    async for body_part in body:
        buffer += body_part
        while len(buffer) >= CHUNK_BYTES:
            yield bytes(buffer[:CHUNK_BYTES])
            del buffer[:CHUNK_BYTES]
    if buffer:
        yield bytes(buffer)
