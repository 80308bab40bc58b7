"""Tables of a run: `python -m bench.report FILE` makes Markdown of its JSON lines, with medians over the repeats."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Run = Mapping[tuple[str, str], Mapping[str, float]]
"""The median of each figure, by the name of the benchmark and of the case."""

STORES = {"sqlite": "SQLite", "postgres": "Postgres", "two-servers": "two servers on one Postgres"}
PEERS = {
    "langgraph_sqlite": "LangGraph, SQLite",
    "langgraph_postgres": "LangGraph, Postgres",
    "dbos_sqlite": "DBOS, SQLite (looks once a second)",
    "dbos_postgres": "DBOS, Postgres",
    "chainlit": "Chainlit, buttons (not durable)",
    "fastmcp_elicit": "FastMCP, elicitation (not durable)",
    "fastmcp_input_required": "FastMCP, input required (not durable)",
}
LIMITS = {
    "sqlite_group_1": ("SQLite, one row in a commit", "rows_s", "sqlite"),
    "sqlite_group_64": ("SQLite, 64 in a commit", "rows_s", "sqlite"),
    "postgres_group_1": ("Postgres, one row in a commit", "rows_s", "postgres"),
    "postgres_group_1_notify": ("the same with NOTIFY", "rows_s", "two-servers"),
    "postgres_group_64": ("Postgres, 64 in a commit", "rows_s", "postgres"),
    "postgres_group_64_notify": ("the same with NOTIFY", "rows_s", "two-servers"),
    "at_once_1": ("WebSocket echo, one connection", "messages_s", "sqlite"),
    "at_once_64": ("WebSocket echo, 64 connections", "messages_s", "sqlite"),
}
FIRST_COLUMNS = (
    "ready_ms",
    "first_ask_ms",
    "first_thread_ms",
    "first_inbox_ms",
    "first_answer_ms",
    "cpu_s",
    "rss_mb",
)
TARGETS = (
    ("SQLite, round trips at 64 at once", "roundtrip", "sqlite_at_once_64", "cycles_s", "≥ 8,000/s"),
    ("Postgres, the same", "roundtrip", "postgres_at_once_64", "cycles_s", "≥ 6,000/s"),
    ("two servers, the same", "roundtrip", "two-servers_at_once_64", "cycles_s", "≥ 5,000/s"),
    ("two servers, the median alone", "roundtrip", "two-servers_at_once_1", "p50_ms", "< 2 ms"),
    ("ready over 1,000,000 pending, SQLite", "restart", "sqlite_pending_1000000", "ready_ms", "< 1,000 ms"),
    ("the same, Postgres", "restart", "postgres_pending_1000000", "ready_ms", "< 1,000 ms"),
    ("the Inbox, warm, CPU slowed 4 times: first row", "app", "warm_cpu_4x", "first_row_ms", "≤ 500 ms"),
    ("the Inbox, cold, Slow 4G: first paint", "app", "cold_slow_4g", "first_paint_ms", "< 2,000 ms"),
    ("100 questions in a conversation", "app", "forms_100", "forms_ms", "≤ 400 ms"),
    ("an answer at 1,000 readers, WebSocket", "fanout", "websocket_readers_1000", "last_p50_ms", "≤ 15 ms"),
    ("the same, event streams", "fanout", "sse_readers_1000", "last_p50_ms", "≤ 15 ms"),
)


def medians(lines: Iterable[Mapping[str, Any]]) -> Run:
    """Put the repeats of each case together."""
    cases: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for line in lines:
        cases.setdefault((line["bench"], line["case"]), []).append(line)
    return {
        name: {
            figure: statistics.median(line[figure] for line in repeats)
            for figure, value in repeats[0].items()
            if isinstance(value, int | float)
        }
        for name, repeats in cases.items()
    }


def tables(lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Return the report, line by line, without cases that were not measured."""
    run = medians(lines)
    yield from _machine_table(lines)
    for part in (_target_table, _job, _limits, _restart_table, _remaining_tables):
        yield from part(run)


def _machine_table(lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    def span(name: str, unit: str) -> str:
        values = sorted(line["cal"][name] for line in lines)
        return f"{values[0]:g}–{statistics.median(values):g}–{values[-1]:g}{unit}"

    yield f"Python {lines[0]['python']}, {lines[0]['cpus']} CPUs; medians of the repeats. Meanwhile (least–median–most)"
    yield f"a bare loop {span('py_loop_ms', ' ms')}, a flush {span('fdatasync_us', ' µs')}, load {span('load', '')}."


def _target_table(run: Run) -> Iterator[str]:
    rows = [
        (aim_text, target, _number(run[bench, case][figure]))
        for aim_text, bench, case, figure, target in TARGETS
        if (bench, case) in run
    ]
    yield from _table(("aim", "", "measured"), rows)


def _job(run: Run) -> Iterator[str]:
    own_rate = run.get(("roundtrip", "sqlite_at_once_64"), {}).get("cycles_s")
    named = [("roundtrip", case, f"**askback**, {name}") for case, name in STORES.items()]
    named += [("peers", case, name) for case, name in PEERS.items()]
    rows: list[Sequence[str]] = []
    for bench, case, name in named:
        single_figures, parallel_figures = (
            run.get((bench, f"{case}_at_once_1")),
            run.get((bench, f"{case}_at_once_64")),
        )
        if single_figures is None or parallel_figures is None:
            continue
        figures = (
            single_figures["p50_ms"],
            single_figures["p99_ms"],
            parallel_figures["cycles_s"],
            parallel_figures["p50_ms"],
            parallel_figures["server_cpu_us"],
        )
        relative_rate = f"{parallel_figures['cycles_s'] / own_rate:.3f}" if own_rate else ""
        rows.append((name, *map(_number, figures), relative_rate))
    column_heads = (
        "the whole job",
        "alone: median ms",
        "p99 ms",
        "64 at once: a second",
        "median ms",
        "CPU µs",
    )
    yield from _table((*column_heads, "askback on SQLite = 1"), rows)


def _limits(run: Run) -> Iterator[str]:
    rows: list[Sequence[str]] = []
    for case, (name, figure, store) in LIMITS.items():
        limit = run.get(("limits" if figure == "rows_s" else "echo", case))
        trips = run.get(("roundtrip", f"{store}_at_once_{64 if '64' in case else 1}"))
        if limit is not None:
            share = f"{trips['cycles_s'] / limit[figure]:.3f}" if trips else ""
            rows.append((name, _number(limit[figure]), share))
    yield from _table(("what the machine allows", "a second", "round trips for each"), rows)


def _restart_table(run: Run) -> Iterator[str]:
    rows = [
        (case.replace("_pending_", ", "), *(_number(figures[name]) for name in FIRST_COLUMNS))
        for (bench, case), figures in run.items()
        if bench == "restart"
    ]
    column_heads = ("ready ms", "first ask", "first thread", "first inbox", "first answer", "CPU s", "RSS MB")
    yield from _table(("restart over so many pending", *column_heads), rows)


def _remaining_tables(run: Run) -> Iterator[str]:
    reported = {"roundtrip", "peers", "limits", "echo", "restart"}
    leave_out = {"cpus"}
    rows = [
        (
            f"{bench}, {case}",
            ", ".join(f"{name} {_number(value)}" for name, value in figures.items() if name not in leave_out),
        )
        for (bench, case), figures in run.items()
        if bench not in reported
    ]
    yield from _table(("more", ""), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield ""
        yield f"| {' | '.join(head)} |"
        yield "|" + "---|" * len(head)
        for row in rows:
            yield f"| {' | '.join(row)} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"


def main() -> None:
    """Print the tables of a file."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    print("\n".join(tables([json.loads(line) for line in text.splitlines()])))


if __name__ == "__main__":
    main()
