"""What the parts of the store share: the writer, and the connections for all else."""

from __future__ import annotations

from askback.storage.postgres.borrowed import Borrowed
from askback.storage.postgres.writer import Writer


class Part:
    """A part of the `Store` port. What writes events goes through the writer, what does not is a change of its own."""

    def __init__(self, writer: Writer, borrowed: Borrowed) -> None:
        self._writer = writer
        self._borrowed = borrowed
