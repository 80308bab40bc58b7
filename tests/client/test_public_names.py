"""`import askback`: its public names are imported when they are first used, and are those that type checkers see."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import askback


def test_each_name_is_the_one_that_a_type_checker_sees() -> None:
    tree = ast.parse(Path(str(askback.__file__)).read_text("utf-8"))
    stated_names = {
        alias.name: str(source.module)
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for source in block.body
        if isinstance(source, ast.ImportFrom)
        for alias in source.names
    }
    assert sorted(stated_names) == sorted(askback.__all__)
    assert {
        name
        for name, module in stated_names.items()
        if getattr(askback, name) is not vars(import_module(module))[name]
    } == set()


def test_the_names_are_listed_before_they_are_used() -> None:
    assert set(askback.__all__) <= set(dir(askback))


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'askback' has no attribute 'AsyncCleint'"):
        getattr(askback, "AsyncCleint")  # noqa: B009 - a type checker refuses the other form
