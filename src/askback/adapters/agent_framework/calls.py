"""Ask about the calls with which an agent has paused, and answer them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TypeVar

from agent_framework import AgentResponseUpdate, ChatContext, ChatMiddleware, Content, FunctionTool, Message

from askback.adapters.asking import AskOptions, PausePoint, approve_once
from askback.adapters.asktools import (
    ASK_TOOLS,
    ASK_USER,
    REQUEST_APPROVAL,
    REQUEST_ENV_VARS,
    AskResult,
    AskTool,
)
from askback.client.async_client import AsyncClient
from askback.client.gather import gather_all
from askback.domain.decision import Decision

MessageOrUpdate = TypeVar("MessageOrUpdate", Message, AgentResponseUpdate)


def _ask_tool(kind: AskTool) -> FunctionTool:
    """Return a tool without a function, for which the framework pauses; the answer is its result."""
    return FunctionTool(name=kind.name, description=kind.description, input_model=kind.schema)


ask_user = _ask_tool(ASK_USER)
request_approval = _ask_tool(REQUEST_APPROVAL)
request_env_vars = _ask_tool(REQUEST_ENV_VARS)


@dataclass(slots=True)
class Denials(ChatMiddleware):
    """Tells the model why a call was denied, where the framework only says that it was rejected."""

    texts: dict[str, str] = field(default_factory=dict[str, str])

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Replace the results of denied calls, also for the history of the session."""
        for message in context.messages:
            for content in message.contents:
                if content.type == "function_result" and (text := self.texts.pop(content.id or "", None)):
                    content.result = text
        await call_next()


def can_answer(request: Content) -> bool:
    """Return whether askback can answer it: an approval, or a call of a tool for models."""
    return request.type == "function_approval_request" or request.name in ASK_TOOLS


async def ask_about(
    ask: AsyncClient, requests: Sequence[Content], point: PausePoint, options: AskOptions
) -> Sequence[Decision | AskResult]:
    """Ask about all calls together; returns their outcomes in the same order."""
    return await gather_all(_outcome(ask, request, point, options) for request in requests)


async def _outcome(
    ask: AsyncClient, request: Content, point: PausePoint, options: AskOptions
) -> Decision | AskResult:
    call = request.function_call or request
    call_point = replace(point, id=f"{point.id}:{request.id or call.call_id}", tool_call_id=call.call_id)
    arguments = call.parse_arguments() or {}
    if request.type == "function_call":
        return await ASK_TOOLS[call.name or ""].call(
            ask, arguments, call_point, wait=options.get("wait", True)
        )
    return await approve_once(ask, call.name or call.type, arguments, call_point, **options)


async def answer(
    ask: AsyncClient, requests: Sequence[Content], outcomes: Sequence[Decision | AskResult], denials: Denials
) -> Message:
    """Use the approvals, and return the message that lets the agent continue."""
    contents = list[Content]()
    for request, outcome in zip(requests, outcomes, strict=True):
        if isinstance(outcome, AskResult):
            contents.append(
                Content.from_function_result(request.call_id or "", id=request.id, result=outcome.text)
            )
            continue
        final_decision = await ask.use(outcome)
        contents.append(request.to_function_approval_response(bool(final_decision)))
        if not final_decision:
            denials.texts[request.id or ""] = final_decision.text
    return Message("user", contents)


def results_in(message: Message) -> list[Content]:
    """Return the results of tools in a message."""
    return [item for item in message.contents if item.type == "function_result"]


def without_requests(messages: Sequence[MessageOrUpdate]) -> list[MessageOrUpdate]:
    """Return messages, or updates of a stream, in which nothing waits for a person, without those that are empty."""
    copies = [copy(item) for item in messages]
    for message in copies:
        contents = [copy(item) for item in message.contents if item.type != "function_approval_request"]
        for message_content in contents:
            message_content.user_input_request = None  # of a call: it has been answered
        message.contents = contents
    return [item for item in copies if item.contents]
