"""Titles and metadata of threads, and lists of threads, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transports.conftest import Api, create_request

pytestmark = pytest.mark.anyio


async def list_threads(api: Api, who: str, **params: str) -> list[str]:
    reply = await (await api.as_(who)).get("/v1/threads", params=params)
    assert reply.status_code == 200, reply.text
    return [thread["id"] for thread in reply.json()["threads"]]


async def test_a_thread_has_the_title_and_the_metadata_that_its_agent_gave_it(api: Api) -> None:
    agent, person = await api.as_("requester"), await api.as_("responder")
    request = await create_request(api)
    own = {"source": None, "tags": [1.5, ""]}
    changed_reply = await agent.patch("/v1/threads/t1", json={"title": "Lunch for two", "metadata": own})
    assert changed_reply.status_code == 200
    expected = {
        "id": "t1",
        "title": "Lunch for two",
        "metadata": own,
        "agents": [request["requester"]["id"]],
        "level": "prompt",
        "pending": 1,
        "updated_at": request["created_at"],
    }
    assert changed_reply.json() == expected
    assert (await agent.get("/v1/threads")).json() == {"threads": [expected], "next_cursor": None}
    assert (await person.get("/v1/threads")).json()["threads"] == [{**expected, "level": "all"}]
    snapshot = (await person.get("/v1/threads/t1")).json()
    assert (snapshot["title"], snapshot["metadata"], snapshot["seq"]) == ("Lunch for two", own, 2)
    export = (await (await api.as_("admin")).get("/v1/threads/t1/export")).json()
    assert (export["title"], export["metadata"]) == ("Lunch for two", own)
    assert export["events"][-1]["thread"] == {"title": "Lunch for two", "metadata": own}
    for body in ({}, {"title": "Lunch for two"}, {"metadata": own}):
        assert (await agent.patch("/v1/threads/t1", json=body)).json() == expected
    assert (await person.get("/v1/threads/t1")).json()["seq"] == 2


async def test_a_person_renames_a_thread_and_leaves_the_metadata_to_its_agents(api: Api) -> None:
    await create_request(api)
    person = await api.as_("responder")
    renamed = await person.patch("/v1/threads/t1", json={"title": "Essen"})
    assert (renamed.status_code, renamed.json()["title"]) == (200, "Essen")
    refusal = await person.patch("/v1/threads/t1", json={"metadata": {}})
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (403, "forbidden")
    assert (await (await api.as_("admin")).patch("/v1/threads/t1", json={"metadata": 1})).json()[
        "metadata"
    ] == 1
    removed_reply = await person.patch("/v1/threads/t1", json={"title": None})
    assert "title" not in removed_reply.json()


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ({"title": ""}, "title", "empty"),
        ({"title": "two\nlines"}, "title", "control_chars"),
        ({"title": "x" * 501}, "title", "too_long"),
        ({"title": 5}, "title", "wrong_type"),
        ({"title": {"en": "a"}}, "title", "wrong_type"),
        ({"metadata": "x" * 16383}, "metadata", "too_long"),
        ({"name": "x"}, "name", "unknown_field"),
        ([], "", "wrong_type"),
    ],
)
async def test_a_bad_change_is_refused_with_its_path_and_nothing_is_stored(
    api: Api, body: Any, path: str, code: str
) -> None:
    reply = await (await api.as_("requester")).patch("/v1/threads/t9", json=body)
    (fault,) = reply.json()["error"]["field_errors"]
    assert (reply.status_code, fault["path"], fault["code"]) == (422, path, code)
    assert await list_threads(api, "admin") == []


async def test_an_agent_gets_its_own_threads_and_a_person_those_that_they_may_view(api: Api) -> None:
    first_request = await create_request(api, thread_id="t1")
    await create_request(api, "requester/other", thread_id="t2")
    agent = await api.as_("requester")
    assert await list_threads(api, "requester") == ["t1"]
    assert await list_threads(api, "requester/other") == ["t2"]
    assert await list_threads(api, "responder") == ["t2", "t1"]
    assert await list_threads(api, "responder", agent=first_request["requester"]["id"]) == ["t1"]
    assert await list_threads(api, "requester/other", agent=first_request["requester"]["id"]) == []
    assert await list_threads(api, "responder@acme") == []
    assert (await agent.put("/v1/threads/t1/access", json={"owner": "ada"})).status_code == 200
    assert await list_threads(api, "responder") == ["t2"]
    assert (await agent.patch("/v1/threads/t2", json={"title": "Mine"})).status_code == 403
    person = await api.as_("responder")
    assert (await person.patch("/v1/threads/t1", json={"title": "Mine"})).status_code == 404


async def test_threads_are_searched_paged_and_archived(api: Api) -> None:
    agent = await api.as_("requester")
    for n, title in enumerate(("Red shoes", "Blue shoes", "Red hats")):
        await agent.patch(f"/v1/threads/t{n}", json={"title": title})
    assert await list_threads(api, "responder", q="shoe") == ["t1", "t0"]
    assert await list_threads(api, "responder", q="RED sho") == ["t0"]
    assert await list_threads(api, "responder", q="t2") == ["t2"]
    assert await list_threads(api, "responder", q="\0") == []
    page = (await agent.get("/v1/threads", params={"limit": 2})).json()
    assert [thread["id"] for thread in page["threads"]] == ["t2", "t1"]
    assert await list_threads(api, "requester", cursor=page["next_cursor"]) == ["t0"]
    await agent.post("/v1/threads/t1/archive")
    assert await list_threads(api, "responder", q="shoe") == ["t0"]
    assert await list_threads(api, "responder", archived="true") == ["t1"]
    refusal = await agent.patch("/v1/threads/t1", json={"title": "New"})
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "thread_archived")
    await (await api.as_("admin")).delete("/v1/threads/t1")
    assert await list_threads(api, "responder", archived="true") == []
