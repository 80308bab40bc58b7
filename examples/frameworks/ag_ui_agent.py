"""A host that lets a person answer the interrupts of an AG-UI agent, here a fake one in the same process."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from ag_ui.core import (
    BaseEvent,
    Interrupt,
    RunAgentInput,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from askback import AsyncClient
from askback.adapters.ag_ui import run_agent

VERSION = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
QUESTION = Interrupt(id="int-1", reason="input_required", message="Which version?", response_schema=VERSION)
APPROVAL = Interrupt(id="int-2", reason="tool_call", message="Deploy?", tool_call_id="call-1")


async def send(run_input: RunAgentInput) -> AsyncIterator[BaseEvent]:
    """Run the fake agent; a real host posts the input and reads the events of the reply."""
    thread_id, run_id = run_input.thread_id, run_input.run_id
    yield RunStartedEvent(thread_id=thread_id, run_id=run_id)
    answers: dict[str, Any] = {entry.interrupt_id: entry.payload for entry in run_input.resume or ()}
    if not answers:
        yield ToolCallStartEvent(tool_call_id="call-1", tool_call_name="deploy")
        yield ToolCallArgsEvent(tool_call_id="call-1", delta=json.dumps({"to": "production"}))
        yield ToolCallEndEvent(tool_call_id="call-1")
        outcome = RunFinishedInterruptOutcome(interrupts=[QUESTION, APPROVAL])
        yield RunFinishedEvent(thread_id=thread_id, run_id=run_id, outcome=outcome)
        return
    decided = answers["int-2"]
    version = answers["int-1"]["answer"]
    done = f"Deploying {version} to production." if decided["approved"] else decided["reason"]
    yield ToolCallResultEvent(message_id="msg-1", tool_call_id="call-1", content=done)
    yield RunFinishedEvent(thread_id=thread_id, run_id=run_id, outcome=RunFinishedSuccessOutcome())


async def main() -> None:
    async with AsyncClient() as ask:
        run_input = RunAgentInput(thread_id="release", run_id="run-1", messages=[])
        async for event in run_agent(ask, send, run_input):
            print(event.model_dump_json(by_alias=True))


asyncio.run(main())
