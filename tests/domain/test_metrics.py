"""The text form of metrics."""

from __future__ import annotations

from askback.domain.metrics import Counter, Histogram, gauge


def test_a_counter_is_written_by_its_labels() -> None:
    counter = Counter("a_total", "What.", ("kind", "how"))
    for kind in ("form", "approval", "form"):
        counter.add(kind, "x")
    assert list(counter.lines()) == [
        "# HELP a_total What.\n# TYPE a_total counter",
        'a_total{kind="approval",how="x"} 1',
        'a_total{kind="form",how="x"} 2',
    ]


def test_a_histogram_is_cumulative() -> None:
    histogram = Histogram("a_seconds", "What.", (0.5, 1, 10))
    for seconds in (0.25, 0.5, 2, 100):
        histogram.observe(seconds)
    assert list(histogram.lines())[1:] == [
        'a_seconds_bucket{le="0.5"} 2',
        'a_seconds_bucket{le="1"} 2',
        'a_seconds_bucket{le="10"} 3',
        'a_seconds_bucket{le="+Inf"} 4',
        "a_seconds_sum 102.75",
        "a_seconds_count 4",
    ]


def test_a_gauge_is_the_current_number() -> None:
    assert list(gauge("a", "What.", [({"kind": "form"}, 1_234_567), ({}, 0.5)]))[1:] == [
        'a{kind="form"} 1234567',
        "a 0.5",
    ]
