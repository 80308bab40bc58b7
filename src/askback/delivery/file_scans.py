"""A file scan that is a webhook."""

from __future__ import annotations

from base64 import b64encode

from anyio import CapacityLimiter
from pydantic_core import to_json

from askback.delivery.calls import SignedCall
from askback.domain.validation.structure import parse
from askback.messages import TranslatableText
from askback.ports.clock import Clock, Ids
from askback.ports.filescan import FileToScan
from askback.wire.verdicts import FileScanBody

MAX_CONCURRENT = 4
"""The number of files in memory at a time for one webhook: the signature covers a whole body."""
LARGEST = 32 * 1024 * 1024
"""The maximum size of a sent file."""
MAX_VERDICT_BYTES = 64 * 1024


class WebhookFileScan:
    """An address that gets each file and replies with a `FileScanBody`."""

    def __init__(self, call: SignedCall, *, clock: Clock, ids: Ids) -> None:
        self._call = call
        self._clock = clock
        self._ids = ids
        self._slots = CapacityLimiter(MAX_CONCURRENT)

    async def __call__(self, file: FileToScan, /) -> str | None:
        """Post the file; raises `AddressRefused`, `Unreachable`, and `Faults` for an invalid reply."""
        async with self._slots:
            content = bytearray()
            async for chunk in file.chunks():
                content += chunk
                if len(content) > LARGEST:
                    return TranslatableText("fault.scan_too_large", {})
            request_members = {
                "name": file.name,
                "type": file.type,
                "size": len(content),
                "sha256": file.sha256,
                "request_id": file.request_id,
                "thread_id": file.thread_id,
                "content": b64encode(content).decode(),
            }
            id_ = self._ids.new("scn", now_ms=self._clock.now_ms())
            data = to_json(request_members).decode()
            reply = await self._call.post("file_scan", data, message_id=id_, limit=MAX_VERDICT_BYTES)
        verdict = parse(FileScanBody, reply)
        return None if verdict.accept else verdict.reason or TranslatableText("fault.scan_refused", {})
