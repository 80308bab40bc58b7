"""The decision for every command of the corpus vectors/commands.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, PolicyResult, decide
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

DOCUMENT = json.loads(
    (Path(__file__).resolve().parents[3] / "vectors" / "commands.json").read_text(encoding="utf-8")
)
CASES: list[dict[str, Any]] = DOCUMENT["cases"]


def _policy(name: str) -> Policy:
    texts = DOCUMENT["rules"][name]
    if "list" in texts:
        return Policy(rules=built_in_rules(texts["list"]))
    return Policy(
        rules=(
            *(parse_rule(text, "deny") for text in texts["deny"]),
            *(parse_rule(text) for text in texts["allow"]),
        )
    )


POLICIES = {name: _policy(name) for name in DOCUMENT["rules"]}


def expand(value: Any) -> Any:
    return value["$repeat"][0] * value["$repeat"][1] if isinstance(value, dict) else value


def decide_case(case: dict[str, Any]) -> PolicyResult:
    return decide(
        Call("bash", {key: expand(value) for key, value in case["call"].items()}), POLICIES[case["rules"]]
    )


@requirement("B4", "B5", "B6", "B7")
def test_a_command_is_decided_as_the_corpus_says() -> None:
    wrong = []
    for case in CASES:
        decision = decide_case(case)
        if decision.decision != case["expect"] or not decision.reasons:
            wrong.append((case["id"], case["shows"], case["call"], decision))
    assert wrong == []
