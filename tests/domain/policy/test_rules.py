"""Rules: their text, their canonical form, and the exact rules that "always" stores."""

from __future__ import annotations

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import RuleError, parse_rule
from askback.domain.policy.suggestions import exact_rule, matching_calls
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
        ("restart{}", "restart {}"),
        ('mcp:mail:send  {"to":"bob","n":1.0}', 'mcp__mail__send {"n": 1, "to": "bob"}'),
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
        "'tool:x'",
        "'mcp__x__y'",
        "tool:[!~]*",
        "tool:[a-z]*",
        "tool:_*",
        "ls a\u202eb",
        "ls a\u200bb",
        "ls \x1b[1m",
        "bash(echo 'a\nb')",
        "m\u0430ke x",
        "restart {",
        'restart {"a": 1, "a": 2}',
        'restart {"n": 1e999}',
        'bash {"command": "echo $x"}',
        'bash {"argv": ["ls"], "command": "ls"}',
        'bash {"command": "ls", "cwd": "/srv"}',
        "bash(echo $x)",
        "bash(curl x | sh)",
        "bash(ls | wc:*)",
        "ls | wc",
        "bash(ls) in /srv/",
        "bash(ls) in ",
        "tool:Read in /srv",
        "write_file(path=a) in /srv",
        't {"q": "a\u202eb"}',
    ],
)
def test_a_rule_that_means_too_much_or_nothing_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(RuleError, match=r"\.$"):
        parse_rule(text)


@requirement("B9")
def test_always_stores_the_exact_words_and_nothing_wider() -> None:
    rule = exact_rule(bash("make  test"))
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
        "ls | sh", "echo $x", "echo `x`", "python3", "sh", "xargs rm", "tar cf a.tar *", "ls\u200b", "rm -rf /",
    ],
)  # fmt: skip
def test_always_is_not_offered_for_a_call_that_can_change_its_meaning(text: str) -> None:
    assert exact_rule(bash(text)) is None


@requirement("B10")
def test_always_on_a_file_tool_stores_the_path() -> None:
    rule = exact_rule(Call("write_file", {"path": "src/a.py", "content": "x"}))
    assert rule is not None
    assert rule.text == "write_file(path=src/a.py)"
    assert rule.covers(Call("write_file", {"path": "src/a.py", "content": "y"}))
    assert not rule.covers(Call("write_file", {"path": "src/b.py", "content": "x"}))


def test_always_on_a_file_tool_stores_the_path_and_no_other_key_with_the_same_text() -> None:
    rule = exact_rule(Call("write_file", {"comment": "src/a.py", "path": "src/a.py", "content": "x"}))
    assert rule is not None
    assert rule.text == "write_file(path=src/a.py)"
    assert not rule.covers(Call("write_file", {"comment": "src/a.py", "path": "/opt/run.sh", "content": "x"}))


@requirement("B9", "B10")
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call("mcp__x__get", {"id": "7"}), 'mcp__x__get {"id": "7"}'),
        (Call("mcp:x:get", {"id": "*"}), 'mcp__x__get {"id": "*"}'),
        (Call("restart", {}), "restart {}"),
        (Call("send_mail", {"to": "bob", "body": "hi, a=b"}), 'send_mail {"body": "hi, a=b", "to": "bob"}'),
        (Call("t", {"n": 3.0, "on": True, "none": None, "in": [{"é": "x\ny"}]}), 't {"in": [{"é": "x\\ny"}], "n": 3, "none": null, "on": true}'),
        (Call("write_file", {"path": "a", "content": "x", "mode": "append"}), 'write_file {"content": "x", "mode": "append", "path": "a"}'),
        (Call("write_file", {"path": "a*", "content": "x"}), 'write_file {"content": "x", "path": "a*"}'),
    ],
)  # fmt: skip
def test_always_on_another_tool_stores_exactly_its_input(call: Call, text: str) -> None:
    rule = exact_rule(call)
    assert rule is not None
    assert rule.text == text
    assert parse_rule(text) == rule
    assert decide(call, Policy(rules=(rule,))).decision == "allow"


@requirement("B9", "B10")
@pytest.mark.parametrize(
    ("stored_call", "later"),
    [
        (Call("restart", {}), Call("restart", {"host": "prod", "force": True})),
        (Call("send_mail", {"to": "bob"}), Call("send_mail", {"to": "bob", "bcc": "eve"})),
        (Call("t", {"n": 1}), Call("t", {"n": True})),
        (Call("t", {"n": 1}), Call("t", {"n": "1"})),
        (Call("t", {"q": "é"}), Call("t", {"q": "./é"})),
        (Call("t", {"q": "a"}), Call("t", {"q": "A"})),
        (Call("t", {"q": "a"}), Call("T", {"q": "a"})),
        (Call("write_file", {"path": "a", "content": "x"}), Call("write_file", {"path": "a", "content": "x", "file": "b"})),
        (Call("write_file", {"path": "a", "content": "x"}), Call("write_file", {"path": "a", "patch": "*** Update File: b"})),
        (Call("multiedit", {"path": "a", "edits": [{"old": "x", "new": "y"}]}), Call("multiedit", {"path": "a", "edits": [{"path": "b", "new": "y"}]})),
    ],
)  # fmt: skip
def test_a_stored_rule_covers_no_call_that_was_not_shown(stored_call: Call, later: Call) -> None:
    rule = exact_rule(stored_call)
    assert rule is not None
    assert decide(stored_call, Policy(rules=(rule,))).decision == "allow"
    assert decide(later, Policy(rules=(rule,))).decision == "ask"


def test_always_is_not_offered_if_the_rule_is_too_long_to_show() -> None:
    for text in ("x" * 3_000, "a\u202eb", "a\u200bb", "\x9b"):
        assert exact_rule(Call("send_mail", {"body": text})) is None
    assert exact_rule(Call("send_mail", {"body": "a\nb"})) is not None


@requirement("B10")
@pytest.mark.parametrize(
    ("rule", "call", "is_covered"),
    [
        ("send_mail(to=bob)", Call("send_mail", {"to": "bob", "body": "hi"}), True),
        ("write_file(path=src/**)", Call("write_file", {"path": "./src//a", "content": "x"}), True),
        ("write_file(path=src/**)", Call("write_file", {"filePath": "src/a", "content": "x"}), False),
        ("write_file(path=src/**)", Call("write_file", {"path": "src/a", "mode": "x"}), False),
        ("write_file(path=src/**, mode=append)", Call("write_file", {"path": "src/a", "mode": "append"}), True),
        ("write_file(path=src/**)", Call("write_file", {"path": "src/.git/hooks/x", "content": "x"}), True),
        ("fetch(url=https://docs.python.org/**)", Call("fetch", {"url": "https://docs.python.org/3/x"}), True),
        ("fetch(url=https://docs.python.org/**)", Call("fetch", {"url": "https://docs.python.org/3/../x"}), False),
        ("fetch(url=https://docs.python.org/**)", Call("fetch", {"url": "https://docs.python.org/%2e%2E/x"}), False),
        ("fetch(url=https://*.python.org/**)", Call("fetch", {"url": "https://evil.example#.python.org/"}), False),
        ("restart(force=true)", Call("restart", {"force": True}), True),
        ("restart(force=true)", Call("restart", {"force": False}), False),
        ("restart(n=3)", Call("restart", {"n": 3}), True),
        ("restart {}", Call("restart", {}), True),
        ("t(q=a\\b)", Call("t", {"q": "a\\b"}), True),
    ],
)  # fmt: skip
def test_a_handwritten_rule_covers_its_named_keys_and_any_value_of_the_others(
    rule: str, call: Call, is_covered: bool
) -> None:
    assert parse_rule(rule).covers(call) is is_covered


@requirement("B7", "B26")
def test_a_pattern_does_not_cover_a_file_that_decides_what_runs() -> None:
    policy = Policy(rules=(parse_rule("write_file(path=src/**)"), parse_rule("tool:create_file")))
    hook = {"path": "src/.git/hooks/x", "content": "x"}
    assert decide(Call("write_file", hook), policy).decision == "ask"
    assert decide(Call("create_file", hook), policy).decision == "ask"
    exact_policy = Policy(rules=(*policy.rules, parse_rule("write_file(path=src/.git/hooks/x)")))
    assert decide(Call("write_file", hook), exact_policy).decision == "allow"


def test_an_edited_rule_shows_which_earlier_calls_it_would_have_allowed() -> None:
    calls = [bash("git log -1"), bash("git log --output=x"), bash("git push"), bash("git log -1; x")]
    assert matching_calls(parse_rule("git log:*"), calls) == calls[:1]
