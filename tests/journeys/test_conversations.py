"""Group J: conversations are sorted by last activity and can be searched by their messages."""

from __future__ import annotations

from typing import Any

import pytest

from askback import AsyncClient
from tests.journeys.people import Person, Team, refusal, request_of

pytestmark = pytest.mark.anyio


async def list_conversations(person: Person, **filters: Any) -> list[dict[str, Any]]:
    """All pages of a list of conversations."""
    findings: list[dict[str, Any]] = []
    cursor = None
    while True:
        query = {**filters, **({"cursor": cursor} if cursor else {})}
        reply = await person.http.get("/v1/conversations", params=query)
        assert reply.status_code == 200, reply.text
        page = reply.json()
        findings += page["conversations"]
        cursor = page["next_cursor"]
        if cursor is None:
            return findings


async def ids(person: Person, **filters: Any) -> list[str]:
    """The ids of all pages of a list."""
    return [conversation["id"] for conversation in await list_conversations(person, **filters)]


async def say(person: Person, thread: str, text: str, **extra: Any) -> str:
    """Write a message; returns its id."""
    body = {"content": [{"type": "text", "text": text}], **extra}
    reply = await person.http.post(f"/v1/threads/{thread}/messages", json=body)
    assert reply.status_code == 201, reply.text
    return reply.json()["id"]


async def test_a_conversation_shows_the_newest_message_in_one_line_or_the_newest_request(
    team: Team, thread: str
) -> None:
    agent, ada = team.agent, team.ada
    text = "# Plan\n\nFirst **build**,\nthen `ship`." + " word" * 100
    message = await say(agent, thread, text, agent={"name": "planner"})
    await agent.http.patch(f"/v1/threads/{thread}", json={"title": "Größe der Pizza"})
    (conversation,) = await list_conversations(ada)
    assert (conversation["title"], conversation["pending"], conversation["level"]) == (
        "Größe der Pizza",
        0,
        "all",
    )
    line = conversation["message"].pop("text")
    assert line.startswith("Plan First build, then ship. word")
    assert len(line) == 200
    assert (conversation["message"]["role"], conversation["message"]["name"]) == ("agent", "planner")
    assert "request" not in conversation
    request = request_of(await agent.bash(thread, "make deploy"))
    (conversation,) = await list_conversations(ada)
    assert (conversation["request"]["id"], conversation["pending"]) == (request["id"], 1)
    body = {"append_to": message, "text": "\n\nAnd **done**"}
    await agent.http.post(f"/v1/threads/{thread}/messages", json=body)
    await say(ada, thread, "Wait!")
    (conversation,) = await list_conversations(ada)
    assert (conversation["message"]["role"], conversation["message"]["name"]) == ("user", "ada")
    assert conversation["message"]["text"] == "Wait!"
    assert "request" not in conversation
    tool = {"type": "tool", "tool_call_id": "c1", "name": "search"}
    await agent.http.post(f"/v1/threads/{thread}/messages", json={"content": [tool]})
    assert (await list_conversations(ada))[0]["message"]["text"] == "search"


async def test_conversations_are_paged_by_last_activity_and_archived_ones_are_separate(
    team: Team, thread: str
) -> None:
    names = [f"{thread}-{index}" for index in range(4)]
    for name in names:
        await say(team.agent, name, "Hello")
    await say(team.agent, names[1], "Hello again")
    expected = [names[1], names[3], names[2], names[0]]
    assert await ids(team.ada) == await ids(team.ada, limit=1) == expected
    await team.ada.http.post(f"/v1/threads/{names[3]}/archive", json={})
    assert await ids(team.ada) == [names[1], names[2], names[0]]
    assert await ids(team.ada, archived=True) == await ids(team.ada, archived=True, limit=1) == [names[3]]
    await team.ada.http.post(f"/v1/threads/{names[3]}/unarchive", json={})
    assert await ids(team.ada) == expected
    assert refusal(await team.ada.http.get("/v1/conversations?cursor=x")) == (422, "invalid")
    assert refusal(await team.agent.http.get("/v1/conversations"))[0] == 403


async def test_a_search_finds_words_in_titles_and_messages_also_streamed_ones(
    team: Team, thread: str
) -> None:
    message = await say(team.agent, f"{thread}-a", "The coffee machine")
    await team.agent.http.post(
        f"/v1/threads/{thread}-a/messages", json={"append_to": message, "text": " is Müde."}
    )
    await say(team.agent, f"{thread}-b", "Hello")
    await team.agent.http.patch(f"/v1/threads/{thread}-b", json={"title": "Coffee break"})
    for q, expected in [
        ("COFFEE", ["b", "a"]),
        ("coffee mude", ["a"]),
        ("offee break", ["b"]),
        ("tea", []),
        (f"{thread}-a", ["a"]),
    ]:
        wanted = [f"{thread}-{name}" for name in expected]
        assert await ids(team.ada, q=q) == await ids(team.ada, q=q, limit=1) == wanted, q


async def test_a_person_finds_only_conversations_that_they_may_view(team: Team, thread: str) -> None:
    await say(team.agent, thread, "A surprise for Bob")
    body = {"owner": team.ada.id, "others": "none"}
    await team.agent.http.put(f"/v1/threads/{thread}/access", json=body)
    assert await ids(team.ada, q="surprise") == [thread]
    assert await ids(team.bob, q="surprise") == await ids(team.bob) == []


async def test_the_client_lists_conversations(team: Team, thread: str) -> None:
    await say(team.agent, thread, "Hello")
    async with AsyncClient(str(team.ada.http.base_url), token=team.ada.token) as client:
        page = await client.inbox.conversations("hello", limit=5)
        (conversation,) = page
        assert conversation.id == thread
        assert conversation.message is not None
        assert conversation.message.text == "Hello"
        assert page.next_cursor is None
        assert not await client.inbox.conversations("hello", archived=True)


async def test_markdown_becomes_a_tree_and_plain_or_long_texts_stay_text(team: Team) -> None:
    texts = ["plain", "*a*", "*" + "b" * 40_000, "|a|\n|-|"]
    reply = await team.ada.http.post("/v1/markdown", json={"texts": texts})
    plain, em, long, _ = reply.json()["trees"]
    assert (plain, long) == (None, None)
    assert em == [{"type": "p", "children": [{"type": "em", "children": ["a"]}]}]
    many = await team.ada.http.post("/v1/markdown", json={"texts": [""] * 101})
    assert refusal(many) == (422, "invalid")
