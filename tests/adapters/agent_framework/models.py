"""A fake chat client, and agents made of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)

from askback.adapters import agent_framework as adapter
from tests.adapters.promises import Turn


class FakeClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Makes the calls of each turn, with ids in their order, and then says "done"; its layers are as those of OpenAI."""

    def __init__(self, *turns: Turn) -> None:
        super().__init__()
        self.left = list(turns)
        self.number = 0
        self.read: list[Message] = []

    def _inner_get_response(self, *, messages: Sequence[Message], stream: bool, **kwargs: Any) -> Any:
        self.read = list(messages)
        contents = self._contents()
        if stream:
            return ResponseStream(self._updates(contents), finalizer=ChatResponse.from_updates)
        return self._response(contents)

    def _contents(self) -> list[Content]:
        calls = list[Content]()
        for name, args in self.left.pop(0) if self.left else ():
            self.number += 1
            calls.append(Content.from_function_call(f"call_{self.number}", name, arguments=json.dumps(args)))
        return calls or [Content.from_text("done")]

    async def _response(self, contents: list[Content]) -> ChatResponse[Any]:
        return ChatResponse(messages=[Message("assistant", contents)], response_id="run_1")

    async def _updates(self, contents: list[Content]) -> AsyncIterator[ChatResponseUpdate]:
        for item in contents:
            yield ChatResponseUpdate(contents=[item], role="assistant", response_id="run_1")


def release_agent(
    *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser", **options: Any
) -> Agent[Any]:
    """Return an agent whose tool `deploy` needs approval."""
    functions = [] if deploy is None else [tool(deploy, name="deploy", approval_mode="always_require")]
    asking = [getattr(adapter, item) for item in tools]
    return Agent(client=FakeClient(*turns), name=name, tools=[*functions, *asking], **options)


def results_read_by(agent: Agent[Any]) -> list[str]:
    """Return the last tool results that the model of an agent read, in the order of its calls."""
    fake: Any = agent.client
    contents = [item for message in fake.read for item in message.contents]
    results = {item.call_id: str(item.result) for item in contents if item.type == "function_result"}
    return [results[result] for result in sorted(results)]
