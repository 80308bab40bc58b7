"""All traces after values were sent, and the places where any of them is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.leaks.canary import Canary, Search

Traces = Iterable[tuple[str, bytes]]


class Leak(NamedTuple):
    """A leaked value: the place where it was found, how it was sent, and its encoding."""

    place: str
    origin: str
    form: str


def leaks(traces: Traces, canaries: Sequence[Canary]) -> list[Leak]:
    """Return every place where a value is found."""
    search = Search(canaries)
    return sorted(
        {Leak(place, origin, form) for place, data in traces for origin, form in search.found(data)}
    )
