"""The lists of `make test` name files and tests that exist."""

from __future__ import annotations

import ast

from tests.quick import KEPT, LEFT_OUT, ROOT, is_listed


def test_each_pattern_matches_a_file() -> None:
    assert [pattern for pattern in LEFT_OUT if not any((ROOT / "tests").glob(pattern))] == []


def test_each_kept_test_is_in_a_listed_file() -> None:
    unknown: list[str] = []
    for name, tests in KEPT.items():
        path = ROOT / "tests" / name
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        found = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, functions)}
        unknown += [f"{name}::{test}" for test in tests if test not in found or not is_listed(path)]
    assert unknown == []
