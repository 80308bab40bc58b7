"""The audit log of one tenant as it lies in a database, for whoever checks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TenantLog:
    """What is given to `domain.audit.verify`.

    `entries` are JSON texts, oldest first, read from the database as they are asked for, once. `head` is the `seq` and
    the hash that the store noted for the newest one.
    """

    tenant: str
    entries: Iterator[str]
    head: tuple[int, str]


EVERY_ENTRY = -(2**63)
"""Above this are the `seq` of all entries: one that somebody moved to 0 is an entry."""
