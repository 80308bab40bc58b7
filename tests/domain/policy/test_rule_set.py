"""Rules that are found by name decide like a walk over all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rule_set import RuleSet
from askback.domain.policy.rules import Rule, parse_rule
from tests.requirements import requirement

VECTORS = Path(__file__).resolve().parents[3] / "vectors"
COMMANDS: list[str] = [
    case["call"]["command"]
    for case in json.loads((VECTORS / "commands.json").read_text("utf-8"))["cases"]
    if isinstance(case["call"].get("command"), str)
]

TEXTS = [
    "ls",
    "ls:*",
    "cat:*",
    "git status",
    "git status in /srv/a",
    "bash(git log:*)",
    "bash(make | tee log)",
    "bash(make test) in /srv/a",
    "deploy:!*",
    "tool:Read",
    "tool:Re*",
    "mcp__github__*",
    "mcp:github:get_issue",
    "Read(file_path=src/**)",
    "write_file(path=src/**)",
    'send_mail {"to": "bob"}',
    "restart {}",
    "tool:wait 5",
    "zsh(git status)",
    "*_mail",
]
STOPPING = ["git push:*", "bash(:*)", "tool:send_*", "cat:*"]

calls = st.one_of(
    st.builds(
        Call,
        st.sampled_from(["bash", "Bash", "zsh", "execute_command", "run_in_terminal"]),
        st.one_of(
            st.sampled_from(
                [*COMMANDS, "make | tee log", "git status", "ls", "cat a && ls", "deploy now"]
            ).map(lambda command: {"command": command}),
            st.lists(st.sampled_from(["git", "status", "ls", "-l", ""]), max_size=3).map(
                lambda argv: {"argv": argv}
            ),
            st.just({"command": "git status", "timeout": 5}),
        ),
        st.sampled_from([None, "/srv/a", "/srv/b", "src"]),
    ),
    st.builds(
        Call,
        st.sampled_from(
            ["Read", "read", "Ready", "ls", "mcp__github__get_issue", "mcp:github:get_issue", "write_file"]
            + ["send_mail", "restart", "wait", "other", "", "deploy"]
        ),
        st.sampled_from(
            [{}, None, 5, {"to": "bob"}, {"file_path": "src/a.py"}, {"path": "src/a"}, {"path": "/etc/x"}]
        ),
        st.sampled_from([None, "/srv/a"]),
    ),
)


rules = st.lists(
    st.one_of(
        st.sampled_from(TEXTS).map(parse_rule),
        st.sampled_from(STOPPING).map(lambda text: parse_rule(text, "deny")),
        st.sampled_from(STOPPING).map(lambda text: parse_rule(text, "ask", locked=True)),
        st.sampled_from(built_in_rules("default")),
    ),
    max_size=12,
)


class FullWalk(RuleSet):
    """A set that tries every rule."""

    def allowing(self, name: str | None) -> tuple[Rule, ...]:
        """All rules that allow."""
        return super().allowing(None)

    @property
    def built_in(self) -> RuleSet:  # pyright: ignore[reportIncompatibleVariableOverride] - computed on each access
        """The built-in rules alone."""
        return FullWalk(rule for rule in self if rule.built_in)


@requirement("B4")
@given(call=calls, chosen_rules=rules, lists=st.booleans(), more=st.data())
def test_rules_by_name_decide_as_all_rules_in_turn(
    call: Call, chosen_rules: list[Rule], lists: bool, more: st.DataObject
) -> None:
    result = (*chosen_rules, *(built_in_rules("default") if lists else ()))
    places: dict[str, Any] = {
        "roots": more.draw(st.sampled_from([(), ("/srv/a",)])),
        "mode": more.draw(st.sampled_from(["normal", "plan", "accept_edits", "full"])),
        "read_only": more.draw(st.sampled_from([(), built_in_rules("read-only-tools")])),
    }
    by_name, in_turn = (decide(call, Policy(rules=kind(result), **places)) for kind in (RuleSet, FullWalk))
    assert by_name == in_turn
    assert "check_failed" not in {reason.code for reason in by_name.reasons}
