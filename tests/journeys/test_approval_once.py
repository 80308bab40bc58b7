"""A call for which no rule can be stored says why, so that nobody looks for "Always"."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Team, request_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ({"command": "make $GOAL"}, "an expansion (`$`)"),
        ({"command": "echo x | sh"}, "text is piped into `sh`"),
        ({"command": "make deploy", "quorum": 2}, "several people decide about it"),
        ({"command": "make deploy", "scopes": ["once"]}, "the agent asks for this one call"),
    ],
)
async def test_a_call_that_can_only_be_allowed_once_says_why(
    team: Team, thread: str, call: dict[str, Any], reason: str
) -> None:
    approval = request_of(await team.agent.bash(thread, **call))["approval"]
    assert approval["scopes"] == ["once"]
    assert approval["only_once"].startswith("This can only be allowed once: ")
    assert reason in approval["only_once"]
    assert approval["only_once_code"]["code"] == "only_once"


async def test_a_call_that_an_ask_rule_covers_explains_why_no_rule_can_be_stored(
    team: Team, thread: str
) -> None:
    await team.admin.rule("bash(make deploy)", "ask")
    approval = request_of(await team.agent.bash(thread, "make deploy"))["approval"]
    assert (
        approval["only_once"] == "This can only be allowed once: the rule `bash(make deploy)` asks each time."
    )


async def test_the_card_explains_that_a_secret_file_can_be_allowed_only_once(team: Team, thread: str) -> None:
    secret = request_of(await team.agent.approve(thread, "Write", {"file_path": "a/.env", "content": "x"}))
    assert secret["approval"]["only_once"] == ("This can only be allowed once: `a/.env` may contain secrets.")
    assert "only_once" not in request_of(await team.agent.bash(thread, "make test"))["approval"]
    assert "only_once" not in request_of(await team.agent.plan(thread, "1. Look"))["approval"]
