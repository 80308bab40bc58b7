"""K4 and E20: the owner of a shared thread's secrets, and who sees their names."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx2
import pytest

from tests.journeys.people import Team, leased_values, refusal, request_of
from tests.journeys.sharing import SharedThread, frame_reply, share, shared, socket
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

VALUES = {"A_KEY": "a-value", "B_KEY": "b-value"}


@pytest.fixture
async def shared_thread(server: Any, team: Team, thread: str) -> AsyncIterator[SharedThread]:
    """The thread and everybody."""
    async with shared(server.url, team, thread) as shared_thread:
        yield shared_thread


# K4: whose secrets they are


@requirement("K4")
async def test_a_value_is_stored_for_the_threads_owner_no_matter_who_types_it(
    shared_thread: SharedThread,
) -> None:
    owner, typist, agent = (
        shared_thread.people["owner"],
        shared_thread.people["prompt"],
        shared_thread.team.agent,
    )
    request = request_of(await agent.need(shared_thread.thread, "A_KEY", "B_KEY", default_scope="global"))
    answered_reply = await typist.hand_over(request["id"], VALUES, scope="global")
    assert answered_reply.json()["settled_by"]["user"] == "user-prompt"
    assert leased_values(await agent.lease(shared_thread.thread, "A_KEY", "B_KEY")) == VALUES
    own_items = {item["name"]: item for item in await owner.list_secrets()}
    assert {name: (s["owner"], s["set_by"]["user"]) for name, s in own_items.items()} == {
        "A_KEY": ("user-owner", "user-prompt"),
        "B_KEY": ("user-owner", "user-prompt"),
    }
    for level in ("none", "view", "prompt", "all"):
        assert await shared_thread.people[level].list_secrets() == []
    assert (await typist.erase(own_items["A_KEY"]["id"])).status_code == 404
    entries, _ = await shared_thread.team.admin.audit()
    [decision_entry] = [entry for entry in entries if entry["action"] == "decide"]
    assert (decision_entry["actor"]["user"], decision_entry["owner"]) == ("user-prompt", "user-owner")
    # In another thread of hers it is already set, and in somebody else's it is not.
    await share(agent, f"{shared_thread.thread}-2", owner="user-owner")
    second_request = await agent.need(f"{shared_thread.thread}-2", "A_KEY", default_scope="global")
    assert (second_request.json()["status"], second_request.json()["source"]) == ("answered", "existing")
    await share(agent, f"{shared_thread.thread}-3", owner="user-view")
    other_request = request_of(await agent.need(f"{shared_thread.thread}-3", "A_KEY", default_scope="global"))
    assert other_request["secret"]["present"] == {}
    unshared_request = request_of(
        await agent.need(f"{shared_thread.thread}-4", "A_KEY", default_scope="global")
    )
    assert unshared_request["secret"]["present"] == {}


@requirement("K4")
async def test_a_value_that_was_tried_and_a_sensitive_field_are_the_owners_as_well(
    shared_thread: SharedThread,
) -> None:
    typist, agent, thread = shared_thread.people["prompt"], shared_thread.team.agent, shared_thread.thread
    tried_request = request_of(await agent.need(thread, "T_KEY", probe=True, default_scope="global"))
    await typist.hand_over(tried_request["id"], {"T_KEY": "tried"}, scope="global")
    await shared_thread.team.admin.keep("T_KEY", "meanwhile", owner="user-owner")
    assert (await agent.accept(tried_request["id"])).status_code == 200
    assert leased_values(await agent.lease(thread, "T_KEY")) == {"T_KEY": "tried"}
    [kept_secret] = await shared_thread.people["owner"].list_secrets()
    assert (kept_secret["name"], kept_secret["set_by"]["user"], kept_secret["version"]) == (
        "T_KEY",
        "user-prompt",
        2,
    )
    field = {"id": "pin", "type": "text", "label": "PIN", "sensitive": True}
    form = request_of(await agent.ask(thread, {"fields": [field]}))
    answered_request = (await typist.answer(form["id"], {"pin": "1234"})).json()
    ref = answered_request["answer"]["values"]["pin"]["ref"]
    assert leased_values(await agent.lease(thread, refs=[ref])) == {ref: "1234"}
    assert (await typist.erase(ref)).status_code == 404
    assert (await shared_thread.people["none"].erase(ref)).status_code == 404
    assert (await shared_thread.people["all"].erase(ref)).status_code == 204


@requirement("K4")
async def test_people_manage_their_own_secrets_and_the_shared_ones(shared_thread: SharedThread) -> None:
    bob, admin = shared_thread.people["view"], shared_thread.team.admin
    shared_one = (await bob.keep("SHARED_KEY", "v")).json()
    own_body = (await bob.keep("OWN_KEY", "v", owner="user-view")).json()
    adas = (await admin.keep("ADAS_KEY", "v", owner="user-owner")).json()
    assert ("owner" in shared_one, own_body["owner"], adas["owner"]) == (False, "user-view", "user-owner")
    assert refusal(await bob.keep("ADAS_KEY", "v", owner="user-owner")) == (403, "forbidden")
    in_thread = await bob.keep("S_KEY", "v", "session", thread_id=shared_thread.thread, owner="user-view")
    assert in_thread.json()["error"]["field_errors"][0]["path"] == "owner"
    names = {
        level: {s["name"] for s in await person.list_secrets()}
        for level, person in shared_thread.people.items()
    }
    assert names == {
        "none": {"SHARED_KEY"},
        "view": {"SHARED_KEY", "OWN_KEY"},
        "prompt": {"SHARED_KEY"},
        "all": {"SHARED_KEY"},
        "owner": {"SHARED_KEY", "ADAS_KEY"},
        "admin": {"SHARED_KEY", "OWN_KEY", "ADAS_KEY"},
    }
    for person, secret in ((bob, adas), (shared_thread.people["owner"], own_body)):
        absent = await person.erase("sec_00000000000000000000000000")
        refused_reply = await person.erase(secret["id"])
        assert (refused_reply.status_code, refused_reply.text) == (404, absent.text)
    assert (await bob.erase(own_body["id"])).status_code == 204


# E20: names that are not for everybody


@requirement("E20")
async def test_a_reader_sees_the_number_of_secrets_and_not_their_names(shared_thread: SharedThread) -> None:
    reader, typist, thread = (
        shared_thread.people["view"],
        shared_thread.people["prompt"],
        shared_thread.thread,
    )
    extra = {"metadata": {"A_KEY": {"description": "The A_KEY of the CRM"}}, "hide_names": True}
    async with (
        socket(reader) as watching_socket,
        socket(reader) as waiting_socket,
        socket(typist) as typist_socket,
    ):
        for item in (watching_socket, typist_socket):
            await frame_reply(item, op="subscribe", thread_id=thread)
        request = request_of(await shared_thread.team.agent.need(thread, "A_KEY", "B_KEY", **extra))
        index = f"/v1/requests/{request['id']}"
        assert (await frame_reply(waiting_socket, op="wait", request_ids=[request["id"]]))["ok"][
            "settled"
        ] == []
        poll = {"wait": 20, "revision": 1}
        poll_replies: list[httpx2.Response] = []

        async def hand_over() -> None:
            seen_items = [
                (await reader.http.get(index)).json(),
                (await reader.http.get("/v1/requests", params={"thread_id": thread})).json()["requests"][0],
                (await reader.http.get(f"/v1/threads/{thread}")).json()["requests"][0],
                (await frame_reply(watching_socket))["event"]["request"],
                (await reader.frame(op="get_request", request_id=request["id"]))["ok"],
                (await reader.frame(op="list_requests", thread_id=thread))["ok"]["requests"][0],
                (await reader.frame(op="get_thread", thread_id=thread))["ok"]["requests"][0],
            ]
            for item in seen_items:
                assert item["secret"]["names"] == []
                assert item["secret"]["count"] == 2
                assert "A_KEY" not in json.dumps(item)
            assert (await frame_reply(typist_socket))["event"]["request"]["secret"]["names"] == [
                "A_KEY",
                "B_KEY",
            ]
            assert (await typist.hand_over(request["id"], VALUES)).status_code == 200

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hand_over)
            poll_replies.append(await reader.http.get(index, params=poll))
        ended_requests = [
            poll_replies[0].json(),
            (await frame_reply(watching_socket))["event"]["request"],
            (await frame_reply(waiting_socket))["settled"],
        ]
        for item in ended_requests:
            assert item["answer"] == {"names": [], "scope": "session", "existing": []}
            assert "A_KEY" not in json.dumps(item)
        assert (await frame_reply(typist_socket))["event"]["request"]["answer"]["names"] == ["A_KEY", "B_KEY"]
    seen_items = [event async for event in reader.events(thread, until=3)]
    assert "A_KEY" not in json.dumps(seen_items)
    own_items = [event async for event in typist.events(thread, until=3)]
    assert own_items[1]["request"]["secret"]["names"] == ["A_KEY", "B_KEY"]


@requirement("E20")
async def test_probe_errors_are_hidden_from_readers_who_may_not_see_the_names(
    shared_thread: SharedThread,
) -> None:
    reader, agent = shared_thread.people["view"], shared_thread.team.agent
    request = request_of(await agent.need(shared_thread.thread, "A_KEY", hide_names=True, probe=True))
    await shared_thread.people["prompt"].hand_over(request["id"], {"A_KEY": "bad"})
    assert (await reader.get(request["id"]))["submitted"]["names"] == []
    fault = {"path": "secrets.A_KEY", "message": "A_KEY does not work"}
    assert (await agent.reprompt(request["id"], field_errors=[fault])).status_code == 200
    assert (await shared_thread.people["prompt"].get(request["id"]))["field_errors"] == [fault]
    assert "A_KEY" not in json.dumps(await reader.get(request["id"]))


@requirement("E20")
async def test_names_are_for_every_reader_unless_the_agent_hides_them(shared_thread: SharedThread) -> None:
    request = await shared_thread.fresh("secret")
    assert (await shared_thread.people["view"].get(request["id"]))["secret"] == request["secret"]
