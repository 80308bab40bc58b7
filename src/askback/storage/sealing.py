"""What seals the audit log in the transactions of a store, from when the server has its keys."""

from __future__ import annotations

from askback.domain.audit import seal
from askback.ports.audit import AuditHead, HeadSeals
from askback.ports.policy import AuditDraft


class Sealing:
    """Appends to chains. One for each store: it travels with the connections that write."""

    def __init__(self) -> None:
        self.seals: HeadSeals | None = None

    def append(self, head: AuditHead, drafts: list[AuditDraft]) -> tuple[list[str], AuditHead]:
        """Return entries behind a head, as texts, and the new head. Raises `ValueError` for what is no entry."""
        seq, prev, entries = head.seq, head.hash, list[str]()
        for draft in drafts:
            seq += 1
            entry, prev = seal(draft.data, seq=seq, prev=prev)
            entries.append(entry)
        after = AuditHead(head.tenant, seq, prev, head.seal)
        if self.seals is not None:
            after = AuditHead(head.tenant, seq, prev, self.seals.follow(head, after))
        return entries, after
