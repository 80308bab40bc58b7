"""`askback inbox` and checks: the person waits for the verdict, is asked again, and reads the outcome."""

from __future__ import annotations

import anyio

from askback import AsyncClient, Form, InputRequest, Text
from askback.domain.fields import Messages
from tests.cli.conftest import Server
from tests.cli.scripts import run_inbox_from_pipe
from tests.cli.terminals import run_on_terminal
from tests.requirements import requirement

CITY = Form(title="Where to?", fields=[Text(id="city", label="City?")])


async def wait_for_submission(agent: AsyncClient, request: InputRequest, times: int = 1) -> InputRequest:
    """Wait for a submission to check, and again for each reprompt."""
    with anyio.fail_after(120):
        async for event in agent.events(request.thread_id, cursor=0):
            times -= event["type"] == "request.resolving"
            if not times:
                break
    return await agent.requests.get(request.id)


@requirement("F13", "F14")
async def test_a_reprompted_person_corrects_the_answer_and_reads_the_outcome(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(CITY, thread_id=thread, validator="requester")
    async with run_on_terminal(server.data, "inbox", "--thread", thread) as (screen, _):
        await screen.shows("City?")
        screen.type("Rom\n\n")
        await screen.shows("Checking…")
        await agent.requests.reprompt(
            await wait_for_submission(agent, request),
            field_errors={"city": "Write it in English."},
            error_summary="Not yet.",
        )
        await screen.shows("Not yet.")
        await screen.shows("Write it in English.")
        await screen.shows("[Rom]")
        screen.type("Rome\n")
        await agent.requests.accept(
            await wait_for_submission(agent, request, 2), message="Booked, number 12."
        )
        await screen.shows("Where to?: answered. Booked, number 12.")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"city": "Rome"}


@requirement("F20")
async def test_a_decline_that_the_agent_checks_carries_the_typed_values(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    form = Form(title="Where to?", allow_skip=True, fields=[*CITY.all_fields, Text(id="when", label="When?")])
    request = await agent.requests.create(form, thread_id=thread, validator="requester", hooks=["decline"])
    async with run_on_terminal(server.data, "inbox", "--thread", thread) as (screen, _):
        await screen.shows("If you cancel, the agent sees what you have filled in.")
        screen.type("Rome\n")
        await screen.shows("When?")
        screen.type(":dismiss\n")
        await screen.shows("Checking…")
        held_request = await wait_for_submission(agent, request)
        assert held_request.submitted is not None
        assert held_request.submitted.values == {"city": "Rome"}
        await agent.requests.reprompt(held_request, error_summary="Really?")
        await screen.shows("Really?")
        screen.type(":dismiss\n")
        with anyio.fail_after(120):
            assert (await agent.wait(request)).status == "declined"


async def test_an_open_request_is_reported_as_left_open(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(CITY, thread_id=thread)
    assert "Left open." in await run_inbox_from_pipe(server, thread, ":later")


async def test_a_pipe_does_not_wait_for_the_check(server: Server, agent: AsyncClient, thread: str) -> None:
    request = await agent.requests.create(CITY, thread_id=thread, validator="requester")
    assert "Where to?: sent. The agent checks it." in await run_inbox_from_pipe(server, thread, "Rome")
    assert (await agent.requests.get(request.id)).status == "resolving"


@requirement("D22")
async def test_the_agents_own_sentence_for_a_rule_is_in_the_language_of_the_reader(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    sentence = {"en": "A town, please.", "fr": "Une ville, s'il vous plaît."}
    city = Text(id="city", label="City?", required=True, messages=Messages(required=sentence))
    await agent.requests.create(Form(fields=[city]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "", "Rome", LC_ALL="fr_FR.UTF-8")
    assert "Une ville" in out
    assert "A town" not in out
