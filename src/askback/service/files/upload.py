"""Upload a file: for a field of a pending request, as a person, or for messages of a thread, as an agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

from askback.domain.access import AccessLevel
from askback.domain.faults import Faults, fault, join
from askback.domain.fields import File
from askback.domain.files import clean_name, is_accepted, most_files
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.validation.text_check import check_identifier
from askback.errors import TooLarge
from askback.ports.files import FileRefused, StoredFile
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.access.assignees import require_can_answer
from askback.service.context import Services
from askback.service.files.store_file import Slot, store_file
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
    """Store a file and return it; `size` is the declared size. An answer names it by its id.

    Raises `Faults` for a wrong field, name or type, and for a file that a scan refuses; `TooLarge`;
    `Conflict` or `Gone` if the request is not pending; `Forbidden` for people who may not answer; `NotFound`.
    """
    await roles.require(ctx, principal, "upload_file", request_id)
    record = await get_request(ctx, principal, request_id)
    await require_can_answer(ctx, principal, record)
    if record.status is not Status.PENDING:
        raise already_settled(record)
    file_field = _field(record, field)
    slot = Slot(
        join("values", file_field.id),
        min(file_field.max_bytes or ctx.limits.file_bytes, ctx.limits.file_bytes),
        ctx.limits.files_bytes,
        partial(is_accepted, file_field),
        ", ".join(file_field.accept or ()),
    )
    file = _new_file(
        ctx,
        principal,
        record.thread_id,
        name,
        request_id=record.id,
        field=file_field.id,
        person=principal.user,
    )
    slot.require_small(size or 0)
    try:
        return await store_file(ctx, slot, file, body, limit=most_files(file_field))
    except FileRefused as error:
        raise await _refusal(ctx, principal, record, file_field, error) from None


async def upload_message_file(
    ctx: Services,
    principal: Principal,
    thread_id: str,
    *,
    name: str | None,
    size: int | None,
    body: AsyncIterator[bytes],
) -> StoredFile:
    """Store a file of an agent and return it; unless a message of the agent in this thread names it soon, it is erased.

    Raises `Faults` for a wrong name, and at `file` for an empty file, too many files, or a file that a scan refuses;
    `TooLarge`; `NotFound` and `Forbidden` as for a message.
    """
    await roles.require(ctx, principal, "upload_message_file")
    check_identifier("thread_id", thread_id, ctx.limits)
    await sharing.require_in(ctx, principal, thread_id, AccessLevel.PROMPT, operation="upload_message_file")
    file = _new_file(ctx, principal, thread_id, name, person=principal.id)
    slot = Slot("file", ctx.limits.file_bytes, ctx.limits.message_files_bytes)
    slot.require_small(size or 0)
    try:
        return await store_file(ctx, slot, file, body, limit=ctx.limits.files)
    except FileRefused as error:
        if error.why == "full":
            raise TooLarge(
                f"The files that agents uploaded for messages of this thread would be larger than {slot.together} "
                "bytes together. Choose a smaller one."
            ) from None
        if error.why == "many":
            raise Faults([fault("file", "too_many.files", max=ctx.limits.files)]) from None
        raise Faults([fault("file", "unknown_file.message")]) from None


def _new_file(
    ctx: Services,
    principal: Principal,
    thread_id: str,
    name: str | None,
    *,
    person: str,
    request_id: str = "",
    field: str = "",
) -> StoredFile:
    now = ctx.clock.now_ms()
    return StoredFile(
        principal.tenant,
        ctx.ids.new("file", now_ms=now),
        thread_id,
        request_id,
        field,
        person,
        clean_name(name, longest=ctx.limits.file_name),
        type="",
        size=0,
        sha256="",
        created_at=now,
        state="uploading",
    )


def _field(record: Record, name: str | None) -> File:
    if name is None:
        raise Faults([fault("field", "missing_required")])
    if name not in kind_of(record).file_fields(record.spec):
        raise Faults([fault("field", "unknown_field.file")])
    return next(
        field for field in record.spec.form.all_fields if isinstance(field, File) and field.id == name
    )


async def _refusal(
    ctx: Services, principal: Principal, record: Record, field: File, refusal: FileRefused
) -> Exception:
    """Return the error for an upload that the store refused."""
    if refusal.why == "full":
        return TooLarge(
            f"The files of this request would be larger than {ctx.limits.files_bytes} bytes together. "
            "Remove one, or choose a smaller one."
        )
    if refusal.why == "many":
        return Faults([fault(join("values", field.id), "too_many.files", max=most_files(field))])
    return already_settled(await get_request(ctx, principal, record.id))
