"""Continue with the outcomes of requests that nobody waits for, over every transport."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from askback import Approval, AsyncClient, Client, Form, InputRequest, Resume, Select, Text, on_resume
from tests.client.conftest import Connect
from tests.client.servers import TOKENS, ServerProcess
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

LUNCH = Form(title="Lunch", fields=[Text(id="dish", label="Dish")])


async def answer_after_turn(
    agent: AsyncClient, person: AsyncClient, thread: str, dish: str = "soup"
) -> InputRequest:
    """Ask, and answer after the agent has ended its turn."""
    request = await agent.requests.create(LUNCH, thread_id=thread, delivery="resume")
    return await person.requests.answer(request, {"dish": dish})


@requirement("F23")
async def test_each_resume_is_delivered_once(agent: AsyncClient, person: AsyncClient, thread: str) -> None:
    request_ids = [
        (await answer_after_turn(agent, person, thread, dish)).id for dish in ("soup", "rice", "fish")
    ]
    received_resumes: list[Resume] = []
    with anyio.fail_after(120):
        async for resume in agent.resumes.listen(thread):
            received_resumes.append(resume)
            if len(received_resumes) == 3:
                await agent.resumes.ack(resume)
                break
    assert [resume.request_id for resume in received_resumes] == request_ids
    assert received_resumes[0].request.answer is not None
    assert received_resumes[0].request.answer.values == {"dish": "soup"}
    assert "Lunch" in received_resumes[0].text
    assert await agent.resumes.pull(thread) == []


@requirement("N17")
async def test_two_resumes_name_their_question_and_their_call(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    for question in ("Delete the old backups?", "Deploy to production?"):
        form = Form(fields=[Select(id="a1", label=question, options=["Yes", "No"])])
        await person.requests.answer(
            await agent.requests.create(form, thread_id=thread, delivery="resume"), {"a1": "Yes"}
        )
    call = Approval(tool="send_mail", input={"to": "bob@example.com"})
    await person.requests.decide(
        await agent.requests.create(call, thread_id=thread, delivery="resume"), "deny"
    )
    texts = [resume.text.partition("): ")[2] for resume in await agent.resumes.pull(thread, limit=3)]
    assert texts[:2] == [
        'The person answered "Delete the old backups?": "Yes"',
        'The person answered "Deploy to production?": "Yes"',
    ]
    assert texts[2].startswith(
        'The person denied execution of the tool "send_mail" with {"to": "bob@example.com"}: it was not run.'
    )


@requirement("F23")
async def test_an_early_poll_gets_the_resume_when_it_arrives(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    with anyio.fail_after(120):
        looking = asyncio.create_task(agent.resumes.pull(thread, wait=25))
        request = await answer_after_turn(agent, person, thread)
        [resume] = await looking
    assert resume.request_id == request.id


@requirement("H5")
async def test_an_unfinished_resume_stays_leased_by_its_worker(
    agent: AsyncClient, person: AsyncClient, connect: Connect, thread: str
) -> None:
    await answer_after_turn(agent, person, thread)
    async for resume in agent.resumes.listen(thread):
        left = resume
        break
    assert await agent.resumes.pull(thread) == []
    assert await agent.resumes.ack(left)
    assert await agent.resumes.ack(left)


@requirement("F23")
async def test_a_handler_gets_each_resume_and_a_failure_stops_no_other(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    done: list[str] = []
    all_event = anyio.Event()

    @on_resume(thread_id=thread, client=agent)
    async def go_on(resume: Resume) -> None:
        """Go on."""
        done.append(resume.request_id)
        if len(done) == 2:
            all_event.set()
        if len(done) == 1:
            raise LookupError("the kitchen is closed")

    request_ids = [(await answer_after_turn(agent, person, thread)).id for _ in range(2)]
    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(go_on.listen)
            await all_event.wait()
            tasks.cancel_scope.cancel()
    assert done == request_ids
    assert go_on.__doc__ == "Go on."


@requirement("F23")
def test_without_an_event_loop_it_is_the_same(server: ServerProcess) -> None:
    with (
        Client(server.url, TOKENS["requester"]) as agent,
        Client(server.url, TOKENS["responder"]) as person,
    ):
        request = agent.requests.create(LUNCH, thread_id="blocking-resume", delivery="resume")
        person.requests.answer(request, {"dish": "soup"})
        for resume in agent.resumes.listen("blocking-resume"):
            assert resume.request_id == request.id
            assert agent.resumes.ack(resume)
            break
        assert agent.resumes.pull("blocking-resume") == []


@requirement("F22")
async def test_the_wait_continues_if_the_deadline_leaves_the_request_open(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    with anyio.fail_after(120):
        asking = asyncio.create_task(agent.form(LUNCH, thread_id=thread, timeout_s=1, on_timeout="resume"))
        async for event in person.events(thread, cursor=0):
            if event["type"] == "request.detached":
                await person.requests.answer(event["request"]["id"], {"dish": "late"})
                break
        assert (await asking).values == {"dish": "late"}
