"""Two versions are measured by turns on the same cases, and a table shows their medians and ratios."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

from bench.compare import LOCK, OURS, ROOT, THEIRS, Case, Figures, Version, measure, python_of, table
from bench.one_version import with_new_labels

CASE = Case("postgres", "new", 64, 4000)


class MeasuredVersion:
    """A version that costs a little more with each turn."""

    def __init__(self, cpu: float) -> None:
        self._cpu = cpu

    def measure(self, _case: Case) -> Figures:
        self._cpu += 10
        return {"server_cpu_us": self._cpu, "postgres_cpu_us": 0.0, "p50_ms": 2.0, "cycles_s": 1000}


def test_both_versions_are_measured_by_turns_and_the_first_one_changes() -> None:
    versions = cast("dict[str, Version]", {OURS: MeasuredVersion(0), THEIRS: MeasuredVersion(90)})
    turns = list(measure(versions, [CASE], rounds=2))
    assert [name for _, name, _ in turns] == [THEIRS, OURS, OURS, THEIRS]
    assert list(table(turns)) == [
        "| | revision | this tree | ratio | least–most |",
        "|---|---|---|---|---|",
        "| postgres, 64 at once, every form new: server CPU µs | 105 | 15 | **0.14** | 0.10–0.18 |",
        "| postgres, 64 at once, every form new: median ms | 2 | 2 | **1.00** | 1.00–1.00 |",
        "| postgres, 64 at once, every form new: a second | 1,000 | 1,000 | **1.00** | 1.00–1.00 |",
    ]


def test_new_forms_have_no_field_in_common() -> None:
    first_form, second_form = with_new_labels(0), with_new_labels(0)
    assert not {*map(str, first_form.fields or ())} & {*map(str, second_form.fields or ())}


def test_a_revision_with_the_same_locked_packages_runs_in_this_environment(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_bytes((ROOT / LOCK).read_bytes())
    assert python_of(tmp_path) == sys.executable
