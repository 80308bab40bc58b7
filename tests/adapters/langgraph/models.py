"""A fake chat model, and agents made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from tests.adapters.promises import Turn

CONFIG: RunnableConfig = {"configurable": {"thread_id": "t1"}}
GO = {"messages": [("user", "go")]}


class FakeModel(GenericFakeChatModel):
    """Returns the given messages."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self


def model(*turns: Turn) -> FakeModel:
    """Return a model that makes the tool calls of each turn, with ids in their order, and then says "done"."""
    replies, number = [], 0
    for turn in turns:
        calls = []
        for name, args in turn:
            number += 1
            calls.append({"name": name, "args": dict(args), "id": f"call_{number}"})
        replies.append(AIMessage("", tool_calls=calls))
    return FakeModel(messages=iter([*replies, AIMessage("done")]))


def reviewed_agent(
    fake: FakeModel,
    *tools: Any,
    allowed: Any = True,
    saver: Any = None,
    name: str = "releaser",
    **middleware: Any,
) -> Any:
    """Return an agent whose tool `deploy` is reviewed."""
    hitl = HumanInTheLoopMiddleware({"deploy": allowed}, **middleware)
    saver = saver or InMemorySaver()
    return create_agent(fake, list(tools), middleware=[hitl], checkpointer=saver, name=name)


def results(out: Mapping[str, Any]) -> list[str]:
    """Return the tool results that the model read."""
    return [message.text for message in out["messages"] if message.type == "tool"]
