"""Requests are read as typed values: only the modules that own their texts look into them.

A text contains objects from outside, so a search for a key finds theirs as well.
"""

from __future__ import annotations

import ast
import re

from askback.domain.kinds import KINDS
from tests.structure.tree import ROOT, relative

OWNERS = frozenset(
    f"src/askback/domain/{name}.py" for name in ("events", "jsontext", "record", "spec", "state")
)
NAMES = r"\b(spec\.text|state\.text|record\.wire|event\.text|event\.subject|draft\.data)"
TEXT = re.compile(NAMES + "$")
MENTIONED = re.compile(NAMES.replace(r"\.", r"\s*\.\s*"))
READERS = frozenset({"loads", "from_json", "fromstring"})
SEARCHES = frozenset({"count", "endswith", "find", "index", "partition", "replace", "split", "startswith"})


def text_accesses(tree: ast.AST) -> list[int]:
    """The lines that decode, cut or search the text of a request."""
    findings: list[int] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name), args=[first, *_]) if (
                name in READERS
            ):
                inside = [first]
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in SEARCHES:
                inside = [value]
            case ast.Subscript(value=value):
                inside = [value]
            case ast.Compare(ops=ops, comparators=others) if any(
                isinstance(op, ast.In | ast.NotIn) for op in ops
            ):
                inside = others
            case _:
                inside = []
        findings += [node.lineno for item in inside if TEXT.search(ast.unparse(item))]  # type: ignore[attr-defined] - statements and expressions have lines
    return findings


def test_only_the_owners_of_a_requests_texts_look_into_them() -> None:
    source = [
        path
        for path in (ROOT / "src").rglob("*.py")
        if relative(path) not in OWNERS and "testing" not in path.parts
    ]
    texts = {relative(path): path.read_text("utf-8") for path in source}
    peeks = {name: text_accesses(ast.parse(text)) for name, text in texts.items() if MENTIONED.search(text)}
    assert {name: lines for name, lines in peeks.items() if lines} == {}


def test_each_way_of_parsing_a_request_by_hand_is_found() -> None:
    ways = (
        "json.loads(record.spec.text)",
        "from_json(self.record.wire)",
        "record.state.text[:-1]",
        "'x' in record.spec.text",
        "event.text.index('x')",
    )
    assert [text_accesses(ast.parse(source)) for source in ways] == [[1]] * len(ways)


def test_services_ask_the_table_of_kinds_and_hardly_compare_them() -> None:
    findings = [
        f"{relative(path)}:{node.lineno}"
        for path in (ROOT / "src/askback/service").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Compare)
        and ast.unparse(node.left).endswith(".kind")
        and any(
            isinstance(comparator, ast.Constant) and comparator.value in KINDS
            for comparator in node.comparators
        )
    ]
    assert len(findings) <= 3, findings
