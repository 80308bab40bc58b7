"""Conditions of queries: chosen filters, the branches of a page of requests, and access to threads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from typing import Any

from askback.domain.kinds import KINDS
from askback.domain.lifecycle import Status


class Conditions:
    """Conditions that all have to hold, with their parameters, which are numbered as they are added."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.parameters: list[Any] = []

    def parameter(self, value: Any) -> str:
        """Add a parameter, and return its placeholder."""
        self.parameters.append(value)
        return f"${len(self.parameters)}"

    def add(self, text: str, *values: Any) -> None:
        """Add a condition; each `{}` in it, or `{0}`, is replaced by one of the values."""
        self._texts.append(text.format(*map(self.parameter, values)))

    def add_chosen(self, text: str, value: Any) -> None:
        """Add a condition about a value, unless that is None."""
        if value is not None:
            self.add(text, value)

    def page(self, start: str, *, limit: int, column: str = "id") -> Sequence[Any]:
        """Return the query of the rows with the greatest ids, and its parameters."""
        return self.query(start, f"ORDER BY {column} DESC LIMIT {self.parameter(limit)}")

    def query(self, start: str, end: str = "") -> Sequence[Any]:
        """Return the query with the conditions between its `start` and its `end`, and its parameters."""
        return f"{start} WHERE {self} {end}", *self.parameters

    def __str__(self) -> str:
        return " AND ".join(self._texts)


STATUSES = tuple(status.value for status in Status)


def branches(*, kind: str | None, statuses: Collection[str] | None) -> list[tuple[str, str]]:
    """Return the kind and the status of each branch of a page of requests: each walks an index in the page's order.

    `status IN (…) ORDER BY id` over one index on status either reads all of those statuses or sorts them. A branch has
    one kind and one status, ends after a page, and reads nothing where there is nothing.
    """
    return list(
        product(KINDS if kind is None else (kind,), STATUSES if statuses is None else sorted(statuses))
    )


def may_view(person: str) -> str:
    """Return the condition that a person may view a thread, as `domain.access` reads it.

    It is about a row of `threads` called `t`, which may be absent (a LEFT JOIN): then nobody has shared the thread.
    `access` is NULL for one that nobody has shared. A level in `people` is never `none`. `person` is the parameter.
    """
    return f"""(t.access IS NULL OR t.access::json ->> 'others' <> 'none' OR t.access::json ->> 'owner' = {person}
    OR t.access::json -> 'people' ->> {person} IS NOT NULL)"""


def may_do_all(person: str) -> str:
    """Return the condition that a person may do all in a thread; see `may_view`."""
    return f"""(t.access IS NULL OR t.access::json ->> 'owner' = {person}
    OR coalesce(t.access::json -> 'people' ->> {person}, t.access::json ->> 'others') = 'all')"""
