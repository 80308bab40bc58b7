"""The replies of the operations about files; see `replies.py`."""

from __future__ import annotations

from askback.wire.replies import FileValue, Reply


class UploadedFile(FileValue):
    """A file of a request, with the id of its field."""

    field: str


class FileList(Reply):
    """The files of a request that the caller may read, oldest first."""

    files: list[UploadedFile]
