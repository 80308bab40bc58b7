"""The stored audit log of one tenant, for verification."""

from __future__ import annotations

from collections.abc import Iterator

from askback.domain.audit import GENESIS
from askback.domain.values import frozen
from askback.ports.audit import AuditHead


@frozen(slots=True)
class TenantLog:
    """The input of `domain.audit.verify`.

    `entries` are JSON texts, oldest first, read from the database as they are asked for, once. `recorded_head` is
    what the store noted of the newest one; None when it has noted nothing.
    """

    tenant: str
    entries: Iterator[str]
    recorded_head: AuditHead | None

    @property
    def head(self) -> tuple[int, str]:
        """Where the entries have to end: `seq` and hash."""
        return (
            (0, GENESIS) if self.recorded_head is None else (self.recorded_head.seq, self.recorded_head.hash)
        )


EVERY_ENTRY = -(2**63)
"""Above this are the `seq` of all entries: one that somebody moved to 0 is an entry."""
