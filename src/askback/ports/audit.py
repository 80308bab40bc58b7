"""What seals the audit log, and the newest entry of a log with its seal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from askback.domain.audit import SealStatus


@dataclass(frozen=True, slots=True)
class AuditHead:
    """The newest entry of a tenant's log, `seq` and hash, and the text of its seal (`domain.auditseal`)."""

    tenant: str
    seq: int
    hash: str
    seal: str | None = None


class HeadSeals(Protocol):
    """Seals the newest entry of a log with the master key. Any thread may call it, and no call waits."""

    @property
    def key_id(self) -> str | None:
        """The id of the key that is sealed with now; None without one."""
        ...

    def seal(self, head: AuditHead, *, unsealed: int) -> str | None:
        """Return the seal of an entry; None without a key."""
        ...

    def follow(self, before: AuditHead, after: AuditHead) -> str | None:
        """Return the seal of `after`, which entries have led to from `before`.

        Only an intact log is sealed on: what is not sealed, or wrongly, keeps what it has, so that it goes on to show.
        """
        ...

    def judge(self, head: AuditHead, *, sealed: str | None) -> SealStatus:
        """Say what the seal of a log tells; `sealed` is the hash of the entry that the seal is for, if it is there."""
        ...
