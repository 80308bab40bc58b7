"""The short free text that may go with a decline or a cancel."""

from __future__ import annotations

from askback.domain.faults import Faults, fault
from askback.service.context import Services


def check_note(ctx: Services, note: str | None) -> None:
    """Refuse a note that is longer than the limit."""
    if note is not None and len(note) > ctx.limits.note:
        raise Faults([fault("note", "too_long", max=ctx.limits.note)])
