"""An AG-UI agent over HTTP and SSE, with the events of the real package, and the sender of a host."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    Event,
    FunctionCall,
    Interrupt,
    MessagesSnapshotEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    ToolCall,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder
from pydantic import TypeAdapter

EVENTS: TypeAdapter[Event] = TypeAdapter(Event)
EDITABLE = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}},
    "required": ["approved"],
}


class Agent:
    """Proposes deployments, and runs what the resume approves: by its interrupt, with the edited arguments."""

    def __init__(self, *targets: str, snapshot: bool = False) -> None:
        self.calls = {f"call-{n}": {"to": to} for n, to in enumerate(targets, 1)}
        self.snapshot = snapshot
        self.ran: list[Any] = []
        self.inputs: list[RunAgentInput] = []

    def events(self, run_input: RunAgentInput) -> Iterator[BaseEvent]:
        context: Any = {"thread_id": run_input.thread_id, "run_id": run_input.run_id}
        self.inputs.append(run_input)
        yield RunStartedEvent(**context)
        if run_input.resume is None:
            yield from self._propose()
            yield RunFinishedEvent(**context, outcome=RunFinishedInterruptOutcome(interrupts=self.interrupts))
            return
        answers = {entry.interrupt_id: entry for entry in run_input.resume}
        if answers.keys() != {interrupt.id for interrupt in self.interrupts}:
            yield RunErrorEvent(message="The resume must address every interrupt.")
            return
        for call_id, arguments in self.calls.items():
            payload = answers[f"int-{call_id}"].payload or {}
            if payload.get("approved") is True:
                self.ran.append(payload.get("editedArgs", arguments))
            yield ToolCallResultEvent(message_id=f"m-{call_id}", tool_call_id=call_id, content=str(payload))
        yield RunFinishedEvent(**context, outcome=RunFinishedSuccessOutcome())

    def _propose(self) -> Iterator[BaseEvent]:
        if self.snapshot:
            tool_calls = [_tool_call(call_id, arguments) for call_id, arguments in self.calls.items()]
            yield MessagesSnapshotEvent(messages=[AssistantMessage(id="m1", tool_calls=tool_calls)])
            return
        for call_id, arguments in self.calls.items():
            text = json.dumps(arguments)
            yield ToolCallStartEvent(tool_call_id=call_id, tool_call_name="deploy")
            yield ToolCallArgsEvent(tool_call_id=call_id, delta=text[:4])
            yield ToolCallArgsEvent(tool_call_id=call_id, delta=text[4:])
            yield ToolCallEndEvent(tool_call_id=call_id)

    @property
    def interrupts(self) -> list[Interrupt]:
        return [
            Interrupt(
                id=f"int-{call_id}",
                reason="tool_call",
                message=f"Deploy to {arguments['to']}?",
                tool_call_id=call_id,
                response_schema=EDITABLE,
            )
            for call_id, arguments in self.calls.items()
        ]


def _tool_call(call_id: str, arguments: Mapping[str, Any]) -> ToolCall:
    return ToolCall(id=call_id, function=FunctionCall(name="deploy", arguments=json.dumps(arguments)))


@asynccontextmanager
async def serve_agent(agent: Agent) -> AsyncIterator[str]:
    """Serve an agent; yields its address."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.partition(b":")[2])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        )
        run_input = RunAgentInput.model_validate_json(await reader.readexactly(length))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for event in agent.events(run_input):
            writer.write(EventEncoder().encode(event).encode())
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


class Sender:
    """Posts the input to an agent and reads its events, as any AG-UI client does."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def __call__(self, run_input: RunAgentInput) -> AsyncIterator[BaseEvent]:
        body = run_input.model_dump_json(by_alias=True, exclude_none=True)
        async with (
            httpx2.AsyncClient(timeout=120, verify=False) as http,
            http.stream("POST", self._url, content=body) as reply,
        ):
            async for line in reply.aiter_lines():
                if line.startswith("data: "):
                    yield EVENTS.validate_json(line.removeprefix("data: "))
