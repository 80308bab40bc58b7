"""The table of growth has a row for each call and says how much longer it takes over the largest size."""

from __future__ import annotations

from bench.growth import table


def test_a_call_that_takes_as_long_over_more_requests_has_a_growth_of_one() -> None:
    measured = {100_000: {"create": 2.0, "inbox": 6.0}, 1_000: {"create": 2.0, "inbox": 3.0}}
    assert list(table(measured)) == [
        "| ms | 1,000 | 100,000 | growth |",
        "|---|---|---|---|",
        "| create | 2.00 | 2.00 | 1.0 × |",
        "| inbox | 3.00 | 6.00 | 2.0 × |",
    ]
