"""Upload the files whose paths a person typed at the prompt of a file field."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from askback.domain.fields import File
from askback.domain.files import most_files
from askback.errors import AskbackError, Refused

Upload = Callable[[str, bytes, str], Awaitable[dict[str, Any]]]
"""Uploads bytes for a field under a name, and returns the file as a value of an answer."""


class UploadFailed(AskbackError):
    """A file could not be read or was refused; the message is for the person."""


async def upload_files(field: File, line: str, upload: Upload) -> Any:
    """Return the value of a field: the file at the path in `line`, or a list of them. Raises `UploadFailed`."""
    limit = most_files(field)
    paths = [line.strip().strip("\"'")] if limit == 1 else _paths(line)
    if len(paths) > limit:
        raise UploadFailed(f"At most {limit} files.")
    files = [await _upload(field, Path(path), upload) for path in paths]
    return files[0] if limit == 1 else files


def _paths(line: str) -> Sequence[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UploadFailed(f"This cannot be read as paths: {error}. Quote a path that has blanks.") from None


async def _upload(field: File, path: Path, upload: Upload) -> dict[str, Any]:
    try:
        content = await asyncio.to_thread(_read, path)
    except OSError as error:
        raise UploadFailed(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return await upload(field.id, content, path.name)
    except Refused as exception:
        sentences = [error["message"] for error in exception.field_errors] or [exception.message]
        raise UploadFailed(f"{path.name}: {' '.join(sentences)}") from None


def _read(path: Path) -> bytes:
    return path.expanduser().read_bytes()
