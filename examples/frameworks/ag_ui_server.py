"""The runs of an AG-UI agent that asks a person: in its front end, such as CopilotKit, and in the inbox."""

from collections.abc import AsyncIterator

from ag_ui.core import (
    BaseEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
)

from askback import AskbackError, AsyncClient, Form, Select
from askback.adapters.ag_ui import as_interrupts, take_resume

REPORT = Form(fields=[Select(id="format", label="Which format?", options=["PDF", "Word"], required=True)])


async def run(ask: AsyncClient, run_input: RunAgentInput) -> AsyncIterator[BaseEvent]:
    """Yield the events of a run; the endpoint of the agent sends them over SSE."""
    thread_id, run_id = run_input.thread_id, run_input.run_id
    yield RunStartedEvent(thread_id=thread_id, run_id=run_id)
    waiting = [*await ask.requests.list(thread_id=thread_id, status="pending")]
    try:
        if waiting:
            requests = await take_resume(ask, waiting, run_input.resume)
        else:
            requests = [await ask.requests.create(REPORT, thread_id=thread_id)]
    except AskbackError as error:
        yield RunErrorEvent(message=str(error))
        return
    if still := [item for item in requests if not item.settled]:
        outcome = RunFinishedInterruptOutcome(interrupts=await as_interrupts(ask, still))
        yield RunFinishedEvent(thread_id=thread_id, run_id=run_id, outcome=outcome)
        return
    result = [ask.text_of(item) for item in requests]
    outcome = RunFinishedSuccessOutcome()
    yield RunFinishedEvent(thread_id=thread_id, run_id=run_id, result=result, outcome=outcome)
