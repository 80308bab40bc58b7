"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import statistics
from pathlib import Path

from tests.structure.tree import ROOT, code_lines, files, functions, lines, relative

CODE = (".py", ".ts", ".css", ".sql", ".mjs")
GENERATED = ("web/src/core/generated/", "web/src/agent/generated/")
FILE_MOST, FILE_MEDIAN = 400, 110
FUNCTION_MOST, FUNCTION_MEDIAN = 60, 10
SYSTEMS = ("agor", "gobby", "ihub", "kcosr", "nebo")
SYSTEMS_MOST = 2_500


def test_no_file_is_over_400_lines_and_half_are_under_110() -> None:
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


def test_the_projections_of_the_five_systems_stay_small() -> None:
    """Counted as ADR 67 says: lines of code, without blank lines, comments and docstrings."""
    compat = ROOT / "src" / "askback" / "compat"
    sizes = {name: sum(map(code_lines, (compat / name).glob("*.py"))) for name in SYSTEMS}
    assert min(sizes.values()) > 0
    assert sum(sizes.values()) <= SYSTEMS_MOST, sizes


def test_a_line_of_code_is_neither_blank_nor_comment_nor_docstring(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""Docstring,\nof two lines."""\n\nimport ast\n\n# comment\nX = (\n    1,  # why\n)\n"""Of X."""\n'
    )
    assert code_lines(module) == 4
