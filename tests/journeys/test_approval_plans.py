"""Group B: a plan is approved, approved with its edits, or sent back with changes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.conftest import KillableServer
from tests.journeys.people import Team, decision_of_reply, digest_of, faults, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PLAN = "1. Read the code.\n2. Change `a.py`.\n3. Run the tests."
EDIT = {"path": "src/a.py", "content": "x"}


async def ask_in_plan_mode(team: Team, thread: str) -> str:
    """Switch the thread to plan mode and ask about a plan; returns the id."""
    assert (await team.ada.set_policy(thread_id=thread, mode="plan")).status_code == 200
    assert decision_of_reply(await team.agent.approve(thread, "write_file", EDIT)) == ("deny", "policy")
    return request_of(await team.agent.plan(thread, PLAN))["id"]


@requirement("B23")
async def test_a_plan_is_shown_in_full_and_no_rule_decides_it(team: Team, thread: str) -> None:
    await team.admin.set_policy(level="full", confirm="ENABLE FULL")
    request = request_of(await team.agent.plan(thread, PLAN))
    shown_approval = request["approval"]
    assert (shown_approval["tool"], shown_approval["plan"], shown_approval["scopes"]) == (
        "plan",
        PLAN,
        ["once"],
    )
    assert shown_approval["digest"] == digest_of("plan", {"plan": PLAN})
    assert shown_approval["preview"]["type"] == "plan"
    assert "".join(shown_approval["preview"]["parts"]) == PLAN


@requirement("B23")
async def test_an_approved_plan_ends_plan_mode_and_edits_are_asked(team: Team, thread: str) -> None:
    approved_request = (await team.ada.decide(await ask_in_plan_mode(team, thread), "approve")).json()
    assert approved_request["answer"]["decision"] == "approve"
    assert (await team.ada.policy(thread_id=thread))["mode"] == "normal"
    assert decision_of_reply(await team.agent.approve(thread, "write_file", EDIT)) == ("ask", "")


@requirement("B23")
async def test_a_plan_approved_with_its_edits_stops_the_asking_in_this_thread_only(
    team: Team, thread: str
) -> None:
    request_id = await ask_in_plan_mode(team, thread)
    approved_request = (await team.ada.decide(request_id, "approve", mode="accept_edits")).json()
    assert approved_request["answer"]["mode"] == "accept_edits"
    assert decision_of_reply(await team.agent.approve(thread, "write_file", EDIT)) == ("approve", "policy")
    assert decision_of_reply(await team.agent.bash(thread, "make")) == ("ask", "")
    assert decision_of_reply(await team.agent.approve("another", "write_file", EDIT)) == ("ask", "")


@requirement("B23")
async def test_changes_are_requested_with_words_and_plan_mode_stays(team: Team, thread: str) -> None:
    request_id = await ask_in_plan_mode(team, thread)
    silence: list[dict[str, Any]] = [{}, {"note": ""}, {"note": "  "}]
    for silent in silence:
        refused_reply = await team.ada.decide(request_id, "deny", **silent)
        assert [path for path, _ in faults(refused_reply)] == ["note"]
    assert (await team.ada.get(request_id))["status"] == "pending"
    denied_request = (await team.ada.decide(request_id, "deny", note="Tests first.")).json()
    assert (denied_request["answer"]["decision"], denied_request["answer"]["note"]) == (
        "deny",
        "Tests first.",
    )
    assert (await team.ada.policy(thread_id=thread))["mode"] == "plan"
    assert decision_of_reply(await team.agent.approve(thread, "write_file", EDIT)) == ("deny", "policy")
    second_request = request_of(await team.agent.plan(thread, PLAN))
    assert second_request["id"] != request_id


@requirement("B23")
async def test_an_open_plan_survives_the_death_of_the_server(
    killable_server: KillableServer, thread: str
) -> None:
    async with killable_server.team() as team:
        request_id = await ask_in_plan_mode(team, thread)
        await killable_server.dies_and_returns()
        assert (await team.ada.get(request_id))["approval"]["plan"] == PLAN
        approved_reply = await team.ada.decide(request_id, "approve", mode="accept_edits")
        assert approved_reply.json()["status"] == "answered"
        await killable_server.dies_and_returns()
        assert decision_of_reply(await team.agent.approve(thread, "write_file", EDIT)) == (
            "approve",
            "policy",
        )


@requirement("B23")
async def test_a_plan_takes_no_other_mode_scope_rule_or_edit(team: Team, thread: str) -> None:
    request = request_of(await team.agent.plan(thread, PLAN, allow_edit=True, scopes=["once", "always"]))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"mode": "full"}, "mode"),
        ({"scope": "always"}, "scope"),
        ({"rule": "bash(make)"}, "rule"),
        ({"edited_input": {"plan": "Something else."}}, "edited_input"),
    ]
    for extra, path in cases:
        refused_reply = await team.ada.decide(request["id"], "approve", **extra)
        assert path in [fault for fault, _ in faults(refused_reply)], extra
    assert await team.ada.get(request["id"]) == request


@requirement("B23")
async def test_a_mode_goes_with_a_plan_only(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make"))
    refused_reply = await team.ada.decide(request["id"], "approve", mode="accept_edits")
    assert [path for path, _ in faults(refused_reply)] == ["mode"]
    assert (await team.ada.policy(thread_id=thread))["mode"] == "normal"


@requirement("B23", "I2")
async def test_no_agent_approves_its_own_plan(team: Team, thread: str) -> None:
    request_id = await ask_in_plan_mode(team, thread)
    tried_reply = await team.agent.decide(request_id, "approve", mode="accept_edits")
    assert refusal(tried_reply) == (403, "forbidden")
    assert (await team.ada.policy(thread_id=thread))["mode"] == "plan"
