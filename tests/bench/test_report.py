"""The report of a run: medians over the repeats, ratios within the run, nothing of what was not measured."""

from __future__ import annotations

from typing import Any

from bench.report import medians, tables


def line(bench: str, case: str, **figures: Any) -> dict[str, Any]:
    cal = {"py_loop_ms": 4.0, "fdatasync_us": 100.0, "load": 0.5}
    return {"bench": bench, "case": case, **figures, "python": "3.11.7", "cpus": 2, "cal": cal}


def job(bench: str, name: str, cycles: float) -> list[dict[str, Any]]:
    figures = {"cycles_s": cycles, "p50_ms": 1.25, "p99_ms": 3.5, "server_cpu_us": 200.0}
    return [line(bench, f"{name}_at_once_{at_once}", **figures) for at_once in (1, 64)]


def test_a_case_that_was_repeated_has_the_median_of_each_figure() -> None:
    lines = [line("echo", "at_once_1", messages_s=rate) for rate in (10, 30, 11)]
    assert medians(lines)["echo", "at_once_1"]["messages_s"] == 11


def test_each_peer_is_listed_with_askbacks_result_of_the_same_run() -> None:
    report = list(tables([*job("roundtrip", "sqlite", 4000), *job("peers", "langgraph_sqlite", 100)]))
    assert "| **askback**, SQLite | 1.25 | 3.50 | 4,000 | 1.25 | 200 | 1.000 |" in report
    assert "| LangGraph, SQLite | 1.25 | 3.50 | 100 | 1.25 | 200 | 0.025 |" in report


def test_a_limit_says_how_many_round_trips_come_to_it() -> None:
    lines = [*job("roundtrip", "postgres", 500), line("limits", "postgres_group_64", rows_s=50_000)]
    assert "| Postgres, 64 in a commit | 50,000 | 0.010 |" in list(tables(lines))


def test_only_measured_values_are_in_a_table() -> None:
    report = list(tables([line("pending", "waits_10", client_bytes=2000, server_bytes=500.5)]))
    assert [row for row in report if row.startswith("|")] == [
        "| more |  |",
        "|---|---|",
        "| pending, waits_10 | client_bytes 2,000, server_bytes 500 |",
    ]
