"""Seals the newest entry of an audit log with a key that is derived from the master key."""

from __future__ import annotations

import hmac
from collections.abc import Callable

from askback.domain.audit import HeadSeal, SealStatus, read_seal, seal_statement
from askback.ports.audit import AuditHead
from askback.vault.keys import KeyRing


class AuditSeals:
    """The `HeadSeals` port over the ring of keys that `ring` returns; None while there is none."""

    def __init__(self, ring: Callable[[], KeyRing | None]) -> None:
        self._ring = ring
        self._newest: tuple[AuditHead, int] | None = None
        """The entry that was sealed last, with `unsealed`. It need not be checked before the next one."""

    @property
    def key_id(self) -> str | None:
        """The id of the current key."""
        ring = self._ring()
        return ring and ring.first

    def seal(self, head: AuditHead, *, unsealed: int) -> str | None:
        """Return the seal of an entry; None without a key."""
        ring = self._ring()
        if ring is None:
            return None
        mac = ring.sign(ring.first, seal_statement(head.tenant, head.seq, head.hash, unsealed=unsealed))
        assert mac is not None, "a ring has its first key"
        return str(HeadSeal(ring.first, head.seq, unsealed, mac))

    def follow(self, before: AuditHead, after: AuditHead) -> str | None:
        """Return the seal of `after`, or the unchanged seal of `before` if it is not valid."""
        if before.seq == 0 and before.seal is None:
            return self._seal_newest(after, unsealed=0)
        if self._newest is not None and before == self._newest[0]:
            return self._seal_newest(after, unsealed=self._newest[1]) or before.seal
        seal = read_seal(before.seal or "")
        if seal is None or not self._is_sealed(before):
            return before.seal
        return self._seal_newest(after, unsealed=seal.unsealed) or before.seal

    def _seal_newest(self, head: AuditHead, *, unsealed: int) -> str | None:
        seal = self.seal(head, unsealed=unsealed)
        self._newest = None if seal is None else (AuditHead(head.tenant, head.seq, head.hash, seal), unsealed)
        return seal

    def _is_sealed(self, head: AuditHead) -> bool:
        return self.judge(head, sealed=head.hash) is SealStatus.SEALED

    def judge(self, head: AuditHead, *, sealed: str | None) -> SealStatus:
        """Check the seal of a log."""
        if head.seal is None:
            return SealStatus.UNSEALED
        seal, ring = read_seal(head.seal), self._ring()
        if seal is None or seal.seq > head.seq:
            return SealStatus.WRONG
        statement = seal_statement(head.tenant, seal.seq, sealed or "", unsealed=seal.unsealed)
        mac = None if ring is None else ring.sign(seal.key_id, statement)
        if mac is None:
            return SealStatus.UNKNOWN_KEY
        if not hmac.compare_digest(mac, seal.mac):
            return SealStatus.WRONG
        return SealStatus.SEALED if seal.seq == head.seq else SealStatus.BEHIND
