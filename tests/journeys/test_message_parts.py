"""Messages as lists of parts that grow, and the life of a tool call in them, on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.conftest import KillableServer
from tests.journeys.people import Person, Team, faults, refusal
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

CALL = {"type": "tool", "tool_call_id": "c1", "name": "search", "status": "calling", "input": {"q": 1}}
TEXT = {"type": "text", "text": "One."}


async def post(person: Person, thread: str, key: str = "", **body: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return await person.http.post(f"/v1/threads/{thread}/messages", json=body, headers=headers)


async def patch(person: Person, thread: str, message: str, **body: Any) -> Any:
    return await person.http.patch(f"/v1/threads/{thread}/messages/{message}", json=body)


async def content(person: Person, thread: str) -> list[dict[str, Any]]:
    found_thread = (await person.http.get(f"/v1/threads/{thread}")).json()
    return found_thread["messages"][0]["content"]


@requirement("A19")
async def test_parts_come_in_their_order_also_after_a_restart(killable_server: KillableServer) -> None:
    thread = "parts"
    async with killable_server.team() as team:
        message = (await post(team.agent, thread, content=[TEXT], agent={"name": "Researcher"})).json()["id"]
        assert (await post(team.agent, thread, append_to=message, text=" Two.")).status_code == 200
        assert (await post(team.agent, thread, append_to=message, content=[CALL])).status_code == 200
        await killable_server.dies_and_returns()
        assert (await post(team.agent, thread, append_to=message, content=[CALL])).status_code == 200
        assert (await post(team.agent, thread, append_to=message, text="Three.")).status_code == 200
        done = {"status": "done", "result": {"found": [None, 1.5]}, "duration_ms": 0}
        for _ in range(2):
            changed = await patch(team.agent, thread, message, tool_call_id="c1", **done)
            assert (changed.status_code, changed.json()) == (200, {})
        await killable_server.dies_and_returns()
        assert await content(team.ada, thread) == [
            {"type": "text", "text": "One. Two."},
            {**CALL, **done},
            {"type": "text", "text": "Three."},
        ]
        events = [event async for event in team.ada.events(thread, until=5)]
        assert [event["type"] for event in events] == [
            "message.added", "message.delta", "message.updated", "message.delta", "message.updated",
        ]  # fmt: skip
        assert events[0]["message"]["agent"] == {"name": "Researcher"}
        assert events[2]["update"] == {"id": message, "content": [CALL]}
        assert events[4]["update"] == {"id": message, "tool_call": {"tool_call_id": "c1", **done}}


async def test_only_its_author_changes_a_message(team: Team, thread: str) -> None:
    message = (await post(team.agent, thread, content=[CALL])).json()["id"]
    for person in (team.ada, team.admin):
        assert refusal(await patch(person, thread, message, tool_call_id="c1", status="done")) == (
            404,
            "not_found",
        )
        assert refusal(await post(person, thread, append_to=message, content=[TEXT])) == (404, "not_found")
    for thread_id, call in ((thread, "c2"), ("elsewhere", "c1")):
        assert refusal(await patch(team.agent, thread_id, message, tool_call_id=call, status="done")) == (
            404,
            "not_found",
        )
    assert await content(team.ada, thread) == [CALL]


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({"tool_call_id": "c1"}, ["status"]),
        ({"status": "done"}, ["tool_call_id"]),
        ({"tool_call_id": "c1", "status": "asleep"}, ["status"]),
        ({"tool_call_id": "c1", "duration_ms": -1}, ["duration_ms"]),
        ({"tool_call_id": "c1", "duration_ms": 2**53}, ["duration_ms"]),
        ({"tool_call_id": "c1", "duration_ms": "1"}, ["duration_ms"]),
        ({"tool_call_id": "c\u202e", "status": "done"}, ["tool_call_id"]),
        ({"tool_call_id": "c1", "result": "x" * 300_000}, ["result"]),
        ({"tool_call_id": "c1", "name": "other"}, ["name"]),
        ([], [""]),
    ],
)
async def test_a_bad_update_is_refused_with_its_path(
    team: Team, thread: str, body: Any, paths: list[str]
) -> None:
    message = (await post(team.agent, thread, content=[CALL])).json()["id"]
    reply = await team.agent.http.patch(f"/v1/threads/{thread}/messages/{message}", json=body)
    assert (reply.status_code, [path for path, _ in faults(reply)]) == (422, paths)
    assert await content(team.ada, thread) == [CALL]


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({}, ["text"]),
        ({"text": "a", "content": [TEXT]}, ["text"]),
        ({"content": []}, ["content"]),
        ({"content": [{"type": "request", "request_id": "req_unknown"}]}, ["content[0].request_id"]),
        ({"content": [{"type": "image", "url": "javascript:1", "alt": ""}]}, ["content[0].url"]),
        ({"content": [{**CALL, "duration_ms": -1}]}, ["content[0].duration_ms"]),
        ({"content": [{"type": "file", "file": "file_unknown"}]}, ["content[0].file"]),
        ({"content": [{"type": "file", "id": "file_unknown"}]}, ["content[0].file", "content[0].id"]),
        ({"content": [{"type": "text", "text": "x" * 300_000}]}, ["content"]),
    ],
)
async def test_bad_parts_are_refused_with_their_paths(
    team: Team, thread: str, body: dict[str, Any], paths: list[str]
) -> None:
    message = (await post(team.agent, thread, content=[CALL])).json()["id"]
    reply = await post(team.agent, thread, append_to=message, **body)
    assert (reply.status_code, [path for path, _ in faults(reply)]) == (422, paths)
    assert await content(team.ada, thread) == [CALL]


@requirement("N1")
async def test_the_metadata_of_a_message_come_back_unchanged(killable_server: KillableServer) -> None:
    thread, metadata = "metadata", {"ihub": {"tags": ["a", None], "größe": 1.5}, "empty": {}}
    async with killable_server.team() as team:
        assert (await post(team.agent, thread, content=[TEXT], metadata=metadata)).status_code == 201
        assert (await post(team.agent, thread, content=[TEXT])).status_code == 201
        refused_reply = await post(team.agent, thread, content=[TEXT], metadata="x" * 16_383)
        assert faults(refused_reply) == [("metadata", "too_long")]
        await killable_server.dies_and_returns()
        messages = (await team.ada.http.get(f"/v1/threads/{thread}")).json()["messages"]
        assert [message.get("metadata") for message in messages] == [metadata, None]
        exported = (await team.admin.http.get(f"/v1/threads/{thread}/export")).json()["messages"]
        assert exported[0]["metadata"] == metadata
