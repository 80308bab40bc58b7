"""A form whose answer the agent checks before it is accepted, over every transport."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from askback import (
    Accept,
    Answer,
    AskAgain,
    AsyncClient,
    Cancelled,
    Declined,
    Form,
    InputRequest,
    Select,
    Text,
)
from tests.client.servers import ServerProcess
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

LUNCH = Form(
    title="Lunch", fields=[Text(id="dish", label="Dish", required=True), Text(id="note", label="Note")]
)


@asynccontextmanager
async def answering(
    person: AsyncClient, thread: str, *answers: dict[str, Any]
) -> AsyncIterator[Sequence[InputRequest]]:
    """Answer each revision of the thread's request with the next of `answers`; yields its states."""
    requests: list[InputRequest] = []

    async def answer() -> None:
        left = list(answers)
        async for event in person.events(thread, cursor=0):
            if event["type"] not in ("request.created", "request.reprompted"):
                continue
            requests.append(InputRequest.model_validate(event["request"]))
            if left:
                await person.requests.answer(requests[-1], left.pop(0), revision=requests[-1].revision)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            yield requests
            tasks.cancel_scope.cancel()


def refuse_soup(answer: Answer) -> dict[str, str] | None:
    """A plain function, which runs in a thread."""
    return {"dish": "Soup is off."} if answer.values["dish"] == "soup" else None


@requirement("F13", "F14")
async def test_a_refused_answer_is_asked_again_with_its_errors_and_values(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with answering(person, thread, {"dish": "soup", "note": "hot"}, {"dish": "rice"}) as requests:
        answer = await agent.form(LUNCH, thread_id=thread, validate=refuse_soup)
    assert answer.values == {"dish": "rice"}
    second_request = requests[1]
    assert (second_request.revision, second_request.status) == (2, "pending")
    assert [(error.path, error.message) for error in second_request.field_errors] == [
        ("values.dish", "Soup is off.")
    ]
    assert second_request.submitted is not None
    assert second_request.submitted.values == {"dish": "soup", "note": "hot"}


@requirement("F13")
@pytest.mark.parametrize(
    ("verdict", "expected_text"),
    [
        ("Not today.", "Not today."),
        (AskAgain(error_summary="Not today.", field_errors={"dish": "No."}), "Not today."),
    ],
)
async def test_a_verdict_may_be_a_sentence_or_more(
    agent: AsyncClient, person: AsyncClient, thread: str, verdict: Any, expected_text: str
) -> None:
    async def check(answer: Answer) -> Any:
        return verdict if answer.values["dish"] == "soup" else None

    async with answering(person, thread, {"dish": "soup"}, {"dish": "rice"}) as requests:
        await agent.form(LUNCH, thread_id=thread, validate=check)
    assert requests[1].error_summary == expected_text


@requirement("F14")
async def test_a_verdict_may_be_another_form(agent: AsyncClient, person: AsyncClient, thread: str) -> None:
    menu = Form(fields=[Select(id="dish", label="Dish", options=["rice", "fish"], required=True)])

    async def check(answer: Answer) -> Form | None:
        return None if answer.values["dish"] in ("rice", "fish") else menu

    async with answering(person, thread, {"dish": "soup"}, {"dish": "fish"}) as requests:
        answer = await agent.form(LUNCH, thread_id=thread, validate=check)
    assert answer.values == {"dish": "fish"}
    assert requests[1].form is not None
    assert requests[1].form.all_fields[0].type == "select"


@requirement("F13", "F14")
async def test_a_validator_may_return_a_result_and_errors_may_come_first(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with answering(person, thread, {"dish": "soup"}, {"dish": "rice"}) as requests:
        answer = await agent.form(
            LUNCH,
            thread_id=thread,
            errors={"dish": "Yesterday's was off."},
            validate=lambda found: (
                Accept(values={"dish": "Rice"}, result={"number": 12}, message="Booked, number 12.")
                if found.values["dish"] == "rice"
                else AskAgain(error_summary="No.", timeout_s=60)
            ),
        )
    assert (answer.values, answer.result, answer.message) == (
        {"dish": "Rice"},
        {"number": 12},
        "Booked, number 12.",
    )
    first, second_request = requests
    assert [(error.path, error.message) for error in first.field_errors] == [
        ("values.dish", "Yesterday's was off.")
    ]
    assert (first.expires_at, second_request.timeout_s) == (None, 60)
    assert second_request.expires_at is not None


@requirement("F20")
async def test_hooks_decide_about_a_decline_once(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    seen_items: list[tuple[str, dict[str, Any]]] = []

    def really(request: InputRequest) -> str:
        assert request.held is not None
        assert request.submitted is not None
        seen_items.append((str(request.held.reason), request.submitted.values))
        return "Really?"

    with anyio.fail_after(120):
        asking = asyncio.create_task(agent.form(LUNCH, thread_id=thread, hooks={"decline": really}))
        async for event in person.events(thread, cursor=0):
            if event["type"] == "request.created":
                await person.requests.decline(event["request"]["id"], values={"note": "hot"})
            elif event["type"] == "request.reprompted":
                assert event["request"]["error_summary"] == "Really?"
                break
        [request] = await person.requests.list(thread_id=thread)
        assert request.declined_once
        with pytest.raises(Declined):
            await person.requests.decline(request)
            await asking
    assert seen_items == [("dismissed", {"note": "hot"})]


@requirement("F22")
async def test_a_hook_answers_at_the_deadline(agent: AsyncClient, thread: str) -> None:
    with anyio.fail_after(120):
        answer = await agent.form(
            LUNCH, thread_id=thread, timeout_s=1, hooks={"timeout": lambda _: Accept(values={"dish": "soup"})}
        )
    assert answer.values == {"dish": "soup"}


@requirement("F15")
async def test_a_validator_ends_after_ten_rounds(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with answering(person, thread, *[{"dish": "soup"}] * 11) as requests:
        with pytest.raises(Cancelled) as exc_info:
            await agent.form(LUNCH, thread_id=thread, validate=refuse_soup)
    assert exc_info.value.request.reason == "failed"
    assert len(requests) == 11


@requirement("H5")
async def test_a_validating_client_also_waits_for_the_outcome(server: ServerProcess, thread: str) -> None:
    ours = {"transport": "websocket"}
    async with server.client("requester", **ours) as agent, server.client("responder", **ours) as person:
        outcome = await decline_after_reprompt(agent, person, thread)
    assert isinstance(outcome, Declined)
    assert not outcome.request.queued  # or it would be told again, as to one that has gone


async def decline_after_reprompt(agent: AsyncClient, person: AsyncClient, thread: str) -> Any:
    with anyio.fail_after(120):
        asking = asyncio.create_task(agent.try_form(LUNCH, thread_id=thread, validate=refuse_soup))
        async for event in person.events(thread, cursor=0):
            if event["type"] == "request.created":
                await person.requests.answer(event["request"]["id"], {"dish": "soup"})
            elif event["type"] == "request.reprompted":
                await person.requests.decline(event["request"]["id"], reason="refused")
                break
        return await asking


async def test_an_exception_in_the_validator_withdraws_the_question(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    def broken(_: Answer) -> None:
        raise LookupError("the menu is gone")

    async with answering(person, thread, {"dish": "soup"}):
        with pytest.raises(LookupError, match="the menu is gone"):
            await agent.form(LUNCH, thread_id=thread, validate=broken)
    [request] = await person.requests.list(thread_id=thread)
    assert (request.status, request.reason) == ("cancelled", "agent_aborted")


@requirement("G8")
async def test_a_returning_agent_reads_missed_messages(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        LUNCH, thread_id=thread, idempotency_key=f"k-{ascii(thread)}", validator="requester"
    )
    await person.requests.answer(request, {"dish": "rice"})
    missed_messages: list[Any] = []
    with anyio.fail_after(120):
        answer = await agent.form(
            LUNCH,
            thread_id=thread,
            idempotency_key=f"k-{ascii(thread)}",
            validate=lambda a: missed_messages.append(a.values),
        )
    assert answer.values == {"dish": "rice"}
    assert missed_messages == [{"dish": "rice"}]
