"""Rules: their text, their canonical form, and the narrow ones that "always" stores."""

from __future__ import annotations

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.narrow import narrow_rule, would_match
from askback.domain.policy.rules import RuleError, parse_rule
from tests.requirements import requirement


def bash(command: str) -> Call:
    return Call("bash", {"command": command})


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("git status", "bash(git status)"),
        ("bash(git  status)", "bash(git status)"),
        ("Bash(git diff:*)", "bash(git diff:*)"),
        ("git commit -m 'a b'", "bash(git commit -m 'a b')"),
        ("ls:*", "bash(ls:*)"),
        ("ls", "ls"),
        ("bash(ls)", "bash(ls)"),
        ("write_file(path=src/**)", "write_file(path=src/**)"),
        ("mcp:github:get_*", "mcp__github__get_*"),
        ("mcp__github__get_*", "mcp__github__get_*"),
        ("tool:Read", "tool:Read"),
    ],
)
def test_a_rule_has_one_canonical_text_that_reads_back_as_itself(text: str, canonical: str) -> None:
    rule = parse_rule(text)
    assert rule.text == canonical
    assert parse_rule(canonical).text == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "git log *",
        "a && b",
        "ls > x",
        "echo $x",
        "bash(*)",
        "tool:bash",
        "*",
        "tool:*",
        "write_file(path)",
        "A=1 ls",
        "if ls",
        "git 'x",
        "x" * 3000,
    ],
)
def test_a_rule_that_means_too_much_or_nothing_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(RuleError, match=r"\.$"):
        parse_rule(text)


@requirement("B9")
def test_always_stores_the_exact_words_and_nothing_wider() -> None:
    rule = narrow_rule(bash("make  test"))
    assert rule is not None
    assert rule.text == "bash(make test)"
    policy = Policy(rules=(rule,))
    verdicts = [
        decide(bash(text), policy).decision
        for text in ("make test", "make clean", "make test x", "make test && x")
    ]
    assert verdicts == ["allow", "ask", "ask", "ask"]


@requirement("B9")
@pytest.mark.parametrize(
    "text",
    [
        "make && x", "ls | sh", "npm test > x", "echo $x", "echo `x`", "python3 x.py", "python3 -c 'x'", "bash x.sh", "sh", "env ls",
        "sudo ls", "xargs rm", "A=1 ls", "ls *", "ls\u200b", "rm -rf /", "cd x",
    ],
)  # fmt: skip
def test_always_is_not_offered_for_what_could_become_something_else(text: str) -> None:
    assert narrow_rule(bash(text)) is None


def test_always_is_not_offered_for_a_shell_that_is_not_understood() -> None:
    assert narrow_rule(Call("bash", {"command": "ls", "shell": "zsh"})) is None


@requirement("B10")
def test_always_on_a_file_tool_stores_the_path() -> None:
    rule = narrow_rule(Call("write_file", {"path": "src/a.py", "content": "x"}))
    assert rule is not None
    assert rule.text == "write_file(path=src/a.py)"
    assert rule.covers(Call("write_file", {"path": "src/a.py", "content": "y"}))
    assert not rule.covers(Call("write_file", {"path": "src/b.py", "content": "x"}))


def test_always_on_a_file_tool_stores_the_path_and_not_another_text_that_is_the_same() -> None:
    rule = narrow_rule(Call("write_file", {"comment": "src/a.py", "path": "src/a.py", "content": "x"}))
    assert rule is not None
    assert rule.text == "write_file(path=src/a.py)"
    assert not rule.covers(Call("write_file", {"comment": "src/a.py", "path": "/opt/run.sh", "content": "x"}))


def test_always_on_another_tool_stores_every_argument_or_nothing() -> None:
    rule = narrow_rule(Call("mcp__x__get", {"id": "7"}))
    assert rule is not None
    assert not rule.covers(Call("mcp__x__get", {"id": "8"}))
    assert narrow_rule(Call("mcp__x__get", {"id": "*"})) is None
    assert narrow_rule(Call("mcp__x__get", {"ids": [1]})) is None


def test_an_edited_rule_shows_which_earlier_calls_it_would_have_allowed() -> None:
    calls = [bash("git log -1"), bash("git log --output=x"), bash("git push"), bash("git log -1; x")]
    assert would_match(parse_rule("git log:*"), calls) == calls[:1]
