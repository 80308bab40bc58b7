"""Run the scans of a server over an uploaded file before an answer can name it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import anyio

from askback.domain.faults import Faults, fault
from askback.messages import TranslatableText
from askback.ports.files import StoredFile
from askback.ports.filescan import FileToScan
from askback.service.context import Services

MAX_REASON_LENGTH = 500

log = logging.getLogger(__name__)


async def scan_file(ctx: Services, file: StoredFile, *, path: str, type_: str, sha256: str) -> None:
    """Raise `Faults` at `path` with the reason of the first scan that refuses a file, or if one fails."""
    for name, scan in ctx.file_scans.items():
        file_to_scan = FileToScan(
            name=file.name,
            type=type_,
            sha256=sha256,
            request_id=file.request_id or None,
            thread_id=file.thread_id,
            chunks=lambda: file_chunks(ctx, file),
        )
        try:
            with anyio.fail_after(ctx.limits.file_scan_s):
                reason = await scan(file_to_scan)
        except Exception as error:  # noqa: BLE001 - a scan that fails lets nothing pass
            log.error("the file scan %s failed: %s", name, type(error).__name__)
            raise Faults([fault(path, "scan_unavailable")]) from None
        if reason:
            if not isinstance(reason, TranslatableText):
                reason = str(reason)[:MAX_REASON_LENGTH]
            raise Faults([fault(path, "file_refused", reason=reason)])


async def file_chunks(ctx: Services, file: StoredFile) -> AsyncIterator[bytes]:
    """Read the bytes of a file, chunk by chunk."""
    number = 0
    while (data := await ctx.store.file_chunk(file.tenant, file.id, number)) is not None:
        yield data
        number += 1
