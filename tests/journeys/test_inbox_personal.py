"""Group K: reminders, comments and missed requests belong to people, and agents never see them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest
import websockets

from tests.journeys.people import Person, Team, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}
SECRET = "Only for colleagues: the customer is angry."


def future_time(**offset: float) -> str:
    """A time from now on."""
    return (datetime.now(UTC) + timedelta(**offset)).isoformat()


async def remind(person: Person, request: dict[str, Any], remind_at: str) -> Any:
    """Set a reminder."""
    return await person.http.put(f"/v1/requests/{request['id']}/reminder", json={"at": remind_at})


async def reminders(person: Person) -> list[str]:
    """The requests with a reminder of a person."""
    reply = (await person.http.get("/v1/reminders")).json()
    return [reminder["request_id"] for reminder in reply["reminders"]]


async def comment(person: Person, request: dict[str, Any], text: str = SECRET) -> Any:
    """Write a comment."""
    return await person.http.post(f"/v1/requests/{request['id']}/comments", json={"text": text})


async def comments(person: Person, request: dict[str, Any]) -> list[tuple[str, str]]:
    """The authors and texts of comments."""
    reply = (await person.http.get(f"/v1/requests/{request['id']}/comments")).json()
    return [(item["author"]["name"], item["text"]) for item in reply["comments"]]


async def missed(person: Person) -> list[str]:
    """The missed requests of a person."""
    return [request["id"] for request in (await person.http.get("/v1/missed")).json()["requests"]]


@requirement("K11")
async def test_a_reminder_is_for_one_person_and_ends_with_its_time_and_its_request(
    team: Team, thread: str
) -> None:
    first_request = request_of(await team.agent.ask(thread, FORM))
    second_request = request_of(await team.agent.ask(thread, FORM))
    assert (await remind(team.ada, first_request, future_time(hours=2))).status_code == 200
    set_ = (await remind(team.ada, second_request, future_time(hours=1))).json()
    assert set_["request_id"] == second_request["id"]
    assert await reminders(team.ada) == [second_request["id"], first_request["id"]]
    assert await reminders(team.bob) == []
    assert await team.bob.get(first_request["id"]) == first_request
    await team.ada.http.delete(f"/v1/requests/{first_request['id']}/reminder")
    assert await reminders(team.ada) == [second_request["id"]]
    await team.bob.answer(second_request["id"], {"q": "x"})
    assert await reminders(team.ada) == []
    assert refusal(await remind(team.ada, second_request, future_time(hours=1))) == (409, "already_settled")
    for remind_at in ("tomorrow", future_time(hours=-1), future_time(days=31), "2026-11-20T09:00:00", 5):
        assert refusal(await remind(team.ada, first_request, remind_at)) == (422, "invalid"), remind_at  # type: ignore[arg-type]  # rubbish
    assert refusal(await remind(team.agent, first_request, future_time(hours=1))) == (403, "forbidden")
    assert (await remind(team.ada, first_request, future_time(seconds=1))).status_code == 200
    await team.agent.lets_pass(2)
    assert await reminders(team.ada) == []


@requirement("K12")
async def test_comments_reach_people_and_no_agent(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, FORM, delivery="resume"))
    written = await comment(team.ada, request)
    assert written.status_code == 201
    await comment(team.bob, request, "I call them.\nAt noon.")
    assert await comments(team.carol, request) == [("ada", SECRET), ("bob", "I call them.\nAt noon.")]
    url = f"/v1/requests/{request['id']}/comments"
    assert refusal(await team.agent.http.get(url)) == (403, "forbidden")
    assert refusal(await comment(team.agent, request)) == (403, "forbidden")
    await team.bob.answer(request["id"], {"q": "x"})
    assert (await comment(team.bob, request, "Done.")).status_code == 201
    entries = [
        json.dumps(await team.agent.get(request["id"])),
        (await team.agent.http.get(f"/v1/threads/{thread}")).text,
        (await team.agent.http.get("/v1/requests")).text,
        (await team.agent.http.get("/v1/resumes")).text,
        *[json.dumps(event) async for event in team.agent.events(thread, until=2)],
        *[json.dumps(event) async for event in team.ada.events(thread, until=2)],
        json.dumps(await team.admin.audit()),
    ]
    assert request["id"] in entries[3]
    assert [text for text in entries if "colleagues" in text or "noon" in text] == []
    export = (await team.admin.http.get(f"/v1/threads/{thread}/export")).json()
    assert [item["text"] for item in export["comments"]] == [SECRET, "I call them.\nAt noon.", "Done."]
    assert (await team.admin.http.delete(f"/v1/threads/{thread}")).status_code == 204
    assert refusal(await team.ada.http.get(url)) == (404, "not_found")


@requirement("K12")
async def test_a_comment_can_be_deleted_by_its_author_and_the_owner(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    mine, yours = [(await comment(team.ada, request, f"{n}")).json()["id"] for n in range(2)]
    url = f"/v1/requests/{request['id']}/comments"
    assert refusal(await team.bob.http.delete(f"{url}/{mine}")) == (403, "forbidden")
    assert (await team.ada.http.delete(f"{url}/{mine}")).status_code == 204
    assert refusal(await team.ada.http.delete(f"{url}/{mine}")) == (404, "not_found")
    assert (await team.admin.http.delete(f"{url}/{yours}")).status_code == 204
    assert await comments(team.ada, request) == []
    for text in ("", " ", "x" * 2_001, "a\0b", "a\u202eb", 5, None):
        assert refusal(await comment(team.ada, request, text)) == (422, "invalid"), text  # type: ignore[arg-type]  # rubbish
    actions = [entry["action"] for entry in (await team.admin.audit())[0] if "comment" in entry["action"]]
    assert actions == ["comment", "comment", "comment.deleted", "comment.deleted"]


@requirement("K12")
async def test_a_view_only_person_reads_comments_and_writes_none(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    owned = {"owner": team.ada.id, "others": "none", "people": {team.bob.id: "view"}}
    await team.admin.http.put(f"/v1/threads/{thread}/access", json=owned)
    await comment(team.ada, request, "Look.")
    assert await comments(team.bob, request) == [("ada", "Look.")]
    assert refusal(await comment(team.bob, request)) == (403, "forbidden")
    assert refusal(await comment(team.carol, request)) == (404, "not_found")


@requirement("K13")
async def test_an_expired_request_is_listed_as_missed_until_each_person_has_seen_it(
    team: Team, thread: str
) -> None:
    own_request = request_of(
        await team.agent.ask(thread, FORM, assignees=[team.ada.id, team.bob.id], timeout_s=1)
    )
    open_ = request_of(await team.agent.ask(thread, FORM, timeout_s=1))
    other_request = request_of(await team.agent.ask(f"{thread}-own", FORM, timeout_s=1))
    owned = {"owner": team.carol.id, "others": "view"}
    await team.admin.http.put(f"/v1/threads/{thread}-own/access", json=owned)
    for item in (own_request, open_, other_request):
        ended_reply = await team.agent.http.get(f"/v1/requests/{item['id']}", params={"wait": 20})
        assert ended_reply.json()["status"] == "expired"
    assert set(await missed(team.ada)) == {own_request["id"], open_["id"]}
    assert set(await missed(team.carol)) == {open_["id"], other_request["id"]}
    await team.ada.http.post("/v1/missed/seen", json={"request_ids": [open_["id"], "req_none"]})
    assert await missed(team.ada) == [own_request["id"]]
    assert set(await missed(team.bob)) == {own_request["id"], open_["id"]}
    await team.ada.http.post("/v1/missed/seen", json={"request_ids": [own_request["id"]]})
    assert await missed(team.ada) == []
    second_request = request_of(await team.agent.ask(thread, FORM, timeout_s=1))
    await team.agent.http.get(f"/v1/requests/{second_request['id']}", params={"wait": 20})
    assert await missed(team.ada) == [second_request["id"]]
    refused_reply = await team.ada.http.post("/v1/missed/seen", json={"request_ids": ["x"] * 201})
    assert refusal(refused_reply) == (422, "invalid")


@requirement("K11", "K12", "K13")
async def test_only_affected_inboxes_reload(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    async with (
        Inbox(team.ada, inbox=True) as ada,
        Inbox(team.bob, inbox=True) as bob,
        Inbox(team.agent, thread_id=thread) as agent,
    ):
        await comment(team.carol, request)
        ids = {"thread_id": thread, "request_id": request["id"]}
        assert await ada.next() == {"changed": {**ids, "what": "comments"}}
        assert await bob.next() == {"changed": {**ids, "what": "comments"}}
        await remind(team.ada, request, future_time(hours=1))
        assert await ada.next() == {"changed": {**ids, "what": "reminder"}}
        await team.bob.answer(request["id"], {"q": "x"})
        for inbox in (ada, bob, agent):
            assert (await inbox.next())["event"]["type"] == "request.answered"


class Inbox:
    """A WebSocket with one subscription."""

    def __init__(self, person: Person, **filters: Any) -> None:
        self._who, self._what = person, filters

    async def __aenter__(self) -> Inbox:
        address = str(self._who.http.base_url).replace("http", "ws", 1).rstrip("/") + "/v1/ws"
        headers = {"Authorization": f"Bearer {self._who.token}"}
        protocols = [websockets.Subprotocol("askback.v1")]
        self._socket = await websockets.connect(address, subprotocols=protocols, additional_headers=headers)
        await self._socket.send(json.dumps({"id": 1, "op": "subscribe", **self._what}))
        assert "ok" in await self.next()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def next(self) -> Any:
        """The next message."""
        with anyio.fail_after(120):
            return json.loads(await self._socket.recv())
