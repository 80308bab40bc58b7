"""Group B: shadow settings and rules without effect."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Team, decision_of_reply, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def decisions(team: Team) -> list[dict[str, Any]]:
    """The entries of decisions in the audit log."""
    return [entry for entry in (await team.admin.audit())[0] if entry["action"] == "decide"]


@requirement("B28", "B22")
async def test_a_shadow_policy_decides_nothing_and_logs_its_result(team: Team, thread: str) -> None:
    changed_reply = await team.admin.set_policy(shadow={"level": "deny"})
    assert changed_reply.json()["shadow"]["level"] == "deny"
    assert decision_of_reply(await team.agent.bash(thread, "ls")) == ("approve", "policy")
    request = request_of(await team.agent.bash(thread, "make"))
    await team.ada.decide(request["id"], "approve")
    findings = [(entry["decision"], entry["would"]) for entry in await decisions(team)]
    assert [decision for decision, _ in findings] == ["approve", "approve"]
    assert all("deny" in str(would) for _, would in findings)


@requirement("B28")
async def test_a_shadow_rule_decides_nothing_and_logs_its_result(team: Team, thread: str) -> None:
    assert (await team.ada.rule("ls", "deny", shadow=True)).json()["shadow"] is True
    assert (await team.ada.rule("make", "allow", shadow=True)).status_code == 201
    assert decision_of_reply(await team.agent.bash(thread, "ls")) == ("approve", "policy")
    assert decision_of_reply(await team.agent.bash(thread, "make")) == ("ask", "")
    [logged_decision] = await decisions(team)
    assert logged_decision["decision"] == "approve"
    assert "deny" in str(logged_decision["would"])


@requirement("B28")
async def test_the_trial_ends_and_leaves_nothing(team: Team, thread: str) -> None:
    await team.admin.set_policy(shadow={"level": "deny"})
    assert (await team.admin.set_policy(shadow=None)).json()["shadow"] is None
    await team.agent.bash(thread, "ls")
    [entry] = await decisions(team)
    assert "would" not in entry
