"""Group B: the input of a call is any JSON value; one that is not an object never runs by a rule about its members."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.decision import Decision
from askback.domain.policy.digest import call_digest
from askback.domain.request import InputRequest
from tests.journeys.people import Team, decision_of_reply, faults, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

INPUTS: list[Any] = [
    [1, {"a": [None]}],
    [],
    "größer 🙂",
    "",
    2**53 - 1,
    0.1,
    0,
    True,
    False,
    None,
]


@requirement("B15", "B29")
@pytest.mark.parametrize("value", INPUTS, ids=repr)
async def test_an_input_of_any_type_is_shown_approved_and_used_unchanged(
    team: Team, thread: str, value: Any
) -> None:
    request = request_of(await team.agent.approve(thread, "send", value))
    shown_approval = request["approval"]
    assert (shown_approval["input"], type(shown_approval["input"])) == (value, type(value))
    assert (shown_approval["digest"], shown_approval["preview"]["type"]) == (
        call_digest("send", value),
        "json",
    )
    approved_request = (await team.ada.decide(request["id"], "approve")).json()
    assert (await team.ada.get(request["id"]))["approval"]["input"] == value
    assert Decision.from_request(InputRequest.model_validate(approved_request)).input == value
    other_reply = await team.agent.consume(request["id"], "run-1", tool="send", input={"": value})
    assert refusal(other_reply) == (409, "digest_mismatch")
    used_execution = (await team.agent.consume(request["id"], "run-1", tool="send", input=value)).json()
    assert (used_execution["input"], type(used_execution["input"])) == (value, type(value))


@requirement("B12", "B29")
@pytest.mark.parametrize("value", INPUTS, ids=repr)
async def test_always_covers_exactly_this_input(team: Team, thread: str, value: Any) -> None:
    request = request_of(await team.agent.approve(thread, "send", value))
    await team.ada.decide(request["id"], "approve", scope="always")
    [rule] = await team.ada.rules()
    assert rule["rule"].startswith("tool:send ")
    assert decision_of_reply(await team.agent.approve(thread, "send", value)) == ("approve", "policy")
    for other in ([2, {"a": [None]}], {"": value}, {}, "0", 1):
        assert decision_of_reply(await team.agent.approve(thread, "send", other))[0] == "ask"


@requirement("B16")
@pytest.mark.parametrize(
    ("value", "edited", "wrong"),
    [([1], [2, 3], {"0": 2}), ("a", "b", 5), (5, 5.5, True), (True, False, 0), ({"a": 1}, {}, [1])],
    ids=repr,
)
async def test_an_edit_keeps_the_type_of_the_input(
    team: Team, thread: str, value: Any, edited: Any, wrong: Any
) -> None:
    request = request_of(await team.agent.approve(thread, "send", value, allow_edit=True))
    refused_reply = await team.ada.decide(request["id"], "approve", edited_input=wrong)
    assert faults(refused_reply) == [("edited_input", "wrong_type")]
    assert await team.ada.get(request["id"]) == request
    await team.ada.decide(request["id"], "approve", edited_input=edited)
    used_execution = (await team.agent.consume(request["id"], "run-1")).json()
    assert (used_execution["input"], used_execution["digest"]) == (edited, call_digest("send", edited))


@requirement("B16", "B7")
async def test_an_edited_list_is_checked_against_deny_rules(team: Team, thread: str) -> None:
    request = request_of(await team.agent.approve(thread, "bash", ["make", "deploy"], allow_edit=True))
    refused_reply = await team.ada.decide(request["id"], "approve", edited_input=["rm", "-rf", "/"])
    assert [path for path, _ in faults(refused_reply)] == ["edited_input"]
    assert await team.ada.get(request["id"]) == request


@requirement("B16")
async def test_nobody_edits_an_input_of_null(team: Team, thread: str) -> None:
    request = request_of(await team.agent.approve(thread, "restart", None, allow_edit=True))
    assert request["approval"]["allow_edit"] is False
    refused_reply = await team.ada.decide(request["id"], "approve", edited_input={"now": True})
    assert faults(refused_reply) == [("edited_input", "edit_not_allowed")]
