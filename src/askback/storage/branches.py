"""The branches of a page of requests: one for each kind and status, so that each walks an index in the page's order.

`status IN (…) ORDER BY id` over one index on status either reads all of those statuses or sorts them. A branch has one
kind and one status, ends after a page, and reads nothing where there is nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

from askback.domain.kinds import KINDS
from askback.domain.lifecycle import Status

STATUSES = tuple(status.value for status in Status)


def branches(*, kind: str | None, statuses: Collection[str] | None) -> list[tuple[str, str]]:
    """Return the kind and the status of each branch."""
    return list(
        product(KINDS if kind is None else (kind,), STATUSES if statuses is None else sorted(statuses))
    )
