"""The client over a WebSocket, over HTTP and in process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any, Literal

import anyio
import pytest
from pydantic import BaseModel

from askback import (
    Answer,
    AsyncClient,
    Cancelled,
    Conflict,
    ConnectionLost,
    Declined,
    Expired,
    Forbidden,
    Form,
    Invalid,
    NotFound,
    Text,
    TooLarge,
    Unauthorized,
)
from tests.client.conftest import Connect

FORM = Form(title="Report", allow_skip=True, fields=[Text(id="topic", label="Topic", required=True)])


@asynccontextmanager
async def answering(person: AsyncClient, thread: str, *answers: Any) -> AsyncIterator[None]:
    """Answer each request in a thread with the next of `answers`; a string is the reason of a decline."""

    async def run() -> None:
        left = list(answers)
        async for event in person.events(thread, cursor=0):
            if event["type"] == "request.created":
                answer = left.pop(0)
                if isinstance(answer, str):
                    await person.requests.decline(event["request"]["id"], reason=answer)
                else:
                    await person.requests.answer(event["request"]["id"], answer)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(120):
            yield
        tasks.cancel_scope.cancel()


async def wait_for_questions(client: AsyncClient, thread: str, count: int = 1) -> list[str]:
    """Wait for this many questions in a thread; return their ids."""
    ids: list[str] = []
    with anyio.fail_after(120):
        async for event in client.events(thread, cursor=0):
            if event["type"] == "request.created":
                ids.append(event["request"]["id"])
            if len(ids) == count:
                break
    return ids


async def last_event(client: AsyncClient, thread: str) -> dict[str, Any]:
    """Wait until a question in a thread has ended; return its last event."""
    with anyio.fail_after(120):
        async for event in client.events(thread, cursor=0):
            if event["type"].startswith("request.") and event["type"] != "request.created":
                return event
    raise AssertionError


@pytest.mark.requirement("G7")
async def test_asking_returns_the_answer(agent: AsyncClient, person: AsyncClient, thread: str):
    async with answering(person, thread, {"topic": "Bees"}):
        answer = await agent.form(FORM, thread_id=thread)
    assert answer == Answer(values={"topic": "Bees"})


async def test_a_request_shows_its_question_and_outcome(agent: AsyncClient, person: AsyncClient, thread: str):
    request = await agent.requests.create(
        FORM,
        thread_id=thread,
        run_id="r1",
        message_id="msg_1",
        tool_call_id="tc1",
        agent="writer",
        timeout_s=60,
    )
    assert (request.status, request.run_id, request.message_id, request.tool_call_id) == (
        "pending", "r1", "msg_1", "tc1",
    )  # fmt: skip
    assert request.agent is not None
    assert request.agent.name == "writer"
    finished_request = await person.requests.answer(request, {"topic": "Bees"}, revision=request.revision)
    with anyio.fail_after(120):
        assert await agent.wait(request) == finished_request == await agent.requests.get(request.id)
    assert (finished_request.status, finished_request.source, finished_request.settled) == (
        "answered",
        "responder",
        True,
    )


async def test_the_ways_to_end_without_an_answer_are_exceptions(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async with answering(person, thread, "skipped", "refused"):
        with pytest.raises(Declined) as skipped:
            await agent.form(FORM, thread_id=thread)
        with pytest.raises(Declined) as exc_info:
            await agent.form(FORM, thread_id=thread)
    assert (skipped.value.request.reason, exc_info.value.request.reason) == ("skipped", "refused")


async def test_the_ways_to_end_without_an_answer_are_values_on_request(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async with answering(person, thread, {"topic": "Bees"}, "dismissed"):
        first_outcome = await agent.try_form(FORM, thread_id=thread)
        second_outcome = await agent.try_form(FORM, thread_id=thread)
    assert isinstance(first_outcome, Answer)
    assert isinstance(second_outcome, Declined)
    assert second_outcome.request.reason == "dismissed"


async def test_a_question_that_nobody_answers_expires(agent: AsyncClient, thread: str):
    with anyio.fail_after(120), pytest.raises(Expired) as expired:
        await agent.form(FORM, thread_id=thread, timeout_s=1)
    assert expired.value.request.status == "expired"


async def test_a_withdrawn_question_ends_the_wait(agent: AsyncClient, thread: str):
    async with anyio.create_task_group() as tasks:

        async def take_back() -> None:
            (request_id,) = await wait_for_questions(agent, thread)
            await agent.requests.cancel(request_id, "user_message", note="changed my mind")

        tasks.start_soon(take_back)
        with anyio.fail_after(120), pytest.raises(Cancelled) as exc_info:
            await agent.form(FORM, thread_id=thread)
    request = exc_info.value.request
    assert (request.reason, request.note) == ("user_message", "changed my mind")


@pytest.mark.requirement("A20", "C13")
async def test_concurrent_questions_answered_in_reverse_order_get_their_own_answers(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    answers: dict[str, str] = {}

    async def ask(name: str) -> None:
        form = Form(title=name, fields=[Text(id="topic", label=name)])
        answers[name] = str((await agent.form(form, thread_id=thread, tool_call_id=name)).values["topic"])

    async with anyio.create_task_group() as tasks:
        for name in ("a", "b", "c"):
            tasks.start_soon(ask, name)
        for request_id in reversed(await wait_for_questions(person, thread, 3)):
            request = await person.requests.get(request_id)
            await person.requests.answer(request, {"topic": f"for {request.tool_call_id}"})
    assert answers == {"a": "for a", "b": "for b", "c": "for c"}


class Licence(Enum):
    MIT = "MIT"
    APACHE = "Apache-2.0"


class Project(BaseModel):
    """A new project."""

    name: str
    licence: Licence = Licence.MIT
    features: list[Literal["cli", "ci"]]
    private: bool


async def test_a_model_comes_back_as_itself(agent: AsyncClient, person: AsyncClient, thread: str):
    values = {"name": "bees", "licence": "Apache-2.0", "features": ["ci"], "private": True}
    async with answering(person, thread, values):
        project = await agent.model(Project, thread_id=thread)
    assert project == Project(name="bees", licence=Licence.APACHE, features=["ci"], private=True)


@pytest.mark.requirement("A2", "A12")
async def test_small_questions(agent: AsyncClient, person: AsyncClient, thread: str):
    async with answering(
        person, thread, {"answer": "Rome"}, {"answer": "B"}, {"answer": "No"}, {"answer": "maybe"}
    ):
        assert await agent.ask("Which city?", thread_id=thread) == "Rome"
        assert await agent.ask("Which?", ["A", "B"], thread_id=thread) == "B"
        assert await agent.confirm("Sure?", thread_id=thread) is False
        assert await agent.ask("Which?", ["A", "B"], allow_other=True, thread_id=thread) == "maybe"
    with pytest.raises(Invalid) as blank:
        await agent.ask("  ", thread_id=thread)
    assert blank.value.field_errors[0]["path"] == "question"
    assert len(await agent.requests.list(thread_id=thread)) == 4


@pytest.mark.requirement("C20")
async def test_cancelling_the_task_takes_the_question_back(agent: AsyncClient, thread: str):
    task = asyncio.create_task(agent.form(FORM, thread_id=thread))
    await wait_for_questions(agent, thread)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    event = await last_event(agent, thread)
    assert (event["type"], event["request"]["reason"]) == ("request.cancelled", "agent_aborted")


async def test_cancelling_before_the_question_was_stored_takes_it_back_too(agent: AsyncClient, thread: str):
    await agent.requests.list(thread_id=thread)  # connected
    task = asyncio.create_task(agent.form(FORM, thread_id=thread))
    for _ in range(2):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await last_event(agent, thread))["type"] == "request.cancelled"


async def test_a_question_may_outlive_its_task(agent: AsyncClient, person: AsyncClient, thread: str):
    task = asyncio.create_task(
        agent.form(FORM, thread_id=thread, cancel_on_abort=False, idempotency_key=f"k {thread[:-2]}")
    )
    (request_id,) = await wait_for_questions(agent, thread)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await person.requests.answer(request_id, {"topic": "Bees"})
    with anyio.fail_after(120):
        answer = await agent.form(FORM, thread_id=thread, idempotency_key=f"k {thread[:-2]}")
    assert answer.values == {"topic": "Bees"}


@pytest.mark.requirement("G8")
async def test_a_restarted_agent_finds_its_question_and_the_answer(
    connect: Connect, person: AsyncClient, thread: str
):
    async with connect() as first:
        request = await first.requests.create(FORM, thread_id=thread, idempotency_key=f"run {thread[:-2]}")
    await person.requests.answer(request, {"topic": "Bees"})
    async with connect() as second:
        with anyio.fail_after(120):
            answer = await second.form(FORM, thread_id=thread, idempotency_key=f"run {thread[:-2]}")
        assert answer.values == {"topic": "Bees"}
        assert [r.id for r in await second.requests.list(thread_id=thread)] == [request.id]


async def test_a_bad_form_is_refused_with_every_fault(agent: AsyncClient, thread: str):
    bad = {"fields": [{"id": "a", "type": "radio", "label": "A"}, {"id": "b", "type": "nope", "label": "B"}]}
    with pytest.raises(Invalid) as exc_info:
        await agent.form(bad, thread_id=thread)
    assert {error["path"] for error in exc_info.value.field_errors} >= {"form.fields[0].options"}
    assert all(e["code"] and e["message"] for e in exc_info.value.field_errors)
    assert len(await agent.requests.list(thread_id=thread)) == 0


@pytest.mark.requirement("K2")
async def test_the_second_person_gets_the_settled_request(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    request = await agent.requests.create(FORM, thread_id=thread)
    await person.requests.answer(request, {"topic": "first"})
    with pytest.raises(Conflict) as exc_info:
        await person.requests.answer(request, {"topic": "second"})
    assert exc_info.value.code == "already_settled"
    assert exc_info.value.request is not None
    assert exc_info.value.request["answer"]["values"] == {"topic": "first"}


async def test_roles_and_unknown_ids_are_refused_as_by_rest(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    request = await agent.requests.create(FORM, thread_id=thread)
    with pytest.raises(Forbidden):
        await agent.requests.answer(request, {"topic": "me"})
    with pytest.raises(Forbidden):
        await person.requests.create(FORM, thread_id=thread)
    with pytest.raises(Forbidden), anyio.fail_after(120):
        async for _ in agent.events():
            pass
    with pytest.raises(NotFound):
        await agent.requests.get("req_nope")
    with pytest.raises(NotFound), anyio.fail_after(120):
        await agent.wait("req_nope")
    with pytest.raises(TooLarge):
        await agent.say("x" * 300_000, thread_id=thread)
    assert (await agent.requests.get(request.id)).status == "pending"


async def test_an_unknown_token_is_refused(connect: Connect, thread: str):
    async with connect("nobody") as stranger:
        with pytest.raises(Unauthorized), anyio.fail_after(120):
            await stranger.form(FORM, thread_id=thread)


@pytest.mark.parametrize("key", ["", "ä", "a\nb", "x" * 256])
async def test_a_key_that_no_header_can_carry_is_refused(agent: AsyncClient, thread: str, key: str):
    with pytest.raises(Invalid) as exc_info:
        await agent.requests.create(FORM, thread_id=thread, idempotency_key=key)
    assert exc_info.value.field_errors[0]["path"] == "Idempotency-Key"


async def test_a_wait_with_a_timeout_leaves_the_question_open(agent: AsyncClient, thread: str):
    request = await agent.requests.create(FORM, thread_id=thread)
    with pytest.raises(TimeoutError):
        await agent.wait(request, timeout=0.05)
    assert (await agent.requests.get(request.id)).status == "pending"


async def test_lists_are_paged(agent: AsyncClient, person: AsyncClient, thread: str):
    ids = [(await agent.requests.create(FORM, thread_id=thread)).id for _ in range(5)]
    await person.requests.answer(ids[1], {"topic": "x"})
    page = await agent.requests.list(thread_id=thread, limit=3)
    remaining_requests = await agent.requests.list(thread_id=thread, limit=3, cursor=page.next_cursor)
    assert [r.id for r in [*page, *remaining_requests]] == ids[::-1]
    assert remaining_requests.next_cursor is None
    pending = await agent.requests.list(thread_id=thread, status=["pending", "expired"])
    assert {r.id for r in pending} == set(ids) - {ids[1]}


async def test_messages_stream_into_the_thread(agent: AsyncClient, person: AsyncClient, thread: str):
    first = await agent.say("Hello", thread_id=thread, run_id="r1")
    async with agent.stream(thread) as out:
        await out.write("One, ")
        await out.write("")
        await out.write("two.")
    tool = {"type": "tool", "tool_call_id": "tc1", "name": "ls"}
    message_ids = [
        await agent.threads.create_message([tool], thread_id=thread, id=f"m {thread}") for _ in range(2)
    ]
    await person.say("Hi", thread_id=thread)
    shown_thread = await agent.threads.get(thread)
    assert [(m["role"], m["content"]) for m in shown_thread["messages"]] == [
        ("agent", [{"type": "text", "text": "Hello"}]),
        ("agent", [{"type": "text", "text": "One, two."}]),
        ("agent", [tool]),
        ("user", [{"type": "text", "text": "Hi"}]),
    ]
    assert (shown_thread["messages"][0]["id"], shown_thread["messages"][1]["id"], message_ids[0]) == (
        first,
        out.id,
        message_ids[1],
    )


async def test_closing_a_client_fails_its_waits(connect: Connect, thread: str):
    client = connect()
    waiting = asyncio.create_task(client.form(FORM, thread_id=thread, cancel_on_abort=False))
    await wait_for_questions(client, thread)
    await client.aclose()
    with pytest.raises(ConnectionLost):
        await waiting
    with pytest.raises(ConnectionLost):
        await client.requests.list()
