"""K5 and K8: who sees a shared thread, and the assignees of requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import anyio
import httpx2
import pytest

from askback.ports.store import Principal
from askback.server.app import create_app
from tests.journeys.people import Person, Team, create_team, refusal, request_of
from tests.journeys.sharing import FORM, SharedThread, frame_reply, person, share, shared, socket
from tests.requirements import requirement
from tests.signing_in import sign_in

pytestmark = pytest.mark.anyio

NOBODYS = "req_00000000000000000000000000"
TEXT = {"content": [{"type": "text", "text": "hello"}]}


@pytest.fixture
async def shared_thread(server: Any, team: Team, thread: str) -> AsyncIterator[SharedThread]:
    """The thread and everybody."""
    async with shared(server.url, team, thread) as shared_thread:
        yield shared_thread


# K8: who finds what


@requirement("K8")
async def test_a_third_user_finds_nothing_of_a_thread(shared_thread: SharedThread) -> None:
    third, thread = shared_thread.people["none"], shared_thread.thread
    request = await shared_thread.fresh("form")
    await shared_thread.team.agent.http.post(f"/v1/threads/{thread}/messages", json=TEXT)
    rule = await shared_thread.people["all"].rule("make", scope="thread", thread_id=thread)
    await shared_thread.people["all"].keep("S_KEY", "value", "session", thread_id=thread)
    async with socket(third) as inbox:
        await frame_reply(inbox, op="subscribe", inbox=True, cursor=0)
        fresh_thread = await shared_thread.fresh("form")
        open_thread = request_of(await shared_thread.team.agent.ask(f"{thread}-open", FORM))
        event = await frame_reply(inbox)
        assert event["event"]["request"]["id"] == open_thread["id"]
        assert await frame_reply(inbox, op="wait", request_ids=[fresh_thread["id"]]) == {
            "id": 1,
            "ok": {"settled": [], "unknown": [fresh_thread["id"]]},
        }
    requests = (await third.http.get("/v1/requests")).json()["requests"]
    assert [item["id"] for item in requests] == [open_thread["id"]]
    assert await third.pending(thread) == []
    assert rule.json()["id"] not in {item["id"] for item in await third.rules()}
    assert await third.rules(thread_id=thread) == []
    assert "S_KEY" not in {item["name"] for item in await third.list_secrets()}
    for level in ("view", "prompt", "all", "owner"):
        own_requests = (await shared_thread.people[level].http.get("/v1/requests")).json()["requests"]
        assert {request["id"], fresh_thread["id"], open_thread["id"]} == {item["id"] for item in own_requests}
        assert [item["id"] for item in await shared_thread.people[level].rules(thread_id=thread)] == [
            rule.json()["id"]
        ]


@requirement("K8", "I12")
async def test_an_id_of_a_hidden_thread_looks_like_one_that_there_is_not(shared_thread: SharedThread) -> None:
    third = shared_thread.people["none"]
    third.http.headers["X-Request-Id"] = "the-same-call"  # otherwise each reply has a different id
    ids = [(await shared_thread.fresh(kind))["id"] for kind in ("form", "approval", "secret")]
    calls = {
        "GET": ("", "?wait=1"),
        "POST": ("/answer", "/decline", "/shown"),
    }
    body = {"revision": 1, "reason": "dismissed", "values": {}, "decision": "approve", "secrets": {}}
    for method, steps in calls.items():
        for step in steps:
            replies = [
                await third.http.request(
                    method, f"/v1/requests/{item}{step}", json=body if method == "POST" else None
                )
                for item in (*ids, NOBODYS)
            ]
            for reply in replies:
                reply.headers.pop("date", None)  # a second may end between two of them
            distinct_replies = {
                (reply.status_code, reply.text, str(sorted(reply.headers.items()))) for reply in replies
            }
            assert len(distinct_replies) == 1, step
            assert refusal(replies[0]) == (404, "not_found")
    batch = await third.batch("deny", [*ids, NOBODYS])
    errors = [result["error"] for result in batch.json()["results"]]
    assert errors == [errors[0]] * 4
    message = {"content": [{"type": "request", "request_id": ids[0]}]}
    unknown = await third.http.post(f"/v1/threads/{shared_thread.thread}-mine/messages", json=message)
    assert unknown.json()["error"]["field_errors"][0]["code"] == "unknown_request"


@requirement("K8")
async def test_a_watcher_is_let_go_by_the_event_that_takes_its_right(shared_thread: SharedThread) -> None:
    viewer, owner, thread = shared_thread.people["view"], shared_thread.people["owner"], shared_thread.thread
    without = {"owner": "user-owner", "people": {"user-all": "all"}}
    async with socket(viewer) as watching, socket(shared_thread.people["all"]) as staying:
        for item, level in ((watching, "view"), (staying, "all")):
            started_ok = (await frame_reply(item, op="subscribe", thread_id=thread))["ok"]
            assert started_ok == {"cursor": 1, "level": level}
        request = await shared_thread.fresh("form")
        assert (await frame_reply(watching))["event"]["request"]["id"] == request["id"]
        async with viewer.http.stream("GET", f"/v1/threads/{thread}/events?cursor=0") as stream:
            lines = stream.aiter_lines()
            with anyio.fail_after(120):
                while "request.created" not in await anext(lines):
                    pass
                assert (await share(owner, thread, **without)).status_code == 200
                remaining_items = [line async for line in lines]
        assert "thread.access" not in str(remaining_items)
        assert await frame_reply(watching) == {"hidden": thread}
        await shared_thread.fresh("form")
        assert (await frame_reply(watching, op="ping"))["ok"] == {}
        assert (await frame_reply(watching, op="subscribe", thread_id=thread))["error"]["status"] == 404
        assert [(await frame_reply(staying))["event"]["type"] for _ in range(3)] == [
            "request.created",
            "thread.access",
            "request.created",
        ]
    assert (await viewer.http.get(f"/v1/threads/{thread}/events")).status_code == 404
    assert (await viewer.http.get(f"/v1/requests/{request['id']}")).status_code == 404


@requirement("K8")
async def test_an_inbox_continues_after_hidden_requests(shared_thread: SharedThread) -> None:
    third = shared_thread.people["none"]
    async with socket(third) as inbox:
        assert "ok" in await frame_reply(inbox, op="subscribe", inbox=True, cursor=0)
        for n in range(3):
            await shared_thread.fresh("form")
            request = request_of(await shared_thread.team.agent.ask(f"{shared_thread.thread}-{n}", FORM))
            assert (await frame_reply(inbox))["event"]["request"]["id"] == request["id"]


@requirement("K3", "K8")
async def test_an_inbox_shows_the_access_to_each_thread_and_its_changes(shared_thread: SharedThread) -> None:
    owner, thread = shared_thread.people["owner"], shared_thread.thread
    first = await shared_thread.fresh("form")
    async with (
        socket(shared_thread.people["view"]) as reader,
        socket(shared_thread.people["none"]) as stranger,
    ):
        for item in (reader, stranger):
            await frame_reply(item, op="subscribe", inbox=True)
        requests = (await frame_reply(reader, op="list_requests"))["ok"]["requests"]
        assert [(request["id"], request["level"]) for request in requests] == [(first["id"], "view")]
        assert (await frame_reply(stranger, op="list_requests"))["ok"]["requests"] == []
        await share(owner, thread, owner="user-owner", people={"user-view": "prompt"})
        assert await frame_reply(reader) == {"access": {"thread_id": thread, "level": "prompt"}}
        second = await shared_thread.fresh("form")
        frame = await frame_reply(reader)
        assert (frame["event"]["request"]["id"], frame["level"]) == (second["id"], "prompt")
        await share(owner, thread, owner="user-owner")
        assert await frame_reply(reader) == {"access": {"thread_id": thread, "level": "none"}}
        await share(owner, thread, owner="user-owner", others="view")
        # The stranger has got nothing about hidden requests, not even that they exist.
        assert await frame_reply(stranger) == {"access": {"thread_id": thread, "level": "view"}}
    requests = (await shared_thread.team.agent.http.get("/v1/requests")).json()["requests"]
    assert [request for request in requests if "level" in request] == []


async def test_a_person_sees_a_thread_from_the_moment_it_is_shared(shared_thread: SharedThread) -> None:
    third, owner, thread = shared_thread.people["none"], shared_thread.people["owner"], shared_thread.thread
    request = await shared_thread.fresh("form")
    assert (await third.answer(request["id"], {"q": "a"})).status_code == 404
    access = {"owner": "user-owner", "others": "prompt"}
    agent = request["requester"]["id"]
    agents = {"agents": [agent], "agents_of": "user-owner"}
    assert (await share(owner, thread, **access)).json() == {**access, "people": {}, **agents}
    snapshot = (await third.http.get(f"/v1/threads/{thread}")).json()
    assert (snapshot["access"], [r["id"] for r in snapshot["requests"]]) == (
        {"level": "prompt"},
        [request["id"]],
    )
    assert (await third.answer(request["id"], {"q": "a"})).status_code == 200
    entries, _ = await shared_thread.team.admin.audit()
    assert [(entry["owner"], entry["others"]) for entry in entries if entry["action"] == "share"] == [
        ("user-owner", "none"),
        ("user-owner", "prompt"),
    ]


# K5: who a request is for


@requirement("K5")
async def test_only_the_assignee_of_two_people_with_one_name_may_answer(server: Any, team: Team) -> None:
    async with AsyncExitStack() as stack:

        async def join(**identity: Any) -> Person:
            return await person(stack, team.admin, server.url, role="responder", name="Ada", **identity)

        named_person, another, nobody = (
            await join(user="ada@lovelace"),
            await join(user="ada@other"),
            await join(),
        )
        for assignees in (["ada@lovelace"], ["Ada"], ["ada"]):
            request = request_of(await team.agent.ask("t", FORM, assignees=assignees))
            call = request_of(await team.agent.bash("t", "make deploy", assignees=assignees))
            for caller in (another, nobody, team.ada, team.admin):
                assert refusal(await caller.answer(request["id"], {"q": "a"})) == (403, "not_assigned")
                assert refusal(await caller.decide(call["id"], "approve")) == (403, "not_assigned")
            meant = 200 if assignees == ["ada@lovelace"] else 403
            assert (await named_person.answer(request["id"], {"q": "a"})).status_code == meant
            assert (await named_person.decide(call["id"], "approve")).status_code == meant


@requirement("K5")
async def test_a_request_is_for_people_by_their_ids_and_for_groups(server: Any, team: Team) -> None:
    async with AsyncExitStack() as stack:

        async def join(**identity: Any) -> Person:
            return await person(stack, team.admin, server.url, role="responder", **identity)

        ops = await join(name="Olga", user="olga", groups=["ops"])
        person_without_user = await join(name="Bob")
        bob = (await person_without_user.http.get("/v1/session")).json()["principal"]["id"]
        posing = await join(name="group:ops", user="group:ops")
        for assignees, may in (
            (["olga"], [ops]),
            (["Olga"], []),  # a name that others may share
            (["Bob"], []),
            ([bob], [person_without_user]),
            (["group:ops"], [ops]),
            (["group:dev", team.ada.id], [team.ada]),
        ):
            for caller in (ops, posing, person_without_user, team.ada):
                request = request_of(await team.agent.ask("t", FORM, assignees=assignees))
                reply = await caller.answer(request["id"], {"q": "a"})
                assert reply.status_code == (200 if caller in may else 403), (assignees, reply.text)
        link = {"name": "Dora", "user": "dora", "groups": ["ops"]}
        made_reply = await team.admin.http.post("/v1/login-links", json=link)
        browser = await stack.enter_async_context(Person(server.url, None))
        await sign_in(browser.http, made_reply.json()["url"])
        session = (await browser.http.get("/v1/session")).json()
        assert (session["principal"]["user"], session["principal"]["groups"]) == ("dora", ["ops"])
        request = request_of(await team.agent.ask("t", FORM, assignees=["group:ops"]))
        assert (await browser.answer(request["id"], {"q": "a"})).status_code == 200


@requirement("K3", "K5")
async def test_a_deadline_from_the_first_view_ignores_people_who_may_not_answer(
    shared_thread: SharedThread,
) -> None:
    clock = {"timeout_s": 60, "timeout_from": "shown"}
    for extra in ({}, {"assignees": ["user-prompt"]}):
        request = request_of(await shared_thread.team.agent.ask(shared_thread.thread, FORM, **clock, **extra))
        url = f"/v1/requests/{request['id']}/shown"
        for level in ("view", *(["all"] if extra else [])):
            assert "expires_at" not in (await shared_thread.people[level].http.post(url, json={})).json()
        assert "expires_at" in (await shared_thread.people["prompt"].http.post(url, json={})).json()


class Outage:
    """A directory that cannot be reached, until it can."""

    def __init__(self) -> None:
        self.is_up = False

    async def groups(self, principal: Principal) -> frozenset[str]:
        if not self.is_up:
            raise ConnectionError("the directory is down")
        return frozenset({"ops"} if principal.name == "ada" else ())


@requirement("K5")
async def test_a_directory_that_cannot_be_asked_closes_the_door_and_leaves_the_request_open() -> None:
    directory = Outage()
    app = create_app(directory=directory)
    async with app.running():
        admin = await app.token("admin", tenant="t")
        transport = httpx2.ASGITransport(app=app)
        async with create_team("http://127.0.0.1", admin, transport=transport) as team:
            request = request_of(await team.agent.ask("t", FORM, assignees=["group:ops"]))
            refused_reply = await team.ada.answer(request["id"], {"q": "a"})
            assert refusal(refused_reply) == (403, "not_assigned")
            assert refusal(await team.ada.decline(request["id"], "dismissed")) == (403, "not_assigned")
            assert (await team.ada.http.get("/v1/session")).json()["principal"]["groups"] == []
            entries, _ = await team.admin.audit()
            assert [(entry["action"], entry["request_id"]) for entry in entries] == [
                ("refused", request["id"])
            ] * 2
            assert (await team.agent.get(request["id"]))["status"] == "pending"
            directory.is_up = True
            assert refusal(await team.bob.answer(request["id"], {"q": "a"})) == (403, "not_assigned")
            assert (await team.ada.answer(request["id"], {"q": "a"})).status_code == 200
