"""Metrics of a server and their text form (Prometheus text format 0.0.4).

Label values are fixed words, never text that a caller chose: they are kept forever, and everyone who reads metrics
sees them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[str, ...]


class Counter:
    """A counter with labels."""

    def __init__(self, name: str, help_text: str, labels: Sequence[str] = ()) -> None:
        self._header = metric_head(name, help_text, "counter")
        self._name = name
        self._labels = labels
        self._counts: dict[Labels, int] = {}

    def add(self, *labels: str) -> None:
        """Count one."""
        self._counts[labels] = self._counts.get(labels, 0) + 1

    def lines(self) -> Iterator[str]:
        """Write it."""
        yield self._header
        for labels, count in sorted(self._counts.items()):
            yield metric_sample(self._name, dict(zip(self._labels, labels, strict=True)), count)


class Histogram:
    """Counts durations by labels, in seconds; `bounds` are ascending upper limits."""

    def __init__(
        self, name: str, help_text: str, bounds: Sequence[float], labels: Sequence[str] = ()
    ) -> None:
        self._header = metric_head(name, help_text, "histogram")
        self._name = name
        self._bounds = bounds
        self._labels = labels
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def observe(self, seconds: float, *labels: str) -> None:
        """Count one duration."""
        counts = self._counts.setdefault(labels, [0] * (len(self._bounds) + 1))
        counts[bisect_left(self._bounds, seconds)] += 1
        self._sums[labels] = self._sums.get(labels, 0.0) + seconds

    def lines(self) -> Iterator[str]:
        """Write it; each bound also counts all shorter durations."""
        yield self._header
        for labels, counts in sorted(self._counts.items()):
            label_values = dict(zip(self._labels, labels, strict=True))
            total = 0
            for bound, count in zip((*self._bounds, None), counts, strict=True):
                total += count
                text = "+Inf" if bound is None else f"{bound:g}"
                yield metric_sample(f"{self._name}_bucket", {**label_values, "le": text}, total)
            yield metric_sample(f"{self._name}_sum", label_values, self._sums[labels])
            yield metric_sample(f"{self._name}_count", label_values, total)


def gauge(name: str, help_text: str, values: Iterable[tuple[Mapping[str, str], float]]) -> Iterator[str]:
    """Write the current values, by labels."""
    yield metric_head(name, help_text, "gauge")
    for labels, value in values:
        yield metric_sample(name, labels, value)


def metric_head(name: str, help_text: str, kind: str) -> str:
    """Write the lines before the samples of a metric."""
    return f"# HELP {name} {help_text}\n# TYPE {name} {kind}"


def metric_sample(name: str, labels: Mapping[str, str], value: float) -> str:
    """Write one sample. Label values have no quotes, backslashes or line feeds."""
    label_text = ",".join(f'{key}="{text}"' for key, text in labels.items())
    return f"{name}{{{label_text}}} {value:.15g}" if label_text else f"{name} {value:.15g}"
