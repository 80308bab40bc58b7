"""Files over HTTP: bodies and replies of bytes, which are never completely in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from urllib.parse import quote

from askback.domain.filetypes import UNKNOWN_TYPE
from askback.domain.values import frozen
from askback.errors import NotFound
from askback.ports.files import StoredFile
from askback.service.files import read, upload
from askback.service.files.preview import preview_of
from askback.service.files.scan import file_chunks
from askback.transports.http import BodyReader, Headers, HttpCall, Reply, Send, declared_size, json_reply

SANDBOX = b"default-src 'none'; sandbox"
_RUNNABLE = frozenset(
    {"text/html", "image/svg+xml", "application/xml", "application/xhtml+xml", "text/javascript", "text/css"}
)
"""Types that a browser would run or apply, which are sent as untyped bytes."""


@frozen(slots=True)
class FileReply:
    """A file as a download, read from the store piece by piece while it is sent."""

    file: StoredFile
    chunks: AsyncIterator[bytes] | None

    async def send(self, send: Send) -> None:
        """Write it out."""
        headers = [(b"content-length", b"%d" % self.file.size), *_headers(self.file)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if self.chunks is not None:
            async for data in self.chunks:
                await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def upload_file(call: HttpCall) -> Reply:
    """`POST /v1/requests/{id}/files?field=ID&name=NAME`: the body is the file."""
    request_id, field = call.args["request_id"], call.args["field"]
    return await _store_upload(
        call, partial(upload.upload_file, call.ctx, call.principal, request_id, field=field)
    )


async def upload_message_file(call: HttpCall) -> Reply:
    """`POST /v1/threads/{id}/files?name=NAME`: the body is the file."""
    return await _store_upload(
        call, partial(upload.upload_message_file, call.ctx, call.principal, call.args["thread_id"])
    )


async def _store_upload(call: HttpCall, store: Callable[..., Awaitable[StoredFile]]) -> Reply:
    body = BodyReader(call.receive)
    try:
        stored_file = await store(name=call.args["name"], size=declared_size(call.scope), body=aiter(body))
    except Exception:
        await body.drain()
        raise
    return json_reply(stored_file.upload.value, status=201)


async def get_file(call: HttpCall) -> FileReply:
    """`GET /v1/files/{id}`: always a download, never a page."""
    file = await read.get_file(call.ctx, call.principal, call.args["file_id"])
    return FileReply(file, None if call.scope["method"] == "HEAD" else file_chunks(call.ctx, file))


async def get_file_preview(call: HttpCall) -> Reply:
    """`GET /v1/files/{id}/preview`: a redrawn picture, for a page to show."""
    file = await read.get_file(call.ctx, call.principal, call.args["file_id"])
    picture = await preview_of(call.ctx, file)
    if picture is None:
        raise NotFound("There is no preview of this file. Download it instead.", code="no_preview")
    return Reply(200, picture, ((b"content-type", b"image/png"), *_COMMON))


_COMMON: Headers = (
    (b"content-security-policy", SANDBOX),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def _headers(file: StoredFile) -> Headers:
    type_ = UNKNOWN_TYPE if file.type in _RUNNABLE else file.type
    ascii_name = "".join(c if c.isascii() and (c.isalnum() or c in " ._-()") else "_" for c in file.name)
    disposition = f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(file.name, safe='')}"
    return (
        (b"content-type", type_.encode()),
        (b"content-disposition", disposition.encode()),
        *_COMMON,
    )
