"""Read files, and upload them: for a form as a person, for messages as an agent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote, urlencode

from pydantic import JsonValue
from pydantic_core import from_json

from askback.client.methods import method
from askback.client.resources.base import Resource, id_of
from askback.domain.request import InputRequest
from askback.wire.file_replies import FileList, UploadedFile
from askback.wire.replies import FileValue

FileLike = FileValue | JsonValue
"""A file: its id, or the object that an answer has."""


class Files(Resource):
    """`client.files`: the files of forms and messages."""

    @method
    async def read(self, file: FileLike) -> bytes:
        """Return the bytes of a file. Raises `NotFound` for one that this client may not read."""
        return await self._link.download(_path(file), retry_for=self._retry_for)

    @method
    async def save(self, file: FileLike, path: str | Path) -> Path:
        """Write a file atomically to `path` and return the path; the uploader's file name is never used."""
        content = await self._link.download(_path(file), retry_for=self._retry_for)
        target = Path(path)
        await asyncio.to_thread(_write, target, content)
        return target

    @method
    async def list(self, request: InputRequest | str) -> Sequence[UploadedFile]:
        """Return the files of a request that this client may read, oldest first."""
        reply = await self._http("list_files", request_id=id_of(request))
        return FileList.model_validate(reply).files

    @method
    async def upload(
        self, request: InputRequest | str, field: str, content: bytes, *, name: str
    ) -> FileValue:
        """Upload a file for a field of a pending request, as a person who may answer it."""
        query = urlencode({"field": field, "name": name})
        path = f"/v1/requests/{quote(id_of(request), safe='')}/files?{query}"
        return FileValue.model_validate(from_json(await self._link.upload(path, content)))

    @method
    async def upload_for_message(
        self, content: bytes, *, name: str, thread_id: str | None = None
    ) -> FileValue:
        """Upload a file for messages of this agent in a thread: `{"type": "file", "file": file.id}` is a part of one.

        A file that no message names within ten minutes is erased. Raises `TooLarge`, and `Invalid` at `file` or `name`.
        """
        thread = quote(self._thread(thread_id), safe="")
        path = f"/v1/threads/{thread}/files?{urlencode({'name': name})}"
        return FileValue.model_validate(from_json(await self._link.upload(path, content)))

    @method
    async def delete(self, file: FileLike) -> None:
        """Remove an upload of this person or agent that nothing names."""
        await self._http("delete_file", file_id=_id(file))


def _path(file: FileLike) -> str:
    return f"/v1/files/{quote(_id(file), safe='')}"


def _id(file: FileLike) -> str:
    file_id = file.get("id") if isinstance(file, dict) else file.id if isinstance(file, FileValue) else file
    if not isinstance(file_id, str):
        raise TypeError("A file is its id, or the object that an answer has.")
    return file_id


def _write(target: Path, content: bytes) -> None:
    with NamedTemporaryFile(dir=target.parent, prefix=".askback-", delete=False) as temporary:
        try:
            temporary.write(content)
            temporary.close()
            os.replace(temporary.name, target)
        except BaseException:
            Path(temporary.name).unlink(missing_ok=True)
            raise
