"""Check the short free text of a decline, a cancel or a report."""

from __future__ import annotations

from askback.domain.validation.prose import report_note
from askback.domain.validation.report import Report
from askback.service.context import Services


def check_note(ctx: Services, note: str | None) -> None:
    """Raise `Faults` for a note that is longer than the limit or holds what nobody types."""
    report = Report()
    report_note(report, note, ctx.limits.note)
    report.finish()
