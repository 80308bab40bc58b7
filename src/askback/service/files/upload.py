"""Upload a file for a field of a pending request: streamed in chunks, counted, sniffed, scanned, then ready.

What fails on the way leaves a file that is dropped; the sweep (`jobs/files.py`) erases its bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress

from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.fields import File
from askback.domain.files import clean_name, is_accepted, most_files
from askback.domain.filetypes import HEAD_BYTES, file_type
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.errors import TooLarge, Unavailable
from askback.ports.files import CHUNK_BYTES, FileRefused, StoredFile
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.access.assignees import require_can_answer
from askback.service.context import Services
from askback.service.files.scan import scan_file
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import already_settled


async def upload_file(
    ctx: Services,
    principal: Principal,
    request_id: str,
    *,
    field: str | None,
    name: str | None,
    size: int | None,
    body: AsyncIterator[bytes],
) -> StoredFile:
    """Store a file and return it; `size` is what the sender declares. An answer names it by its id.

    Raises `Faults` for a wrong field, name or type, and for a file that a scan refuses; `TooLarge`; `Conflict` or
    `Gone` where the request is not pending; `Forbidden` for people who may not answer; `NotFound`.
    """
    await roles.require(ctx, principal, "upload_file", request_id)
    record = await get_request(ctx, principal, request_id)
    await require_can_answer(ctx, principal, record)
    if record.status is not Status.PENDING:
        raise already_settled(record)
    asked = _field(record, field)
    called = clean_name(name, longest=ctx.limits.file_name)
    longest = min(asked.max_bytes or ctx.limits.file_bytes, ctx.limits.file_bytes)
    _require_small(size or 0, longest)
    now = ctx.clock.now_ms()
    file = StoredFile(
        record.tenant,
        ctx.ids.new("file", now_ms=now),
        record.thread_id,
        record.id,
        asked.id,
        principal.user,
        called,
        type="",
        size=0,
        sha256="",
        created_at=now,
        state="uploading",
    )
    try:
        await ctx.store.begin_file(file, most=most_files(asked))
    except FileRefused as refused:
        raise await _refusal(ctx, principal, record, asked, refused) from None
    return await _fill(ctx, principal, record, asked, file, body, longest=longest)


async def _fill(
    ctx: Services,
    principal: Principal,
    record: Record,
    asked: File,
    file: StoredFile,
    body: AsyncIterator[bytes],
    *,
    longest: int,
) -> StoredFile:
    done = False
    try:
        type_, digest = await _store_bytes(ctx, asked, file, body, longest=longest)
        await scan_file(ctx, record, asked, file, type_=type_, sha256=digest)
        ready = await ctx.store.finish_file(file.tenant, file.id, type_=type_, sha256=digest)
        done = True
    except FileRefused as refused:
        raise await _refusal(ctx, principal, record, asked, refused) from None
    finally:
        if not done:
            with suppress(Unavailable):
                await ctx.store.drop_file(file.tenant, file.id)
    return ready


async def _store_bytes(
    ctx: Services, asked: File, file: StoredFile, body: AsyncIterator[bytes], *, longest: int
) -> tuple[str, str]:
    """Store the chunks of a file; return its type and digest. One chunk at most is in memory."""
    digest, size, number, type_ = hashlib.sha256(), 0, 0, ""
    async for chunk in _chunks(body):
        size += len(chunk)
        _require_small(size, longest)
        if not number:
            type_ = file_type(chunk[:HEAD_BYTES], file.name)
            if not is_accepted(asked, file.name, type_):
                raise Faults([_fault(asked, "file_type", accept=", ".join(asked.accept or ()))])
        digest.update(chunk)
        await ctx.store.add_chunk(
            file.tenant, file.id, number, chunk, most_bytes=ctx.limits.files_bytes, at=ctx.clock.now_ms()
        )
        number += 1
    if not size:
        raise Faults([_fault(asked, "file_empty")])
    return type_, digest.hexdigest()


async def _chunks(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the bytes of a body in chunks of `CHUNK_BYTES`, the last one shorter."""
    held = bytearray()
    async for piece in body:
        held += piece
        while len(held) >= CHUNK_BYTES:
            yield bytes(held[:CHUNK_BYTES])
            del held[:CHUNK_BYTES]
    if held:
        yield bytes(held)


def _field(record: Record, name: str | None) -> File:
    if name is None:
        raise Faults([fault("field", "missing_required")])
    if name not in kind_of(record).file_fields(record.spec):
        raise Faults([fault("field", "unknown_field.file")])
    return next(each for each in record.spec.form.all_fields if isinstance(each, File) and each.id == name)


def _require_small(size: int, longest: int) -> None:
    if size > longest:
        raise TooLarge(f"The file is larger than {longest} bytes, which is the most for this field.")


async def _refusal(
    ctx: Services, principal: Principal, record: Record, asked: File, refused: FileRefused
) -> Exception:
    """Return the error for what the store refused."""
    if refused.why == "full":
        return TooLarge(
            f"The files of this request would be larger than {ctx.limits.files_bytes} bytes together. "
            "Remove one, or choose a smaller one."
        )
    if refused.why == "many":
        return Faults([_fault(asked, "too_many.files", max=most_files(asked))])
    return already_settled(await get_request(ctx, principal, record.id))


def _fault(asked: File, key: str, **params: object) -> Fault:
    return fault(join("values", asked.id), key, **params)
