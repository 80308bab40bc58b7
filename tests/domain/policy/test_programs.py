"""The arguments that prefix rules allow for each program: vectors/programs.json."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from tests.requirements import requirement

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parents[3] / "vectors" / "programs.json").read_text(encoding="utf-8")
)["cases"]
BY_PROGRAM = {
    name: list(cases)
    for name, cases in groupby(
        sorted(CASES, key=lambda case: case["rule"].split()[0].partition(":")[0]),
        key=lambda case: case["rule"].split()[0].partition(":")[0],
    )
}


@requirement("N10")
@pytest.mark.parametrize("program", BY_PROGRAM)
def test_a_prefix_rule_allows_its_commands_and_no_others(program: str) -> None:
    wrong = {
        case["command"]: (case["expect"], case["why"], decision.reasons)
        for case in BY_PROGRAM[program]
        for decision in [
            decide(Call("bash", {"command": case["command"]}), Policy(rules=(parse_rule(case["rule"]),)))
        ]
        if decision.decision != case["expect"]
    }
    assert wrong == {}
