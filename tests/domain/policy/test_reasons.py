"""Every reason of the policy is a code with parameters and has a complete sentence in each language."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askback import messages
from askback.domain.policy import reasons as policy_reasons
from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, PolicyResult, decide
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import RuleError, parse_rule
from askback.domain.policy.shell.program_table import REFUSALS
from askback.domain.policy.suggestions import why_allows_nothing
from tests.requirements import requirement

VECTORS = Path(__file__).resolve().parents[3] / "vectors"
POLICY = Path(policy_reasons.__file__).parent
CATALOGUES: dict[str, dict[str, str]] = {
    locale: json.loads((Path(messages.__file__).parent / f"{locale}.json").read_text("utf-8"))
    for locale in messages.LOCALES
}
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
SENTENCE = re.compile(
    r"[a-z`}]+ (?:is|are|has|may|can|cannot|does|would|names?|runs?|reads?|changes?|leads?|looks|covers|stands) [a-z`{]+"
)


def document(name: str) -> dict[str, Any]:
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8").replace("@HOME@", "/home/" + "ada"))


def calls(corpus: dict[str, Any]) -> Iterator[Call]:
    for group in corpus["groups"]:
        yield from (Call("bash", {"command": command}) for command in group.get("bash", ()))
        yield from (Call("write_file", {"path": path, "content": "x"}) for path in group.get("paths", ()))
        yield from (Call(tool, given) for tool, given in group.get("calls", ()))


def commands() -> Iterator[PolicyResult]:
    policy = Policy(built_in_rules("default"))
    for case in document("commands")["cases"]:
        if all(isinstance(value, str) for value in case["call"].values()):
            yield decide(Call("bash", case["call"]), policy)


def programs() -> Iterator[PolicyResult]:
    for case in document("programs")["cases"]:
        yield decide(Call("bash", {"command": case["command"]}), Policy((parse_rule(case["rule"]),)))


def daily_results() -> Iterator[PolicyResult]:
    corpus = document("daily")
    lists = Policy(built_in_rules("default"), read_only=built_in_rules("read-only-tools"))
    places: dict[str, Any] = {"roots": (corpus["project"],), "own_paths": tuple(corpus["own"])}
    policy = Policy(lists.rules, read_only=lists.read_only, **places)
    return (decide(replace(call, cwd=corpus["project"]), policy) for call in calls(corpus))


def edits() -> Iterator[PolicyResult]:
    corpus = document("edits")
    policy = Policy((parse_rule("write_file(path=src/**)"),), mode="accept_edits", roots=(corpus["project"],))
    return (decide(call, policy) for call in calls(corpus))


def reasons_of(results: Iterable[PolicyResult]) -> Iterator[Reason]:
    for result in results:
        assert result.reasons, "a decision says why"
        yield from (*result.reasons, *result.risks)


def without_text(reason: object) -> list[object]:
    """Return the parts of a reason without a text in some language, or with other parameters than its text."""
    if not isinstance(reason, Reason):
        return [reason]
    nested = [value for value in reason.params.values() if isinstance(value, Reason)]
    texts = [catalogue.get(f"reason.{reason.code}") for catalogue in CATALOGUES.values()]
    wrong: list[object] = [
        (reason.code, text)
        for text in texts
        if text is None or set(PLACEHOLDER.findall(text)) != set(reason.params)
    ]
    if reason.translated("de") == str(reason):
        wrong.append(f"{reason.code} reads the same in German")
    return wrong + [fault for value in nested for fault in without_text(value)]


@requirement("D22")
@pytest.mark.parametrize("corpus", [commands, programs, daily_results, edits])
def test_every_reason_of_a_decision_is_a_code_that_reads_in_each_language(corpus: Any) -> None:
    result = list(reasons_of(corpus()))
    assert len({reason.code for reason in result}) > 5
    assert [fault for reason in result for fault in without_text(reason)] == []


def test_an_error_of_a_rule_is_a_code_with_a_text_in_each_language() -> None:
    texts = [case["rule"] for case in document("programs")["cases"]]
    texts += [case["call"]["command"] for case in document("commands")["cases"] if "command" in case["call"]]
    texts += [
        "",
        "x" * 3_000,
        "*",
        "rm:!*",
        "bash(*)",
        "x(",
        "x(y)",
        "tool:bash",
        "send {]",
        'bash {"cwd":"a"}',
    ]
    reasons: set[Reason] = set()
    for text in filter(lambda text: isinstance(text, str), texts):
        for effect in ("allow", "deny"):
            try:
                choice = why_allows_nothing(parse_rule(text, effect))
            except RuleError as error:
                choice = error.why
            if choice is not None:
                reasons.add(choice)
    assert len({reason.code for reason in reasons}) > 8
    assert [fault for reason in reasons for fault in without_text(reason)] == []


def test_the_policy_writes_no_sentence_outside_the_catalogue() -> None:
    findings = [
        (file.name, text)
        for file in POLICY.rglob("*.py")
        for text in strings(ast.parse(file.read_text("utf-8")))
        if SENTENCE.search(text)
    ]
    assert findings == []


def test_the_catalogue_has_exactly_the_reasons_in_use() -> None:
    source = "".join(file.read_text("utf-8") for file in Path(messages.__file__).parents[1].rglob("*.py"))
    codes = {key.removeprefix("reason.") for key in CATALOGUES["en"] if key.startswith("reason.")}
    given = {*re.findall(r'Reason\(\s*"(\w+)"', source), *REFUSALS}
    assert given <= codes
    assert {code for code in codes - given if f'"{code}"' not in source} == set()


def strings(module: ast.Module) -> Iterator[str]:
    """Return the texts of a module without its docstrings, its lists of words, and the faults of program tables."""
    skipped = {
        id(part)
        for node in ast.walk(module)
        for top in [node.value if isinstance(node, ast.Expr) else node]
        if isinstance(node, ast.Expr)
        or (
            isinstance(node, ast.Call)
            and (
                getattr(node.func, "id", "") in {"ProgramOptions", "ValueError"}
                or getattr(node.func, "attr", "") == "split"
            )
        )
        for part in ast.walk(top)
    }
    for node in ast.walk(module):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
