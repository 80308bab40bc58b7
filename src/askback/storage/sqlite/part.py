"""What the parts of the store share: one road for changes, one for reads."""

from __future__ import annotations

import asyncio

from askback.ports.policy import Along
from askback.ports.threads import Terms
from askback.storage.sealing import Sealing
from askback.storage.sqlite.along import erases
from askback.storage.sqlite.known import Known
from askback.storage.sqlite.readers import Readers
from askback.storage.sqlite.writer import Operation, T, Writer


class Part:
    """A part of the `Store` port, on a writer and readers that it shares with the others."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers
        self._terms = Known[Terms](lasts=lambda terms: terms.access.agents is not None)
        self._sealing = Sealing()

    def _change(self, operation: Operation[T], along: Along, *, outdates: bool = False) -> asyncio.Future[T]:
        """Have the writer do an operation with what comes along, and leave nothing in the file of what that erases."""
        return self._writer.submit(operation, erases=erases(along), outdates=outdates or bool(along.policies))
