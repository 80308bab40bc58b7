"""The trace of the asking agent is continued by the agent that processes the resume."""

from __future__ import annotations

import secrets

import pytest
from opentelemetry import context, trace

from askback import Form, Resume, Text, on_resume
from askback.client.tracing import continue_trace, current_trace
from askback.domain.tracing import read_trace
from tests.client.conftest import Connect

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
FORM = Form(fields=[Text(id="q", label="Q")])


async def test_a_resume_continues_the_trace_of_its_request(connect: Connect, thread: str) -> None:
    seen_items: list[str] = []
    key = secrets.token_hex(8)

    @on_resume
    async def go(resume: Resume) -> None:
        seen_items.append(current_trace())

    async with connect() as agent, connect("responder") as person:
        with continue_trace(TRACE):
            request = await agent.requests.create(
                FORM, thread_id=thread, delivery="resume", idempotency_key=key
            )
        second_request = await agent.requests.create(
            FORM, thread_id=thread, delivery="resume", idempotency_key=key
        )
        assert (request.traceparent, second_request) == (TRACE, request)
        await person.requests.answer(request.id, {"q": "a"})
        [resume] = await agent.resumes.pull(thread)
        await go(resume)
        assert await agent.resumes.ack(resume)
        untraced_request = await agent.requests.create(FORM, thread_id=thread)
    assert (seen_items, untraced_request.traceparent, current_trace()) == ([TRACE], None, "")
    assert trace.get_current_span(context.get_current()) is trace.INVALID_SPAN


@pytest.mark.parametrize(
    "trace",
    [
        None,
        5,
        "",
        TRACE.upper(),
        TRACE + "\n",
        TRACE[:-1],
        "01" + TRACE[2:],
        TRACE.replace("b7ad6b7169203331", "0" * 16),
    ],
)
def test_an_invalid_trace_context_is_ignored(trace: object) -> None:
    assert read_trace(trace) == ""
