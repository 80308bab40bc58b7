"""Commands that run a file by name: the rules for them, on a card and by hand."""

from __future__ import annotations

import pytest

from tests.journeys.people import Team, decision_of_reply, faults, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def verdicts(team: Team, thread: str, *commands: str) -> list[str]:
    """The policy's decisions about some commands."""
    return [decision_of_reply(await team.agent.bash(thread, command))[0] for command in commands]


@requirement("N12")
async def test_a_script_gets_a_rule_for_this_thread_or_a_permanent_one_after_confirmation(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "python3 script.py"))
    assert request["approval"]["scripts"] == ["script.py"]
    refusal = await team.ada.decide(request["id"], "approve", scope="always")
    assert faults(refusal) == [("script_may_change", "script_may_change")]
    await team.ada.decide(request["id"], "approve", scope="always", script_may_change=True)
    assert await verdicts(team, thread, "python3 script.py", "python3 other.py") == ["approve", "ask"]
    request = request_of(await team.agent.bash(thread, "node a.js"))
    await team.ada.decide(request["id"], "approve", scope="thread")
    assert await verdicts(team, thread, "node a.js") == ["approve"]


@requirement("N12")
@pytest.mark.parametrize(
    "rule",
    [
        "bash(python3 script.py)",
        "python3 script.py",
        "bash(cd web && node script.py | tee log)",
        'bash {"command": "bash script.py", "run_in_background": true}',
        "bash(python3 script.py) in /srv/shop",
    ],
)
async def test_a_handwritten_rule_for_a_script_needs_the_same_tick_as_the_card(
    team: Team, thread: str, rule: str
) -> None:
    refusal = await team.ada.rule(rule)
    assert faults(refusal) == [("script_may_change", "script_may_change")]
    assert "script.py" in refusal.text
    assert await team.ada.rules() == []
    assert (await team.ada.rule(rule, "deny")).status_code == 201
    assert (await team.ada.rule(rule, scope="thread", thread_id=thread)).status_code == 201
    assert (await team.ada.rule(rule, script_may_change=True)).status_code == 201
