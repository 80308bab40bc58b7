"""The arguments that prefix rules allow for each program: vectors/programs.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parents[3] / "vectors" / "programs.json").read_text(encoding="utf-8")
)["cases"]


@requirement("N10")
def test_a_prefix_rule_allows_its_commands_and_no_others() -> None:
    wrong = {
        case["command"]: (case["expect"], case["why"], decision.reasons)
        for case in CASES
        for decision in [
            decide(Call("bash", {"command": case["command"]}), Policy(rules=(parse_rule(case["rule"]),)))
        ]
        if decision.decision != case["expect"]
    }
    assert wrong == {}
