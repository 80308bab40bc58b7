"""The client's features for adapters: a default thread, calls that wait in parallel or not at all, keys of calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Cancelled, Client, Decision, Form, Invalid, Text, ToolCall, requires_approval
from askback.adapters.asking import PausePoint, supersede
from askback.client.options import call_key
from tests.client.conftest import Connect, clients_of_app
from tests.client.deciding import deciding, wait_for_request
from tests.client.servers import TOKENS, ServerProcess

YES: dict[str, Any] = {"decision": "approve"}
NO: dict[str, Any] = {"decision": "deny", "note": "not on Friday"}
PUSH = {"command": "git push"}
FORM = Form(title="Name", fields=[Text(id="name", label="Name")])


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    async with clients_of_app() as make:
        yield make


async def test_a_client_has_a_thread_for_calls_that_name_none(connect: Connect, person: AsyncClient) -> None:
    async with connect(thread_id="own") as agent:
        async with deciding(person, "own", YES):
            assert await agent.approve("bash", PUSH)
        request = await agent.requests.create(FORM)
        other_request = await agent.requests.create(FORM, thread_id="other")
        message = await agent.say("Hello")
        async with agent.stream() as out:
            await out.write("streamed")
        thread = await agent.threads.get("own")
    assert (request.thread_id, other_request.thread_id) == ("own", "other")
    assert [item["id"] for item in thread["messages"]] == [message, out.id]


async def test_without_any_thread_nothing_is_asked_and_the_error_says_what_to_pass(
    agent: AsyncClient,
) -> None:
    for asking in (
        agent.ask("Which?"),
        agent.approve("bash", PUSH),
        agent.approve_plan("1. Go"),
        agent.requests.create(FORM),
        agent.secrets.request("KEY", reason="to publish"),
        agent.say("Hello"),
    ):
        with pytest.raises(Invalid) as exc_info:
            await asking
        assert [(fault["path"], fault["code"]) for fault in exc_info.value.field_errors] == [
            ("thread_id", "missing_required")
        ]
    assert not list(await agent.requests.list())


def test_a_blocking_client_has_a_thread_as_well(server: ServerProcess, thread: str) -> None:
    with Client(server.url, TOKENS["requester"], thread_id=thread) as ask:
        assert ask.requests.create(FORM).thread_id == thread


async def test_an_approval_without_a_waiter_is_pending_and_ends_in_a_resume(
    agent: AsyncClient, person: AsyncClient
) -> None:
    decision = await agent.approve("bash", PUSH, thread_id="t1", wait=False)
    assert decision.request is not None
    assert (decision.status, bool(decision), decision.input) == ("pending", False, {})
    assert "Do not run it" in decision.text
    await person.requests.decide(decision.request, "approve")
    with anyio.fail_after(120):
        [resume] = await agent.resumes.pull("t1", wait=10)
    assert resume.decision is not None
    assert (resume.decision.status, resume.decision.input) == ("approve", PUSH)
    assert (
        await agent.decision(resume.request) == await agent.decision(decision.request.id) == resume.decision
    )


async def test_a_rule_decides_immediately_without_a_wait(agent: AsyncClient) -> None:
    decision = await agent.approve("bash", {"command": "pwd"}, thread_id="t1", wait=False)
    assert (decision.status, decision.source) == ("approve", "policy")


async def test_hooks_refuse_a_call_approved_without_a_waiter(connect: Connect, person: AsyncClient) -> None:
    allowed = True

    def check(_tool: str, _input: dict[str, Any]) -> str | None:
        return None if allowed else "The freeze began."

    async with connect(hooks=[check]) as agent:
        asked_decision = await agent.approve("bash", PUSH, thread_id="t1", wait=False)
        assert asked_decision.request is not None
        await person.requests.decide(asked_decision.request, "approve")
        allowed = False
        decision = await agent.decision(asked_decision.request.id)
    assert (decision.status, decision.source, decision.reasons) == ("deny", "hook", ("The freeze began.",))


def test_only_an_approval_has_a_decision(server: ServerProcess, thread: str) -> None:
    with Client(server.url, TOKENS["requester"]) as ask:
        request = ask.requests.create(FORM, thread_id=thread)
        with pytest.raises(ValueError, match="has no decision"):
            Decision.from_request(request)


async def test_several_calls_are_asked_together_and_returned_in_order(
    agent: AsyncClient, person: AsyncClient
) -> None:
    calls = [ToolCall(tool="deploy", input={"to": name}, tool_call_id=name) for name in ("a", "b", "c")]
    deciding_all = asyncio.ensure_future(agent.approve_many(calls, thread_id="t1", run_id="r1"))
    by_target: dict[str, str] = {}
    with anyio.fail_after(120):
        async for event in person.events("t1", cursor=0):
            by_target[event["request"]["approval"]["input"]["to"]] = event["request"]["id"]
            if len(by_target) == len(calls):
                break
    for target, decision in (("c", YES), ("a", NO), ("b", YES)):
        await person.requests.decide(by_target[target], **decision)
    decided = await deciding_all
    assert [(item.status, dict(item.input)) for item in decided] == [
        ("deny", {}),
        ("approve", {"to": "b"}),
        ("approve", {"to": "c"}),
    ]


async def test_the_requests_of_a_pause_are_superseded_among_many_and_no_others(
    connect: Connect, agent: AsyncClient
) -> None:
    async with connect("admin") as admin:
        await admin.policy.update(max_pending=100, max_pending_per_agent=100)
    asked = [
        await agent.requests.create(FORM, thread_id="t1", external_id=external_id)
        for external_id in ("run:1", "run:1:0", "run:10", *(f"other:{number}" for number in range(50)))
    ]
    await supersede(agent, [PausePoint(id="run:1", thread_id="t1")])
    ended = [(await agent.requests.get(request.id)).status for request in asked]
    assert ended == ["cancelled", "cancelled"] + ["pending"] * 51


async def test_a_call_that_cannot_be_asked_takes_the_others_back(
    agent: AsyncClient, person: AsyncClient
) -> None:
    calls = [ToolCall(tool="deploy", input={"to": "a"}), ToolCall(tool=" ", input={})]
    with pytest.raises(Invalid):
        await agent.approve_many(calls, thread_id="t1")
    request = await wait_for_request(person, "t1")
    with anyio.fail_after(120):
        # Not the agent: its client keeps a request for which one of its callers waits.
        ended_request = await person.wait(request)
    assert (ended_request.status, ended_request.reason) == ("cancelled", "agent_aborted")


async def test_the_same_tool_call_of_a_run_is_asked_once(agent: AsyncClient) -> None:
    first_decision, second_decision, later_decision = [
        await agent.approve(
            "bash", PUSH, thread_id="t1", run_id=run, tool_call_id="call_0", wait=False, timeout_s=None
        )
        for run in ("r1", "r1", "r2")
    ]
    assert first_decision.request is not None
    assert second_decision.request is not None
    assert later_decision.request is not None
    assert first_decision.request.id == second_decision.request.id != later_decision.request.id


@pytest.mark.parametrize(
    ("context", "key"),
    [
        ({"run_id": "r1", "tool_call_id": "call_0"}, "t1:r1:call_0"),
        ({"tool_call_id": "toolu_01A2B3"}, "t1::toolu_01A2B3"),
        ({"tool_call_id": "toolu_01A2B"}, None),
        ({"run_id": "r1"}, None),
    ],
)
def test_the_key_of_a_call_needs_a_run_or_an_id_that_is_unique(
    context: dict[str, Any], key: str | None
) -> None:
    assert call_key("t1", context) == key


def test_keys_of_different_calls_differ_and_fit_into_a_header() -> None:
    calls = [("a:b", "c", "d"), ("a", "b:c", "d"), ("ä", "b", "c"), ("a" * 300, "b", "c"), ("a\n", "b", "c")]
    keys = {call_key(thread, {"run_id": run, "tool_call_id": call}) for thread, run, call in calls}
    assert len(keys) == len(calls)
    assert all(key and len(key) <= 255 and key.isascii() and key.isprintable() for key in keys)


async def test_a_wrapped_function_gets_excluded_arguments_that_no_card_shows(
    agent: AsyncClient, person: AsyncClient
) -> None:
    @requires_approval(
        client=agent,
        exclude=["context"],
        thread_id=lambda context, *_, **__: context["thread"],
        allow_edit=True,
    )
    async def send(context: dict[str, Any], to: str, *, text: str = "Hi") -> tuple[Any, ...]:
        return context, to, text

    context = {"thread": "of the context", "connection": object()}
    async with deciding(
        person, "of the context", {"decision": "approve", "edited_input": {"to": "eva", "text": "Hi"}}
    ) as requests:
        assert await send(context, "bob") == (context, "eva", "Hi")
    assert requests[0].approval is not None
    assert requests[0].approval.input == {"to": "bob", "text": "Hi"}


async def test_an_edited_input_cannot_set_an_excluded_argument(
    agent: AsyncClient, person: AsyncClient
) -> None:
    @requires_approval(client=agent, thread_id="t1", exclude=["user"], allow_edit=True)
    async def send(user: str, to: str) -> str:
        return f"{user} {to}"

    edited_input = {"to": "eva", "user": "root"}
    async with deciding(person, "t1", {"decision": "approve", "edited_input": edited_input}):
        with pytest.raises(Invalid, match="does not match the parameters"):
            await send("ada", "bob")


def test_only_a_parameter_can_be_excluded() -> None:
    with pytest.raises(TypeError, match="no parameter 'contxt'"):

        @requires_approval(exclude=["contxt"])
        def send(context: object) -> None: ...


async def test_a_question_that_is_withdrawn_ends_the_wait(agent: AsyncClient) -> None:
    asking = asyncio.ensure_future(agent.form(FORM, thread_id="t1"))
    request = await wait_for_request(agent, "t1")
    await agent.requests.cancel(request)
    with pytest.raises(Cancelled):
        await asking
