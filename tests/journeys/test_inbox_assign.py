"""Group K: a person assigns a request to others, and nobody gains access by it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Person, Team, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}


async def assign(person: Person, request: dict[str, Any], *assignees: str | None) -> Any:
    """Assign a request; only None assigns it back to the agent's assignees."""
    body = {"assignees": None if assignees == (None,) else list(assignees)}
    return await person.http.post(f"/v1/requests/{request['id']}/assign", json=body)


@requirement("K10")
async def test_an_assignment_replaces_the_assignees_on_every_screen(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, FORM, assignees=[team.ada.id, team.carol.id]))
    assigned = (await assign(team.ada, request, team.bob.id)).json()
    assert assigned["assignees"] == [team.ada.id, team.carol.id]
    assignment = assigned["assignment"]
    assert {name: assignment[name] for name in ("assignees", "names", "number")} == {
        "assignees": [team.bob.id],
        "names": ["bob"],
        "number": 1,
    }
    assert assignment["by"]["name"] == "ada"
    assert [event["type"] async for event in team.bob.events(thread, until=2)] == [
        "request.created",
        "request.assigned",
    ]
    for person in (team.ada, team.carol):
        assert refusal(await person.answer(request["id"], {"q": "x"})) == (403, "not_assigned")
    assert (await team.bob.answer(request["id"], {"q": "done"})).json()["settled_by"]["name"] == "bob"
    entries, _ = await team.admin.audit()
    (entry,) = [item for item in entries if item["action"] == "assign"]
    assert (entry["assignees"], entry["actor"]["name"], entry["request_id"]) == (
        [team.bob.id],
        "ada",
        request["id"],
    )
    assert refusal(await assign(team.bob, request, team.ada.id)) == (409, "already_settled")


@requirement("K10")
async def test_only_the_person_who_assigned_a_request_can_undo_it(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    await assign(team.ada, request, team.bob.id)
    assert refusal(await assign(team.carol, request, team.carol.id)) == (403, "not_assigned")
    assert refusal(await assign(team.agent, request, None)) == (403, "forbidden")
    second_assignment = (await assign(team.ada, request, team.bob.id)).json()
    assert second_assignment["assignment"]["number"] == 1
    back = (await assign(team.ada, request, None)).json()
    assert ("assignees" in back["assignment"], back["assignment"]["number"]) == (True, 2)
    assert (await team.carol.answer(request["id"], {"q": "x"})).status_code == 200


@requirement("K10")
async def test_nobody_gains_access_by_an_assignment(team: Team, thread: str) -> None:
    owned = {"owner": team.ada.id, "others": "none", "people": {team.bob.id: "view"}}
    call = request_of(await team.agent.bash(thread, "make"))
    assert (await team.admin.http.put(f"/v1/threads/{thread}/access", json=owned)).status_code == 200
    for caller in (team.bob.id, team.carol.id, "nobody", "group:ops"):
        reply = await assign(team.ada, call, caller)
        assert refusal(reply) == (422, "invalid"), caller
        assert [fault["code"] for fault in reply.json()["error"]["field_errors"]] == ["cannot_answer"], caller
    assert refusal(await assign(team.carol, call, team.carol.id)) == (404, "not_found")
    assert refusal(await assign(team.bob, call, team.bob.id)) == (403, "forbidden")
    people = (await team.ada.http.get("/v1/people", params={"request_id": call["id"]})).json()["people"]
    assert {person["id"] for person in people} == {team.ada.id, (await admin_id(team))}
    all_people = (await team.bob.http.get("/v1/people")).json()["people"]
    assert {item["name"] for item in all_people} >= {"ada", "bob", "carol"}


@requirement("K10", "K6")
async def test_an_assignment_names_as_many_as_have_to_agree(team: Team, thread: str) -> None:
    call = request_of(await team.agent.bash(thread, "make", quorum=2, assignees=team.ids))
    for assignees in ([], [team.bob.id], [team.bob.id, team.bob.id]):
        assert refusal(await assign(team.ada, call, *assignees)) == (422, "invalid")
    await assign(team.ada, call, team.bob.id, team.carol.id)
    await team.bob.decide(call["id"], "approve")
    assert (await team.carol.decide(call["id"], "approve")).json()["status"] == "answered"


async def admin_id(team: Team) -> str:
    """The id of the admin, who may answer in every thread."""
    return (await team.admin.http.get("/v1/session")).json()["principal"]["id"]
