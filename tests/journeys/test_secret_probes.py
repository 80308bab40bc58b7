"""Group E: the agent tests submitted values before they are accepted, and a crash neither loses nor repeats a test."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.conftest import KillableServer
from tests.journeys.people import Person, Team, faults, leased_values, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NOT_GRANTED = (404, "not_granted")
NOT_RESOLVING = (409, "not_resolving")


async def try_value(team: Team, thread: str, value: str = "first", **extra: Any) -> dict[str, Any]:
    """Let Ada submit `A_KEY`, which the agent has not yet tested; returns the resolving request."""
    request = request_of(await team.agent.need(thread, "A_KEY", probe=True, **extra))
    sent_reply = await team.ada.hand_over(request["id"], {"A_KEY": value})
    assert sent_reply.status_code == 200, sent_reply.text
    assert sent_reply.json()["status"] == "resolving"
    return sent_reply.json()


async def lease_candidate(person: Person, thread: str, request_id: str) -> dict[str, str]:
    """The value under test, leased by the agent."""
    return leased_values(await person.lease(thread, "A_KEY", request_id=request_id))


@requirement("E23")
async def test_a_value_that_is_being_tried_is_found_by_the_trial_alone(team: Team, thread: str) -> None:
    request = await try_value(team, thread)
    assert (await team.bob.get(request["id"])) == request
    assert "answer" not in request
    assert "settled_by" not in request
    assert await lease_candidate(team.agent, thread, request["id"]) == {"A_KEY": "first"}
    assert refusal(await team.agent.lease(thread, "A_KEY")) == NOT_GRANTED
    assert await team.ada.list_secrets() == []
    other_request = request_of(await team.agent.need(f"{thread}-2", "A_KEY", default_scope="global"))
    assert other_request["secret"]["present"] == {}


@requirement("E23", "K4")
async def test_a_secret_that_passes_its_probe_is_stored_as_the_answer_of_the_person(
    team: Team, thread: str
) -> None:
    request = await try_value(team, thread)
    settled_request = (await team.agent.accept(request["id"])).json()
    assert (settled_request["status"], settled_request["source"]) == ("answered", "responder")
    assert settled_request["settled_by"]["name"] == "ada"
    assert settled_request["answer"] == {"names": ["A_KEY"], "scope": "session", "existing": []}
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "first"}
    assert refusal(await team.agent.lease(thread, "A_KEY", request_id=request["id"])) == NOT_RESOLVING
    [kept_secret] = await team.ada.list_secrets()
    assert (kept_secret["version"], kept_secret["set_by"]["name"]) == (1, "ada")
    events = [event["type"] async for event in team.bob.events(thread, until=3)]
    assert events == ["request.created", "request.resolving", "request.answered"]


@requirement("E23")
async def test_a_secret_that_fails_its_probe_is_asked_for_again_with_the_error(
    team: Team, thread: str
) -> None:
    request = await try_value(team, thread)
    wrong = [{"path": "secrets.A_KEY", "message": "The service does not know this key."}]
    second_request = (
        await team.agent.reprompt(request["id"], field_errors=wrong, error_summary="Try another one.")
    ).json()
    members = ("status", "revision", "field_errors", "error_summary")
    assert {name: second_request[name] for name in members} == {
        "status": "pending",
        "revision": 2,
        "field_errors": wrong,
        "error_summary": "Try another one.",
    }
    assert await team.ada.pending(thread) == [second_request]
    assert refusal(await team.agent.lease(thread, "A_KEY", request_id=request["id"])) == NOT_RESOLVING
    assert await team.ada.list_secrets() == []
    stale = await team.ada.hand_over(request["id"], {"A_KEY": "first"})
    assert refusal(stale) == (409, "stale_revision")
    assert (await team.ada.hand_over(request["id"], {"A_KEY": "second"}, revision=2)).status_code == 200
    assert await lease_candidate(team.agent, thread, request["id"]) == {"A_KEY": "second"}
    settled_request = (await team.agent.accept(request["id"])).json()
    assert ("field_errors" in settled_request, "error_summary" in settled_request) == (False, False)
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "second"}


@requirement("E5", "E23")
async def test_a_value_quoted_in_a_verdict_is_shown_to_nobody(team: Team, thread: str) -> None:
    request = await try_value(team, thread, "canary-4711-0815")
    text = "401: the key canary-4711-0815 is not known"
    wrong = [{"path": "secrets.A_KEY", "message": text}]
    await team.agent.reprompt(request["id"], field_errors=wrong, error_summary=text)
    events = [event async for event in team.bob.events(thread, until=3)]
    assert "canary-4711" not in str([await team.bob.get(request["id"]), events])


@requirement("E23")
async def test_a_trial_that_fails_leaves_the_value_that_was_there(team: Team, thread: str) -> None:
    await team.ada.keep("A_KEY", "good", "session", thread_id=thread)
    request = request_of(await team.agent.need(thread, "A_KEY", default_scope="global", probe=True))
    await team.ada.hand_over(request["id"], {"A_KEY": "bad"}, scope="session")
    await team.agent.reprompt(request["id"], error_summary="It does not hold.")
    used_reply = await team.ada.hand_over(request["id"], existing=["A_KEY"], revision=2)
    assert used_reply.json()["status"] == "resolving"
    await team.agent.accept(request["id"])
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "good"}
    assert [item["version"] for item in await team.ada.list_secrets()] == [1]


@requirement("E23")
async def test_a_value_that_was_replaced_while_it_was_tried_is_replaced_in_turn(
    team: Team, thread: str
) -> None:
    request = await try_value(team, thread, "tried")
    await team.bob.keep("A_KEY", "by hand", "session", thread_id=thread)
    assert (await team.agent.accept(request["id"])).status_code == 200
    reply = await team.agent.lease(thread, "A_KEY")
    assert (leased_values(reply), reply.json()["secrets"]["A_KEY"]["version"]) == ({"A_KEY": "tried"}, 2)


@requirement("E23")
@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, ("error_summary", "missing_required")),
        ({"field_errors": [{"path": "secrets.B_KEY", "message": "m"}]}, ("field_errors[0].path", "unknown_value")),
        ({"field_errors": [{"path": "secrets.A_KEY", "message": ""}]}, ("field_errors[0].message", "empty")),
        ({"error_summary": "s" * 501}, ("error_summary", "too_long")),
        ({"error_summary": "s", "secrets": {"A_KEY": "x"}}, ("secrets", "unknown_field")),
    ],
)  # fmt: skip
async def test_a_verdict_that_breaks_a_rule_is_refused_and_the_trial_goes_on(
    team: Team, thread: str, body: dict[str, Any], found: tuple[str, str]
) -> None:
    request = await try_value(team, thread)
    assert faults(await team.agent.reprompt(request["id"], **body)) == [found]
    assert await team.ada.get(request["id"]) == request
    assert await lease_candidate(team.agent, thread, request["id"]) == {"A_KEY": "first"}


@requirement("E23", "I12")
async def test_only_the_agent_that_asked_tries_and_decides(server: Any, team: Team, thread: str) -> None:
    request = await try_value(team, thread)
    made_reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "other"})
    async with Person(server.url, made_reply.json()["token"]) as other_person:
        for reply in (
            await other_person.accept(request["id"]),
            await other_person.reprompt(request["id"], error_summary="no"),
            await other_person.lease(thread, "A_KEY", request_id=request["id"]),
        ):
            assert refusal(reply) == (404, "not_found")
    for person in (team.ada, team.bob, team.admin):
        assert refusal(await person.accept(request["id"])) == (403, "forbidden")
        assert refusal(await person.reprompt(request["id"], error_summary="no")) == (403, "forbidden")
        refused_reply = await person.lease(thread, "A_KEY", request_id=request["id"])
        assert refusal(refused_reply) == (403, "forbidden")
    other_reply = await team.agent.lease(f"{thread}-2", "A_KEY", request_id=request["id"])
    assert refusal(other_reply) == NOT_RESOLVING
    assert await team.ada.get(request["id"]) == request


@requirement("E23")
async def test_nothing_is_accepted_that_was_not_sent_and_nothing_twice(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", probe=True))
    assert refusal(await team.agent.accept(request["id"])) == NOT_RESOLVING
    assert refusal(await team.agent.reprompt(request["id"], error_summary="no")) == NOT_RESOLVING
    await team.ada.hand_over(request["id"], {"A_KEY": "x"})
    assert (await team.agent.accept(request["id"])).status_code == 200
    assert refusal(await team.agent.accept(request["id"])) == (409, "already_settled")
    assert refusal(await team.agent.reprompt(request["id"], error_summary="no")) == (409, "already_settled")
    assert [item["version"] for item in await team.ada.list_secrets()] == [1]


@requirement("E23")
async def test_nobody_sends_another_value_into_a_trial(team: Team, thread: str) -> None:
    request = await try_value(team, thread, "first")
    late_reply = await team.bob.hand_over(request["id"], {"A_KEY": "second"})
    assert late_reply.status_code == 409, late_reply.text
    assert await lease_candidate(team.agent, thread, request["id"]) == {"A_KEY": "first"}


@requirement("E23")
async def test_a_submission_into_a_trial_sent_again_with_its_key_is_the_same_trial(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", probe=True))
    first_reply = await team.ada.hand_over(request["id"], {"A_KEY": "x"}, key="k1")
    second_reply = await team.ada.hand_over(request["id"], {"A_KEY": "x"}, key="k1")
    assert (first_reply.status_code, second_reply.status_code, second_reply.json()) == (
        200, 200, {**first_reply.json(), "submission": "checking"},
    )  # fmt: skip
    assert await lease_candidate(team.agent, thread, request["id"]) == {"A_KEY": "x"}


@requirement("E23")
async def test_if_the_agent_dies_during_a_probe_the_person_is_asked_again_and_nothing_is_stored(
    team: Team, thread: str
) -> None:
    request = await try_value(team, thread, timeout_s=1)
    ended_request = (
        await team.ada.http.get(f"/v1/requests/{request['id']}", params={"wait": 20, "revision": 1})
    ).json()
    assert (ended_request["status"], ended_request["revision"]) == ("pending", 2)
    assert refusal(await team.agent.accept(request["id"])) == NOT_RESOLVING
    assert refusal(await team.agent.lease(thread, "A_KEY", request_id=request["id"])) == NOT_RESOLVING
    assert await team.ada.list_secrets() == []


@requirement("E23")
@pytest.mark.parametrize("who", ["agent", "admin"])
async def test_a_cancelled_probe_stores_nothing(team: Team, thread: str, who: str) -> None:
    request = await try_value(team, thread)
    assert (await getattr(team, who).cancel(request["id"])).json()["status"] == "cancelled"
    assert refusal(await team.agent.lease(thread, "A_KEY", request_id=request["id"])) == NOT_RESOLVING
    assert await team.ada.list_secrets() == []


@requirement("E23", "H8")
async def test_a_probe_continues_after_the_server_was_killed(
    killable_server: KillableServer, thread: str
) -> None:
    async with killable_server.team() as team:
        request = await try_value(team, thread)
        await killable_server.dies_and_returns()
        assert await team.ada.get(request["id"]) == request
        assert await lease_candidate(team.agent, thread, request["id"]) == {"A_KEY": "first"}
        assert (await team.agent.accept(request["id"])).json()["status"] == "answered"
        await killable_server.dies_and_returns()
        assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "first"}
        assert refusal(await team.agent.accept(request["id"])) == (409, "already_settled")
