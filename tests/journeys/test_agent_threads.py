"""A thread belongs to the agent that first wrote in it: every operation for every caller, over HTTP and the WebSocket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import anyio
import pytest

from tests.journeys.people import Person, Team, request_of
from tests.journeys.sharing import FORM, frame_reply, person, share, socket
from tests.journeys.test_sharing_matrix import HERE, TEXT, over_http, over_socket
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENTS = ("first", "let in", "same person", "other", "other person's")
CALLERS = (*AGENTS, "owner", "stranger", "admin")
FOREIGN = {
    "other": (403, "thread_of_another_agent"),
    "other person's": (404, "not_found"),  # the thread is hidden from the person for whom it works
}


@dataclass(frozen=True)
class AgentThread:
    """A thread that an agent of Ada's began for her, and callers of every kind."""

    team: Team
    thread: str
    callers: dict[str, Person]

    async def id_of(self, name: str) -> str:
        return (await self.callers[name].http.get("/v1/session")).json()["principal"]["id"]

    async def asks(self, name: str = "first", **extra: Any) -> dict[str, Any]:
        return request_of(await self.callers[name].ask(self.thread, FORM, **extra))

    async def agents(self, who: str, *names: str, **extra: Any) -> Any:
        ids = [await self.id_of(name) for name in names]
        return await share(self.callers[who], self.thread, agents=ids, **extra)


@pytest.fixture
async def agent_thread(server: Any, team: Team, thread: str) -> AsyncIterator[AgentThread]:
    """The thread and everybody."""
    async with AsyncExitStack() as stack:

        async def create_person(role: str, user: str | None) -> Person:
            body = {"role": role, "name": f"{role} of {user}"} | ({} if user is None else {"user": user})
            return await person(stack, team.admin, server.url, **body)

        users = ("ada", None, "ada", None, "bob")
        callers = {
            name: await create_person("requester", user) for name, user in zip(AGENTS, users, strict=True)
        } | {
            "owner": await create_person("responder", "ada"),
            "stranger": await create_person("responder", "bob"),
            "admin": team.admin,
        }
        agent_thread = AgentThread(team, thread, callers)
        assert (await share(callers["first"], thread, owner="ada")).status_code == 200
        assert (await agent_thread.agents("first", "let in")).status_code == 200
        yield agent_thread


Made = dict[str, str]


@dataclass(frozen=True)
class Act:
    """An operation, and who may call it: `reads` and `writes` the admitted agents, `own` the agent that asked."""

    kind: str
    call: tuple[str, str, Any]
    frame: dict[str, Any] | None
    people: bool
    make: Callable[[AgentThread], Awaitable[Made]] | None = None


async def create_request(agent_thread: AgentThread) -> Made:
    return {"request": (await agent_thread.asks())["id"]}


ASK = {"kind": "form", "thread_id": "{thread}", "form": FORM}
BASH = {"kind": "approval", "thread_id": "{thread}", "approval": {"tool": "deploy", "input": {}}}
NEED = {"kind": "secret", "thread_id": "{thread}", "secret": {"names": ["A_KEY"], "reason": "to call"}}
AT, GET = "/v1/requests/{request}", {"request_id": "{request}"}
THREAD = "/v1/threads/{thread}"

ACTS: dict[str, Act] = {
    "read the thread": Act("reads", ("GET", THREAD, None), {"op": "get_thread", **HERE}, people=True),
    "read its access": Act("reads", ("GET", f"{THREAD}/access", None), {"op": "get_thread_access", **HERE}, people=True),
    "watch": Act("reads", ("GET", f"{THREAD}/events", None), {"op": "subscribe", **HERE}, people=True),
    "read its use": Act("reads", ("GET", "/v1/limits?thread_id={thread}", None), {"op": "get_limits", **HERE}, people=True),
    "pull its resumes": Act("reads", ("GET", f"{THREAD}/resumes", None), {"op": "pull_resumes", **HERE}, people=False),
    "write": Act("writes", ("POST", f"{THREAD}/messages", TEXT), {"op": "post_message", **HERE, "body": TEXT}, people=True),
    "ask": Act("writes", ("POST", "/v1/requests", ASK), {"op": "create_request", "body": ASK}, people=False),
    "ask for a call": Act("writes", ("POST", "/v1/requests", BASH), {"op": "create_request", "body": BASH}, people=False),
    "ask for a secret": Act("writes", ("POST", "/v1/requests", NEED), {"op": "create_request", "body": NEED}, people=False),
    "archive": Act("writes", ("POST", f"{THREAD}/archive", None), {"op": "archive_thread", **HERE}, people=True),
    "unarchive": Act("writes", ("POST", f"{THREAD}/unarchive", None), {"op": "unarchive_thread", **HERE}, people=True),
    "read a request": Act("own", ("GET", AT, None), {"op": "get_request", **GET}, people=True, make=create_request),
    "wait": Act("own", ("GET", f"{AT}?wait=0", None), None, people=True, make=create_request),
    "take back": Act(
        "own", ("POST", f"{AT}/cancel", {}), {"op": "cancel_request", **GET, "body": {}}, people=False, make=create_request
    ),
}  # fmt: skip


def expected_status(act: Act, name: str) -> tuple[int, str | None] | None:
    """The expected status, None for any refusal of a role."""
    if name in ("owner", "admin"):
        allowed = act.people or (act.kind == "own" and name == "admin")
        return (200, None) if allowed else None
    if name == "stranger":
        return (404, "not_found") if act.people else None
    if act.kind == "own":
        return (200, None) if name == "first" else (404, "not_found")
    if name in FOREIGN:
        return FOREIGN[name] if act.kind == "writes" else (404, "not_found")
    return 200, None


@requirement("N9", "K3")
@pytest.mark.parametrize("name", ACTS)
async def test_an_agent_finds_only_threads_that_it_was_let_into(agent_thread: AgentThread, name: str) -> None:
    act = ACTS[name]
    for caller, who in agent_thread.callers.items():
        for frame in (None, act.frame) if act.frame else (None,):
            names = {"thread": agent_thread.thread, **(await act.make(agent_thread) if act.make else {})}
            going = over_http(who, act.call, names) if frame is None else over_socket(who, frame, names)
            status, error = await going
            wanted = expected_status(act, caller)
            if wanted is None:
                assert status >= 400, (caller, frame)
            elif wanted[0] == 200:
                assert (status < 300, error) == (True, None), (caller, frame, status, error)
            else:
                assert (status, error) == wanted, (caller, frame)


@requirement("N9")
async def test_lists_leave_out_the_threads_of_other_agents(agent_thread: AgentThread) -> None:
    request = await agent_thread.asks(delivery="resume")
    assert (await agent_thread.callers["owner"].answer(request["id"], {"q": "a"})).status_code == 200
    for name in AGENTS:
        who, mine = agent_thread.callers[name].http, name == "first"
        requests = (await who.get("/v1/requests")).json()["requests"]
        assert [item["id"] for item in requests] == [request["id"]] * mine, name
        resumes = (await who.get("/v1/resumes")).json()["resumes"]
        assert [resume["request_id"] for resume in resumes] == [request["id"]] * mine, name


@requirement("N9")
async def test_only_the_first_agent_the_owner_and_an_admin_let_an_agent_in(agent_thread: AgentThread) -> None:
    other = agent_thread.callers["other"]
    for name, status in (("let in", 403), ("same person", 403), ("other", 403), ("stranger", 404)):
        assert (await agent_thread.agents(name, "other")).status_code == status, name
        assert (await other.ask(agent_thread.thread, FORM)).status_code == 403
    for name in ("first", "owner", "admin"):
        listed = ("other",) if name == "first" else ("first", "let in", "other")
        assert (await agent_thread.agents(name, *listed)).status_code == 200
        assert (await other.ask(agent_thread.thread, FORM)).status_code == 201
        assert (await agent_thread.agents("admin", "first", "let in")).status_code == 200
    # It admits others, and removes none; the people are not changed.
    body = (await agent_thread.agents("first", "other")).json()
    assert body == {
        "owner": "ada",
        "others": "none",
        "people": {},
        "agents": [await agent_thread.id_of(item) for item in ("first", "let in", "other")],
        "agents_of": "ada",
    }


@requirement("N9")
async def test_an_agent_loses_all_access_to_a_thread_taken_from_it(agent_thread: AgentThread) -> None:
    first, owner = agent_thread.callers["first"], agent_thread.callers["owner"]
    approved_request = request_of(await first.bash(agent_thread.thread, "git push"))
    assert (await owner.decide(approved_request["id"], "approve")).status_code == 200
    ended = await agent_thread.asks(delivery="resume")
    assert (await owner.answer(ended["id"], {"q": "a"})).status_code == 200
    waiting_request = request_of(await first.bash(agent_thread.thread, "git push --force"))
    thread_request = await agent_thread.asks("let in")
    async with socket(first) as line:
        wait = {"op": "wait", "request_ids": [waiting_request["id"]]}
        assert (await frame_reply(line, **wait))["ok"] == {"settled": [], "unknown": []}
        assert (await agent_thread.agents("owner", "let in")).status_code == 200
        # The wait ends: the peer starts over, and finds nothing.
        assert await frame_reply(line) == {"resync": True}
        assert (await frame_reply(line, **wait))["ok"] == {"settled": [], "unknown": [waiting_request["id"]]}
    assert (await owner.decide(waiting_request["id"], "approve")).status_code == 409
    cancelled_request = (await owner.http.get(f"/v1/requests/{waiting_request['id']}")).json()
    assert (cancelled_request["status"], cancelled_request["settled_by"]["user"]) == ("cancelled", "ada")
    assert (await owner.http.get(f"/v1/requests/{thread_request['id']}")).json()["status"] == "pending"
    assert (await first.consume(approved_request["id"], "e1")).status_code == 404
    assert (await first.http.get("/v1/requests")).json()["requests"] == []
    assert (await first.http.get("/v1/resumes")).json()["resumes"] == []
    lease = await first.http.post(
        "/v1/secrets/lease", json={"thread_id": agent_thread.thread, "names": ["A_KEY"]}
    )
    assert (lease.status_code, lease.json()["error"]["code"]) == (404, "not_granted")
    # The agents of the same person had access through the removed one.
    assert (await agent_thread.callers["same person"].ask(agent_thread.thread, FORM)).status_code == 403
    assert (await agent_thread.agents("admin", "let in", "first")).status_code == 200
    assert (await first.http.get(f"/v1/requests/{approved_request['id']}")).status_code == 200


@requirement("N9")
async def test_a_thread_without_agents_takes_none(agent_thread: AgentThread) -> None:
    assert (await agent_thread.agents("owner")).json()["agents"] == []
    for name in AGENTS[:4]:
        refusal = await agent_thread.callers[name].ask(agent_thread.thread, FORM)
        assert (refusal.status_code, refusal.json()["error"]["code"]) == (403, "thread_of_another_agent"), (
            name
        )


@requirement("N9")
async def test_one_of_several_concurrent_first_writers_owns_the_thread(agent_thread: AgentThread) -> None:
    thread, agents = (
        f"{agent_thread.thread}-new",
        [agent_thread.callers[item] for item in ("first", "let in", "other")],
    )
    replies: list[int] = []

    async def asks(caller: Person) -> None:
        replies.append((await caller.ask(thread, FORM)).status_code)

    async with anyio.create_task_group() as group:
        for agent in agents:
            group.start_soon(asks, agent)
    assert sorted(replies) == [201, 403, 403]


@requirement("N9")
async def test_a_thread_that_a_person_began_belongs_to_the_first_agent_that_writes(
    agent_thread: AgentThread,
) -> None:
    thread = f"{agent_thread.thread}-new"
    hello = await agent_thread.team.ada.http.post(f"/v1/threads/{thread}/messages", json=TEXT)
    assert hello.status_code == 201
    first, other = agent_thread.callers["let in"], agent_thread.callers["other"]
    async with socket(other) as line:
        assert "ok" in await frame_reply(line, op="subscribe", thread_id=thread)
        assert (await first.http.post(f"/v1/threads/{thread}/messages", json=TEXT)).status_code == 201
        assert await frame_reply(line) == {"hidden": thread}
    assert (await other.http.get(f"/v1/threads/{thread}")).status_code == 404
    assert len((await first.http.get(f"/v1/threads/{thread}")).json()["messages"]) == 2


@requirement("N9")
async def test_a_refused_message_costs_the_thread_nothing(agent_thread: AgentThread) -> None:
    other = agent_thread.callers["other"]
    assert (
        await other.http.post(f"/v1/threads/{agent_thread.thread}/messages", json=TEXT)
    ).status_code == 403
    snapshot = (await agent_thread.callers["owner"].http.get(f"/v1/threads/{agent_thread.thread}")).json()
    assert snapshot["messages"] == []
    entries, _ = await agent_thread.team.admin.audit()
    attempts = [entry["attempted"] for entry in entries if entry["action"] == "refused"]
    assert attempts[-1] == "post_message"


@pytest.mark.parametrize(
    ("access", "path"),
    [
        ({"agents": "agt_1"}, "agents"),
        ({"agents": ["agt_nobody"]}, "agents[0]"),
        ({"agents": [""]}, "agents"),
        ({"agents": ["x"] * 51}, "agents"),
        ({"agents_of": "ada"}, "owner"),
        ({"agents_of": "ada", "owner": "ada"}, "agents"),
        ({"agents": [], "others": "view"}, "owner"),
    ],
)
async def test_agents_that_make_no_sense_are_refused_by_their_path(
    agent_thread: AgentThread, access: dict[str, Any], path: str
) -> None:
    refusal = await share(agent_thread.callers["admin"], agent_thread.thread, **access)
    assert refusal.status_code == 422
    assert path in [error["path"] for error in refusal.json()["error"]["field_errors"]]
