"""An agent of LangChain whose deployments a person approves, with a fake model."""

import asyncio
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType] - untyped in part
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call
from langgraph.checkpoint.memory import InMemorySaver

from askback import AsyncClient
from askback.adapters.langgraph import ask_user, run_graph


class FakeModel(GenericFakeChatModel):
    """A model that says what it is given."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self


ASK = tool_call(name="ask_user", args={"question": "Which version?", "options": ["1.4", "2.0"]}, id="call_1")
DEPLOY = tool_call(name="deploy", args={"to": "production"}, id="call_2")
MODEL = FakeModel(
    messages=iter([AIMessage("", tool_calls=[ASK]), AIMessage("", tool_calls=[DEPLOY]), AIMessage("Done.")])
)
TASK = {"messages": [("user", "Release it.")]}


def deploy(to: str) -> str:
    """Deploy the new version."""
    print(f"Deploying to {to}.")
    return f"Deployed to {to}."


agent = create_agent(
    MODEL,
    [deploy, ask_user],
    middleware=[HumanInTheLoopMiddleware({"deploy": True})],
    checkpointer=InMemorySaver(),
)


async def main() -> None:
    async with AsyncClient() as ask:
        out = await run_graph(ask, agent, TASK, {"configurable": {"thread_id": "release"}})
        for message in out["messages"]:
            print(f"{message.type}: {message.text}")


asyncio.run(main())
