"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import statistics

from tests.structure.tree import files, functions, lines, relative

CODE = (".py", ".ts", ".css", ".sql", ".mjs")
GENERATED = ("web/src/core/generated/", "web/src/agent/generated/")
FILE_MOST, FILE_MEDIAN = 400, 120
FUNCTION_MOST, FUNCTION_MEDIAN = 60, 10


def test_no_file_is_over_400_lines_and_half_are_under_120() -> None:
    sizes = {relative(path): lines(path) for path in files(*CODE)}
    sizes = {name: size for name, size in sizes.items() if not name.startswith(GENERATED)}
    assert {name: size for name, size in sizes.items() if size > FILE_MOST} == {}
    source = [size for name, size in sizes.items() if name.startswith(("src/", "web/src/")) and size > 1]
    assert statistics.median(source) <= FILE_MEDIAN


def test_no_function_is_over_60_lines_and_half_are_under_10() -> None:
    sizes = {name: size for path in files(".py") for name, size in functions(path)}
    assert {name: size for name, size in sizes.items() if size > FUNCTION_MOST} == {}
    assert (
        statistics.median(size for name, size in sizes.items() if name.startswith("src/")) <= FUNCTION_MEDIAN
    )
