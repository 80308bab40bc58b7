"""All that is left when values have been sent about, and where any of them is found in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.leaks.canary import Canary, Search

Traces = Iterable[tuple[str, bytes]]


class Leak(NamedTuple):
    """A value where none should be: where, on which way it was sent, and how it is written there."""

    place: str
    way: str
    form: str


def leaks(traces: Traces, canaries: Sequence[Canary]) -> list[Leak]:
    """Return every place in which a value is found."""
    search = Search(canaries)
    return sorted({Leak(place, way, form) for place, data in traces for way, form in search.found(data)})
