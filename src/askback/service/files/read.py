"""Read, list and remove uploaded files."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.access import AccessLevel
from askback.errors import Conflict, NotFound
from askback.ports.files import StoredFile
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.uploads import is_usable


async def get_file(ctx: Services, principal: Principal, file_id: str) -> StoredFile:
    """Return a file that the caller may read: from an answer or a message that they can see, or their own upload.

    Raises `NotFound` for any other.
    """
    await roles.require(ctx, principal, "get_file")
    return await find_file(ctx, principal, file_id)


async def list_files(ctx: Services, principal: Principal, request_id: str) -> Sequence[StoredFile]:
    """Return the files of a request that the caller may read, oldest first."""
    await roles.require(ctx, principal, "list_files", request_id)
    record = await get_request(ctx, principal, request_id)
    files = await ctx.store.files_of_request(record.tenant, record.id)
    return [file for file in files if is_usable(principal, file)]


async def delete_file(ctx: Services, principal: Principal, file_id: str) -> None:
    """Remove an upload of the caller. Raises `NotFound`, and `Conflict` for a file that is named."""
    await roles.require(ctx, principal, "delete_file")
    file = await find_file(ctx, principal, file_id)
    if not await ctx.store.drop_file(file.tenant, file.id):
        raise Conflict(
            "An answer or a message names this file, so it stays until its thread is erased.",
            code="file_in_use",
        )


async def find_file(ctx: Services, principal: Principal, file_id: str) -> StoredFile:
    """Return a file that the caller may read; raises `NotFound` for any other."""
    file = await ctx.store.file(principal.tenant, file_id)
    if file is None or not is_usable(principal, file):
        raise NotFound("There is no such file.")
    if file.shared or not file.request_id:
        access = await ctx.store.access(file.tenant, file.thread_id)
        if sharing.level(principal, access, file.thread_id) >= AccessLevel.VIEW:
            return file
    try:
        await get_request(ctx, principal, file.request_id)
    except NotFound:
        raise NotFound("There is no such file.") from None
    return file
