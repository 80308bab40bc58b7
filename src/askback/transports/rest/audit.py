"""The audit log as a download: lines of JSON, read while they are sent."""

from __future__ import annotations

from collections.abc import AsyncIterator

from askback.domain.values import frozen
from askback.service.audit.verify import export_audit_log as export
from askback.transports.http import HttpCall, Send
from askback.wire.operation import LINES

_HEADERS = [
    (b"content-type", LINES.encode()),
    (b"content-disposition", b'attachment; filename="audit.jsonl"'),
    (b"cache-control", b"no-store"),
]


@frozen(slots=True)
class LinesReply:
    """A download in pieces; nothing for `HEAD`."""

    pieces: AsyncIterator[bytes] | None

    async def send(self, send: Send) -> None:
        """Write it out."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        if self.pieces is not None:
            async for body_part in self.pieces:
                await send({"type": "http.response.body", "body": body_part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def export_audit_log(call: HttpCall) -> LinesReply:
    """`GET /v1/audit/export`."""
    body_parts = await export(call.ctx, call.principal)
    return LinesReply(None if call.scope["method"] == "HEAD" else body_parts)
