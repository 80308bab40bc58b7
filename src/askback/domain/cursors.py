"""Cursors: the place of the last item of a page, as the text that continues a list."""

from __future__ import annotations

import re

from askback.domain.faults import require

PLACE = "[0-9]{1,15}"
"""The pattern of a cursor that is a number of the store."""


def id_pattern(prefix: str) -> str:
    """Return the pattern of a cursor that is an identifier (`domain/identifiers.py`)."""
    return f"{prefix}_[0-9a-z]{{26}}"


SETTLED = f"[0-9-]{{10}}T[0-9:.]{{12}}Z {id_pattern('req')}"
"""The pattern of a cursor that is the time when a request settled, and its id."""


def check_cursor(cursor: str, pattern: str) -> None:
    """Raise `Faults` for a text that no page can return. The item itself may have been deleted since."""
    require(re.fullmatch(pattern, cursor), "cursor", "invalid_cursor")
