"""A scan of uploaded files, for example for viruses, by the host or by an installed package.

    async def no_macros(file):
        if file.name.endswith(".docm"):
            return "Documents with macros are not accepted."

    app = create_app(file_scan=no_macros)

It runs after the upload and before an answer or a message can name the file. A text refuses the file, and the uploader
gets it. An
exception, or more than `limits.file_scan_s` seconds, refuses it too, and the person can upload it again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Protocol

from askback.domain.values import frozen


@frozen(slots=True)
class FileToScan:
    """A complete file; `type` is detected from its bytes. `chunks()` reads it, in pieces of at most 256 KiB.

    A file that an agent uploads for its messages has no `request_id`.
    """

    name: str
    type: str
    sha256: str
    request_id: str | None
    thread_id: str
    chunks: Callable[[], AsyncIterator[bytes]]


class FileScan(Protocol):
    """Scans a file."""

    async def __call__(self, file: FileToScan, /) -> str | None:
        """Return None to accept a file, or the reason to refuse it, as a sentence for the person."""
        ...
