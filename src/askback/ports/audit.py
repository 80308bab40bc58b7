"""The port that seals the audit log, and the newest entry of a log with its seal."""

from __future__ import annotations

from typing import Protocol

from askback.domain.audit import SealStatus
from askback.domain.values import frozen


@frozen(slots=True)
class AuditHead:
    """The newest entry of a tenant's log, `seq` and hash, and the text of its seal (`domain.auditseal`)."""

    tenant: str
    seq: int
    hash: str
    seal: str | None = None


class HeadSeals(Protocol):
    """Seals the newest entry of a log with the master key. Any thread may call it; it never waits."""

    @property
    def key_id(self) -> str | None:
        """The id of the current key; None without one."""
        ...

    def seal(self, head: AuditHead, *, unsealed: int) -> str | None:
        """Return the seal of an entry; None without a key."""
        ...

    def follow(self, before: AuditHead, after: AuditHead) -> str | None:
        """Return the seal of `after`, which follows from `before` by valid entries.

        Only an intact log is sealed again: an unsealed or wrongly sealed one keeps its state, so that the
        fault stays visible.
        """
        ...

    def judge(self, head: AuditHead, *, sealed: str | None) -> SealStatus:
        """Check the seal of a log; `sealed` is the hash of the sealed entry, if it exists."""
        ...
