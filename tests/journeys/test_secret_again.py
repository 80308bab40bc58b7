"""Group E: secrets that are set are not asked for, stored ones are reused, dismissed ones are not asked again."""

from __future__ import annotations

from typing import Any

import pytest

from askback.server.app import create_app
from tests.journeys.people import Person, Team, faults, leased_values, refusal, request_of, texts
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock

pytestmark = pytest.mark.anyio


def existing_answer(reply: Any) -> dict[str, Any]:
    """The answer of a request that was settled on creation, because everything is set."""
    assert reply.status_code == 201, reply.text
    request = reply.json()
    assert (request["status"], request["source"]) == ("answered", "existing"), request
    assert "settled_by" not in request
    return request["answer"]


@requirement("E9")
async def test_a_secret_stored_in_the_suggested_scope_is_not_asked_for(team: Team, thread: str) -> None:
    for name in ("A_KEY", "B_KEY"):
        await team.ada.keep(name, f"value of {name}")
    answer = existing_answer(await team.agent.need(thread, "B_KEY", "A_KEY", default_scope="global"))
    assert answer == {"names": ["A_KEY", "B_KEY"], "scope": "global", "existing": ["A_KEY", "B_KEY"]}
    assert await team.ada.pending(thread) == []
    values = leased_values(await team.agent.lease(thread, "A_KEY", "B_KEY"))
    assert values == {"A_KEY": "value of A_KEY", "B_KEY": "value of B_KEY"}
    events = [event async for event in team.ada.events(thread, until=1)]
    assert [event["type"] for event in events] == ["request.answered"]
    entries, _ = await team.admin.audit()
    [granted] = [entry for entry in entries if entry["action"] == "secret.grant"]
    assert (granted["names"], granted["scope"], granted["via"]) == (["A_KEY", "B_KEY"], "global", "policy")


@requirement("E9")
async def test_a_global_secret_of_a_person_is_granted_to_any_asking_agent_and_logged(
    server: Any, team: Team, thread: str
) -> None:
    await team.ada.keep("A_KEY", "saved")
    reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "other"})
    async with Person(server.url, reply.json()["token"]) as other_person:
        existing_answer(await other_person.need(thread, "A_KEY", default_scope="global"))
        assert leased_values(await other_person.lease(thread, "A_KEY")) == {"A_KEY": "saved"}
        me = (await other_person.http.get("/v1/session")).json()["principal"]["id"]
    entries, _ = await team.admin.audit()
    assert [(entry["action"], entry.get("requester")) for entry in entries][-2:] == [
        ("secret.grant", me),
        ("secret.lease", None),
    ]
    assert refusal(await team.agent.lease(thread, "A_KEY")) == (404, "not_granted")


@requirement("E9")
@pytest.mark.parametrize(
    ("stored_scope", "suggested", "more"),
    [
        ("session", "global", {}),
        ("session", "project", {"project": "web"}),
        ("project", "global", {"project": "web"}),
    ],
)
async def test_a_secret_stored_in_a_narrower_scope_is_asked_for_and_shown_as_saved(
    team: Team, thread: str, stored_scope: str, suggested: str, more: dict[str, Any]
) -> None:
    subject = {"session": {"thread_id": thread}, "project": {"project": "web"}}.get(stored_scope, {})
    await team.ada.keep("A_KEY", "saved", stored_scope, **subject)
    request = request_of(await team.agent.need(thread, "A_KEY", default_scope=suggested, **more))
    assert request["secret"]["present"] == {"A_KEY": [stored_scope]}
    assert refusal(await team.agent.lease(thread, "A_KEY")) == (404, "not_granted")


@requirement("E9")
async def test_a_secret_stored_in_several_valid_scopes_is_already_configured(team: Team, thread: str) -> None:
    await team.ada.keep("B_KEY", "everywhere")
    web = {"default_scope": "project", "project": "web"}
    assert (await team.agent.need(thread, "A_KEY", "B_KEY", **web)).json()["status"] == "pending"
    await team.ada.keep("A_KEY", "in the project", "project", project="web")
    existing_answer(all_reply := await team.agent.need(thread, "A_KEY", "B_KEY", **web))
    names = ["A_KEY", "B_KEY"]
    assert all_reply.json()["answer"] == {"names": names, "scope": "project", "existing": names}
    assert leased_values(await team.agent.lease(thread, *names)) == {
        "A_KEY": "in the project",
        "B_KEY": "everywhere",
    }
    existing_answer(wider := await team.agent.need("another", "B_KEY"))
    assert wider.json()["answer"]["scope"] == "global"


@requirement("E9")
@pytest.mark.parametrize(
    "context",
    [{"scope": "session", "thread_id": "another"}, {"scope": "project", "project": "another"}],
)
async def test_a_secret_of_another_thread_or_project_is_missing(
    team: Team, thread: str, context: dict[str, str]
) -> None:
    assert (await team.ada.keep("A_KEY", "saved", **context)).status_code == 201
    extra = {"default_scope": context["scope"], "project": "web"}
    request = request_of(await team.agent.need(thread, "A_KEY", **extra))
    assert request["secret"]["present"] == {}
    refused_reply = await team.ada.hand_over(request["id"], existing=["A_KEY"])
    assert texts(refused_reply) == {"secrets.A_KEY": "No saved value is set for this env var"}


@requirement("E9", "E10")
async def test_only_the_missing_one_of_two_names_is_typed(team: Team, thread: str) -> None:
    await team.ada.keep("X_KEY", "saved")
    request = request_of(await team.agent.need(thread, "X_KEY", "Y_KEY", default_scope="global"))
    assert request["secret"]["present"] == {"X_KEY": ["global"]}
    settled_reply = await team.bob.hand_over(request["id"], {"Y_KEY": "typed"}, existing=["X_KEY"])
    assert settled_reply.json()["answer"] == {
        "names": ["X_KEY", "Y_KEY"],
        "scope": "global",
        "existing": ["X_KEY"],
    }
    assert leased_values(await team.agent.lease(thread, "X_KEY", "Y_KEY")) == {
        "X_KEY": "saved",
        "Y_KEY": "typed",
    }
    assert {item["name"]: item["version"] for item in await team.ada.list_secrets()} == {
        "X_KEY": 1,
        "Y_KEY": 1,
    }


@requirement("E10")
async def test_a_missing_saved_value_is_reported_at_its_name(team: Team, thread: str) -> None:
    await team.ada.keep("X_KEY", "saved")
    request = request_of(await team.agent.need(thread, "X_KEY", "Z_KEY"))
    refused_reply = await team.ada.hand_over(request["id"], existing=["X_KEY", "Z_KEY"])
    assert texts(refused_reply) == {"secrets.Z_KEY": "No saved value is set for this env var"}
    refused_reply = await team.ada.hand_over(
        request["id"], {"X_KEY": "typed", "Z_KEY": "z"}, existing=["X_KEY"]
    )
    assert texts(refused_reply) == {"secrets.X_KEY": "Cannot both submit and use existing value for X_KEY"}
    refused_reply = await team.ada.hand_over(request["id"], {"X_KEY": "x", "Z_KEY": "z"}, existing=["W_KEY"])
    assert texts(refused_reply) == {"secrets": "This env var was not requested"}
    assert await team.ada.get(request["id"]) == request
    assert [item["version"] for item in await team.ada.list_secrets()] == [1]


@requirement("E10")
async def test_the_nearest_saved_value_is_the_one_that_is_used(team: Team, thread: str) -> None:
    for value, scope, extra in (
        ("far", "global", {}),
        ("near", "project", {"project": "web"}),
        ("here", "session", {"thread_id": thread}),
    ):
        await team.ada.keep("A_KEY", value, scope, **extra)
    findings = {}
    for other_cases in ({"project": "web"}, {}):
        other_thread = thread if other_cases else f"{thread}-2"
        request = request_of(await team.agent.need(other_thread, "A_KEY", "NEW_KEY", **other_cases))
        assert (
            await team.ada.hand_over(request["id"], {"NEW_KEY": "x"}, existing=["A_KEY"])
        ).status_code == 200
        findings[other_thread] = leased_values(await team.agent.lease(other_thread, "A_KEY"))["A_KEY"]
    assert findings == {thread: "here", f"{thread}-2": "far"}


@requirement("E9", "E19")
async def test_a_value_that_is_replaced_is_the_one_that_is_used_from_then_on(team: Team, thread: str) -> None:
    await team.ada.keep("A_KEY", "old")
    existing_answer(await team.agent.need(thread, "A_KEY", default_scope="global"))
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "old"}
    await team.ada.keep("A_KEY", "new")
    reply = await team.agent.lease(thread, "A_KEY")
    assert (leased_values(reply), reply.json()["secrets"]["A_KEY"]["version"]) == ({"A_KEY": "new"}, 2)


@requirement("E12")
async def test_a_dismissed_request_is_not_asked_again_in_its_thread_for_any_order_of_names(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", "B_KEY"))
    dismissed = (await team.ada.decline(request["id"], "dismissed")).json()
    assert (dismissed["status"], dismissed["reason"]) == ("declined", "dismissed")
    second_reply = await team.agent.need(thread, "B_KEY", "A_KEY", reason="I really need them")
    assert (second_reply.status_code, second_reply.json()) == (200, {**dismissed, "repeated": True})
    assert await team.ada.pending(thread) == []


@requirement("E12")
async def test_other_names_threads_and_agents_are_still_asked(server: Any, team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    await team.ada.decline(request["id"], "dismissed")
    reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "other"})
    async with Person(server.url, reply.json()["token"]) as other_person:
        for person, other_thread, names in (
            (team.agent, thread, ("A_KEY", "B_KEY")),
            (team.agent, f"{thread}-2", ("A_KEY",)),
            (other_person, thread, ("A_KEY",)),
        ):
            if person is other_person:
                them = (await other_person.http.get("/v1/session")).json()["principal"]["id"]
                agents = {"agents": [request["requester"]["id"], them]}
                await team.admin.http.put(f"/v1/threads/{thread}/access", json=agents)
            request_of(await person.need(other_thread, *names))


@requirement("E12")
async def test_ten_minutes_after_it_was_dismissed_it_is_asked_for_again() -> None:
    clock = ManualClock()
    app = create_app(clock=clock)
    async with app.running():
        api = Api(app, clock)
        agent, ada = await api.as_("requester"), await api.as_("responder")
        body = {"kind": "secret", "thread_id": "t", "secret": {"names": ["A_KEY"], "reason": "to call it"}}
        first_body = (await agent.post("/v1/requests", json=body)).json()
        clock.advance(seconds=3_600)
        await ada.post(f"/v1/requests/{first_body['id']}/decline", json={"reason": "dismissed"})
        clock.advance(seconds=599)
        second_reply = await agent.post("/v1/requests", json=body)
        assert (second_reply.status_code, second_reply.json()["id"]) == (200, first_body["id"])
        clock.advance(seconds=1)
        assert request_of(await agent.post("/v1/requests", json=body))["id"] != first_body["id"]


@requirement("E12")
async def test_a_dismissed_name_that_was_set_later_is_available(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", default_scope="global"))
    await team.ada.decline(request["id"], "dismissed")
    await team.ada.keep("A_KEY", "after all")
    existing_answer(await team.agent.need(thread, "A_KEY", default_scope="global"))
    assert leased_values(await team.agent.lease(thread, "A_KEY")) == {"A_KEY": "after all"}


@requirement("M4")
async def test_asking_again_with_the_same_key_finds_the_request_and_its_end(team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", key="k1"))
    settled_request = (await team.ada.hand_over(request["id"], {"A_KEY": "x"})).json()
    second_reply = await team.agent.need(thread, "A_KEY", key="k1")
    assert (second_reply.status_code, second_reply.json()) == (201, settled_request)
    other_reply = await team.agent.need(thread, "B_KEY", key="k1")
    assert refusal(other_reply) == (422, "idempotency_mismatch")


@requirement("E11")
async def test_a_project_scope_without_a_project_is_refused_and_not_shared_by_all(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY"))
    refused_reply = await team.ada.hand_over(request["id"], {"A_KEY": "x"}, scope="project")
    assert faults(refused_reply) == [("scope", "unknown_value")]
    assert refusal(await team.agent.need(thread, "B_KEY", default_scope="project"))[0] == 422
    assert refusal(await team.ada.keep("A_KEY", "x", "project"))[0] == 422
