"""Check the files that messages name, and let everybody who reads a message download its files."""

from __future__ import annotations

from askback.domain.files import Uploads
from askback.errors import NotFound
from askback.ports.files import FileShare, StoredFile
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Principal
from askback.service.context import Services
from askback.service.files.read import find_file


async def find(ctx: Services, principal: Principal, thread_id: str, file_id: str) -> StoredFile | None:
    """Return a file that the caller may name in a message of a thread.

    It belongs to an answer or a message there that they may read, or they uploaded it for a message there.
    """
    try:
        file = await find_file(ctx, principal, file_id)
    except NotFound:
        return None
    is_theirs = file.state == "claimed" or not file.request_id
    return file if file.thread_id == thread_id and is_theirs else None


def share(principal: Principal, thread_id: str, files: Uploads) -> SideEffects:
    """Return the change that makes files readable with the message that names them."""
    return SideEffects(shares=(FileShare(principal.tenant, thread_id, tuple(files)),)) if files else NOTHING
