"""The tools by which models ask, and what adapters share: the same pause is asked once, in every process."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Conflict, Form, InputRequest, Text
from askback.adapters.asking import (
    MirroredCall,
    MirroredMessage,
    PausePoint,
    approve_once,
    ask_once,
    mirror_messages,
    short_id,
)
from askback.adapters.asktools import ASK_TOOLS, ASK_USER, REQUEST_APPROVAL, REQUEST_ENV_VARS, AskTool
from askback.client.gather import gather_all
from askback.testing import Approve, Decline, LeaveOpen, Reply, person

POINT = PausePoint(id="fw:t1:call_1", thread_id="t1", run_id="r1", tool_call_id="call_1", agent="planner")
NAME = Form(title="Name", fields=[Text(id="name", label="Name")])


async def call_tool(tool: AskTool, arguments: dict[str, Any], reply: Reply = "") -> tuple[str, Any]:
    """Return the text for the model, and the settled request."""
    ada = person({"*": reply})
    async with ada, AsyncClient(app=ada.app) as client:
        result = await tool.call(client, arguments, POINT)
    assert not result.pending
    return result.text, result.request


def test_the_tools_have_a_description_and_describe_their_arguments() -> None:
    assert list(ASK_TOOLS) == ["ask_user", "request_approval", "request_env_vars"]
    for tool in ASK_TOOLS.values():
        assert tool.description.startswith("Ask ")
        assert "get_answer" not in tool.description
        assert all("description" in property_ for property_ in tool.schema["properties"].values())


async def test_a_question_with_options_is_asked_and_answered() -> None:
    options = ["red", {"label": "Blue", "value": "b", "recommended": True}]
    text, request = await call_tool(ASK_USER, {"question": "Which?", "options": options}, "b")
    assert request.answer.values == {"answer": "b"}
    assert "Blue" in text
    assert (request.tool_call_id, request.run_id, request.agent.name) == ("call_1", "r1", "planner")


async def test_several_choices_and_free_text_are_allowed() -> None:
    arguments = {"question": "Which?", "options": ["a", "b"], "multiple": True, "allow_other": True}
    _, request = await call_tool(ASK_USER, arguments, {"answer": ["a", "mine"]})
    assert (request.answer.values, request.answer.other) == ({"answer": ["a", "mine"]}, {"answer": True})


async def test_questions_of_claude_and_whole_forms_are_asked() -> None:
    option = {"label": "Red", "description": "warm"}
    question = {"question": "Which?", "header": "Colour", "options": [option, {**option, "label": "Blue"}]}
    _, request = await call_tool(ASK_USER, {"questions": [question]}, {"q1": "Red"})
    assert request.answer.values == {"q1": "Red"}
    form = {"title": "Name", "fields": [{"id": "name", "type": "text", "label": "Name"}]}
    _, request = await call_tool(ASK_USER, {"form": form}, {"name": "Bo"})
    assert request.answer.values == {"name": "Bo"}


async def test_a_skipped_question_is_no_answer() -> None:
    text, request = await call_tool(ASK_USER, {"question": "Which?", "allow_skip": True}, Decline("skipped"))
    assert request.status == "declined"
    assert "reasonable assumption" in text


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        (ASK_USER, {}, "question"),
        (ASK_USER, {"question": "Which?", "form": {}}, "form"),
        (ASK_USER, {"question": "Which?", "options": ["a", "a"]}, "options[1]"),
        (ASK_USER, {"form": {"fields": 7}}, "form.fields"),
        (REQUEST_APPROVAL, {"tool": "x"}, "input"),
        (REQUEST_ENV_VARS, {"names": [], "reason": "r"}, "names"),
        (REQUEST_ENV_VARS, {"names": ["lower case"], "reason": "r"}, "names[0]"),
        (REQUEST_ENV_VARS, {"names": ["A"], "reason": "r", "other": 1}, "other"),
    ],
)
async def test_wrong_arguments_are_a_text_for_the_model(
    tool: AskTool, arguments: dict[str, Any], path: str
) -> None:
    text, request = await call_tool(tool, arguments)
    assert request is None
    assert text.startswith(f"Nobody was asked. Correct this and call the tool again:\n- {path}")


async def test_an_approval_returns_the_approved_call() -> None:
    arguments = {"tool": "mail", "input": {"to": "bob"}, "reason": "He asked."}
    text, request = await call_tool(REQUEST_APPROVAL, arguments, Approve(input={"to": "eva"}, note="Eva!"))
    assert '{"to": "eva"}' in text
    assert "Eva!" in text
    assert request.approval.reason == "He asked."
    text, _ = await call_tool(REQUEST_APPROVAL, arguments, False)
    assert "was not run" in text


async def test_secrets_come_back_as_names() -> None:
    text, _ = await call_tool(
        REQUEST_ENV_VARS, {"names": ["API_KEY"], "reason": "r"}, {"API_KEY": "sk-canary"}
    )
    assert "API_KEY" in text
    assert "sk-canary" not in text


async def test_the_same_pause_finds_the_same_request_with_or_without_a_waiter() -> None:
    ada = person({"deploy": LeaveOpen(), "name": LeaveOpen()})
    async with ada, AsyncClient(app=ada.app) as client:
        pending = await approve_once(client, "deploy", {"to": "prod"}, POINT, wait=False, timeout_s=60)
        form = await ask_once(client, NAME, PausePoint(id="2", thread_id="t1"), wait=False)
        async with AsyncClient(app=ada.app, token=await ada.app.token("responder")) as bob:
            waiting = asyncio.ensure_future(approve_once(client, "deploy", {"to": "prod"}, POINT))
            answering = asyncio.ensure_future(ask_once(client, NAME, PausePoint(id="2", thread_id="t1")))
            await bob.requests.decide(pending.request, "approve")  # type: ignore[arg-type] - it was asked
            await bob.requests.answer(form, {"name": "Bo"})
            with anyio.fail_after(120):
                decided, answered_request = await waiting, await answering
            requests = await bob.requests.list()
    assert (pending.status, decided.status) == ("pending", "approve")
    assert pending.request is not None
    assert decided.request is not None
    assert (decided.request.id, answered_request.id) == (pending.request.id, form.id)
    assert {request.id for request in requests} == {pending.request.id, form.id}


async def test_an_approval_is_not_used_for_other_arguments() -> None:
    ada = person({"deploy": True})
    async with ada, AsyncClient(app=ada.app) as client:
        assert await approve_once(client, "deploy", {"to": "stage"}, POINT)
        with pytest.raises(Conflict):
            await approve_once(client, "deploy", {"to": "prod"}, POINT)


async def test_a_question_is_withdrawn_when_the_framework_is_interrupted() -> None:
    ada = person({"name": LeaveOpen()})
    async with ada, AsyncClient(app=ada.app) as client:
        asking = asyncio.ensure_future(gather_all([ask_once(client, NAME, POINT)]))
        with anyio.fail_after(120):
            async for event in client.events("t1", cursor=0):
                if event["type"] == "request.created":
                    asking.cancel()
                if event["type"] == "request.cancelled":
                    break
            with pytest.raises(asyncio.CancelledError):
                await asking


class WatchedClient(AsyncClient):
    """A client that reports when it waits."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.waits = anyio.Event()

    async def wait(self, request: InputRequest | str) -> InputRequest:
        self.waits.set()
        return await super().wait(request)


async def test_an_approval_that_was_asked_before_is_withdrawn_when_the_framework_is_interrupted() -> None:
    ada = person({"deploy": LeaveOpen()})
    async with ada, WatchedClient(app=ada.app) as client:
        decision_before = await approve_once(client, "deploy", {"to": "prod"}, POINT, wait=False)
        asking = asyncio.ensure_future(approve_once(client, "deploy", {"to": "prod"}, POINT))
        with anyio.fail_after(120):
            await client.waits.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
        assert decision_before.request is not None
        current_request = await client.requests.get(decision_before.request.id)
    assert (current_request.status, current_request.reason) == ("cancelled", "agent_aborted")


async def test_an_error_of_one_question_withdraws_the_others() -> None:
    ada = person({"name": LeaveOpen()})
    async with ada, AsyncClient(app=ada.app) as client:
        with anyio.fail_after(120), pytest.raises(ZeroDivisionError):

            async def fail() -> Any:
                async for event in client.events("t1", cursor=0):
                    if event["type"] == "request.created":
                        raise ZeroDivisionError

            await gather_all([ask_once(client, NAME, POINT), fail()])
        [request] = await client.requests.list(thread_id="t1")
    assert (request.status, request.reason) == ("cancelled", "agent_aborted")


async def test_messages_are_mirrored_once_and_get_their_results() -> None:
    call = MirroredCall(id="call_1", name="search", input={"q": "x"})
    mirrored_message = MirroredMessage(id="m1", text="I search.", calls=[call], agent="planner")
    finished_mirrored_call = MirroredCall(
        id="call_1", name="search", input={"q": "x"}, result="found", done=True
    )
    ada = person()
    async with ada, AsyncClient(app=ada.app) as client:
        for messages in (
            [mirrored_message, MirroredMessage(id="m2")],
            [MirroredMessage(id="m1", text="I search.", calls=[finished_mirrored_call])],
        ):
            await mirror_messages(client, messages, thread_id="t1")
        [message] = (await client.threads.get("t1"))["messages"]
    assert message["agent"]["name"] == "planner"
    assert [block["type"] for block in message["content"]] == ["text", "tool"]
    assert (message["content"][1]["status"], message["content"][1]["result"]) == ("done", "found")


def test_ids_fit_into_a_request() -> None:
    assert short_id("call_1") == "call_1"
    assert len({short_id(text) for text in ("a" * 300, "a" * 301, "a\nb", "")}) == 4
    assert all(len(short_id(text)) <= 200 for text in ("a" * 300, "a\nb", ""))
