"""Every promised behaviour has a test that carries its id, and no test carries an id that nobody promised."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache

from tests.quick import LEFT_OUT, QUICK_TESTS, is_listed, kept_of
from tests.requirements_asked import ASKED, HELD_ALREADY
from tests.structure.tree import ROOT, files, relative

OWN = {"tests/requirements.py", "tests/requirements_asked.py"}
FOLDERS_NOT_IN_MAKE_TEST = ("tests/adapters/", "tests/browsers/", "tests/planted/")
"""Folders that neither `make test` nor pytest without arguments runs."""
ONLY_ADAPTERS = {"C3", "C6", "G9"}
WEB_TAG = re.compile(r"requirement: ((?:[A-Z]\d+(?:, ?)?)+)")


def requirement_ids(call: ast.Call) -> list[str]:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name != "requirement":
        return []
    return [str(argument.value) for argument in call.args if isinstance(argument, ast.Constant)]


def _marked(statements: list[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """What may call `requirement`, with the name of the test: a decorator, or a statement of the module."""
    for node in statements:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from ((node.name, decorator) for decorator in node.decorator_list)
            case ast.ClassDef():
                yield from ((node.name, decorator) for decorator in node.decorator_list)
                yield from _marked(node.body)
            case _:
                yield "", node


@cache
def map_requirements_to_tests() -> dict[str, set[tuple[str, str]]]:
    """Each id that a test carries, with the files and names of its tests."""
    tests_by_requirement: dict[str, set[tuple[str, str]]] = {}
    for path in files(".py", folders=("tests/",)):
        text = path.read_text(encoding="utf-8")
        if relative(path) in OWN or "requirement(" not in text:
            continue
        for test, part in _marked(ast.parse(text).body):
            for node in ast.walk(part):
                for name in requirement_ids(node) if isinstance(node, ast.Call) else ():
                    tests_by_requirement.setdefault(name, set()).add((relative(path), test))
    for path in files(".ts", folders=("web/tests/",)):
        for ids in WEB_TAG.findall(path.read_text(encoding="utf-8")):
            for name in re.findall(r"[A-Z]\d+", ids):
                tests_by_requirement.setdefault(name, set()).add((relative(path), ""))
    for path in files(".json", folders=("vectors/compat/",)):
        for name in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            tests_by_requirement.setdefault(name, set()).add((relative(path), ""))
    return tests_by_requirement


def _is_quick(file: str, test: str) -> bool:
    """Return whether `make test` runs this test."""
    if file.startswith(FOLDERS_NOT_IN_MAKE_TEST):
        return False
    return not is_listed(ROOT / file) or test in kept_of(ROOT / file)


def test_every_asked_behaviour_has_a_test() -> None:
    tests_by_requirement = map_requirements_to_tests()
    missing = {name: sentence for name, sentence in ASKED.items() if name not in tests_by_requirement}
    assert missing == {}


def test_make_test_proves_every_behaviour_except_those_of_adapters() -> None:
    tests_by_requirement = map_requirements_to_tests().items()
    assert {
        name for name, tests in tests_by_requirement if not any(_is_quick(*test) for test in tests)
    } == ONLY_ADAPTERS


def test_no_test_carries_an_id_that_was_not_asked() -> None:
    known = {**ASKED, **HELD_ALREADY}
    assert {
        name: sorted(location) for name, location in map_requirements_to_tests().items() if name not in known
    } == {}


def test_the_lists_of_make_test_name_files_and_tests_that_exist() -> None:
    tests = ROOT / "tests"
    assert [pattern for pattern in LEFT_OUT if not any(tests.glob(pattern))] == []
    assert [name for name in QUICK_TESTS if not is_listed(tests / name)] == []
    texts = {name: (tests / name).read_text(encoding="utf-8") for name in QUICK_TESTS}
    missing = [
        (name, test_path)
        for name in QUICK_TESTS
        for test_path in QUICK_TESTS[name]
        if f"def {test_path}(" not in texts[name]
    ]
    assert missing == []


def test_each_behaviour_is_one_sentence() -> None:
    known = {**ASKED, **HELD_ALREADY}
    assert [name for name, text in known.items() if not (text[0].isupper() and text.endswith("."))] == []


def test_the_scan_sees_marks_of_both_languages() -> None:
    call = ast.parse('@requirement("A1", "B2")\ndef test_x(): ...').body[0]
    assert isinstance(call, ast.FunctionDef)
    decorator = call.decorator_list[0]
    assert isinstance(decorator, ast.Call)
    assert requirement_ids(decorator) == ["A1", "B2"]
    assert WEB_TAG.findall('it("x // requirement: A1, B2") // requirement: C3') == ["A1, B2", "C3"]
    assert (ROOT / "pyproject.toml").is_file()
