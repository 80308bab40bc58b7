"""The conditions of a query whose filters are chosen when it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Conditions:
    """Conditions that all have to hold, with their parameters, which are numbered as they are added."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.parameters: list[Any] = []

    def parameter(self, value: Any) -> str:
        """Add a parameter, and return what stands for it in the text."""
        self.parameters.append(value)
        return f"${len(self.parameters)}"

    def add(self, text: str, *values: Any) -> None:
        """Add a condition; each `{}` in it, or `{0}`, stands for one of the values."""
        self._texts.append(text.format(*map(self.parameter, values)))

    def add_chosen(self, text: str, value: Any) -> None:
        """Add a condition about a value, unless that is None."""
        if value is not None:
            self.add(text, value)

    def page(self, start: str, *, limit: int, by: str = "id") -> Sequence[Any]:
        """Return the query of the rows with the greatest ids, and its parameters."""
        return self.query(start, f"ORDER BY {by} DESC LIMIT {self.parameter(limit)}")

    def query(self, start: str, end: str = "") -> Sequence[Any]:
        """Return the query with the conditions between its `start` and its `end`, and its parameters."""
        return f"{start} WHERE {self} {end}", *self.parameters

    def __str__(self) -> str:
        return " AND ".join(self._texts)
