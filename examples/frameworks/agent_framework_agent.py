"""An agent of Microsoft Agent Framework whose deployments a person approves, with a fake model."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
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

from askback import AsyncClient
from askback.adapters.agent_framework import ask_user, run

TURNS = [
    Content.from_function_call(
        "call_1", "ask_user", arguments={"question": "Which version?", "options": ["1.4", "2.0"]}
    ),
    Content.from_function_call("call_2", "deploy", arguments={"to": "production"}),
    Content.from_text("Done."),
]


class FakeClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """A model that says what it is given."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse[Any]] | ResponseStream[ChatResponseUpdate, ChatResponse[Any]]:
        return self._say(messages[-1])

    async def _say(self, last_message: Message) -> ChatResponse[Any]:
        print(last_message.role, *(content.text or content.result for content in last_message.contents))
        return ChatResponse(messages=[Message("assistant", [TURNS.pop(0)])])


@tool(approval_mode="always_require")
def deploy(to: str) -> str:
    """Deploy the new version."""
    print(f"Deploying to {to}.")
    return f"Deployed to {to}."


agent = Agent(client=FakeClient(), name="releaser", tools=[ask_user, deploy])


async def main() -> None:
    async with AsyncClient() as ask:
        session = agent.create_session(session_id="release")
        reply = await run(ask, agent, "Release it.", session=session)
        print(reply.text)


asyncio.run(main())
