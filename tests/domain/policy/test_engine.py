"""The order of checks, the table of levels and modes, and the digest of a decision: vectors/policy.json."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.decision_table import table_decision
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Rule, parse_rule
from askback.domain.policy.suggestions import exact_rule
from tests.requirements import requirement

DOCUMENT = json.loads(
    (Path(__file__).resolve().parents[3] / "vectors" / "policy.json").read_text(encoding="utf-8")
)
EFFECTS = ("deny", "ask", "allow")


def bash(command: str) -> Call:
    return Call("bash", {"command": command})


@requirement("B1", "B2")
def test_each_cell_of_the_table_is_as_written_down() -> None:
    for cell in DOCUMENT["table"]:
        policy_decision = table_decision(
            cell["level"],
            cell["ask_mode"],
            listed=cell["listed"],
            dangerous=cell["dangerous"],
            table=cell["compat"] or "askback",
        )
        assert policy_decision == cell["expect"], cell["id"]


def _policy(wanted: dict[str, Any]) -> Policy:
    rules: list[Rule] = [parse_rule(text, effect) for effect in EFFECTS for text in wanted.get(effect, [])]
    return Policy(
        rules=tuple(rules),
        level=wanted.get("level", "allowlist"),
        ask=wanted.get("ask_mode", "on-miss"),
        mode=wanted.get("mode", "normal"),
        table=wanted.get("compat") or "askback",
        read_only=tuple(parse_rule(text) for text in wanted.get("read_only", [])),
    )


@requirement("B7", "B10", "B21", "B22", "B29")
def test_rules_modes_and_limits_come_in_their_order() -> None:
    for case in DOCUMENT["cases"]:
        decision = decide(Call(case["call"]["tool"], case["call"]["input"]), _policy(case["policy"]))
        assert decision.decision == case["expect"], (case["id"], case["shows"], decision.reasons)


@requirement("B12")
def test_with_a_locked_rule_always_is_not_offered() -> None:
    policy = Policy(rules=(parse_rule("git push:*", "ask", locked=True), parse_rule("git push")))
    decision = decide(bash("git push"), policy)
    assert (decision.decision, decision.locked, decision.rule) == ("ask", True, "bash(git push:*)")


def test_an_unreadable_deny_rule_makes_every_call_ask() -> None:
    unread = Reason("rule_unread_asked", rule="rm *", why="odd")
    policy = Policy(rules=(parse_rule("ls"),), faults=(unread,))
    assert decide(bash("ls"), policy).reasons == (unread,)


class Broken(dict[str, Any]):
    """An input that has a digest and fails every other access."""

    def get(self, key: str, default: Any = None) -> Any:
        raise LookupError(key)


@requirement("B29")
@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(level="full"), "ask"),
        (Policy(level="full", ask="always"), "ask"),
        (Policy(level="full", ask="off"), "deny"),
        (Policy(level="deny"), "deny"),
    ],
)
def test_a_check_that_fails_lets_nothing_through(policy: Policy, expected: str) -> None:
    call = Call("bash", Broken(command="ls"))
    decision = decide(call, policy)
    assert (decision.decision, decision.rule) == (expected, None)
    assert decision.reasons == ("The check failed (LookupError), and what cannot be checked is not allowed.",)
    assert exact_rule(call) is None


@requirement("B29")
@pytest.mark.parametrize(
    "text", ['rm -rf / "é', "rm -rf / 'é", "rm -rf / $'é", '"é', "$'é", 'echo "$(rm -rf / "é']
)
def test_an_unterminated_quote_is_read_to_the_end(text: str) -> None:
    decision = decide(bash(text), Policy(level="full"))
    assert decision.decision in {"ask", "deny"}
    assert "failed" not in decision.reasons[0]
    assert exact_rule(bash(text)) is None


@requirement("B15")
def test_the_digest_ignores_how_the_call_is_spelled() -> None:
    call = Call("t", {"a": 1, "b": [True, "é"]})
    same_call = Call("t", {"b": [True, "é"], "a": 1.0})
    other_call = Call("t", {"a": 1, "b": [True, "e"]})
    text = '{"input":{"a":1,"b":[true,"é"]},"tool":"t"}'
    assert call.digest == same_call.digest == hashlib.sha256(text.encode()).hexdigest()
    assert other_call.digest != call.digest


def test_an_input_that_nothing_can_be_bound_to_is_refused() -> None:
    assert decide(Call("t", {"n": 2**60}), Policy(level="full")).decision == "deny"
    assert decide(Call("t", {"n": float("nan")}), Policy(level="full")).decision == "deny"


@requirement("B26")
def test_a_danger_is_described_in_words() -> None:
    assert decide(bash("rm -rf build"), Policy()).risks == ("It deletes folders and everything in them.",)
    assert decide(bash("init.sh && rm-safe x"), Policy()).risks == ()
